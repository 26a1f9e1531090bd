//! The section `[training]` of a run config.

use crate::architecture::Auxiliary;
use crate::losses::PerLoss;
use crate::{Device, LearningRateConfig, OptimizerKind, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the network learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainerConfig {
    /// The rule by which gradients change weights: `adam-w` or `sgd`.
    pub optimizer: OptimizerKind,
    /// Share of the old running mean of gradients kept in each step, 0 to below 1. Adam and SGD: 0.9.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub momentum: f64,
    /// The same of the squared gradients, `adam-w` only, 0 to below 1. Adam: 0.999.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub second_momentum: f64,
    /// Keeps Adam's divisor above 0. Adam: 1e-8.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub epsilon: f64,
    /// Share of the weights, times the learning rate, taken off in each step, 0 to below 1; biases
    /// and batch norms are spared. AlphaZero: 1e-4 in the loss; decoupled as here, 0.01 is usual.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub weight_decay: f64,
    /// Longest gradient; longer ones are shortened to it. 0 turns it off.
    #[schemars(range(min = 0.0))]
    pub clip_norm: f64,
    /// Share of the old average kept in the weights that play (running average of those that learn), 0 to
    /// below 1. 0 turns it off: the weights that learn play. `KataGo` averages too.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0))]
    pub average_decay: f64,
    /// Weight of the policy loss. AlphaZero: 1.
    #[schemars(range(min = 0.0))]
    pub policy_weight: f64,
    /// Weight of the value loss. AlphaZero: 1.
    #[schemars(range(min = 0.0))]
    pub value_weight: f64,
    /// Weight of the moves-left loss; lc0: small, so that it does not disturb the others.
    #[schemars(range(min = 0.0))]
    pub moves_left_weight: f64,
    /// Weight of the loss of the head that says what the other side plays next, 0 or more; 0: there is no such
    /// head. `KataGo`: 0.15.
    #[schemars(range(min = 0.0), extend("x-before" = 0.0))]
    pub reply_weight: f64,
    /// Parts into which a batch is cut, 1 to 256; each has batch norms of its own. The weights
    /// depend on this number, not on the number of threads.
    #[schemars(range(min = 1, max = 256))]
    pub shards: u32,
    /// Threads that compute the parts, 0 for one per core.
    #[schemars(range(min = 0, max = 1_024))]
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
        let shares = [
            ("momentum", self.momentum),
            ("second_momentum", self.second_momentum),
            ("weight_decay", self.weight_decay),
            ("average_decay", self.average_decay),
        ];
        let not_negative = [
            ("clip_norm", self.clip_norm),
            ("policy_weight", self.policy_weight),
            ("value_weight", self.value_weight),
            ("moves_left_weight", self.moves_left_weight),
            ("reply_weight", self.reply_weight),
        ];
        let positive = [("epsilon", self.epsilon), ("learning_rate.peak", rate.peak)];
        let up_to_one = [("learning_rate.final_fraction", rate.final_fraction)];
        let shards = [("shards", f64::from(self.shards))];
        let threads = [("threads", f64::from(self.threads))];
        let drops = [("learning_rate.drops", f64::from(rate.drops))];
        check(&shares, "from 0 to below 1", |x| (0.0..1.0).contains(&x))?;
        check(&not_negative, "0 or more", |x| x.is_finite() && x >= 0.0)?;
        check(&positive, "above 0", |x| x.is_finite() && x > 0.0)?;
        check(&up_to_one, "from 0 to 1", |x| (0.0..=1.0).contains(&x))?;
        if rate.schedule == Schedule::Step {
            let falls = [("learning_rate.final_fraction", rate.final_fraction)];
            check(&falls, "above 0, as `step` needs", |x| x > 0.0)?;
            check(&drops, "from 1 to 100", |x| (1.0..=100.0).contains(&x))?;
        } else {
            check(&drops, "0, as only `step` has drops", |x| x == 0.0)?;
        }
        check(&shards, "from 1 to 256", |x| (1.0..=256.0).contains(&x))?;
        check(&threads, "from 0 to 1024", |x| x <= 1024.0)
    }

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
        PerLoss {
            policy: self.policy_weight,
            value: self.value_weight,
            moves_left: self.moves_left_weight,
            reply: self.reply_weight,
        }
    }
}

fn check(
    fields: &[(&'static str, f64)],
    range: &'static str,
    is_within: impl Fn(f64) -> bool,
) -> Result<(), TrainerConfigError> {
    match fields.iter().find(|(_, value)| !is_within(*value)) {
        Some(&(field, value)) => Err(TrainerConfigError {
            field,
            value,
            range,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schedule;

    fn fine() -> TrainerConfig {
        TrainerConfig {
            optimizer: OptimizerKind::AdamW,
            momentum: 0.9,
            second_momentum: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.01,
            clip_norm: 0.0,
            average_decay: 0.0,
            policy_weight: 1.0,
            value_weight: 1.0,
            moves_left_weight: 0.0,
            reply_weight: 0.0,
            shards: 1,
            threads: 0,
            learning_rate: LearningRateConfig {
                peak: 0.002,
                warmup_steps: 0,
                schedule: Schedule::Cosine,
                final_fraction: 0.1,
                drops: 0,
            },
        }
    }

    #[test]
    fn a_field_out_of_range_is_named() {
        let fine = fine();
        assert_eq!(fine.check(), Ok(()));
        let error = |config: TrainerConfig| config.check().unwrap_err().to_string();
        let momentum = error(TrainerConfig {
            momentum: 1.0,
            ..fine
        });
        assert_eq!(momentum, "field `momentum`: 1 is not from 0 to below 1");
        let clip_norm = error(TrainerConfig {
            clip_norm: f64::NAN,
            ..fine
        });
        assert_eq!(clip_norm, "field `clip_norm`: NaN is not 0 or more");
        let reply_weight = error(TrainerConfig {
            reply_weight: -0.5,
            ..fine
        });
        assert_eq!(reply_weight, "field `reply_weight`: -0.5 is not 0 or more");
        let learning_rate = |schedule, final_fraction, drops| TrainerConfig {
            learning_rate: LearningRateConfig {
                schedule,
                final_fraction,
                drops,
                ..fine.learning_rate
            },
            ..fine
        };
        assert_eq!(learning_rate(Schedule::Step, 0.001, 3).check(), Ok(()));
        for (schedule, final_fraction, drops) in [
            (Schedule::Step, 0.0, 3),
            (Schedule::Step, 0.1, 0),
            (Schedule::Constant, 0.1, 1),
        ] {
            let error = error(learning_rate(schedule, final_fraction, drops));
            assert!(error.starts_with("field `learning_rate."), "{error}");
        }
        let shards = error(TrainerConfig { shards: 0, ..fine });
        assert_eq!(shards, "field `shards`: 0 is not from 1 to 256");
    }
}
