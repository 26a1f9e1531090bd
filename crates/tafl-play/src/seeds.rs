//! What draws random numbers in a game: each has a stream of its own, derived from the game's seed.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_samples::derive_seed;

/// Purposes of random numbers. The numbers are part of a run's results and must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Random plies at the start of a game.
    Opening = 0,
    /// Which plies are searched fully, and which moves are played at random.
    Effort = 1,
    /// The search of each ply.
    Search = 2,
    /// Whether a side is handicapped, and how much.
    Handicap = 3,
    /// Which sparring partner plays.
    Partner = 8,
    /// Whether a game is played under a variant, and under which.
    Variant = 9,
    /// Whether teachers play.
    Teachers = 10,
}

impl Purpose {
    /// Returns the seed of this purpose in a game.
    pub(crate) fn seed(self, game_seed: u64) -> u64 {
        derive_seed(game_seed, &[self as u64])
    }

    /// Returns the seed of this purpose at one ply of a game.
    pub(crate) fn seed_at(self, game_seed: u64, ply: usize) -> u64 {
        derive_seed(game_seed, &[self as u64, ply as u64])
    }

    /// Returns the random numbers of this purpose in a game.
    pub(crate) fn rng(self, game_seed: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed(game_seed))
    }
}
