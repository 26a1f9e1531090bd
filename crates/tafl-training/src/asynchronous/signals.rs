//! What the threads of the asynchronous loop tell each other besides files.

use crate::run::Run;
use crate::stages::meter::Meter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Flags, and the first error.
pub(super) struct Signals<'a> {
    run: &'a Run,
    /// There are enough games.
    pub(super) enough: AtomicBool,
    /// Training is far behind.
    pub(super) rest: AtomicBool,
    /// How fast self-play goes.
    pub(super) meter: Meter,
    failure: Mutex<Option<anyhow::Error>>,
}

/// Ends everything when the thread that holds it panics; `thread::scope` reports the panic.
struct OnPanic<'a>(&'a Signals<'a>);

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}

impl<'a> Signals<'a> {
    pub(super) fn new(run: &'a Run) -> Self {
        Self {
            run,
            enough: AtomicBool::new(false),
            rest: AtomicBool::new(false),
            meter: Meter::new(),
            failure: Mutex::new(None),
        }
    }

    /// Does a thread's work; if it fails, the others end too.
    pub(super) fn watch(&self, work: impl FnOnce() -> anyhow::Result<()>) {
        let on_panic = OnPanic(self);
        if let Err(error) = work() {
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            // Later errors may only be what the first one led to.
            failure.get_or_insert(error);
            drop(failure);
            self.give_up();
        }
        drop(on_panic);
    }

    /// Returns the first error, if a thread failed.
    pub(super) fn failure(&self) -> anyhow::Result<()> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }

    fn give_up(&self) {
        self.run.given_up.store(true, Ordering::Relaxed);
        self.enough.store(true, Ordering::Relaxed);
    }
}
