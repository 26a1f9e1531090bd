//! Whether a new checkpoint's values depend on whose turn it is.

use crate::run::Run;
use tafl_network::{Inference, Trainer};
use tafl_samples::GameRecord;

/// Games on which a checkpoint is measured, the latest ones: a second or two on a CPU.
pub(super) const MOST_GAMES: usize = 40;

/// Measures the weights that will play on the latest even games, if there are any.
///
/// `now` is the generation and the training steps made in the whole run.
pub(crate) fn measure(
    run: &Run,
    now: (u32, u64),
    trainer: &Trainer,
    games: &[GameRecord],
) -> anyhow::Result<()> {
    if games.is_empty() {
        return Ok(());
    }
    let mut inference = Inference::new(&trainer.network()?, run.config.device, run.compute)?;
    let latest = &games[games.len().saturating_sub(MOST_GAMES)..];
    let zigzag = tafl_network::zigzag(&mut inference, latest, &run.rules);
    if zigzag.plies == 0 {
        return Ok(());
    }
    let (generation, step) = now;
    let values = [("zigzag/mean", zigzag.mean), ("zigzag/error", zigzag.error)];
    run.record_values((generation, "zigzag"), step, &values)
}
