//! Training steps: losses, gradients, new weights.

use crate::architecture::{Architecture, Parameter, Role};
use crate::loss::{LossSums, LossWeights, Losses, Totals, shard_loss};
use crate::model::Tensors;
use crate::optimizer::{Moments, OptimizerKind, clip};
use crate::{Compute, Device, LearningRateConfig, Network, NetworkError, use_one_core};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use tafl_samples::Batch;
use tch::{TchError, Tensor};

/// How the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainerConfig {
    /// The rule by which gradients change weights: `adam-w` or `sgd`.
    pub optimizer: OptimizerKind,
    /// Share of the old running mean of gradients kept in each step, 0 to below 1. Adam and SGD: 0.9.
    pub momentum: f64,
    /// The same of the squared gradients, `adam-w` only, 0 to below 1. Adam: 0.999.
    pub second_momentum: f64,
    /// Keeps Adam's divisor above 0. Adam: 1e-8.
    pub epsilon: f64,
    /// Share of the weights, times the learning rate, taken off in each step, 0 to below 1; biases
    /// and batch norms are spared. AlphaZero: 1e-4 in the loss; decoupled as here, 0.01 is usual.
    pub weight_decay: f64,
    /// Longest gradient; longer ones are shortened to it. 0 turns it off.
    pub clip_norm: f64,
    /// Share of the old average kept in the weights that play (running average of those that learn), 0 to
    /// below 1. 0 turns it off: the weights that learn play. `KataGo` averages too.
    pub average_decay: f64,
    /// Weight of the policy loss. AlphaZero: 1.
    pub policy_weight: f64,
    /// Weight of the value loss. AlphaZero: 1.
    pub value_weight: f64,
    /// Weight of the moves-left loss; lc0: small, so that it does not disturb the others.
    pub moves_left_weight: f64,
    /// Parts into which a batch is cut, 1 to 256; each has batch norms of its own. The weights
    /// depend on this number, not on the number of threads.
    pub shards: u32,
    /// Threads that compute the parts, 0 for one per core.
    pub threads: u32,
    /// The learning rate over the run.
    pub learning_rate: LearningRateConfig,
}

/// A field of [`TrainerConfig`] that is out of range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("field `{field}`: {value} is not {range}")]
pub struct TrainerConfigError {
    field: &'static str,
    value: f64,
    range: &'static str,
}

impl TrainerConfig {
    /// Checks the range of every field.
    ///
    /// # Errors
    /// Names the field that is out of range.
    pub fn check(&self) -> Result<(), TrainerConfigError> {
        let rate = &self.learning_rate;
        let share = |x: f64| (0.0..1.0).contains(&x);
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let not_negative = |x: f64| x.is_finite() && x >= 0.0;
        let (shares, positives) = ("from 0 to below 1", "above 0");
        let fields = [
            ("momentum", self.momentum, share(self.momentum), shares),
            ("second_momentum", self.second_momentum, share(self.second_momentum), shares),
            ("epsilon", self.epsilon, positive(self.epsilon), positives),
            ("weight_decay", self.weight_decay, share(self.weight_decay), shares),
            ("clip_norm", self.clip_norm, not_negative(self.clip_norm), "0 or more"),
            ("average_decay", self.average_decay, share(self.average_decay), shares),
            ("policy_weight", self.policy_weight, not_negative(self.policy_weight), "0 or more"),
            ("value_weight", self.value_weight, not_negative(self.value_weight), "0 or more"),
            (
                "moves_left_weight",
                self.moves_left_weight,
                not_negative(self.moves_left_weight),
                "0 or more",
            ),
            ("shards", self.shards.into(), (1..=256).contains(&self.shards), "from 1 to 256"),
            ("threads", self.threads.into(), self.threads <= 1024, "from 0 to 1024"),
            ("learning_rate.peak", rate.peak, positive(rate.peak), positives),
            (
                "learning_rate.final_fraction",
                rate.final_fraction,
                (0.0..=1.0).contains(&rate.final_fraction),
                "from 0 to 1",
            ),
        ];
        match fields.into_iter().find(|(_, _, is_fine, _)| !is_fine) {
            Some((field, value, _, range)) => Err(TrainerConfigError { field, value, range }),
            None => Ok(()),
        }
    }

    const fn loss_weights(&self) -> LossWeights {
        LossWeights {
            policy: self.policy_weight,
            value: self.value_weight,
            moves_left: self.moves_left_weight,
        }
    }
}

/// A network that learns: its weights, the optimizer's state, and the running average that plays.
///
/// The weights after some steps depend on the batches, the config and the kind of CPU alone, bit for bit,
/// whatever the number of threads and whether the state was stored and loaded in between.
pub struct Trainer {
    architecture: Architecture,
    config: TrainerConfig,
    device: Device,
    compute: Compute,
    learned: Vec<Parameter>,
    weights: Tensors,
    moments: Moments,
    average: Option<Tensors>,
    steps: u64,
}

impl std::fmt::Debug for Trainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Trainer({:?}, {} steps)", self.architecture, self.steps)
    }
}

/// All that a trainer must be given to go on, as plain numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrainerState {
    /// The weights that play.
    pub(crate) network: Network,
    /// The weights that learn, running statistics included.
    pub(crate) weights: BTreeMap<String, Vec<f32>>,
    /// Running means of gradients.
    pub(crate) first: BTreeMap<String, Vec<f32>>,
    /// Running means of squared gradients.
    pub(crate) second: BTreeMap<String, Vec<f32>>,
    /// Steps made.
    pub(crate) steps: u64,
}

/// What one shard gives: gradients of the learned parameters, statistics, sums of losses.
struct ShardResult {
    gradients: Vec<Tensor>,
    statistics: Tensors,
    sums: LossSums,
}

impl Trainer {
    /// Makes a trainer that begins with the weights of `network`.
    ///
    /// # Errors
    /// If the device cannot be used.
    pub fn new(
        network: &Network,
        config: TrainerConfig,
        device: Device,
        compute: Compute,
    ) -> Result<Self, NetworkError> {
        use_one_core();
        device.check()?;
        let architecture = *network.architecture();
        let parameters = architecture.parameters();
        let learned: Vec<_> =
            parameters.into_iter().filter(|parameter| parameter.role != Role::Statistic).collect();
        let mut weights = tensors(&architecture, network.weights(), device)?;
        for parameter in &learned {
            let weight = weights.remove(&parameter.name).expect("a network holds every tensor");
            weights.insert(parameter.name.clone(), weight.f_set_requires_grad(true)?);
        }
        let moments = Moments::zeros(&weights, &learned)?;
        let average = match config.average_decay > 0.0 {
            true => Some(tensors(&architecture, network.weights(), device)?),
            false => None,
        };
        Ok(Self {
            architecture,
            config,
            device,
            compute,
            learned,
            weights,
            moments,
            average,
            steps: 0,
        })
    }

    /// Makes one step with a learning rate; see [`LearningRateConfig::at`].
    ///
    /// # Errors
    /// If the batch is of another board or empty, libtorch fails, or a loss is not finite; the weights are
    /// unchanged then (except when libtorch fails within the update).
    pub fn step(&mut self, batch: &Batch, learning_rate: f64) -> Result<Losses, NetworkError> {
        let expected = self.architecture.squares();
        if batch.len == 0 || batch.squares != expected {
            return Err(NetworkError::Batch { len: batch.len, squares: batch.squares, expected });
        }
        let totals = Totals::of(batch);
        let mut shards = self.compute_shards(batch, totals)?.into_iter();
        let Some(first) = shards.next() else {
            return Err(NetworkError::Batch { len: batch.len, squares: batch.squares, expected });
        };
        let _guard = tch::no_grad_guard();
        let ShardResult { mut gradients, mut statistics, mut sums } = first;
        let mut count = 1;
        for shard in shards {
            for (sum, gradient) in gradients.iter_mut().zip(&shard.gradients) {
                let _ = sum.f_add_(gradient)?;
            }
            for (sum, statistic) in statistics.values_mut().zip(shard.statistics.values()) {
                let _ = sum.f_add_(statistic)?;
            }
            sums.add(&shard.sums);
            count += 1;
        }
        let mut losses = sums.means(totals, self.config.loss_weights());
        losses.gradient_norm = clip(&mut gradients, self.config.clip_norm)?;
        if !losses.total.is_finite() || !losses.gradient_norm.is_finite() {
            return Err(NetworkError::NotFinite { step: self.steps });
        }
        self.steps += 1;
        for (name, sum) in statistics {
            let mean = sum.f_div_scalar(f64::from(count))?;
            self.weights.get_mut(&name).expect("statistics are weights").f_copy_(&mean)?;
        }
        let change = (&mut self.weights, &gradients[..]);
        self.moments.step(change, &self.learned, &self.config, (learning_rate, self.steps))?;
        self.update_average()?;
        Ok(losses)
    }

    /// Returns the steps made so far.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the number format in which it computes.
    #[must_use]
    pub const fn compute(&self) -> Compute {
        self.compute
    }

    /// Returns the network that plays: the running average, or the latest weights if there is none.
    ///
    /// # Errors
    /// If libtorch fails to copy the weights.
    pub fn network(&self) -> Result<Network, NetworkError> {
        let weights = numbers(self.average.as_ref().unwrap_or(&self.weights))?;
        Network::from_weights(self.architecture, weights)
            .map_err(|_| NetworkError::NotFinite { step: self.steps })
    }

    pub(crate) fn state(&self) -> Result<TrainerState, NetworkError> {
        Ok(TrainerState {
            network: self.network()?,
            weights: numbers(&self.weights)?,
            first: numbers(&self.moments.first)?,
            second: numbers(&self.moments.second)?,
            steps: self.steps,
        })
    }

    pub(crate) fn from_state(
        state: &TrainerState,
        config: TrainerConfig,
        device: Device,
        compute: Compute,
    ) -> Result<Self, NetworkError> {
        let mut trainer = Self::new(&state.network, config, device, compute)?;
        let _guard = tch::no_grad_guard();
        let restore = |tensors: &mut Tensors, numbers: &BTreeMap<String, Vec<f32>>| {
            for (name, tensor) in tensors {
                let numbers = numbers.get(name).map_or(&[][..], Vec::as_slice);
                let source = Tensor::f_from_slice(numbers)?.f_view(tensor.size().as_slice())?;
                tensor.f_copy_(&source)?;
            }
            Ok::<(), TchError>(())
        };
        restore(&mut trainer.weights, &state.weights)?;
        restore(&mut trainer.moments.first, &state.first)?;
        restore(&mut trainer.moments.second, &state.second)?;
        trainer.steps = state.steps;
        Ok(trainer)
    }

    /// Computes every shard of a batch, on threads of their own, and returns their results in order.
    fn compute_shards(
        &self,
        batch: &Batch,
        totals: Totals,
    ) -> Result<Vec<ShardResult>, NetworkError> {
        let count = self.config.shards as usize;
        let cut = |shard: usize| shard * batch.len / count;
        let shards: Vec<Range<usize>> =
            (0..count).map(|i| cut(i)..cut(i + 1)).filter(|rows| !rows.is_empty()).collect();
        let threads = match (self.device, self.config.threads) {
            (Device::Cuda(_), _) => 1,
            (Device::Cpu, 0) => std::thread::available_parallelism().map_or(1, usize::from),
            (Device::Cpu, threads) => threads as usize,
        };
        let threads = threads.min(shards.len()).max(1);
        let task = |thread: usize| {
            let own: Vec<_> = shards.iter().skip(thread).step_by(threads).cloned().collect();
            let worker = ShardWorker {
                architecture: self.architecture,
                weights: shared(&self.weights),
                learned: &self.learned,
                totals,
                loss_weights: self.config.loss_weights(),
                compute: self.compute,
            };
            move || -> Result<Vec<ShardResult>, TchError> {
                use_one_core();
                own.into_iter().map(|rows| worker.run(batch, rows)).collect()
            }
        };
        let per_thread = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(task(thread))).collect();
            let died = |_| TchError::Torch("a training thread died".to_owned());
            workers.into_iter().map(|worker| worker.join().map_err(died)?).collect::<Vec<_>>()
        });
        let mut per_thread =
            per_thread.into_iter().map(|r| r.map(Vec::into_iter)).collect::<Result<Vec<_>, _>>()?;
        Ok((0..shards.len()).filter_map(|shard| per_thread[shard % threads].next()).collect())
    }

    fn update_average(&mut self) -> Result<(), TchError> {
        let Some(average) = &mut self.average else { return Ok(()) };
        // The first steps count more, or the average would long remember the untrained weights.
        let steps = self.steps as f64;
        let decay = self.config.average_decay.min((1.0 + steps) / (10.0 + steps));
        for (mean, weight) in average.values_mut().zip(self.weights.values()) {
            let _ = mean.f_lerp_(weight, 1.0 - decay)?;
        }
        Ok(())
    }
}

/// What a thread needs for its shards.
struct ShardWorker<'a> {
    architecture: Architecture,
    weights: Tensors,
    learned: &'a [Parameter],
    totals: Totals,
    loss_weights: LossWeights,
    compute: Compute,
}

impl ShardWorker<'_> {
    fn run(&self, batch: &Batch, rows: Range<usize>) -> Result<ShardResult, TchError> {
        // Each shard changes statistics of its own.
        let mut weights = shared(&self.weights);
        let mut statistics = Tensors::new();
        for parameter in self.architecture.parameters() {
            if parameter.role == Role::Statistic {
                let own = self.weights[&parameter.name].f_detach_copy()?;
                statistics.insert(parameter.name.clone(), own.shallow_clone());
                weights.insert(parameter.name, own);
            }
        }
        let network = (&self.architecture, &weights);
        let (loss, sums) =
            shard_loss(network, (batch, rows), self.totals, self.loss_weights, self.compute)?;
        let inputs: Vec<&Tensor> = self.learned.iter().map(|p| &self.weights[&p.name]).collect();
        let gradients = Tensor::f_run_backward(&[loss], &inputs, false, false)?;
        Ok(ShardResult { gradients, statistics, sums })
    }
}

fn shared(tensors: &Tensors) -> Tensors {
    tensors.iter().map(|(name, tensor)| (name.clone(), tensor.shallow_clone())).collect()
}

fn tensors(
    architecture: &Architecture,
    numbers: &BTreeMap<String, Vec<f32>>,
    device: Device,
) -> Result<Tensors, TchError> {
    let parameters = architecture.parameters().into_iter();
    let each = parameters.map(|Parameter { name, shape, .. }| {
        let shape: Vec<i64> = shape.into_iter().map(|n| n as i64).collect();
        let numbers = numbers.get(&name).map_or(&[][..], Vec::as_slice);
        let tensor = Tensor::f_from_slice(numbers)?.f_view(shape.as_slice())?;
        Ok((name, tensor.f_to(device.torch())?))
    });
    each.collect()
}

fn numbers(tensors: &Tensors) -> Result<BTreeMap<String, Vec<f32>>, TchError> {
    let each = tensors.iter().map(|(name, tensor)| {
        let flat = tensor.f_detach()?.f_to(tch::Device::Cpu)?.f_contiguous()?.f_view([-1])?;
        Ok((name.clone(), Vec::<f32>::try_from(flat)?))
    });
    each.collect()
}
