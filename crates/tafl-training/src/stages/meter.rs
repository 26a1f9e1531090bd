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
        // Threads may tell what they saw in another order: the last may be less than what was recorded.
        let [evaluations, batches, hits] = [
            now.evaluations.saturating_sub(before.evaluations),
            now.batches.saturating_sub(before.batches),
            now.cache_hits.saturating_sub(before.cache_hits),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_saw_before_another_is_no_speed_of_its_own() {
        let meter = Meter::new();
        let seen = |count| Throughput {
            evaluations: count,
            batches: count,
            ..Throughput::default()
        };
        meter.see(seen(2));
        assert_eq!(meter.take().len(), 3);
        meter.see(seen(1));
        assert!(meter.take().is_empty());
    }
}
