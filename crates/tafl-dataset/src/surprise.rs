//! Surprise weighting: positions of which the network had the wrong idea are drawn more often.
//!
//! As in `KataGo` ("Policy Surprise Weighting", its document on methods that came after the paper): within each
//! game a share of the draws stays uniform, and the rest goes to its positions in proportion to the divergence of
//! the policy to learn from the network's prior, so that a game as a whole is drawn as often as before.

use crate::catalog::SampleFile;
use crate::schema::ColumnDoc;
use crate::{DatasetError, WindowConfig, samples};
use arrow_array::types::UInt64Type;

/// The value's divergence counts this much at most, as in `KataGo`.
const MOST_VALUE_SURPRISE: f32 = 1.0;

/// The least probability of a result; stored ones are multiples of 1/1024.
const LEAST_CHANCE: f32 = 1.0 / 2048.0;

/// How surprising a position was.
struct Surprise {
    game_id: u64,
    policy: f32,
    value: f32,
}

impl WindowConfig {
    /// Returns whether some positions are drawn more often than others.
    pub(crate) fn weighs(&self) -> bool {
        self.surprise_share > 0.0 || self.value_surprise_share > 0.0
    }
}

/// Returns how often each row of a verified file is drawn relative to the others; 1 on average within each game.
pub(crate) fn weights(file: &SampleFile, config: &WindowConfig) -> Result<Vec<f32>, DatasetError> {
    let surprises = surprises(file, config.value_surprise_share > 0.0)?;
    let games = surprises.chunk_by(|one, next| one.game_id == next.game_id);
    let (policy, value) = (config.surprise_share, config.value_surprise_share);
    let mut weights = Vec::with_capacity(surprises.len());
    for game in games {
        let mean = |of: fn(&Surprise) -> f32| {
            game.iter().map(|row| f64::from(of(row))).sum::<f64>() / game.len() as f64
        };
        let shares = [mean(|row| row.policy), mean(|row| row.value)];
        let relative = |surprise: f32, mean: f64| match mean {
            // Nothing in the game surprised: all of it alike.
            0.0 => 1.0,
            mean => f64::from(surprise) / mean,
        };
        weights.extend(game.iter().map(|row| {
            let surprise =
                policy * relative(row.policy, shares[0]) + value * relative(row.value, shares[1]);
            (1.0 - policy - value + surprise) as f32
        }));
    }
    Ok(weights)
}

/// Reads the few columns that tell of surprise; what was not recorded is 0 throughout a file.
fn surprises(file: &SampleFile, with_value: bool) -> Result<Vec<Surprise>, DatasetError> {
    let wanted = |column: &ColumnDoc| match column.name {
        "game_id" | "prior_divergence" => true,
        "root_wdl" | "network_wdl" => with_value,
        _ => false,
    };
    file.open()?.read(&wanted, |columns, row| {
        let value = match with_value {
            true => divergence(
                columns.wdl("root_wdl", row)?,
                columns.wdl("network_wdl", row)?,
            ),
            false => 0.0,
        };
        Ok(Surprise {
            game_id: columns.number::<UInt64Type>("game_id", row)?,
            policy: samples::prior_divergence(columns, row)?.unwrap_or(0.0),
            value,
        })
    })
}

/// Returns the Kullback-Leibler divergence of what the search found from what the network said, in nats, at most
/// [`MOST_VALUE_SURPRISE`].
fn divergence(search: [f32; 3], network: [f32; 3]) -> f32 {
    let terms = search.iter().zip(network).map(|(&found, expected)| {
        let quotient = found.max(LEAST_CHANCE) / expected.max(LEAST_CHANCE);
        found * quotient.ln()
    });
    terms.sum::<f32>().clamp(0.0, MOST_VALUE_SURPRISE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_surprise_is_the_divergence_worked_out_by_hand() {
        // 0.5 ln(0.5 / 0.25) + 0.5 ln(0.5 / 0.75)
        let found = divergence([0.5, 0.0, 0.5], [0.25, 0.0, 0.75]);
        assert!((found - 0.143_841).abs() < 1e-5, "{found}");
        assert_eq!(divergence([0.2, 0.3, 0.5], [0.2, 0.3, 0.5]), 0.0);
        assert_eq!(
            divergence([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            MOST_VALUE_SURPRISE
        );
    }
}
