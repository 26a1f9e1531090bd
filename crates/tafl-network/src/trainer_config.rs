//! The section `[trainer]` of a run config.

use crate::architecture::Auxiliary;
#[cfg(feature = "libtorch")]
use crate::losses::PerLoss;
use crate::{Device, LearningRateConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrainerConfig {
    /// Decay of the running average of the weights, which self-play and matches use, 0 to below 1. Default 0.98; 0
    /// turns it off: the latest weights play. KataGo averages too.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub average_decay: f64,
    /// Weight of the loss of the head that predicts the other side's next move. Default 0: no such head. KataGo:
    /// 0.15.
    #[schemars(range(min = 0.0), extend("x-fixed" = true))]
    pub reply_weight: f64,
    /// The learning rate over the run.
    pub learning_rate: LearningRateConfig,
    /// Shards of a batch on a CPU; not a field of files. Each has its own batch norm statistics: the weights depend on this
    /// number, not on that of the threads. Default 2.
    #[serde(skip)]
    pub shards: u32,
    /// Threads that compute the shards, at most; not a field of files. Default 0: one per core.
    #[serde(skip)]
    pub threads: u32,
}

/// Weight of the moves-left loss; policy and value have weight 1, as in AlphaZero. lc0: small, so that it does not disturb
/// the others.
#[cfg(feature = "libtorch")]
const MOVES_LEFT_WEIGHT: f64 = 0.05;

impl Default for TrainerConfig {
    fn default() -> Self {
        Self {
            average_decay: 0.98,
            reply_weight: 0.0,
            learning_rate: LearningRateConfig::default(),
            shards: 2,
            threads: 0,
        }
    }
}

impl TrainerConfig {
    /// Returns the shards of a batch: one on a GPU, which one fills.
    pub const fn shards_on(&self, device: Device) -> u32 {
        match device {
            Device::Cuda(_) => 1,
            Device::Cpu => self.shards,
        }
    }

    /// Returns the threads that compute the shards: one on a GPU, and never more than there are shards.
    pub fn threads_on(&self, device: Device) -> usize {
        let threads = match (device, self.threads) {
            (Device::Cuda(_), _) => 1,
            (Device::Cpu, 0) => std::thread::available_parallelism().map_or(1, usize::from),
            (Device::Cpu, threads) => threads as usize,
        };
        threads.min(self.shards_on(device) as usize).max(1)
    }

    /// Returns the auxiliary heads that are trained: those whose losses have a weight.
    pub const fn auxiliary(&self) -> Auxiliary {
        Auxiliary {
            reply: self.reply_weight > 0.0,
        }
    }

    #[cfg(feature = "libtorch")]
    pub(crate) const fn loss_weights(&self) -> PerLoss<f64> {
        [1.0, 1.0, MOVES_LEFT_WEIGHT, self.reply_weight]
    }
}
