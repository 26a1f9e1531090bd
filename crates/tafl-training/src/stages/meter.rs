//! How fast self-play goes.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tafl_play::Throughput;

/// Follows the numbers of self-play from one record of them to the next.
pub(crate) struct Meter(Mutex<Counted>);

struct Counted {
    now: Throughput,
    recorded: Throughput,
    since: Instant,
}

impl Meter {
    /// Begins with nothing played.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Counted {
            now: Throughput::default(),
            recorded: Throughput::default(),
            since: Instant::now(),
        }))
    }

    /// Takes note of all that was played until now.
    pub(crate) fn see(&self, now: Throughput) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).now = now;
    }

    /// Returns speed, size of batches and hits of the cache since the last time, by the names under which they are
    /// recorded.
    pub(crate) fn take(&self) -> Vec<(&'static str, f64)> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, before) = (counted.now, counted.recorded);
        let seconds = counted.since.elapsed().as_secs_f64();
        counted.recorded = now;
        counted.since = Instant::now();
        let [evaluations, batches, hits] = [
            now.evaluations - before.evaluations,
            now.batches - before.batches,
            now.cache_hits - before.cache_hits,
        ]
        .map(|count| count as f64);
        if batches == 0.0 {
            return Vec::new();
        }
        vec![
            ("speed/evaluations_per_s", evaluations / seconds),
            ("speed/evaluations_per_batch", evaluations / batches),
            ("speed/cache_hit_rate", hits / (hits + evaluations)),
        ]
    }
}
