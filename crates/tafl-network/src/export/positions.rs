//! Real positions, and their planes.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{Facts, PLANES, encode};

/// Positions of each ruleset on which an export is compared.
pub(super) const POSITIONS: usize = 12;

/// Plies between two of them in a game.
const PLIES_BETWEEN: usize = 9;

/// Plies after which another game is begun.
const LONGEST: usize = 120;

/// Returns the start and later positions of random games, all of them that lie within chains, and last one that occurred
/// before.
pub(super) fn positions(rules: &Arc<Rules>, count: usize) -> Vec<Game> {
    let repeated = repeated(rules);
    let count = count - repeated.iter().count();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut positions, mut moves) = (Vec::with_capacity(count), Vec::new());
    let mut game = Game::new(Arc::clone(rules));
    while positions.len() < count {
        if game.outcome().is_some() || game.moves().len() >= LONGEST {
            game = Game::new(Arc::clone(rules));
        }
        let is_within_chain = game.position().chain().is_some();
        if game.moves().len().is_multiple_of(PLIES_BETWEEN) || is_within_chain {
            positions.push(game.clone());
        }
        game.legal_moves(&mut moves);
        if let Some(&mv) = moves.get((rng.next_u64() % moves.len().max(1) as u64) as usize) {
            game.play_unchecked(mv);
        }
    }
    positions.extend(repeated);
    positions
}

/// Returns the start position as it occurs again after each side moved a piece there and back; nothing where the first
/// legal moves capture, or go only one way.
fn repeated(rules: &Arc<Rules>) -> Option<Game> {
    let (mut game, mut moves) = (Game::new(Arc::clone(rules)), Vec::new());
    for ply in 0_usize..4 {
        game.legal_moves(&mut moves);
        let back = ply.checked_sub(2).map(|before| game.moves()[before]);
        let is_back =
            |mv: &&Move| back.is_none_or(|back| (mv.from(), mv.to()) == (back.to(), back.from()));
        game.play(*moves.iter().find(is_back)?).ok()?;
    }
    (game.occurrences() > 1).then_some(game)
}

/// Returns the planes of positions, `[batch, PLANES, size, size]`.
pub(super) fn planes<'a>(positions: impl Iterator<Item = (&'a Rules, Facts)>) -> Vec<f32> {
    let mut all = Vec::new();
    for (rules, facts) in positions {
        let squares = rules.shape().squares();
        let mut rows = vec![0.0; squares * PLANES];
        encode(&facts, rules, &mut rows);
        for plane in 0..PLANES {
            all.extend((0..squares).map(|square| rows[square * PLANES + plane]));
        }
    }
    all
}

/// Returns the planes of games as the network sees them.
pub(super) fn own_planes(games: &[Game]) -> Vec<f32> {
    planes(games.iter().map(|game| (&**game.rules(), Facts::of(game))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_of_games_that_go_on() {
        let rules = Rules::preset("berserk-2024").unwrap();
        let games = positions(&rules, 20);
        assert!(games.iter().all(|game| game.outcome().is_none()));
        assert_eq!(games[0].moves().len(), 0);
        assert!(games.iter().any(|game| game.moves().len() > 60));
        assert!(games.iter().any(|game| game.position().chain().is_some()));
        assert_eq!(Facts::of(&games[19]).occurrences, 2);
    }
}
