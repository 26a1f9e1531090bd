//! Where the time of searches goes, thread by thread, for benchmarks; off until it is started.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Time that the searches of one thread spent, apart from walking down the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchTimes {
    /// Playing moves to the leaf, judging and listing its moves.
    pub rules: Duration,
    /// Adding nodes and edges with their priors.
    pub expand: Duration,
    /// Adding values along the path.
    pub back_up: Duration,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Phase {
    Rules,
    Expand,
    BackUp,
}

thread_local! {
    static TIMES: Cell<Option<SearchTimes>> = const { Cell::new(None) };
}

/// Starts the clock of this thread's searches at zero. It costs some 5 % of a visit's own time.
pub fn start_search_clock() {
    TIMES.set(Some(SearchTimes::default()));
}

/// Stops the clock of this thread and returns what it counted, if it ran.
pub fn stop_search_clock() -> Option<SearchTimes> {
    TIMES.take()
}

/// Does some work and counts its time, if the clock runs.
pub(crate) fn timed<T>(phase: Phase, work: impl FnOnce() -> T) -> T {
    if TIMES.get().is_none() {
        return work();
    }
    let begun = Instant::now();
    let result = work();
    if let Some(mut times) = TIMES.get() {
        let counter = match phase {
            Phase::Rules => &mut times.rules,
            Phase::Expand => &mut times.expand,
            Phase::BackUp => &mut times.back_up,
        };
        *counter += begun.elapsed();
        TIMES.set(Some(times));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_counts_what_it_is_asked_to_while_it_runs() {
        let nap = || std::thread::sleep(Duration::from_millis(2));
        timed(Phase::Rules, nap);
        assert_eq!(stop_search_clock(), None);
        start_search_clock();
        timed(Phase::Rules, nap);
        assert_eq!(timed(Phase::BackUp, || 7), 7);
        let times = stop_search_clock().expect("it ran");
        assert!(times.rules >= Duration::from_millis(2) && times.expand == Duration::ZERO);
        assert!(times.back_up < times.rules);
        assert_eq!(stop_search_clock(), None);
    }
}
