//! Which positions are learned from, and how often: section `[replay]` of a run config.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many of the latest positions are learned from, and how often each.
///
/// After `total` positions it is the latest `minimum * (1 + scale * ((total / minimum)^exponent - 1) /
/// exponent)`, at most `maximum`; all of them up to `minimum` (Wu 2019, "Accelerating Self-Play Learning in
/// Go", appendix C).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowConfig {
    /// Positions below which nothing is dropped (c), at least 1. `KataGo`: 250,000.
    #[schemars(range(min = 1))]
    pub minimum: u64,
    /// How fast the window grows beyond that (beta), 0 to 1; 0 keeps its size fixed. `KataGo`: 0.4.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub scale: f64,
    /// The power of the growth (alpha), above 0, at most 1; 1 is linear. `KataGo`: 0.75.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub exponent: f64,
    /// Positions of the window at most, `minimum` to 4,000,000,000. They stay on the disk, and rows are read as
    /// they are drawn, so this is about how old a position may be; memory takes 8 bytes each while drawing.
    #[schemars(range(min = 1, max = 4_000_000_000_u64))]
    pub maximum: u64,
    /// Share of the draws that goes to positions in proportion to how far their policy is from what the network
    /// expected (Kullback-Leibler divergence), within each game, 0 to 1; the rest goes to all alike. How often a
    /// game is drawn does not depend on it. `KataGo` (policy surprise weighting): 0.5; 0 turns it off.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-before" = 0.0))]
    pub surprise_share: f64,
    /// The same for the value: how far the search's win, draw and loss are from the network's, 0 to 1, and no more
    /// than 1 together with `surprise_share`. `KataGo`: 0.1; 0 turns it off.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-before" = 0.0))]
    pub value_surprise_share: f64,
    /// Share of the games that are never learned from, 0 to 0.5: each checkpoint is measured on their latest
    /// positions. Which games is decided by their numbers and the run's seed. Sensible: 0.02 to 0.05; 0 turns it
    /// off.
    #[schemars(range(min = 0.0, max = 0.5), extend("x-before" = 0.0))]
    pub held_out_fraction: f64,
}

/// Positions that a window may have: their indices are 32-bit numbers.
const MOST_POSITIONS: u64 = 4_000_000_000;

/// A number that the window cannot use; names the field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WindowError {
    /// The window would be empty.
    #[error("field `minimum`: 0; a window has at least 1 position")]
    Minimum,
    /// The growth is out of range.
    #[error("field `scale`: {0} is not a number from 0 to 1")]
    Scale(f64),
    /// The power is out of range.
    #[error("field `exponent`: {0} is not a number above 0 and at most 1")]
    Exponent(f64),
    /// The bounds contradict each other.
    #[error("field `maximum`: {maximum} is less than `minimum`, {minimum}")]
    Maximum {
        /// The upper bound.
        maximum: u64,
        /// The lower bound.
        minimum: u64,
    },
    /// More positions than can be numbered.
    #[error("field `maximum`: {0} is more than 4000000000")]
    TooLarge(u64),
    /// A share of the draws is out of range.
    #[error("field `{field}`: {value} is not a number from 0 to 1")]
    Share {
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// The shares of the draws take more than all of them.
    #[error(
        "field `value_surprise_share`: {0} together with `surprise_share`, which is more than 1"
    )]
    Shares(f64),
    /// The share of held-out games is out of range.
    #[error("field `held_out_fraction`: {0} is not a number from 0 to 0.5")]
    HeldOutFraction(f64),
}

impl WindowConfig {
    /// Checks the range of every field.
    ///
    /// # Errors
    /// Names the field that is out of range.
    pub fn check(&self) -> Result<(), WindowError> {
        if self.minimum == 0 {
            return Err(WindowError::Minimum);
        }
        if !(0.0..=1.0).contains(&self.scale) {
            return Err(WindowError::Scale(self.scale));
        }
        if !(self.exponent > 0.0 && self.exponent <= 1.0) {
            return Err(WindowError::Exponent(self.exponent));
        }
        if self.maximum < self.minimum {
            let (maximum, minimum) = (self.maximum, self.minimum);
            return Err(WindowError::Maximum { maximum, minimum });
        }
        if self.maximum > MOST_POSITIONS {
            return Err(WindowError::TooLarge(self.maximum));
        }
        let (policy, value) = (self.surprise_share, self.value_surprise_share);
        let shares = [("surprise_share", policy), ("value_surprise_share", value)];
        for (field, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(WindowError::Share { field, value });
            }
        }
        // A rounding error is not meant.
        if policy + value > 1.0 + 1e-9 {
            return Err(WindowError::Shares(policy + value));
        }
        if !(0.0..=0.5).contains(&self.held_out_fraction) {
            return Err(WindowError::HeldOutFraction(self.held_out_fraction));
        }
        Ok(())
    }

    /// Returns the size of the window after `total` positions.
    #[must_use]
    pub fn size(&self, total: u64) -> u64 {
        if total <= self.minimum {
            return total;
        }
        let minimum = self.minimum as f64;
        let growth = ((total as f64 / minimum).powf(self.exponent) - 1.0) / self.exponent;
        let size = (minimum * (1.0 + self.scale * growth)) as u64;
        size.min(self.maximum).min(total)
    }

    /// Returns how often a position that is in the window now was drawn so far, on average.
    ///
    /// `stretches` are the stretches of training so far, the first one first; each drew from the window as it was
    /// after its new positions, from all of them with the same chance. 0 without a position.
    #[must_use]
    pub fn reuse(&self, stretches: &[Stretch]) -> f64 {
        let mut total = 0;
        let windows: Vec<[u64; 2]> = stretches
            .iter()
            .map(|stretch| {
                total += stretch.new_positions;
                [total - self.size(total), total]
            })
            .collect();
        let Some(&[first, end]) = windows.last().filter(|[first, end]| first < end) else {
            return 0.0;
        };
        let draws = stretches.iter().zip(&windows).map(|(stretch, window)| {
            let still_held = window[1].saturating_sub(window[0].max(first));
            let held = (window[1] - window[0]).max(1);
            stretch.drawn as f64 * still_held as f64 / held as f64
        });
        draws.sum::<f64>() / (end - first) as f64
    }
}

/// A stretch of training, such as that of one generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Positions that were new before it.
    pub new_positions: u64,
    /// Positions that it drew, each as often as it was drawn.
    pub drawn: u64,
}
