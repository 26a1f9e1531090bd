//! The learning rate over the steps of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How large the steps are; a pure function of the step's number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearningRateConfig {
    /// The highest learning rate, above 0. Adam with small networks: 0.001 to 0.003; AlphaZero (SGD): 0.2.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub peak: f64,
    /// Steps over which the rate rises from near 0 to the peak, evenly.
    pub warmup_steps: u64,
    /// What follows.
    pub schedule: Schedule,
    /// What remains of the peak at the last step of the run, 0 to 1, above 0 with `step`; `constant` does not fall.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub final_fraction: f64,
    /// Times that the rate falls with `step`, 1 to 100; 0 with the others. AlphaZero: 3, to a tenth each, so a
    /// `final_fraction` of 0.001.
    #[schemars(range(min = 0, max = 100), extend("x-before" = 0))]
    pub drops: u32,
}

/// The course of the learning rate after the warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// It stays at the peak.
    Constant,
    /// It falls along half a cosine to `final_fraction` of the peak (Loshchilov and Hutter 2017).
    Cosine,
    /// It falls by equal factors after equal stretches, so that the last stretch has `final_fraction` of the peak.
    Step,
}

impl LearningRateConfig {
    /// Returns the learning rate of a step, counted from 0, in a run of `total_steps`.
    ///
    /// Later steps have the last one's rate.
    #[must_use]
    pub fn at(&self, step: u64, total_steps: u64) -> f64 {
        if step < self.warmup_steps {
            return self.peak * (step + 1) as f64 / self.warmup_steps as f64;
        }
        let (since, left) = (
            step - self.warmup_steps,
            total_steps.saturating_sub(self.warmup_steps),
        );
        match self.schedule {
            Schedule::Constant => self.peak,
            Schedule::Step => {
                let stretches = u64::from(self.drops) + 1;
                let done = since.saturating_mul(stretches) / left.max(1);
                let way = done.min(stretches - 1) as f64 / f64::from(self.drops.max(1));
                self.peak * self.final_fraction.powf(way)
            }
            Schedule::Cosine => {
                let falling = left.saturating_sub(1).max(1);
                let way = (since as f64 / falling as f64).min(1.0);
                let share = 0.5 * (1.0 + (std::f64::consts::PI * way).cos());
                self.peak * (self.final_fraction + (1.0 - self.final_fraction) * share)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(schedule: Schedule) -> LearningRateConfig {
        LearningRateConfig {
            peak: 0.8,
            warmup_steps: 4,
            schedule,
            final_fraction: 0.25,
            drops: 2,
        }
    }

    #[test]
    fn steps_are_equally_long_and_fall_by_equal_factors() {
        let config = config(Schedule::Step);
        let rates: Vec<f64> = (4..14).map(|step| config.at(step, 13)).collect();
        let expected = [0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2];
        let off = rates.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-12, "{rates:?}");
        assert_eq!(config.at(3, 13), config.peak);
        // A run shorter than its warm-up has no stretches; then the first step after it is the first, the next the last.
        assert_eq!((config.at(4, 0), config.at(9, 4)), (0.8, 0.2));
    }

    #[test]
    fn the_rate_rises_evenly_to_the_peak() {
        let rates: Vec<f64> = (0..5)
            .map(|step| config(Schedule::Constant).at(step, 9))
            .collect();
        assert_eq!(rates, [0.2, 0.4, 0.6000000000000001, 0.8, 0.8]);
    }

    #[test]
    fn a_cosine_ends_at_the_final_fraction_and_stays_there() {
        let config = config(Schedule::Cosine);
        assert!((config.at(4, 15) - 0.8).abs() < 1e-12);
        assert!((config.at(9, 15) - 0.5).abs() < 1e-12);
        assert!((config.at(14, 15) - 0.2).abs() < 1e-12);
        assert_eq!(config.at(14, 15), config.at(1000, 15));
        assert!(config.at(4, 0).is_finite() && config.at(5, 4).is_finite());
    }
}
