//! Whether the network predicts worse than by guessing, as after steps that were too large.

use super::RunConfig;
use tafl_network::Losses;
use tafl_rules::BoardShape;

impl RunConfig {
    /// Says which of the mean losses of steps that end with `step`, in nats, is far above that of guessing, where all legal moves,
    /// or all results, are equally likely, although the learning rate has been at its peak.
    pub fn high_loss(
        &self,
        step: u64,
        Losses { policy, value, .. }: &Losses,
        shape: BoardShape,
    ) -> Option<String> {
        // About the square root of a board's moves are legal.
        let legal = (shape.policy_len() as f64).ln() / 2.0;
        let parts = [
            ("policy", *policy, legal, 1.5, 2),
            ("value", *value, 3.0_f64.ln(), 2.0, 3),
        ];
        let is_high =
            |(_, loss, guessed, times, _): &(_, f64, f64, f64, _)| *loss > times * guessed;
        let found = parts.into_iter().filter(is_high);
        let found = found.max_by(|one, other| one.1.total_cmp(&other.1));
        let (part, loss, guessed, _, digits) = found?;
        (step > self.trainer.learning_rate.warmup_steps).then(|| {
            format!(
                "the {part} loss is {loss:.digits$}, guessing gives about {guessed:.1}: the steps were too large, and what was \
                 learned is lost; begin anew with a lower trainer.learning_rate.peak"
            )
        })
    }
}
