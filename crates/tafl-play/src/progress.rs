//! What a caller learns while games are played.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tafl_samples::GameRecord;

/// How far games are; all counts since the start, over all workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Throughput {
    /// Games finished, capped ones included.
    pub games_done: u64,
    /// Plies played, openings and games in progress included.
    pub plies: u64,
    /// Plies whose search is recorded; in self-play they become training samples.
    pub positions: u64,
    /// Leaves evaluated.
    pub evaluations: u64,
    /// Leaves whose evaluation was known from before.
    pub cache_hits: u64,
    /// Batches in which they were evaluated.
    pub batches: u64,
}

/// What a caller hands in to follow games and to end them early.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called after every batch by the worker that made it, so it must be quick; timing is the
    /// caller's.
    pub progress: &'a (dyn Fn(Throughput) + Sync),
    /// Called with each game as it ends, in no fixed order among workers.
    pub finished: &'a (dyn Fn(&GameRecord) + Sync),
    /// Once true, games in progress are dropped and the finished ones returned.
    pub stop: &'a AtomicBool,
}

impl Default for Watch<'_> {
    /// Listens to nothing and lets all games end.
    fn default() -> Self {
        Self {
            progress: &|_| {},
            finished: &|_| {},
            stop: &NEVER,
        }
    }
}

/// A flag that nobody sets.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// The games that ended, for callers who want them all.
#[derive(Default)]
pub(crate) struct Finished(Mutex<Vec<GameRecord>>);

impl Finished {
    /// Keeps a game and tells the caller.
    pub(crate) fn add(&self, record: GameRecord, watch: &Watch<'_>) {
        (watch.finished)(&record);
        let mut records = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        records.push(record);
    }

    /// Returns the games by their numbers.
    pub(crate) fn sorted(self) -> Vec<GameRecord> {
        let mut records = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        records.sort_unstable_by_key(|record| record.game_id);
        records
    }
}

/// What a caller hands in to take games as they end, and to end a stream of them.
#[derive(Clone, Copy)]
pub struct Stream<'a> {
    /// As in [`Watch`].
    pub progress: &'a (dyn Fn(Throughput) + Sync),
    /// Called with each game as it ends and the number of its [`crate::SelfplayPlan`], in no fixed order among workers;
    /// the worker waits for it.
    pub finished: &'a (dyn Fn(GameRecord, u64) + Sync),
    /// While true, workers rest after their next batch.
    pub rest: &'a AtomicBool,
    /// Once true, games in progress are dropped.
    pub stop: &'a AtomicBool,
}

/// [`Throughput`] as all workers add to it.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    games_done: AtomicU64,
    plies: AtomicU64,
    positions: AtomicU64,
    evaluations: AtomicU64,
    cache_hits: AtomicU64,
    batches: AtomicU64,
}

fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

impl Counters {
    pub(crate) fn count_batch(&self, leaves: usize) {
        add(&self.evaluations, leaves as u64);
        add(&self.batches, 1);
    }

    pub(crate) fn count_cache_hit(&self) {
        add(&self.cache_hits, 1);
    }

    /// Counts the plies and the searched plies that are new since the last call; returns what is known now. A game whose
    /// opening is drawn again has fewer, and takes back what was counted.
    pub(crate) fn count_plies(&self, now: [u64; 2], known: [u64; 2]) -> [u64; 2] {
        add(&self.plies, now[0].wrapping_sub(known[0]));
        add(&self.positions, now[1].wrapping_sub(known[1]));
        now
    }

    pub(crate) fn count_game(&self) {
        add(&self.games_done, 1);
    }

    pub(crate) fn snapshot(&self) -> Throughput {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Throughput {
            games_done: of(&self.games_done),
            plies: of(&self.plies),
            positions: of(&self.positions),
            evaluations: of(&self.evaluations),
            cache_hits: of(&self.cache_hits),
            batches: of(&self.batches),
        }
    }
}
