//! Surprise weighting: positions of which the network had the wrong idea are drawn more often.
//!
//! As in `KataGo` ("Policy Surprise Weighting", its document on methods that came after the paper): within each
//! game a share of the draws stays uniform, and the rest goes to its positions in proportion to the divergence of
//! the policy to learn from the network's prior, so that a game as a whole is drawn as often as before.

use crate::catalog::SampleFile;
use crate::schema::ColumnDoc;
use crate::{DatasetError, WindowConfig, samples};
use arrow_array::types::UInt64Type;

/// How surprising a position was.
struct Surprise {
    game_id: u64,
    /// The divergence of the policy to learn from the network's prior, in nats.
    policy: f32,
}

impl WindowConfig {
    /// Returns whether some positions are drawn more often than others.
    pub(crate) fn weighs(&self) -> bool {
        self.surprise_share > 0.0
    }
}

/// Returns how often each row of a verified file is drawn relative to the others; 1 on average within each game.
pub(crate) fn weights(file: &SampleFile, config: &WindowConfig) -> Result<Vec<f32>, DatasetError> {
    let surprises = surprises(file)?;
    let games = surprises.chunk_by(|one, next| one.game_id == next.game_id);
    let share = config.surprise_share;
    let mut weights = Vec::with_capacity(surprises.len());
    for game in games {
        let sum = game.iter().map(|row| f64::from(row.policy)).sum::<f64>();
        let mean = sum / game.len() as f64;
        let relative = |surprise: f32| match mean {
            // Nothing in the game surprised: all of it alike.
            0.0 => 1.0,
            mean => f64::from(surprise) / mean,
        };
        let weight = |row: &Surprise| (1.0 - share + share * relative(row.policy)) as f32;
        weights.extend(game.iter().map(weight));
    }
    Ok(weights)
}

/// Reads the few columns that tell of surprise; what was not recorded is 0 throughout a file.
fn surprises(file: &SampleFile) -> Result<Vec<Surprise>, DatasetError> {
    let wanted = |column: &ColumnDoc| matches!(column.name, "game_id" | "prior_divergence");
    file.open()?.read(&wanted, |columns, row| {
        Ok(Surprise {
            game_id: columns.number::<UInt64Type>("game_id", row)?,
            policy: samples::prior_divergence(columns, row)?.unwrap_or(0.0),
        })
    })
}
