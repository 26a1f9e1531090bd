//! Who plays the games that are begun, and how.

use crate::{Course, MakeError, SelfplayConfig, SelfplayError, derive_seed};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use tafl_rules::Side;
use tafl_search::{Evaluator, SearchConfig};

/// The players of the games that are begun from now on; a game ends with those with whom it was begun.
#[derive(Debug, Clone)]
pub struct Lineup<'a> {
    /// The caller's number for it, handed back with each of its games.
    pub number: u64,
    /// The generation that its games belong to.
    pub generation: u32,
    /// How games are played; how many, and on how many workers, is decided when self-play begins.
    pub config: SelfplayConfig,
    /// How both players search.
    pub search: SearchConfig,
    /// What its games begin with.
    pub course: Course,
    /// Who plays both sides of a game, or one; every sample is its own.
    pub newest: Contender<'a>,
    /// Who plays one side of `config.past_opponent_fraction` of the games.
    pub past: Option<Contender<'a>>,
}

/// A player with its name.
#[derive(Clone)]
pub struct Contender<'a> {
    /// The name that stands in the records, such as a checkpoint's.
    pub name: String,
    /// Makes its evaluator; called at most once by each worker while it plays on.
    pub make_evaluator: Arc<MakeSharedEvaluator<'a>>,
}

/// As [`crate::MakeEvaluator`], for players that come and go while games are played.
pub type MakeSharedEvaluator<'a> =
    dyn Fn() -> Result<Box<dyn Evaluator>, MakeError> + Send + Sync + 'a;

impl std::fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// One of the two players of a lineup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seat {
    Newest,
    Past,
}

impl<'a> Lineup<'a> {
    /// Checks every number.
    ///
    /// # Errors
    /// Names the first field that cannot be used.
    pub fn check(&self) -> Result<(), SelfplayError> {
        Ok(self.config.check()?)
    }

    pub(crate) fn contender(&self, seat: Seat) -> &Contender<'a> {
        match (seat, &self.past) {
            (Seat::Past, Some(past)) => past,
            _ => &self.newest,
        }
    }

    /// Draws the side that the past player has in a game, if it plays there.
    pub(crate) fn draw_past_side(&self, game_seed: u64) -> Option<Side> {
        self.past.as_ref()?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(game_seed, &[5]));
        let plays = rng.random::<f32>() < self.config.past_opponent_fraction;
        let side = Side::ALL[rng.random_range(0..2)];
        plays.then_some(side)
    }
}
