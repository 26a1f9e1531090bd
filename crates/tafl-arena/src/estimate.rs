//! Numbers with their intervals.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, Continuous, ContinuousCDF, Normal, StudentsT};

/// Share of the posterior that an interval holds.
pub(crate) const LEVEL: f64 = 0.95;

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

    /// Returns whether a number is within the interval.
    pub(crate) fn holds(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }

    /// Returns the means of some numbers and of the ends of their intervals.
    pub fn mean(of: &[Self]) -> Self {
        let mean = |end: fn(&Self) -> f64| mean(&of.iter().map(end).collect::<Vec<_>>());
        Self {
            value: mean(|it| it.value),
            low: mean(|it| it.low),
            high: mean(|it| it.high),
        }
    }

    /// Returns the estimate of a rising function of the number.
    pub fn mapped(self, of: impl Fn(f64) -> f64) -> Self {
        Self {
            value: of(self.value),
            low: of(self.low),
            high: of(self.high),
        }
    }

    /// Returns a share, 0 to 1, of things that were counted: the middle of the posterior with Jeffreys' prior, which ends at
    /// 0 or 1 where none or all are counted (Brown, Cai and `DasGupta` 2001). Of nothing it is 0 and not known.
    ///
    /// # Panics
    /// Never: the parameters of the posterior are above 0.
    pub fn share(count: u64, all: u64) -> Self {
        let (of, rest) = (count as f64, all.saturating_sub(count) as f64);
        let posterior = Beta::new(of + 0.5, rest + 0.5).expect("parameters above 0");
        let end = |share: f64| quantile_of(&posterior, share);
        let tail = (1.0 - LEVEL) / 2.0;
        Self {
            value: if all == 0 { 0.0 } else { of / all as f64 },
            low: if count == 0 { 0.0 } else { end(tail) },
            high: if count >= all { 1.0 } else { end(1.0 - tail) },
        }
    }

    /// Returns the number with its unit and its interval for readers, such as `47 % (44 to 50)`; a number alone has none.
    pub fn text(&self, unit: &str, write: impl Fn(f64) -> String) -> String {
        let has_interval = self.low < self.high;
        let [value, low, high] = [self.value, self.low, self.high].map(write);
        if !has_interval {
            return format!("{value}{unit}");
        }
        format!("{value}{unit} ({low} to {high})")
    }

    /// Returns a share in per cent for readers, such as `47 % (44 to 50)`.
    pub fn in_percent(&self) -> String {
        self.text(" %", |share| format!("{:.0}", rounded(100.0 * share, 0)))
    }

    /// Returns a difference of shares in percentage points for readers, such as `+1.2 points (-0.3 to +2.7)`.
    pub(crate) fn in_points(&self) -> String {
        self.text(" points", |it| format!("{:+.1}", rounded(100.0 * it, 1)))
    }
}

/// Returns a number rounded to some decimals; what is rounded to zero has no sign.
pub fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10.0_f64.powi(decimals);
    (number * scale).round() / scale + 0.0
}

/// Returns the mean; 0 without numbers.
pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

/// Returns the mean of a few independent measurements with the 95 % interval of Student's t; nothing of fewer than two, nor of
/// such as are all the same, which tell nothing of how far they may be apart.
pub fn mean_of_few(numbers: &[f64]) -> Option<Estimate> {
    let count = numbers.len() as f64;
    let degrees = count - 1.0;
    // Of one number too. Rounding may part equal ones from their mean.
    let are_equal = |two: &[f64]| (two[0] - two[1]).abs() <= 1e-9 * (1.0 + two[0].abs());
    if numbers.windows(2).all(are_equal) {
        return None;
    }
    let value = numbers.iter().sum::<f64>() / count;
    let squares = numbers.iter().map(|number| (number - value).powi(2));
    let squares = squares.sum::<f64>();
    let error = (squares / degrees / count).sqrt();
    let half = StudentsT::new(0.0, 1.0, degrees).ok()?.inverse_cdf(0.975) * error;
    Some(Estimate {
        value,
        low: value - half,
        high: value + half,
    })
}

/// Returns the mean with Student's interval; without an interval where the numbers tell none.
pub(crate) fn mean_with_interval(numbers: &[f64]) -> Estimate {
    mean_of_few(numbers).unwrap_or_else(|| Estimate::exact(mean(numbers)))
}

/// Returns numbers in rising order.
pub(crate) fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}

/// Parameters above which the cumulative probability comes from a series: the fraction that `statrs` sums does not converge there.
const LARGE: f64 = 1_000.0;

/// Returns the probability of a share up to some number; above [`LARGE`] by [Edgeworth's series], to one part in a million.
///
/// [Edgeworth's series]: https://en.wikipedia.org/wiki/Edgeworth_series
pub(crate) fn cdf_of(distribution: &Beta, share: f64) -> f64 {
    let (a, b) = (distribution.shape_a(), distribution.shape_b());
    if a.min(b) < LARGE {
        return distribution.cdf(share);
    }
    let sum = a + b;
    let z = (share - a / sum) / ((a / sum) * (b / sum) / (sum + 1.0)).sqrt();
    let skewness = 2.0 * (b - a) / (sum + 2.0) * ((sum + 1.0) / a / b).sqrt();
    let spread = (a - b).powi(2) / a / b * (sum + 1.0) / (sum + 2.0) - 1.0;
    let kurtosis = 6.0 * spread / (sum + 3.0);
    let terms = skewness / 6.0 * (z.powi(2) - 1.0)
        + kurtosis / 24.0 * (z.powi(3) - 3.0 * z)
        + skewness.powi(2) / 72.0 * (z.powi(5) - 10.0 * z.powi(3) + 15.0 * z);
    let normal = Normal::standard();
    (normal.cdf(z) - normal.pdf(z) * terms).clamp(0.0, 1.0)
}

/// Returns the quantile by bisection, which unlike faster methods fails nowhere.
pub(crate) fn quantile_of(distribution: &Beta, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if cdf_of(distribution, middle) < probability {
            low = middle
        } else {
            high = middle
        }
    }
    f64::midpoint(low, high)
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
    fn shares_have_the_interval_of_jeffreys() {
        // Beta(3.5, 7.5) at 0.025 and 0.975, from a table of Brown, Cai and DasGupta (2001), n = 10, x = 3.
        let Estimate { value, low, high } = Estimate::share(3, 10);
        assert!((value - 0.3).abs() < 1e-12);
        assert!((low - 0.093).abs() < 1e-3, "{low}");
        assert!((high - 0.606).abs() < 1e-3, "{high}");
        assert_eq!(Estimate::share(0, 9).low, 0.0);
        assert_eq!(Estimate::share(9, 9).high, 1.0);
        assert_eq!(Estimate::share(0, 0).value, 0.0);
    }

    #[test]
    fn what_is_rounded_to_zero_has_no_sign() {
        let nothing = Estimate {
            value: -1e-17,
            low: -0.0149,
            high: 0.015,
        };
        assert_eq!(nothing.in_points(), "+0.0 points (-1.5 to +1.5)");
        assert_eq!(nothing.in_percent(), "0 % (-1 to 2)");
    }

    #[test]
    fn few_measurements_have_wide_intervals() {
        // t of 0.975 with 2 degrees of freedom is 4.3027 (any table of Student's t).
        let found = mean_of_few(&[1.0, 2.0, 3.0]).expect("three");
        let half = 4.302_65 / 3.0_f64.sqrt();
        assert!((found.value - 2.0).abs() < 1e-12);
        assert!((found.high - 2.0 - half).abs() < 1e-3, "{found:?}");
        assert!((2.0 - found.low - half).abs() < 1e-3, "{found:?}");
        let alike: [&[f64]; 4] = [&[], &[5.0], &[0.1; 3], &[4.8e-15, 0.0]];
        assert_eq!(alike.map(mean_of_few), [None; 4]);
    }
}
