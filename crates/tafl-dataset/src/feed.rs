//! From drawn positions to batches, ahead of the training that takes them.

use crate::{DatasetError, ReplayWindow, WindowIndex};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use tafl_rules::Rules;
use tafl_samples::{Batch, Sample, TargetConfig};

/// Positions that are in memory at once, about 80 MB; more are read in several goes.
const READ_POSITIONS: usize = 1 << 17;

/// Batches that are made at once and that wait to be taken.
const AHEAD: usize = 4;

/// How drawn positions become batches.
#[derive(Clone, Copy)]
pub struct Feed<'a> {
    /// The rules of all rulesets that may come.
    pub rules: &'a [Arc<Rules>],
    /// What is learned from a position.
    pub targets: &'a TargetConfig,
    /// Positions in a batch, at least 1; the last batch may have fewer.
    pub batch_size: usize,
    /// Returns the seed of the symmetries of a batch, by its number from 0.
    pub seed: &'a (dyn Fn(usize) -> u64 + Sync),
}

impl ReplayWindow {
    /// Calls `take` with batch after batch of the drawn positions, while the next ones are read and encoded.
    ///
    /// Memory holds at most 131,072 positions (or one batch) and a few batches, however many were drawn. The batches
    /// depend on the arguments alone, not on the number of threads. Ends early when `take` fails.
    ///
    /// # Errors
    /// If a file cannot be read or a sample is not a position; else what `take` says.
    ///
    /// # Panics
    /// If the size of a batch is 0, or an index was drawn from another window.
    pub fn feed<E: From<DatasetError>>(
        &self,
        drawn: &[WindowIndex],
        feed: &Feed<'_>,
        mut take: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        assert!(feed.batch_size > 0, "a batch has positions");
        std::thread::scope(|scope| {
            let (sender, batches) = sync_channel(AHEAD);
            let maker = scope.spawn(move || {
                let made = self.make_batches(drawn, feed, &sender);
                // A receiver that has stopped does not want the error either.
                if let Err(error) = made {
                    let _ = sender.send(Err(error));
                }
            });
            for batch in batches {
                take(batch?)?;
            }
            if let Err(panic) = maker.join() {
                std::panic::resume_unwind(panic);
            }
            Ok(())
        })
    }

    /// Sends batches, in order, until all are made or no more are taken.
    fn make_batches(
        &self,
        drawn: &[WindowIndex],
        feed: &Feed<'_>,
        sender: &SyncSender<Result<Batch, DatasetError>>,
    ) -> Result<(), DatasetError> {
        let batches_at_once = (READ_POSITIONS / feed.batch_size).max(1);
        let mut number = 0;
        for part in drawn.chunks(batches_at_once * feed.batch_size) {
            let samples = self.read(part)?;
            let samples: Vec<&Sample> = samples.iter().collect();
            let batches: Vec<&[&Sample]> = samples.chunks(feed.batch_size).collect();
            for batches in batches.chunks(AHEAD) {
                let made = batches.par_iter().enumerate().map(|(index, samples)| {
                    let seed = (feed.seed)(number + index);
                    Batch::new(samples, feed.rules, feed.targets, seed)
                });
                for batch in made.collect::<Vec<_>>() {
                    if sender.send(Ok(batch?)).is_err() {
                        return Ok(());
                    }
                }
                number += batches.len();
            }
        }
        Ok(())
    }
}
