//! Searches with enough visits agree with exhaustive search, on endings small enough for both.

use crate::exhaustive::moves_of;
use crate::support::{ALGORITHMS, considering_all};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use tafl_rules::{Game, Piece, Rules, Setup, Side, preset};
use tafl_search::{Mode, Search, UniformEvaluator, run};

/// Brandubh whose games end soon: by three plies without a capture, if not before.
fn short_games() -> Arc<Rules> {
    let mut ruleset = preset("brandubh").expect("a preset");
    ruleset.captureless_limit = NonZeroU32::new(3);
    Rules::new(ruleset).expect("a sound ruleset")
}

/// Returns a board with a king, a defender and four attackers, if the rules allow it.
fn random_ending(rules: &Arc<Rules>, rng: &mut Xoshiro256PlusPlus) -> Option<Game> {
    let shape = rules.shape();
    let mut pieces = vec![None; shape.squares()];
    let army = [Piece::King, Piece::Defender];
    for piece in army.into_iter().chain([Piece::Attacker; 4]) {
        pieces[rng.random_range(0..shape.squares())] = Some(piece);
    }
    let setup = Setup {
        pieces,
        side: Side::ALL[rng.random_range(0..2)],
        captureless: 0,
        ..Setup::of(&rules.start(), shape)
    };
    let game = Game::from_setup(rules.clone(), &setup).ok()?;
    game.outcome().is_none().then_some(game)
}

/// The winners under best play of positions by key and plies without a capture, which is all that
/// counts: no position comes a third time in so short a game.
type Known = HashMap<(u64, u32), Option<Side>>;

/// Returns the winner under best play, by playing every line to its end.
fn winner(game: &mut Game, known: &mut Known) -> Option<Side> {
    if let Some(outcome) = game.outcome() {
        return outcome.winner;
    }
    let position = *game.position();
    let name = (position.key(), position.captureless());
    if let Some(&winner) = known.get(&name) {
        return winner;
    }
    let (side, mark, moves) = (position.side(), game.mark(), moves_of(game));
    if game.rules().king_deciding_move(&position, &moves).is_some() {
        return Some(side);
    }
    let mut best = Some(side.opponent());
    for mv in moves {
        game.play_unchecked(mv);
        let found = winner(game, known);
        game.rewind(&mark);
        if found == Some(side) {
            best = found;
            break;
        }
        best = best.filter(|_| found.is_some());
    }
    known.insert(name, best);
    best
}

#[test]
fn every_won_short_ending_is_proven_and_no_drawn_one_is_called_won() {
    let rules = short_games();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut seen = [0; 3];
    let mut games = 0;
    while games < 32 {
        let Some(mut game) = random_ending(&rules, &mut rng) else {
            continue;
        };
        games += 1;
        let truth = winner(&mut game, &mut Known::new());
        let mover = game.position().side();
        seen[truth.map_or(0, |winner| 1 + usize::from(winner == mover))] += 1;
        for algorithm in ALGORITHMS {
            let config = considering_all(algorithm, 2_000);
            let mut search = Search::new(&config, game.clone(), Mode::Match, 1);
            let stats = run(&mut search, &mut UniformEvaluator);
            if let Some(proof) = stats.proven {
                assert_eq!(proof.winner, truth, "{algorithm:?}");
            }
            // A draw is proven by every line of every move; most visits go to the best ones.
            assert!(stats.proven.is_some() || truth.is_none(), "{algorithm:?}");
        }
    }
    assert!(seen.iter().all(|&games| games >= 3), "{seen:?}");
}
