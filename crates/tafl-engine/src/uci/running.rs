//! The searches that were begun and have not been answered; the search's thread takes them in order.

use crate::search_thread::StopSign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a search may go on once a change of rules waits for its end.
const LAST_SEARCH: Duration = Duration::from_secs(10);

/// A search.
#[derive(Clone, Default)]
pub(super) struct Running {
    pub(super) stop: Arc<StopSign>,
    pub(super) is_over: Arc<AtomicBool>,
    /// It has no end of its own: nothing but a word from outside ends it.
    pub(super) is_endless: bool,
    /// So long as the move is not played on which it ponders, it is endless, too.
    pub(super) ponders: bool,
}

impl Running {
    const fn waits_for_a_word(&self) -> bool {
        self.is_endless || self.ponders
    }
}

/// All searches that are not over.
#[derive(Default)]
pub(super) struct Searches(Vec<Running>);

impl Searches {
    /// Adds one; those before it that only a word would end have come to it.
    pub(super) fn add(&mut self, running: Running) {
        self.end_endless();
        self.0.push(running);
    }

    /// Ends those that have no end of their own.
    pub(super) fn end_endless(&mut self) {
        self.forget_ended();
        for endless in self.0.iter().filter(|it| it.waits_for_a_word()) {
            endless.stop.raise();
        }
    }

    /// Returns whether all are answered.
    pub(super) fn are_over(&mut self) -> bool {
        self.forget_ended();
        self.0.is_empty()
    }

    pub(super) fn stop(&self) {
        self.0.iter().for_each(|it| it.stop.raise());
    }

    pub(super) fn ponder_hit(&mut self) {
        for running in &mut self.0 {
            running.ponders = false;
            running.stop.ponder_hit();
        }
    }

    /// Lets those that have an end of their own come to it in a while; the others end now.
    pub(super) fn let_end(&mut self) {
        self.end_endless();
        let stops: Vec<_> = self.0.iter().map(|it| Arc::clone(&it.stop)).collect();
        if !stops.is_empty() {
            std::thread::spawn(move || {
                std::thread::sleep(LAST_SEARCH);
                stops.iter().for_each(|stop| stop.raise());
            });
        }
    }

    fn forget_ended(&mut self) {
        self.0.retain(|it| !it.is_over.load(Ordering::Acquire));
    }
}
