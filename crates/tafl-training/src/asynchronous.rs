//! The asynchronous loop: self-play, training and matches side by side, each in files that the others find.
//!
//! Three threads and the files of the run. Self-play takes the newest checkpoint as soon as it is there and leaves
//! shards of games and samples; training draws from the shards that are there, its own and those of workers of other
//! processes, and leaves checkpoints; matches measure the checkpoints one after the other. Nobody waits for anybody,
//! but training for samples (`loop.reuse`), and self-play for training that is far behind (`most_lag`). The files alone
//! decide what is complete, so a killed run continues where it was.

mod shards;
mod signals;
mod training;
mod validation;

use crate::config::AsynchronousConfig;
use crate::run::Run;
use crate::stages::matches::play_pool;
use crate::worker::{self, WORKER, WorkerJob};
use shards::Shards;
use signals::Signals;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
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
