//! All cores, also in a process that was forked from one that used them.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// The threads, and the process that they run in.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

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
