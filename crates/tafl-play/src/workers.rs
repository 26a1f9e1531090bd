//! Threads that work side by side and fail together.

use crate::PlayerError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use tafl_search::{Evaluation, Leaf};

/// Why a worker, whose number from 0 comes first, gave up.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A player could not be made ready, or cannot go on; what the maker said.
    #[error("worker {0}: cannot set up a player: {1}")]
    NoPlayer(usize, PlayerError),
    /// It panicked with this message, in an evaluator for example.
    #[error("worker {0} panicked: {1}")]
    Panicked(usize, String),
    /// Its evaluator gave this instead of one evaluation in finite numbers for each leaf.
    #[error("worker {0}: the evaluator returned {1}")]
    BadEvaluation(usize, String),
    /// The operating system gave no thread.
    #[error("worker {0}: cannot start a thread: {1}")]
    NoThread(usize, std::io::Error),
}

/// Asks workers to stop: the caller's flag, and one for a failed worker to take the others along.
#[derive(Debug)]
pub(crate) struct Stop<'a> {
    caller: &'a AtomicBool,
    failed: AtomicBool,
}

impl Stop<'_> {
    /// Returns whether to stop at the next opportunity.
    pub(crate) fn is_asked(&self) -> bool {
        self.caller.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }
}

/// Returns the number of workers that a config asks for, 0 standing for one a core.
pub fn worker_count(wanted: u32) -> usize {
    match wanted {
        0 => thread::available_parallelism().map_or(1, std::num::NonZero::get),
        wanted => wanted as usize,
    }
}

/// Runs `work` once for each worker number below `workers`, each on a thread of its own.
///
/// # Errors
/// That of the first worker, by number, that failed or panicked; the others are asked to stop then.
pub(crate) fn run_workers(
    workers: usize,
    stop: &AtomicBool,
    work: &(dyn Fn(usize, &Stop<'_>) -> Result<(), WorkerError> + Sync),
) -> Result<(), WorkerError> {
    let stop = &Stop {
        caller: stop,
        failed: AtomicBool::new(false),
    };
    let guarded = move |worker| {
        let result = catch_unwind(AssertUnwindSafe(|| work(worker, stop)))
            .unwrap_or_else(|panic| Err(panicked(worker, panic.as_ref())));
        if result.is_err() {
            stop.failed.store(true, Ordering::Relaxed);
        }
        result
    };
    thread::scope(|scope| {
        let mut handles = Vec::with_capacity(workers);
        for worker in 0..workers {
            let name = format!("worker-{worker}");
            let handle = thread::Builder::new()
                .name(name)
                .spawn_scoped(scope, move || guarded(worker));
            if handle.is_err() {
                stop.failed.store(true, Ordering::Relaxed);
            }
            handles.push(handle.map_err(|reason| WorkerError::NoThread(worker, reason)));
        }
        let join = |(worker, handle): (usize, Result<thread::ScopedJoinHandle<'_, _>, _>)| {
            handle?
                .join()
                .unwrap_or_else(|panic| Err(panicked(worker, panic.as_ref())))
        };
        // All of them are joined, whichever failed first.
        let results: Vec<_> = handles.into_iter().enumerate().map(join).collect();
        results.into_iter().collect()
    })
}

pub(crate) fn check_evaluations(
    worker: usize,
    leaves: &[Leaf<'_>],
    evaluations: &[Evaluation],
) -> Result<(), WorkerError> {
    let bad = |what| Err(WorkerError::BadEvaluation(worker, what));
    if evaluations.len() != leaves.len() {
        return bad(format!(
            "{} evaluations for {} leaves",
            evaluations.len(),
            leaves.len()
        ));
    }
    for (leaf, evaluation) in leaves.iter().zip(evaluations) {
        let (logits, moves) = (evaluation.logits.len(), leaf.moves.len());
        if logits != moves {
            return bad(format!("{logits} logits for {moves} moves"));
        }
        let wdl = evaluation.wdl;
        let mut numbers = evaluation
            .logits
            .iter()
            .chain([&wdl.win, &wdl.draw, &wdl.loss]);
        if let Some(number) = numbers.find(|number| !number.is_finite()) {
            return bad(format!("{number} in an evaluation"));
        }
    }
    Ok(())
}

fn panicked(worker: usize, panic: &(dyn Any + Send)) -> WorkerError {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = text.or_else(|| panic.downcast_ref::<String>().cloned());
    WorkerError::Panicked(worker, message.unwrap_or_else(|| "no message".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_stops_the_others() {
        let error = run_workers(3, &AtomicBool::new(false), &|worker, stop| {
            assert_ne!(worker, 1, "worker one cannot");
            while !stop.is_asked() {
                thread::yield_now();
            }
            Ok(())
        });
        let text = error.unwrap_err().to_string();
        assert!(
            text.starts_with("worker 1 panicked: ") && text.contains("worker one cannot"),
            "{text}"
        );
    }

    #[test]
    fn no_wish_means_one_worker_a_core() {
        assert!(worker_count(0) >= 1);
        assert_eq!(worker_count(3), 3);
    }
}
