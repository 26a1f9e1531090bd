//! Numbers with their intervals.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A number and its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The most likely number.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns a number without an interval.
    pub(crate) const fn exact(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// Returns the estimate of a rising function of the number.
    #[must_use]
    pub fn mapped(self, of: impl Fn(f64) -> f64) -> Self {
        Self {
            value: of(self.value),
            low: of(self.low),
            high: of(self.high),
        }
    }

    /// Returns a share in per cent for readers, such as `47 % (44 to 50)`.
    #[must_use]
    pub fn in_percent(&self) -> String {
        // Zero has no sign, nor has what is rounded to it.
        let Self { value, low, high } = self.mapped(|share| (100.0 * share).round() + 0.0);
        format!("{value:.0} % ({low:.0} to {high:.0})")
    }

    /// Returns a difference of shares in percentage points for readers, such as `+1.2 points (-0.3 to +2.7)`.
    #[must_use]
    pub fn in_points(&self) -> String {
        let Self { value, low, high } = self.mapped(|it| (1000.0 * it).round() / 10.0 + 0.0);
        format!("{value:+.1} points ({low:+.1} to {high:+.1})")
    }
}

/// Returns the mean; 0 without numbers.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// Returns the mean of a few independent measurements with the 95 % interval of Student's t; nothing of fewer than two.
#[must_use]
pub fn mean_of_few(numbers: &[f64]) -> Option<Estimate> {
    let count = numbers.len() as f64;
    let degrees = count - 1.0;
    if degrees < 1.0 {
        return None;
    }
    let value = numbers.iter().sum::<f64>() / count;
    let squares = numbers.iter().map(|number| (number - value).powi(2));
    let error = (squares.sum::<f64>() / degrees / count).sqrt();
    let half = StudentsT::new(0.0, 1.0, degrees).ok()?.inverse_cdf(0.975) * error;
    Some(Estimate {
        value,
        low: value - half,
        high: value + half,
    })
}

/// Returns the mean with Student's interval; without an interval where there are fewer than two numbers.
pub(crate) fn mean_with_interval(numbers: &[f64]) -> Estimate {
    mean_of_few(numbers).unwrap_or_else(|| Estimate::exact(mean(numbers)))
}

/// Returns numbers in rising order.
pub(crate) fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}

/// Returns a quantile of sorted numbers, between the two nearest.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * (sorted.len().checked_sub(1)?) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    let part = place - below as f64;
    Some(sorted[below] * (1.0 - part) + sorted[above] * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_measurements_have_wide_intervals() {
        // t of 0.975 with 2 degrees of freedom is 4.3027 (any table of Student's t).
        let found = mean_of_few(&[1.0, 2.0, 3.0]).expect("three");
        let half = 4.302_65 / 3.0_f64.sqrt();
        assert!((found.value - 2.0).abs() < 1e-12);
        assert!((found.high - 2.0 - half).abs() < 1e-3, "{found:?}");
        assert!((2.0 - found.low - half).abs() < 1e-3, "{found:?}");
        assert_eq!(mean_of_few(&[5.0]), None);
    }
}
