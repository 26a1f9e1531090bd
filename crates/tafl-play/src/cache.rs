//! Cached evaluations of positions that occur again, in other games or in the next search of the same game.

use std::sync::Arc;
use tafl_rules::Move;
use tafl_samples::Facts;
use tafl_search::{Evaluation, Leaf};

/// Everything that an evaluation depends on, in 128 bits.
///
/// Two different leaves get one key with a probability of 2^-128, far less than a memory error's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key([u64; 2]);

impl Key {
    fn of(leaf: &Leaf<'_>) -> Self {
        let facts = Facts::of(leaf.game);
        let square = |square: tafl_rules::Square| square.grid_index() as u64 + 1;
        let [from, to] = facts
            .last_move
            .map_or([0; 2], |mv| [square(mv.from()), square(mv.to())]);
        let small = from
            | to << 8
            | facts.chain.map_or(0, square) << 16
            | (facts.side.index() as u64) << 24
            | u64::from(facts.occurrences.min(255)) << 32;
        let mut key = Self([0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344]);
        // The games of a worker share their rules, so the address stands for the ruleset.
        let rules = Arc::as_ptr(leaf.game.rules()).addr() as u64;
        key.mix([rules, small]);
        let [[a, b], [c, d]] = leaf.weakness;
        let weakness = u32::from_le_bytes([a, b, c, d]);
        let counts = u64::from(facts.captureless) | u64::from(weakness) << 32;
        key.mix([counts, 0]);
        for squares in facts.pieces {
            key.mix([squares.0 as u64, (squares.0 >> 64) as u64]);
        }
        // A search that looks ahead asks for some of the legal moves, and which ones may depend on the past.
        key.mix([leaf.moves.len() as u64, 0]);
        for moves in leaf.moves.chunks(8) {
            let word = |moves: &[Move]| {
                moves.iter().fold(0, |word, mv| {
                    word << 16 | (mv.from().grid_index() << 8 | mv.to().grid_index()) as u64
                })
            };
            let (first, rest) = moves.split_at(moves.len().min(4));
            key.mix([word(first), word(rest)]);
        }
        key
    }

    /// Mixes two words in by one multiplication whose both halves are kept (as in `wyhash`).
    fn mix(&mut self, words: [u64; 2]) {
        let [a, b] = [0, 1].map(|half| u128::from(self.0[half] ^ words[half]));
        let product = (a ^ 0x9e37_79b9_7f4a_7c15) * (b ^ 0xd1b5_4a32_d192_ed03);
        let halves = [product as u64, (product >> 64) as u64];
        self.0 = [0, 1].map(|half| self.0[half].rotate_left(29) ^ words[half] ^ halves[half]);
    }
}

/// The evaluations of the positions that one worker met last; its memory does not grow beyond its places.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// A position has one place, and the newest one there stays.
    places: Vec<Option<(Key, Evaluation)>>,
}

impl Cache {
    /// Makes a cache of that many places; none keeps nothing.
    pub(crate) fn new(places: usize) -> Self {
        let mut cache = Self::default();
        cache.places.resize_with(places, || None);
        cache
    }

    /// Returns the key of a leaf, unless nothing is kept.
    pub(crate) fn key(&self, leaf: &Leaf<'_>) -> Option<Key> {
        (!self.places.is_empty()).then(|| Key::of(leaf))
    }

    pub(crate) fn find(&self, key: Key) -> Option<&Evaluation> {
        let (known, evaluation) = self.places[self.place(key)].as_ref()?;
        (*known == key).then_some(evaluation)
    }

    /// Keeps the evaluation of a leaf, by its key, in place of what was there.
    pub(crate) fn keep(&mut self, key: Key, evaluation: &Evaluation) {
        let place = self.place(key);
        match &mut self.places[place] {
            Some((known, kept)) => {
                *known = key;
                let mut logits = std::mem::take(&mut kept.logits);
                // A vector that grows takes twice what it had.
                let wanted = evaluation.logits.len();
                if wanted == logits.capacity() {
                    logits.clone_from(&evaluation.logits);
                } else {
                    logits = evaluation.logits.clone();
                }
                *kept = Evaluation {
                    logits,
                    ..*evaluation
                };
            }
            empty => *empty = Some((key, evaluation.clone())),
        }
    }

    fn place(&self, key: Key) -> usize {
        ((u128::from(key.0[0]) * self.places.len() as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{Game, Rules};

    fn evaluation(number: f32) -> Evaluation {
        Evaluation {
            logits: vec![number],
            ..Evaluation::empty()
        }
    }

    fn game(rules: &Arc<Rules>, moves: &str) -> Game {
        let mut game = Game::new(rules.clone());
        for mv in moves.split_whitespace() {
            let mv: Move = mv.parse().expect("a move");
            game.play(mv).expect("legal");
        }
        game
    }

    #[test]
    fn what_the_network_sees_decides_and_nothing_else() {
        let copenhagen = Rules::preset("copenhagen").expect("a preset");
        let fetlar = Rules::preset("fetlar").expect("a preset");
        let key = |game| Key::of(&Leaf::new(game, &[]));
        let there = game(&copenhagen, "d1-d3 f8-i8 g1-g3");
        let mut cache = Cache::new(1_000);
        cache.keep(key(&there), &evaluation(3.0));
        assert_eq!(cache.find(key(&there)), Some(&evaluation(3.0)));
        let copy = there.clone();
        assert_eq!(cache.find(key(&copy)), Some(&evaluation(3.0)));
        let others = [
            // The same board after another last move, after more moves, under other rules.
            game(&copenhagen, "g1-g3 f8-i8 d1-d3"),
            game(
                &copenhagen,
                "d1-d3 f8-i8 g1-g2 i8-i9 g2-g3 i9-i8 d3-d2 i8-i7 d2-d3 i7-i8 g3-g2 i8-i9 g2-g3",
            ),
            game(&fetlar, "d1-d3 f8-i8 g1-g3"),
            game(&copenhagen, ""),
        ];
        for other in &others {
            assert_eq!(cache.find(key(other)), None);
        }
        // What came first in a game is forgotten where the last move is the same.
        let again = game(&copenhagen, "d1-d2 f8-i8 d2-d3 i8-h8 g1-g2 h8-i8 g2-g3");
        assert_eq!(again.position().key(), there.position().key());
        assert_eq!(
            cache.find(key(&again)),
            None,
            "more plies without a capture"
        );
    }

    #[test]
    fn a_full_place_goes_to_the_newest() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let (first, second) = (game(&rules, ""), game(&rules, "d6-f6"));
        let key = |game| Key::of(&Leaf::new(game, &[]));
        let mut cache = Cache::new(1);
        cache.keep(key(&first), &evaluation(1.0));
        cache.keep(key(&second), &evaluation(2.0));
        assert_eq!(cache.find(key(&first)), None);
        assert_eq!(cache.find(key(&second)), Some(&evaluation(2.0)));
        let leaf = Leaf::new(&first, &[]);
        assert_eq!(Cache::new(0).key(&leaf), None);
        assert_eq!(cache.key(&leaf), Some(key(&first)));
    }
}
