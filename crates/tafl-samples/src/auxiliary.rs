//! What the auxiliary head learns: what the other side answers.

use crate::Sample;
use tafl_rules::{BoardShape, Symmetry};

/// Targets that only shape the tower while it learns (Wu 2019, "Accelerating Self-Play Learning in Go", 3.4 and 4.1).
///
/// A target whose weight is 0 says nothing; its numbers are 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuxiliaryTargets {
    /// The first move of the other side's next turn, as [`tafl_rules::PolicyIndex`].
    pub reply: Vec<u16>,
    /// Weight of each sample in the reply loss: 0 where the other side has no further turn.
    pub reply_weight: Vec<f32>,
}

impl AuxiliaryTargets {
    /// Adds the targets of a sample as they look under a symmetry; `weight` is its weight in the policy loss.
    pub(crate) fn push(
        &mut self,
        sample: &Sample,
        weight: f32,
        symmetry: Symmetry,
        shape: BoardShape,
    ) {
        let reply = sample.reply.map(|mv| symmetry.mv(mv, shape));
        self.reply
            .push(reply.map_or(0, |mv| mv.policy_index(shape).0));
        self.reply_weight
            .push(if reply.is_some() { weight } else { 0.0 });
    }
}
