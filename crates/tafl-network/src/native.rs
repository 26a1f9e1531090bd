//! What computes in a program without libtorch: networks in f32 on the CPU, by [`tafl_forward`]. Nothing trains.

use crate::checkpoint::TrainerState;
use crate::network::{Weights, folded};
use crate::{Compute, Device, InferenceTimes, Losses, Network, NetworkError, TrainerConfig};
use ndarray::{Array3, ArrayView3};
use std::convert::Infallible;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tafl_forward::{Net, NetEvaluator};
use tafl_graph::{Graph, OUTPUTS, WdlAndLength};
use tafl_rules::PolicyIndex;
use tafl_samples::{Batch, Facts, PLANES};
use tafl_search::{Evaluation, Evaluator, Leaf};

/// A network ready to evaluate positions, on one thread.
///
/// Each worker makes its own. An evaluation does not depend on the other positions of its batch, nor on
/// how many there are.
#[derive(Debug)]
pub struct Inference {
    net: Net,
    size: usize,
    times: InferenceTimes,
}

fn net(graph: &Graph, weights: &Weights) -> Result<Net, NetworkError> {
    Net::new(graph, weights).map_err(|error| NetworkError::Torch(error.to_string()))
}

impl Inference {
    /// Makes a network ready.
    ///
    /// # Errors
    /// If the device is not the CPU, or the format not f32.
    pub fn new(network: &Network, device: Device, compute: Compute) -> Result<Self, NetworkError> {
        device.check()?;
        match compute {
            Compute::F32 => {}
            Compute::Bf16 => return Err(NetworkError::NoLibtorch("precision bf16")),
            Compute::Int8 => return Err(NetworkError::NoLibtorch("precision int8")),
        }
        let (graph, weights) = network.folded();
        Ok(Self {
            net: net(&graph, &weights)?,
            size: network.architecture().size(),
            times: InferenceTimes::default(),
        })
    }

    /// Returns where the time went since it was made; planes and outputs are part of the forward pass.
    #[must_use]
    pub const fn times(&self) -> InferenceTimes {
        self.times
    }

    /// Evaluates the positions of a batch; the logits of each are those of its legal moves, in their order.
    ///
    /// # Errors
    /// If the batch is of another board.
    pub fn evaluate_batch(&mut self, batch: &Batch) -> Result<Vec<Evaluation>, NetworkError> {
        let (len, size) = (batch.len(), self.size);
        if len > 0 && batch.size() != size {
            return Err(NetworkError::Batch {
                len,
                squares: batch.size() * batch.size(),
                expected: size * size,
            });
        }
        let mut evaluator = NetEvaluator(&mut self.net);
        let samples = batch.planes.outer_iter().enumerate();
        let evaluate = |(sample, planes): (usize, ArrayView3<'_, f32>)| {
            let moves = batch.legal.of(sample).into_iter();
            evaluator.evaluate_planes(planes, moves.map(|&output| PolicyIndex(output)))
        };
        Ok(samples.map(evaluate).collect())
    }

    /// Returns evaluations per second in batches of `batch`, timed for `seconds` after one that is not;
    /// encoding and reading are left out.
    ///
    /// # Errors
    /// Never; with libtorch it may fail.
    pub fn raw_forward(&mut self, batch: usize, seconds: f64) -> Result<f64, NetworkError> {
        let planes = Array3::from_elem((self.size, self.size, PLANES), 0.5);
        Ok(self.time(batch.max(1), seconds, |net, _| {
            net.forward_planes(planes.view());
        }))
    }

    /// Returns the same as [`Self::raw_forward`] for a batch of positions.
    ///
    /// # Errors
    /// Never; with libtorch it may fail.
    pub fn raw_forward_of(
        &mut self,
        leaves: &[Leaf<'_>],
        seconds: f64,
    ) -> Result<f64, NetworkError> {
        Ok(self.time(leaves.len(), seconds, |net, index| {
            let game = leaves[index].game;
            net.forward(&Facts::of(game), game.rules());
        }))
    }

    fn time(&mut self, batch: usize, seconds: f64, forward: impl Fn(&mut Net, usize)) -> f64 {
        let mut forward_all = || (0..batch).for_each(|index| forward(&mut self.net, index));
        forward_all();
        let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds.max(0.0)));
        let mut batches = 0;
        while batches == 0 || start.elapsed() < limit {
            forward_all();
            batches += 1;
        }
        (batches * batch) as f64 / start.elapsed().as_secs_f64()
    }
}

impl Evaluator for Inference {
    /// # Panics
    /// If a leaf's board has another size.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        let begun = Instant::now();
        NetEvaluator(&mut self.net).evaluate(leaves, evaluations);
        self.times.forward += begun.elapsed();
    }
}

/// Returns whether what a network computes, of planes of ones, is finite; weights may be so large that it is not.
///
/// # Errors
/// If an operation of the network is not where it could be computed.
pub fn computes_numbers(network: &Network) -> Result<bool, NetworkError> {
    let size = network.architecture().size();
    let planes = vec![1.0; PLANES * size * size];
    let (graph, weights) = network.folded();
    let outputs = outputs(&graph, &weights, size, &planes)?;
    Ok(outputs.iter().flatten().all(|number| number.is_finite()))
}

/// Returns the outputs that operations compute in f32 of planes, `[batch, PLANES, size, size]`, in the order of [`OUTPUTS`].
///
/// # Errors
/// If an operation is not where it could be computed.
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
    /// Checks that the device can be used.
    ///
    /// # Errors
    /// If it is not the CPU.
    pub fn check(self) -> Result<(), NetworkError> {
        match self {
            Self::Cpu => Ok(()),
            Self::Cuda(_) => Err(NetworkError::NoLibtorch("a GPU")),
        }
    }
}

/// Returns the largest weights in 8 bits; none, as nothing computes with them.
pub(crate) const fn most_weight() -> Option<f32> {
    None
}

/// Returns how many GPUs can be used: none.
pub(crate) const fn gpus() -> usize {
    0
}

/// Returns the major compute capability of a GPU; none can be used.
pub(crate) const fn capability(_: usize) -> Option<i32> {
    None
}

/// Loads libtorch's CUDA part.
///
/// # Errors
/// Always: there is no libtorch.
pub const fn open_cuda() -> Result<(), NetworkError> {
    Err(NetworkError::NoLibtorch("a GPU"))
}

/// Returns the folder from which libtorch was loaded: none.
#[must_use]
pub const fn libtorch_folder() -> Option<PathBuf> {
    None
}

/// What learns, in a program with libtorch; here there are none.
#[derive(Debug)]
pub struct Trainer(Infallible);

const TRAINING: NetworkError = NetworkError::NoLibtorch("training");

impl Trainer {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub const fn new(
        _: &Network,
        _: TrainerConfig,
        _: Device,
        _: Compute,
    ) -> Result<Self, NetworkError> {
        Err(TRAINING)
    }

    /// Makes one step with a learning rate.
    ///
    /// # Errors
    /// Never: there are no trainers.
    pub const fn step(&mut self, _: &Batch, _: f64) -> Result<Losses, NetworkError> {
        match self.0 {}
    }

    /// Makes the network that plays ready.
    ///
    /// # Errors
    /// Never: there are no trainers.
    pub const fn prepare_to_play(&mut self, _: &[Batch]) -> Result<(), NetworkError> {
        match self.0 {}
    }

    /// Lowers what the side to move expects.
    ///
    /// # Errors
    /// Never: there are no trainers.
    pub const fn lower_mover(&mut self, _: f32) -> Result<(), NetworkError> {
        match self.0 {}
    }

    /// Returns the steps made.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        match self.0 {}
    }

    /// Returns the network that plays.
    ///
    /// # Errors
    /// Never: there are no trainers.
    pub const fn network(&self) -> Result<Network, NetworkError> {
        match self.0 {}
    }

    pub(crate) const fn state(&self) -> Result<TrainerState, NetworkError> {
        match self.0 {}
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
