//! What a caller learns while a match is played.

use crate::result::{MatchGame, Tally};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a match is; all counts since its start, over all workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchProgress {
    /// Games asked for.
    pub games: u64,
    /// Games finished, as the first player sees them.
    pub first: Tally,
    /// Plies played, openings left out.
    pub plies: u64,
    /// Leaves evaluated.
    pub evaluations: u64,
    /// Batches in which they were evaluated.
    pub batches: u64,
}

/// What a caller hands in to follow a match and to end it early.
#[derive(Clone, Copy)]
pub struct MatchWatch<'a> {
    /// Called after every game and every round of batches, by the worker that made it, so it must
    /// be quick; timing is the caller's.
    pub progress: &'a (dyn Fn(MatchProgress) + Sync),
    /// Called with each game as it ends, in no fixed order among workers.
    pub finished: &'a (dyn Fn(&MatchGame) + Sync),
    /// Once true, games in progress are dropped and the finished ones returned.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for MatchWatch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatchWatch")
            .field("stop", self.stop)
            .finish_non_exhaustive()
    }
}

/// [`MatchProgress`] as all workers add to it.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    games: u64,
    wins: AtomicU64,
    draws: AtomicU64,
    losses: AtomicU64,
    capped: AtomicU64,
    plies: AtomicU64,
    evaluations: AtomicU64,
    batches: AtomicU64,
}

fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

impl Counters {
    pub(crate) fn new(games: u64) -> Self {
        Self {
            games,
            ..Self::default()
        }
    }

    pub(crate) fn count_plies(&self, plies: usize) {
        add(&self.plies, plies as u64);
    }

    pub(crate) fn count_batch(&self, leaves: usize) {
        add(&self.evaluations, leaves as u64);
        add(&self.batches, 1);
    }

    pub(crate) fn count_game(&self, game: &MatchGame) {
        let mut tally = Tally::default();
        tally.count(game, 0);
        add(&self.wins, tally.wins);
        add(&self.draws, tally.draws);
        add(&self.losses, tally.losses);
        add(&self.capped, tally.capped);
    }

    pub(crate) fn snapshot(&self) -> MatchProgress {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        MatchProgress {
            games: self.games,
            first: Tally {
                wins: of(&self.wins),
                draws: of(&self.draws),
                losses: of(&self.losses),
                capped: of(&self.capped),
            },
            plies: of(&self.plies),
            evaluations: of(&self.evaluations),
            batches: of(&self.batches),
        }
    }
}
