//! Losses as numbers: what a training step reports, and the sums behind it.

#![cfg_attr(
    not(feature = "libtorch"),
    expect(dead_code, reason = "only training sums losses")
)]

use ndarray::Array1;
use tafl_rules::Side;
use tafl_samples::Batch;

/// The losses of one training step: means over the batch's samples.
///
/// A loss that concerns no sample of the batch, or a head that the network does not have, is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Losses {
    /// Weighted sum of the four that follow, the number that is made smaller.
    pub total: f64,
    /// Cross-entropy of the policy over legal moves, in nats; never below the targets' own entropy.
    pub policy: f64,
    /// Cross-entropy of win, draw and loss, in nats.
    pub value: f64,
    /// Huber loss of the moves left, in units of 40 plies.
    pub moves_left: f64,
    /// Cross-entropy of the other side's next move over all moves, in nats.
    pub reply: f64,
    /// Entropy of the policy targets, in nats: what `policy` cannot fall below.
    pub policy_entropy: f64,
    /// Share of samples whose likeliest move is the target's.
    pub policy_accuracy: f64,
    /// `policy` over samples with the attackers to move.
    pub policy_attackers: f64,
    /// `policy` over samples with the defenders to move.
    pub policy_defenders: f64,
    /// `policy_accuracy` over samples with the attackers to move.
    pub policy_accuracy_attackers: f64,
    /// `policy_accuracy` over samples with the defenders to move.
    pub policy_accuracy_defenders: f64,
    /// `value` over samples with the attackers to move.
    pub value_attackers: f64,
    /// `value` over samples with the defenders to move.
    pub value_defenders: f64,
    /// Length of the gradient before clipping.
    pub gradient_norm: f64,
}

impl Losses {
    /// How many numbers there are.
    pub const COUNT: usize = 14;

    /// Returns all numbers with their names, which are those of the fields.
    pub fn named(&self) -> [(&'static str, f64); Self::COUNT] {
        let mut copy = *self;
        copy.fields().map(|(name, value)| (name, *value))
    }

    /// Returns whether any sample had a side to move: a loss over samples is above 0.
    pub fn has(&self, side: Side) -> bool {
        let of_side = match side {
            Side::Attacker => self.value_attackers + self.policy_attackers,
            Side::Defender => self.value_defenders + self.policy_defenders,
        };
        of_side != 0.0
    }

    /// Returns the numbers that were measured: all but those of a side that no sample had to move.
    pub fn measured(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        let [attackers, defenders] = Side::ALL.map(|side| self.has(side));
        self.named()
            .into_iter()
            .filter(move |(name, _)| match name {
                _ if name.ends_with("_attackers") => attackers,
                _ if name.ends_with("_defenders") => defenders,
                _ => true,
            })
    }

    /// Returns the means of the losses of some steps; 0 of none.
    ///
    /// Those of a side are means over the steps that had samples with it to move.
    pub fn mean(losses: &[Self]) -> Self {
        let mut mean = Self::default();
        for loss in losses {
            for ((_, sum), (_, value)) in mean.fields().into_iter().zip(loss.named()) {
                *sum += value;
            }
        }
        let steps = |side| losses.iter().filter(|it| it.has(side)).count().max(1) as f64;
        let [attackers, defenders] = Side::ALL.map(steps);
        let all = losses.len().max(1) as f64;
        for (name, sum) in mean.fields() {
            *sum /= match name {
                _ if name.ends_with("_attackers") => attackers,
                _ if name.ends_with("_defenders") => defenders,
                _ => all,
            };
        }
        mean
    }

    /// Returns what of a step is not a finite number, the cause before what it makes so.
    pub(crate) fn not_finite(&self) -> Option<&'static str> {
        let parts = [
            ("the policy loss", self.policy),
            ("the value loss", self.value),
            ("the loss of the moves left", self.moves_left),
            ("the reply loss", self.reply),
            ("the sum of the losses", self.total),
            ("the gradient", self.gradient_norm),
        ];
        let part = parts.iter().find(|(_, value)| !value.is_finite());
        part.map(|(name, _)| *name)
    }

    fn fields(&mut self) -> [(&'static str, &mut f64); Self::COUNT] {
        [
            ("total", &mut self.total),
            ("policy", &mut self.policy),
            ("value", &mut self.value),
            ("moves_left", &mut self.moves_left),
            ("reply", &mut self.reply),
            ("policy_entropy", &mut self.policy_entropy),
            ("policy_accuracy", &mut self.policy_accuracy),
            ("policy_attackers", &mut self.policy_attackers),
            ("policy_defenders", &mut self.policy_defenders),
            (
                "policy_accuracy_attackers",
                &mut self.policy_accuracy_attackers,
            ),
            (
                "policy_accuracy_defenders",
                &mut self.policy_accuracy_defenders,
            ),
            ("value_attackers", &mut self.value_attackers),
            ("value_defenders", &mut self.value_defenders),
            ("gradient_norm", &mut self.gradient_norm),
        ]
    }
}

/// Something for each of the losses that are added up: policy, value, moves left, reply.
pub(crate) type PerLoss<T> = [T; 4];

/// Sums over samples; those of all shards make the [`Losses`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LossSums {
    pub(crate) losses: PerLoss<f64>,
    pub(crate) entropy: f64,
    pub(crate) by_side: [SideSums; 2],
}

/// Sums over the samples with one side to move.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SideSums {
    pub(crate) weight: f64,
    pub(crate) policy: f64,
    pub(crate) value: f64,
    pub(crate) hits: f64,
}

/// Returns a batch's sums of sample weights, by which its losses are divided.
pub(crate) fn totals(batch: &Batch) -> PerLoss<f64> {
    // A batch in which nothing counts has losses of 0.
    let sum = |weights: &Array1<f32>| match weights.iter().map(|&w| f64::from(w)).sum::<f64>() {
        sum if sum > 0.0 => sum,
        _ => 1.0,
    };
    let weight = sum(&batch.weight);
    let reply = sum(&batch.reply_weight);
    [weight, weight, sum(&batch.moves_left_weight), reply]
}

impl LossSums {
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, other) in self.losses.iter_mut().zip(other.losses) {
            *sum += other;
        }
        self.entropy += other.entropy;
        for (sums, other) in self.by_side.iter_mut().zip(other.by_side) {
            sums.weight += other.weight;
            sums.policy += other.policy;
            sums.value += other.value;
            sums.hits += other.hits;
        }
    }

    pub(crate) fn means(&self, totals: PerLoss<f64>, weights: PerLoss<f64>) -> Losses {
        let means: PerLoss<f64> = std::array::from_fn(|loss| self.losses[loss] / totals[loss]);
        let weighted = means.iter().zip(weights);
        let [policy, value, moves_left, reply] = means;
        let of_side = |side: Side, sum: fn(&SideSums) -> f64| {
            let sums = &self.by_side[side.index()];
            if sums.weight > 0.0 {
                sum(sums) / sums.weight
            } else {
                0.0
            }
        };
        let both = |sum| Side::ALL.map(|side| of_side(side, sum));
        let [policy_attackers, policy_defenders] = both(|sums| sums.policy);
        let [value_attackers, value_defenders] = both(|sums| sums.value);
        let [policy_accuracy_attackers, policy_accuracy_defenders] = both(|sums| sums.hits);
        let hits: f64 = self.by_side.iter().map(|sums| sums.hits).sum();
        Losses {
            total: weighted.map(|(mean, weight)| weight * mean).sum(),
            policy,
            value,
            moves_left,
            reply,
            policy_entropy: self.entropy / totals[0],
            policy_accuracy: hits / totals[0],
            policy_attackers,
            policy_defenders,
            policy_accuracy_attackers,
            policy_accuracy_defenders,
            value_attackers,
            value_defenders,
            gradient_norm: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_fields() {
        let json = serde_json::to_value(Losses::default()).unwrap();
        let fields = json.as_object().unwrap();
        assert_eq!(fields.len(), Losses::COUNT);
        let mut named = Losses::default().named().into_iter();
        assert!(named.all(|(name, _)| fields.contains_key(name)));
    }

    #[test]
    fn a_mean_is_taken_number_by_number() {
        let one = Losses {
            total: 1.0,
            gradient_norm: 4.0,
            ..Losses::default()
        };
        let mean = Losses::mean(&[one, Losses::default()]);
        assert_eq!((mean.total, mean.gradient_norm), (0.5, 2.0));
        assert_eq!(Losses::mean(&[]), Losses::default());
    }

    #[test]
    fn a_step_without_samples_of_a_side_says_nothing_of_it() {
        let both = Losses {
            value: 1.0,
            value_attackers: 0.5,
            value_defenders: 2.0,
            policy_accuracy_defenders: 0.4,
            ..Losses::default()
        };
        let without_defenders = Losses {
            value_defenders: 0.0,
            policy_accuracy_defenders: 0.0,
            ..both
        };
        let mean = Losses::mean(&[both, without_defenders]);
        assert_eq!((mean.value_attackers, mean.value_defenders), (0.5, 2.0));
        assert_eq!(mean.policy_accuracy_defenders, 0.4);
        let measured: Vec<&str> = without_defenders.measured().map(|(name, _)| name).collect();
        assert_eq!(measured.len(), Losses::COUNT - 3, "{measured:?}");
        assert!(!measured.contains(&"policy_accuracy_defenders"));
        assert_eq!(both.measured().count(), Losses::COUNT);
    }
}
