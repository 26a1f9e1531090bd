//! Whether the network predicts worse than by guessing, as after steps that were too large.

use super::RunConfig;
use tafl_network::Losses;
use tafl_rules::BoardShape;

/// A loss far above that of guessing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HighLoss {
    /// Whose loss it is: policy or value.
    pub part: &'static str,
    /// The loss, in nats.
    pub loss: f64,
    /// About what it is where all legal moves, or all results, are equally likely.
    pub guessed: f64,
}

impl RunConfig {
    /// Returns which of the mean losses of steps that end with `step` is far above that of guessing, although the learning rate
    /// has been at its peak.
    pub fn high_loss(
        &self,
        step: u64,
        Losses { policy, value, .. }: &Losses,
        shape: BoardShape,
    ) -> Option<HighLoss> {
        // About the square root of a board's moves are legal.
        let legal = (shape.policy_len() as f64).ln() / 2.0;
        let parts = [
            ("policy", *policy, legal, 1.5),
            ("value", *value, 3.0_f64.ln(), 2.0),
        ];
        let is_high = |(_, loss, guessed, times): &(_, f64, f64, f64)| *loss > times * guessed;
        let found = parts
            .into_iter()
            .filter(is_high)
            .max_by(|one, other| one.1.total_cmp(&other.1));
        found
            .filter(|_| step > self.trainer.learning_rate.warmup_steps)
            .map(|(part, loss, guessed, _)| HighLoss {
                part,
                loss,
                guessed,
            })
    }
}
