//! Training steps: losses, gradients, new weights.

use crate::architecture::Architecture;
use crate::checkpoint::TrainerState;
use crate::libtorch::use_one_core;
use crate::loss::{input, shard_loss};
use crate::losses::{LossSums, Losses, PerLoss, totals};
use crate::model::{Mode, Tensors, forward, tensors};
use crate::network::Weights;
use crate::optimizer::{Moments, clip};
use crate::tower::Tower;
use crate::{Compute, Device, Network, NetworkError, TrainerConfig};
use std::ops::Range;
use tafl_graph::{Parameter, Role};
use tafl_samples::Batch;
use tch::{TchError, Tensor};

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
    /// [`Network::ranges`] of the weights that play.
    ranges: Option<Vec<f32>>,
    steps: u64,
}

impl std::fmt::Debug for Trainer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Trainer({:?}, {} steps)", self.architecture, self.steps)
    }
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
    /// If the device cannot be used, or the network lacks an auxiliary head whose loss has a weight.
    pub fn new(
        network: &Network,
        config: TrainerConfig,
        device: Device,
        compute: Compute,
    ) -> Result<Self, NetworkError> {
        use_one_core();
        device.check()?;
        let architecture = *network.architecture();
        if config.auxiliary().reply && !architecture.auxiliary.reply {
            return Err(NetworkError::MissingHead);
        }
        let parameters = architecture.parameters();
        let learned = parameters.iter().cloned();
        let learned: Vec<Parameter> = learned.filter(|it| it.role != Role::Statistic).collect();
        let mut weights = tensors(&parameters, network.weights(), device)?;
        for (name, weight) in &mut weights {
            let is_learned = learned.iter().any(|parameter| parameter.name == *name);
            *weight = weight.f_set_requires_grad(is_learned)?;
        }
        let moments = Moments::zeros(&weights, &learned)?;
        let is_averaged = config.average_decay > 0.0;
        let average = is_averaged.then(|| tensors(&parameters, network.weights(), device));
        Ok(Self {
            architecture,
            config,
            device,
            compute,
            learned,
            weights,
            moments,
            average: average.transpose()?,
            ranges: network.ranges().map(<[f32]>::to_vec),
            steps: 0,
        })
    }

    /// Makes one step with a learning rate; see [`crate::LearningRateConfig::at`].
    ///
    /// # Errors
    /// If the batch is of another board or empty, libtorch fails, or a loss is not finite; the weights are
    /// unchanged then (except when libtorch fails within the update).
    pub fn step(&mut self, batch: &Batch, learning_rate: f64) -> Result<Losses, NetworkError> {
        self.check_board(batch)?;
        let totals = totals(batch);
        let shards = self.compute_shards(batch, totals)?;
        let count = shards.len() as f64;
        let mut shards = shards.into_iter();
        let unfit = || NetworkError::unfit(batch, self.architecture.size());
        let first = shards.next().ok_or_else(unfit)?;
        let _guard = tch::no_grad_guard();
        let ShardResult {
            mut gradients,
            mut statistics,
            mut sums,
        } = first;
        for shard in shards {
            for (sum, gradient) in gradients.iter_mut().zip(&shard.gradients) {
                let _ = sum.f_add_(gradient)?;
            }
            for (sum, statistic) in statistics.values_mut().zip(shard.statistics.values()) {
                let _ = sum.f_add_(statistic)?;
            }
            sums.add(&shard.sums);
        }
        let mut losses = sums.means(totals, self.config.loss_weights());
        losses.gradient_norm = clip(&mut gradients)?;
        if let Some(part) = losses.not_finite() {
            let step = self.steps;
            return Err(NetworkError::NotFinite { step, part });
        }
        self.steps += 1;
        self.ranges = None;
        for (name, sum) in &statistics {
            if let Some(statistic) = self.weights.get_mut(name) {
                statistic.f_copy_(&sum.f_div_scalar(count)?)?;
            }
        }
        let change = (&mut self.weights, &gradients[..]);
        self.moments
            .step(change, &self.learned, (learning_rate, self.steps))?;
        self.update_average()?;
        Ok(losses)
    }

    /// Prepares the weights that play, by some batches such as they learned from.
    ///
    /// The batch norms' statistics of averaged weights become the means over the batches: the average of those that
    /// training kept is that of other weights (Izmailov et al. 2018, "Averaging Weights Leads to Wider Optima", section
    /// 3.2). And how large activations become is found, by which [`Compute::Int8`] rounds.
    ///
    /// # Errors
    /// If a batch is of another board, or libtorch fails.
    pub fn prepare_to_play(&mut self, batches: &[Batch]) -> Result<(), NetworkError> {
        let _guard = tch::no_grad_guard();
        self.estimate_statistics(batches)?;
        let network = self.network()?;
        let tower = Tower::plain(&network, Compute::F32, self.device)?;
        let mut ranges: Vec<f32> = Vec::new();
        for batch in batches {
            let rows = (batch, 0..batch.len());
            let x = input(&self.architecture, rows, self.device.torch())?;
            let found = tower.ranges(x)?;
            ranges.resize(found.len(), 0.0);
            for (range, found) in ranges.iter_mut().zip(found) {
                *range = range.max(found);
            }
        }
        self.ranges = (!ranges.is_empty()).then_some(ranges);
        Ok(())
    }

    /// Takes a logit from the win of the side to move, and adds it to its loss, in the weights that play; see
    /// [`crate::turn_offset`].
    ///
    /// # Errors
    /// If libtorch fails.
    pub fn lower_mover(&mut self, offset: f32) -> Result<(), NetworkError> {
        let _guard = tch::no_grad_guard();
        let weights = self.average.as_mut().unwrap_or(&mut self.weights);
        if let Some(bias) = weights.get_mut("value.output.bias") {
            let _ = bias.f_get(0)?.f_sub_scalar_(f64::from(offset))?;
            let _ = bias.f_get(2)?.f_add_scalar_(f64::from(offset))?;
        }
        Ok(())
    }

    fn estimate_statistics(&self, batches: &[Batch]) -> Result<(), NetworkError> {
        for batch in batches {
            self.check_board(batch)?;
        }
        let Some(average) = &self.average else {
            return Ok(());
        };
        for (done, batch) in batches.iter().enumerate() {
            let rows = (batch, 0..batch.len());
            let input = input(&self.architecture, rows, self.device.torch())?;
            let mode = Mode::Measure(1.0 / (done as f64 + 1.0));
            forward(&self.architecture, average, &input, self.compute, mode)?;
        }
        Ok(())
    }

    fn check_board(&self, batch: &Batch) -> Result<(), NetworkError> {
        let size = self.architecture.size();
        if batch.size() == size && batch.len() > 0 {
            return Ok(());
        }
        Err(NetworkError::unfit(batch, size))
    }

    /// Returns the steps made so far.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the network that plays: the running average, or the latest weights if there is none.
    ///
    /// # Errors
    /// If libtorch fails to copy the weights.
    pub fn network(&self) -> Result<Network, NetworkError> {
        let weights = numbers(self.average.as_ref().unwrap_or(&self.weights))?;
        Network::from_weights(self.architecture, weights)
            .map(|network| network.with_ranges(self.ranges.clone()))
            .map_err(|_| NetworkError::NotFinite {
                step: self.steps,
                part: "a weight",
            })
    }

    pub(crate) fn state(&self) -> Result<TrainerState, NetworkError> {
        Ok(TrainerState {
            network: self.network()?,
            learning: [
                numbers(&self.weights)?,
                numbers(&self.moments.first)?,
                numbers(&self.moments.second)?,
            ],
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
        let Moments { first, second } = &mut trainer.moments;
        let own = [&mut trainer.weights, first, second].into_iter();
        for (tensors, numbers) in own.zip(&state.learning) {
            for (name, tensor) in tensors {
                let source = Tensor::f_from_slice(&numbers[name])?;
                tensor.f_copy_(&source.f_view(tensor.size().as_slice())?)?;
            }
        }
        trainer.steps = state.steps;
        Ok(trainer)
    }

    /// Computes every shard of a batch, on threads of their own, and returns their results in order.
    fn compute_shards(
        &self,
        batch: &Batch,
        totals: PerLoss<f64>,
    ) -> Result<Vec<ShardResult>, NetworkError> {
        let count = self.config.shards_on(self.device) as usize;
        let cut = |shard: usize| shard * batch.len() / count;
        let shards: Vec<Range<usize>> = (0..count)
            .map(|i| cut(i)..cut(i + 1))
            .filter(|rows| !rows.is_empty())
            .collect();
        let threads = self.config.threads_on(self.device).min(shards.len());
        let died = |_| TchError::Torch("a training thread died".to_owned());
        let mut results = std::thread::scope(|scope| -> Result<Vec<_>, TchError> {
            let spawn = |thread: usize| {
                let worker = ShardWorker {
                    architecture: self.architecture,
                    weights: shared(&self.weights),
                    learned: &self.learned,
                    totals,
                    loss_weights: self.config.loss_weights(),
                    compute: self.compute,
                };
                let own = shards.iter().enumerate().skip(thread).step_by(threads);
                scope.spawn(move || -> Result<Vec<_>, TchError> {
                    use_one_core();
                    own.map(|(shard, rows)| Ok((shard, worker.run(batch, rows.clone())?)))
                        .collect()
                })
            };
            let workers: Vec<_> = (0..threads).map(spawn).collect();
            // All are joined first: the scope panics if one that panicked is left to it.
            let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            let mut results = Vec::new();
            for result in ended {
                results.extend(result.map_err(died)??);
            }
            Ok(results)
        })?;
        results.sort_by_key(|(shard, _)| *shard);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    fn update_average(&mut self) -> Result<(), TchError> {
        let Some(average) = &mut self.average else {
            return Ok(());
        };
        // The first steps count more, or the average would long remember the untrained weights.
        let steps = self.steps as f64;
        let early = (1.0 + steps) / (10.0 + steps);
        let decay = self.config.average_decay.min(early);
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
    totals: PerLoss<f64>,
    loss_weights: PerLoss<f64>,
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
        let (loss, sums) = shard_loss(
            network,
            (batch, rows),
            self.totals,
            self.loss_weights,
            self.compute,
        )?;
        let inputs = self.learned.iter().map(|it| &self.weights[&it.name]);
        let inputs: Vec<&Tensor> = inputs.collect();
        let gradients = Tensor::f_run_backward(&[loss], &inputs, false, false)?;
        Ok(ShardResult {
            gradients,
            statistics,
            sums,
        })
    }
}

fn shared(tensors: &Tensors) -> Tensors {
    let each = tensors.iter();
    each.map(|(name, it)| (name.clone(), it.shallow_clone()))
        .collect()
}

fn numbers(tensors: &Tensors) -> Result<Weights, TchError> {
    let each = tensors.iter().map(|(name, tensor)| {
        let own = tensor.f_detach()?.f_to(tch::Device::Cpu)?;
        let flat = own.f_contiguous()?.f_view([-1])?;
        Ok((name.clone(), Vec::<f32>::try_from(flat)?))
    });
    each.collect()
}
