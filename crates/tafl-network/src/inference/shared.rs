//! A device that all workers share.

use super::Inference;
use super::lanes::{Answer, Lanes, MOST_ROWS, answer};
use super::packed::{Packed, Packer};
use crate::{InferenceTimes, Network, NetworkError, TimedEvaluator};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tafl_search::{Evaluation, Evaluator, Leaf, OverlappingEvaluator};

/// What computes on a device, on threads of its own, for as long as a worker has it.
pub(crate) struct Shared {
    packer: Packer,
    lanes: Lanes<Packed, Vec<Evaluation>>,
}

impl Shared {
    /// Starts the threads; `make` is called on each of them.
    pub(crate) fn start(
        network: &Network,
        make: impl Fn(&Network) -> Result<Inference, NetworkError> + Send + Sync + 'static,
    ) -> Result<Self, NetworkError> {
        let packer = Packer::new(network)?;
        let network = network.clone();
        let lanes = Lanes::start(move || {
            let inference = make(&network)?;
            Ok(move |parts: &[Packed]| inference.evaluate_packed(parts))
        })?;
        Ok(Self { packer, lanes })
    }

    /// Returns the evaluator of one worker.
    pub(crate) fn evaluator(self: Arc<Self>) -> SharedEvaluator {
        SharedEvaluator {
            shared: self,
            under_way: VecDeque::new(),
            times: InferenceTimes::default(),
        }
    }
}

/// A worker's part of a device.
pub(crate) struct SharedEvaluator {
    shared: Arc<Shared>,
    /// The batches that were begun, the oldest first, in the requests that they were cut into.
    under_way: VecDeque<Vec<Answer<Vec<Evaluation>>>>,
    times: InferenceTimes,
}

impl Evaluator for SharedEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        self.begin(leaves);
        self.finish(evaluations);
    }

    fn overlapping(&mut self) -> Option<&mut dyn OverlappingEvaluator> {
        Some(self)
    }
}

impl OverlappingEvaluator for SharedEvaluator {
    fn begin(&mut self, leaves: &[Leaf<'_>]) {
        let begun = Instant::now();
        let parts = leaves.chunks(MOST_ROWS);
        let asked = parts.map(|part| self.shared.lanes.ask(self.shared.packer.pack(part)));
        self.under_way.push_back(asked.collect());
        self.times.encode += begun.elapsed();
    }

    /// # Panics
    /// If libtorch fails, as it may when memory is short.
    fn finish(&mut self, evaluations: &mut Vec<Evaluation>) {
        let begun = Instant::now();
        evaluations.clear();
        for asked in self.under_way.pop_front().expect("a batch was begun") {
            match answer(&asked) {
                Ok(part) => evaluations.extend(part),
                Err(error) => panic!("evaluating positions: {error}"),
            }
        }
        self.times.forward += begun.elapsed();
    }
}

impl TimedEvaluator for SharedEvaluator {
    /// The forward pass is the time for which the worker waited.
    fn times(&self) -> InferenceTimes {
        self.times
    }
}
