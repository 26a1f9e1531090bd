//! All cores, also in a process that was forked from one that used them.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;
use tafl_rules::{Perft, Position, Rules, perft_parallel};

/// The threads, and the process that they run in.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// How leaves of the tree are counted.
const PERFT: Perft = Perft {
    by_turns: false,
    bulk: true,
};

/// How long Python's signals, Ctrl-C among them, may wait.
pub(crate) const SLICE: Duration = Duration::from_millis(50);

/// Returns what a call of something works with, unless a call of another thread does.
pub(crate) fn lock<'a, T>(mutex: &'a Mutex<T>, of: &str) -> PyResult<MutexGuard<'a, T>> {
    match mutex.try_lock() {
        Ok(guard) => Ok(guard),
        // A call that failed is no reason to refuse the next one.
        Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(format!(
            "another thread is in a call of this {of}"
        ))),
    }
}

/// Does some work that cannot be cut into slices; where Ctrl-C ends the wait, the work goes on to its end.
pub(crate) fn on_a_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, result) = channel();
    // Nobody may listen any more.
    let _worker = thread::Builder::new().spawn(move || done.send(work()))?;
    let result = Mutex::new(result);
    loop {
        let wait = || {
            let result = result.lock().unwrap_or_else(PoisonError::into_inner);
            result.recv_timeout(SLICE)
        };
        match py.detach(wait) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a thread ended early"));
            }
        }
    }
}

/// Counts the leaves below a position on all cores; Ctrl-C ends it.
pub(crate) fn count_leaves(
    py: Python<'_>,
    rules: &Rules,
    position: &Position,
    depth: u32,
) -> PyResult<u64> {
    if depth <= AT_ONCE {
        let counted = py.detach(|| on_all_cores(|| perft_parallel(rules, position, depth, PERFT)));
        py.check_signals()?;
        return Ok(counted);
    }
    let mut moves = Vec::new();
    rules.legal_moves(position, &mut moves);
    let below = |mv| {
        let mut after = *position;
        let ply = rules.play_unchecked(&mut after, mv);
        match ply.outcome {
            Some(_) => Ok(0),
            None => count_leaves(py, rules, &after, depth - 1),
        }
    };
    moves.into_iter().map(below).sum()
}

/// Plies that are counted within a second or so.
const AT_ONCE: u32 = 4;

/// Does some work whose parallel parts use all cores.
pub(crate) fn on_all_cores<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Returns how many threads there are.
pub(crate) fn count() -> usize {
    pool().map_or(1, |pool| pool.current_num_threads())
}

/// Returns the threads of this process; a fork has none of those of its parent, which `torch` and `multiprocessing` fork.
fn pool() -> Option<Arc<ThreadPool>> {
    let mut held = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((of, pool)) = &*held
        && *of == process
    {
        return Some(Arc::clone(pool));
    }
    let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
    let before = held.replace((process, Arc::clone(&pool)));
    // Its threads are not there to be told of an end.
    std::mem::forget(before);
    Some(pool)
}
