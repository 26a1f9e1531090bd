//! What the auxiliary head learns: what the other side answers.

use crate::Sample;
use ndarray::Array1;
use tafl_rules::{Rules, Symmetry};

/// Targets that only shape the tower while it learns (Wu 2019, "Accelerating Self-Play Learning in Go", 3.4 and 4.1).
///
/// A target whose weight is 0 says nothing; its numbers are 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuxiliaryTargets {
    /// The first move of the other side's next turn, as [`tafl_rules::PolicyIndex`].
    pub reply: Array1<u16>,
    /// Weight of each sample in the reply loss: 0 where the other side has no further turn.
    pub reply_weight: Array1<f32>,
}

impl AuxiliaryTargets {
    /// Returns the targets of samples, each under a symmetry.
    pub(crate) fn new(samples: &[&Sample], symmetries: &[Symmetry], rules: &[&Rules]) -> Self {
        let seen = samples.iter().zip(symmetries).zip(rules);
        let reply = seen.map(|((sample, symmetry), rules)| {
            let turned = sample.reply.map(|mv| symmetry.mv(mv, rules.shape()));
            turned.map_or(0, |mv| mv.policy_index(rules.shape()).0)
        });
        Self {
            reply: reply.collect(),
            reply_weight: samples
                .iter()
                .map(|sample| if sample.reply.is_some() { 1.0 } else { 0.0 })
                .collect(),
        }
    }
}
