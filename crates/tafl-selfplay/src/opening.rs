//! Random plies at the start of a game.

use crate::derive_seed;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::{Game, Rules};

/// How often an opening is drawn anew because the game ended in it, before there is none.
const ATTEMPTS: u64 = 32;

/// Returns a new game after 0 to `most` random plies, all numbers equally likely; it is not over.
///
/// An opening in which the game ends is drawn anew. If that happens 32 times in a row, the game
/// starts without one.
#[must_use]
pub fn random_opening(rules: &Arc<Rules>, most: u32, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, &[0]));
    let plies = rng.random_range(0..=most);
    let draw = |attempt| random_game(rules, plies, derive_seed(seed, &[1, attempt]));
    let found = (0..ATTEMPTS)
        .map(draw)
        .find(|game| game.outcome().is_none());
    found.unwrap_or_else(|| Game::new(rules.clone()))
}

/// Returns a new game after `plies` random plies, or fewer if it ended before.
///
/// Each legal move is equally likely; plies within a chain count.
#[must_use]
pub fn random_game(rules: &Arc<Rules>, plies: u32, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = Game::new(rules.clone());
    let mut moves = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play_unchecked(moves[rng.random_range(0..moves.len())]);
    }
    game
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brandubh() -> Arc<Rules> {
        Rules::preset("brandubh").unwrap()
    }

    #[test]
    fn openings_have_all_lengths_up_to_the_most_and_are_not_over() {
        let mut lengths = [0; 5];
        for seed in 0..200 {
            let game = random_opening(&brandubh(), 4, seed);
            assert_eq!(game.outcome(), None);
            lengths[game.moves().len()] += 1;
        }
        assert!(lengths.iter().all(|&games| games > 20), "{lengths:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_opening() {
        let moves = |seed| random_opening(&brandubh(), 30, seed).moves().to_vec();
        assert_eq!(moves(5), moves(5));
        assert_ne!(moves(5), moves(6));
    }

    #[test]
    fn openings_longer_than_games_end_before_the_end() {
        for seed in 0..10 {
            assert_eq!(random_opening(&brandubh(), 1_000, seed).outcome(), None);
        }
    }
}
