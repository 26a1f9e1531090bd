//! The asynchronous loop: self-play, training and matches side by side, each in files that the others find.
//!
//! Three threads and the files of the run. Self-play takes the newest checkpoint as soon as it is there and leaves
//! shards of games and samples; training draws from the shards that are there, its own and those of workers of other
//! processes, and leaves checkpoints; matches measure the checkpoints one after the other. Nobody waits for anybody,
//! but training for samples (`loop.reuse`), and self-play for training that is far behind (`most_lag`). The files alone
//! decide what is complete, so a killed run continues where it was.

mod shards;
mod training;
mod validation;

use crate::config::AsynchronousConfig;
use crate::run::Run;
use crate::stages::matches::play_pool;
use crate::stages::meter::Meter;
use crate::worker::{self, WORKER, WorkerJob};
use shards::Shards;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use tafl_network::load_card;

/// Learns from self-play until there are `loop.generations` checkpoints, and measures each.
pub(crate) fn learn_side_by_side(run: &Run, config: &AsynchronousConfig) -> anyhow::Result<()> {
    let last = run.checkpoint_folder(run.last_checkpoint());
    let [learned, _] = training::behind(&load_card(&last)?);
    let mut shards = Shards::open(run, learned)?;
    let signals = &Signals::new(run);
    let (checkpoints, to_measure) = channel();
    thread::scope(|scope| {
        // The newest checkpoint plays against itself: games/<g>, a shard at a time.
        if run.plays {
            scope.spawn(|| signals.watch(|| self_play(run, config, signals)));
        }

        // New checkpoints play the pool: arena/.
        scope.spawn(|| signals.watch(|| measure(run, to_measure)));

        // The network learns from the latest positions as they come: checkpoints/<g+1>.
        signals.watch(|| training::learn(run, config, &mut shards, signals, &checkpoints));

        // Self-play ends with its finished games stored; matches that are left are played.
        signals.enough.store(true, Ordering::Relaxed);
        drop(checkpoints);
    });
    signals.failure()?;
    // What was played last is learned from if the run is prolonged.
    shards.look()?;
    shards.enter_uncounted()
}

fn self_play(run: &Run, config: &AsynchronousConfig, signals: &Signals<'_>) -> anyhow::Result<()> {
    if run.last_checkpoint() == run.config.training_loop.generations {
        return Ok(());
    }
    let job = WorkerJob {
        config: &run.config,
        rules: &run.rules,
        checkpoint: Some(run.folder()),
        wait: false,
        out: run.folder(),
        name: WORKER,
        shard_games: config.shard_games,
        shard_time: None,
        games: None,
        asked: &signals.enough,
        rest: &signals.rest,
        observer: run.observer(),
        follow: &|now| signals.meter.see(now),
    };
    worker::work(&job)?;
    Ok(())
}

fn measure(run: &Run, checkpoints: Receiver<u32>) -> anyhow::Result<()> {
    let mut checkpoints = checkpoints.into_iter();
    checkpoints.try_for_each(|checkpoint| play_pool(run, checkpoint))
}

/// What the threads tell each other besides files: flags, and the first error.
struct Signals<'a> {
    run: &'a Run,
    /// There are enough games.
    enough: AtomicBool,
    /// Training is far behind.
    rest: AtomicBool,
    /// How fast self-play goes.
    meter: Meter,
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
    fn new(run: &'a Run) -> Self {
        Self {
            run,
            enough: AtomicBool::new(false),
            rest: AtomicBool::new(false),
            meter: Meter::new(),
            failure: Mutex::new(None),
        }
    }

    /// Does a thread's work; if it fails, the others end too.
    fn watch(&self, work: impl FnOnce() -> anyhow::Result<()>) {
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
    fn failure(&self) -> anyhow::Result<()> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take().map_or(Ok(()), Err)
    }

    fn give_up(&self) {
        self.run.given_up.store(true, Ordering::Relaxed);
        self.enough.store(true, Ordering::Relaxed);
    }
}
