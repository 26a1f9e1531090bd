//! The section `[trainer]` of a run config.

use crate::architecture::Auxiliary;
use crate::losses::PerLoss;
use crate::{Device, LearningRateConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrainerConfig {
    /// Share of the weights, times the learning rate, taken off in each step, 0 to below 1; biases
    /// and batch norms are spared. Default 0.01, usual where it is decoupled as here. AlphaZero: 1e-4 in the loss.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub weight_decay: f64,
    /// Longest gradient; longer ones are shortened to it. Default 1; 0 turns it off.
    #[schemars(range(min = 0.0))]
    pub clip_norm: f64,
    /// Share of the old average kept in the weights that play (running average of those that learn), 0 to
    /// below 1. Default 0.98; 0 turns it off: the weights that learn play. `KataGo` averages too.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub average_decay: f64,
    /// Weight of the moves-left loss; those of policy and value are 1, as AlphaZero's. Default 0.05; lc0: small, so
    /// that it does not disturb the others.
    #[schemars(range(min = 0.0))]
    pub moves_left_weight: f64,
    /// Weight of the loss of the head that says what the other side plays next. Default 0: there is no such
    /// head. `KataGo`: 0.15.
    #[schemars(range(min = 0.0))]
    pub reply_weight: f64,
    /// Parts into which a batch is cut, 1 to 256; each has batch norms of its own. The weights
    /// depend on this number, not on the number of threads. Default 2.
    #[schemars(range(min = 1, max = 256))]
    pub shards: u32,
    /// Threads that compute the parts, 0 to 1,024. Default 0: one per core.
    #[schemars(range(min = 0, max = 1_024))]
    pub threads: u32,
    /// The learning rate over the run.
    pub learning_rate: LearningRateConfig,
}

impl Default for TrainerConfig {
    fn default() -> Self {
        Self {
            weight_decay: 0.01,
            clip_norm: 1.0,
            average_decay: 0.98,
            moves_left_weight: 0.05,
            reply_weight: 0.0,
            shards: 2,
            threads: 0,
            learning_rate: LearningRateConfig::default(),
        }
    }
}

impl TrainerConfig {
    /// Returns the threads that compute the shards: one on a GPU, and never more than there are shards.
    #[must_use]
    pub fn threads_on(&self, device: Device) -> usize {
        let threads = match (device, self.threads) {
            (Device::Cuda(_), _) => 1,
            (Device::Cpu, 0) => std::thread::available_parallelism().map_or(1, usize::from),
            (Device::Cpu, threads) => threads as usize,
        };
        threads.min(self.shards as usize).max(1)
    }

    /// Returns the auxiliary heads that are trained: those whose losses have a weight.
    #[must_use]
    pub const fn auxiliary(&self) -> Auxiliary {
        Auxiliary {
            reply: self.reply_weight > 0.0,
        }
    }

    pub(crate) const fn loss_weights(&self) -> PerLoss<f64> {
        [1.0, 1.0, self.moves_left_weight, self.reply_weight]
    }
}
