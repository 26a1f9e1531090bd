//! What computes in a program without libtorch: networks in f32 or 8-bit integers on the CPU, by [`tafl_forward`]. Nothing trains.
//!
//! What is here has the names that it has with libtorch, and is described there.
#![expect(missing_docs, clippy::missing_errors_doc, reason = "see above")]

use crate::checkpoint::TrainerState;
use crate::in_rust::{InRust, net};
use crate::network::{Weights, folded};
use crate::{Compute, Device, InferenceTimes, Losses, Network, NetworkError, TrainerConfig};
use ndarray::ArrayView3;
use std::path::PathBuf;
use std::time::Instant;
use tafl_graph::{Graph, OUTPUTS, WdlAndLength};
use tafl_samples::{Batch, PLANES};
use tafl_search::{Evaluation, Evaluator, Leaf};

#[derive(Debug)]
pub struct Inference {
    net: InRust,
    times: InferenceTimes,
}

impl Inference {
    pub fn new(network: &Network, device: Device, compute: Compute) -> Result<Self, NetworkError> {
        device.check()?;
        Ok(Self {
            net: InRust::new(network, compute)?,
            times: InferenceTimes::default(),
        })
    }

    pub const fn times(&self) -> InferenceTimes {
        self.times
    }

    pub fn evaluate_batch(&mut self, batch: &Batch) -> Result<Vec<Evaluation>, NetworkError> {
        self.net.evaluate_batch(batch)
    }

    pub fn raw_forward(&mut self, batch: usize, seconds: f64) -> Result<f64, NetworkError> {
        self.net.raw_forward(batch, seconds)
    }

    pub fn raw_forward_of(
        &mut self,
        leaves: &[Leaf<'_>],
        seconds: f64,
    ) -> Result<f64, NetworkError> {
        self.net.raw_forward_of(leaves, seconds)
    }
}

impl Evaluator for Inference {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        let begun = Instant::now();
        self.net.evaluate(leaves, evaluations);
        self.times.forward += begun.elapsed();
    }
}

pub(crate) fn outputs(
    graph: &Graph,
    weights: &Weights,
    size: usize,
    planes: &[f32],
) -> Result<[Vec<f32>; OUTPUTS.len()], NetworkError> {
    let (graph, weights) = folded(graph, weights);
    let mut net = net(&graph, &weights)?;
    let mut outputs = OUTPUTS.map(|_| Vec::new());
    let [policy, wdl, moves_left] = &mut outputs;
    for planes in planes.chunks_exact(PLANES * size * size) {
        let planes = ArrayView3::from_shape((PLANES, size, size), planes);
        let planes = planes.expect("as many numbers");
        let values = net.forward_planes(planes.permuted_axes([1, 2, 0]));
        let said = WdlAndLength::of(&values);
        policy.extend(net.logits().chain([values[values.len() - 1]]));
        wdl.extend(said.wdl);
        moves_left.push(said.moves_left);
    }
    Ok(outputs)
}

impl Device {
    pub fn check(self) -> Result<(), NetworkError> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(_) => Err(NetworkError::NoLibtorch("a GPU")),
        }
    }
}

pub(crate) const fn gpus() -> usize {
    0
}

pub(crate) const fn capability(_: usize) -> Option<i32> {
    None
}

pub const fn open_cuda() -> Result<(), NetworkError> {
    Err(NetworkError::NoLibtorch("a GPU"))
}

pub const fn libtorch_folder() -> Option<PathBuf> {
    None
}

/// There are none.
#[derive(Debug)]
pub enum Trainer {}

const TRAINING: NetworkError = NetworkError::NoLibtorch("training");

impl Trainer {
    pub const fn new(
        _: &Network,
        _: TrainerConfig,
        _: Device,
        _: Compute,
    ) -> Result<Self, NetworkError> {
        Err(TRAINING)
    }

    pub const fn step(&mut self, _: &Batch, _: f64) -> Result<Losses, NetworkError> {
        match *self {}
    }

    pub const fn prepare_to_play(&mut self, _: &[Batch]) -> Result<(), NetworkError> {
        match *self {}
    }

    pub const fn lower_mover(&mut self, _: f32) -> Result<(), NetworkError> {
        match *self {}
    }

    pub const fn steps(&self) -> u64 {
        match *self {}
    }

    pub const fn network(&self) -> Result<Network, NetworkError> {
        match *self {}
    }

    pub(crate) const fn state(&self) -> Result<TrainerState, NetworkError> {
        match *self {}
    }

    pub(crate) const fn from_state(
        _: &TrainerState,
        _: TrainerConfig,
        _: Device,
        _: Compute,
    ) -> Result<Self, NetworkError> {
        Err(TRAINING)
    }
}
