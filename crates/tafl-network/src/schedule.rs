//! The learning rate over the steps of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How large the steps are; a pure function of the step's number.
///
/// After a warm-up the rate falls along half a cosine to `final_fraction` of the peak (Loshchilov and Hutter 2017).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LearningRateConfig {
    /// The highest learning rate, above 0; that of 3x3 convolutions, which Muon learns, is 12 times as large. Default
    /// 0.004. Adam with small networks: 0.001 to 0.003; Muon: 0.02 to 0.1.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub peak: f64,
    /// Steps of linear warmup from near 0 to the peak. Default 100.
    pub warmup_steps: u64,
    /// Learning rate at the last step of the run, as a share of the peak, 0 to 1; 1 keeps the peak. Default 0.05.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub final_fraction: f64,
}

impl Default for LearningRateConfig {
    fn default() -> Self {
        Self {
            peak: 0.004,
            warmup_steps: 100,
            final_fraction: 0.05,
        }
    }
}

impl LearningRateConfig {
    /// Returns the learning rate of a step, counted from 0, in a run of `total_steps`.
    ///
    /// Later steps have the last one's rate.
    pub fn at(&self, step: u64, total_steps: u64) -> f64 {
        if step < self.warmup_steps {
            return self.peak * (step + 1) as f64 / self.warmup_steps as f64;
        }
        let (since, left) = (
            step - self.warmup_steps,
            total_steps.saturating_sub(self.warmup_steps),
        );
        let falling = left.saturating_sub(1).max(1);
        let way = (since as f64 / falling as f64).min(1.0);
        let share = 0.5 * (1.0 + (std::f64::consts::PI * way).cos());
        self.peak * (self.final_fraction + (1.0 - self.final_fraction) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: LearningRateConfig = LearningRateConfig {
        peak: 0.8,
        warmup_steps: 4,
        final_fraction: 0.25,
    };

    #[test]
    fn the_rate_rises_evenly_to_the_peak() {
        let rates: Vec<f64> = (0..5).map(|step| CONFIG.at(step, 9)).collect();
        assert_eq!(rates, [0.2, 0.4, 0.6000000000000001, 0.8, 0.8]);
    }

    #[test]
    fn it_ends_at_the_final_fraction_and_stays_there() {
        assert!((CONFIG.at(4, 15) - 0.8).abs() < 1e-12);
        assert!((CONFIG.at(9, 15) - 0.5).abs() < 1e-12);
        assert!((CONFIG.at(14, 15) - 0.2).abs() < 1e-12);
        assert_eq!(CONFIG.at(14, 15), CONFIG.at(1000, 15));
        assert!(CONFIG.at(4, 0).is_finite() && CONFIG.at(5, 4).is_finite());
    }
}
