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
    /// Decoupled weight decay (times the learning rate), 0 to below 1; not applied to biases and batch norms, and ten times as
    /// strong for 3x3 convolutions. Default 0.01, a usual value. AlphaZero: 1e-4 in the loss.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub weight_decay: f64,
    /// Largest gradient norm; longer gradients are clipped to it. Default 1; 0 turns it off.
    #[schemars(range(min = 0.0))]
    pub clip_norm: f64,
    /// Decay of the running average of the weights, which self-play and matches use, 0 to below 1. Default 0.98; 0
    /// turns it off: the latest weights play. `KataGo` averages too.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub average_decay: f64,
    /// Weight of the moves-left loss; policy and value have weight 1, as in AlphaZero. Default 0.05; lc0: small, so
    /// that it does not disturb the others.
    #[schemars(range(min = 0.0))]
    pub moves_left_weight: f64,
    /// Weight of the loss of the head that predicts the other side's next move. Default 0: no such head. `KataGo`:
    /// 0.15.
    #[schemars(range(min = 0.0))]
    pub reply_weight: f64,
    /// Shards of a batch, 1 to 256; each has its own batch norm statistics. The weights depend on this number, not on
    /// the number of threads. Default 2.
    #[schemars(range(min = 1, max = 256))]
    pub shards: u32,
    /// Threads that compute the shards, 0 to 1,024. Default 0: one per core.
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
