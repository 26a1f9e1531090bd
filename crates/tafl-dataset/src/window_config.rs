//! Which positions are learned from, and how often: section `[replay]` of a run config.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many of the latest positions are learned from, and how often each.
///
/// After `total` positions it is the latest `minimum * (1 + scale * ((total / minimum)^0.75 - 1) / 0.75)`,
/// at most `maximum`; all of them up to `minimum` (Wu 2019, "Accelerating Self-Play Learning in Go", appendix C).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WindowConfig {
    /// Number of positions up to which none is dropped (c), at least 1. Default 10,000. KataGo: 250,000.
    #[schemars(range(min = 1))]
    pub minimum: u64,
    /// How fast the window grows beyond that (beta), 0 to 1; 0 keeps its size fixed. Default 0.4, KataGo's.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub scale: f64,
    /// Largest number of positions in the window, `minimum` to 4,000,000,000. Default 1,000,000. They stay on disk and
    /// are read when drawn, so this limits their age, not memory: drawing takes 8 bytes each.
    #[schemars(range(min = 1, max = 4_000_000_000_u64))]
    pub maximum: u64,
    /// Share of the games that are held out from training, 0 to 0.5: each checkpoint is measured on their latest
    /// positions. The run's seed and the games' numbers decide which games. Default 0.02; 0 turns it off.
    #[schemars(range(min = 0.0, max = 0.5), extend("x-fixed" = true))]
    pub held_out_fraction: f64,
}

/// The power of the growth (alpha); KataGo's.
const EXPONENT: f64 = 0.75;

impl Default for WindowConfig {
    fn default() -> Self {
        Self {
            minimum: 10_000,
            scale: 0.4,
            maximum: 1_000_000,
            held_out_fraction: 0.02,
        }
    }
}

impl WindowConfig {
    /// Checks what the range of a single field cannot say.
    ///
    /// # Errors
    /// Returns the field that does not fit the others, and why.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if self.maximum < self.minimum {
            let reason = format!("{} is less than `minimum`, {}", self.maximum, self.minimum);
            return Err(("maximum", reason));
        }
        Ok(())
    }

    /// Returns the size of the window after `total` positions.
    pub fn size(&self, total: u64) -> u64 {
        if total <= self.minimum {
            return total;
        }
        let minimum = self.minimum as f64;
        let growth = ((total as f64 / minimum).powf(EXPONENT) - 1.0) / EXPONENT;
        let size = (minimum * (1.0 + self.scale * growth)) as u64;
        size.min(self.maximum).min(total)
    }

    /// Returns how often a position that is in the window now was drawn so far, on average.
    ///
    /// `stretches` are the stretches of training so far, the first one first; each drew from the window as it was
    /// after its new positions, from all of them with the same chance. 0 without a position.
    pub fn reuse(&self, stretches: &[Span]) -> f64 {
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
pub struct Span {
    /// Positions that were new before it.
    pub new_positions: u64,
    /// Positions that it drew, each as often as it was drawn.
    pub drawn: u64,
}
