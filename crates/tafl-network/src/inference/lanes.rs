//! A device that many workers share: whatever waits when it is free becomes one batch.
//!
//! Nobody waits for a batch to fill. While all lanes compute, requests gather; so batches are as large as the device is
//! busy, and one that is idle begins with what there is.

use crate::NetworkError;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Batches under way at a time: while one is computed, the next is sent.
pub(crate) const LANES: usize = 2;

/// Rows of a batch; more wait for the next, unless one request has more.
pub(crate) const MOST_ROWS: usize = 2048;

/// What is asked of a device at once.
pub(crate) trait Rows {
    fn rows(&self) -> usize;
}

/// Threads of a device that answer requests with an `A` each.
pub(crate) struct Lanes<R, A> {
    shared: Arc<Shared<R, A>>,
    threads: Vec<JoinHandle<()>>,
}

pub(crate) type Answer<A> = Receiver<Result<A, NetworkError>>;

/// A request, and where its answer goes.
type Asked<R, A> = (R, Sender<Result<A, NetworkError>>);

struct Shared<R, A> {
    state: Mutex<State<R, A>>,
    changed: Condvar,
}

struct State<R, A> {
    /// The oldest first.
    waiting: VecDeque<Asked<R, A>>,
    is_closed: bool,
}

impl<R: Rows + Send + 'static, A: Send + 'static> Lanes<R, A> {
    /// Starts the threads; on each, `make` gives what computes a batch, with an answer for each request.
    pub(crate) fn start<C>(
        make: impl Fn() -> Result<C, NetworkError> + Send + Sync + 'static,
    ) -> Result<Self, NetworkError>
    where
        C: FnMut(&[R]) -> Result<Vec<A>, NetworkError>,
    {
        let state = State {
            waiting: VecDeque::new(),
            is_closed: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let threads = Vec::with_capacity(LANES);
        let mut lanes = Self { shared, threads };
        let make = Arc::new(make);
        let (ready, made) = channel();
        for lane in 0..LANES {
            let (shared, make, ready) = (lanes.shared.clone(), make.clone(), ready.clone());
            let work = move || {
                let made = make();
                let (compute, result) = match made {
                    Ok(compute) => (Some(compute), Ok(())),
                    Err(error) => (None, Err(error)),
                };
                // Whoever starts the lanes waits for this.
                let _ = ready.send(result);
                drop(ready);
                if let Some(compute) = compute {
                    shared.serve(compute);
                }
            };
            let thread = Builder::new().name(format!("device-{lane}")).spawn(work);
            lanes.threads.push(thread.map_err(|error| ended(&error))?);
        }
        drop(ready);
        for _ in 0..LANES {
            made.recv().map_err(|error| ended(&error))??;
        }
        Ok(lanes)
    }

    /// Lets the device answer a request as soon as it can.
    pub(crate) fn ask(&self, request: R) -> Answer<A> {
        let (answer, answered) = channel();
        let mut state = self.shared.lock();
        if !state.is_closed {
            state.waiting.push_back((request, answer));
            self.shared.changed.notify_one();
        }
        answered
    }
}

pub(crate) fn answer<A>(answered: &Answer<A>) -> Result<A, NetworkError> {
    answered.recv().map_err(|error| ended(&error))?
}

fn ended(reason: &dyn std::error::Error) -> NetworkError {
    NetworkError::Torch(format!("the device's thread has ended: {reason}"))
}

impl<R, A> Drop for Lanes<R, A> {
    fn drop(&mut self) {
        self.shared.close();
        for thread in self.threads.drain(..) {
            // If it panicked, whoever waited for it knows.
            let _ = thread.join();
        }
    }
}

/// Closes what is shared when its thread ends, so that nobody waits for one that panicked.
struct Closing<'a, R, A>(&'a Shared<R, A>);

impl<R, A> Drop for Closing<'_, R, A> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<R, A> Shared<R, A> {
    fn lock(&self) -> MutexGuard<'_, State<R, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.waiting.clear();
        self.changed.notify_all();
    }
}

impl<R: Rows, A> Shared<R, A> {
    fn serve(&self, mut compute: impl FnMut(&[R]) -> Result<Vec<A>, NetworkError>) {
        let _closing = Closing(self);
        while let Some(batch) = self.next() {
            let (requests, askers): (Vec<R>, Vec<_>) = batch.into_iter().unzip();
            let answers: Vec<_> = match compute(&requests) {
                Ok(answers) => answers.into_iter().map(Ok).collect(),
                Err(error) => askers.iter().map(|_| Err(error.clone())).collect(),
            };
            for (asker, answer) in askers.into_iter().zip(answers) {
                // A worker that was stopped does not wait any longer.
                let _ = asker.send(answer);
            }
        }
    }

    /// Waits for requests; returns none when there will be no more.
    fn next(&self) -> Option<Vec<Asked<R, A>>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if !state.waiting.is_empty() {
                return Some(batch(&mut state.waiting, |(request, _)| request.rows()));
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Takes the requests that make the next batch, the oldest first.
fn batch<T>(waiting: &mut VecDeque<T>, rows: impl Fn(&T) -> usize) -> Vec<T> {
    let mut taken = Vec::new();
    let mut all = 0;
    while let Some(next) = waiting.front() {
        all += rows(next);
        if all > MOST_ROWS && !taken.is_empty() {
            break;
        }
        taken.extend(waiting.pop_front());
    }
    taken
}

#[cfg(test)]
mod tests;
