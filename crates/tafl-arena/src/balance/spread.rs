//! How numbers of games are spread.

use super::{Bin, Distribution};
use crate::Estimate;
use crate::estimate::{self, sorted};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Bins of a distribution at most.
const MOST_BINS: u64 = 20;

impl Distribution {
    /// Describes some whole numbers; the interval of the mean ends at 0.
    #[must_use]
    pub fn of(numbers: &[u64]) -> Self {
        let all: Vec<f64> = numbers.iter().map(|&number| number as f64).collect();
        let all = sorted(all);
        let mean = mean(&all);
        let at = |share: f64| {
            let place = (share * all.len() as f64).ceil() as usize;
            all.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Self {
            mean: Estimate {
                low: mean.low.max(0.0),
                ..mean
            },
            least: at(0.0),
            lower_quartile: at(0.25),
            median: at(0.5),
            upper_quartile: at(0.75),
            most: at(1.0),
            bins: bins(numbers),
        }
    }
}

/// Returns the mean with Student's interval; no interval where there are fewer than two numbers.
///
/// # Panics
/// Never: two numbers or more leave a degree of freedom.
pub(super) fn mean(numbers: &[f64]) -> Estimate {
    let (count, mean) = (numbers.len() as f64, estimate::mean(numbers));
    if numbers.len() < 2 {
        return Estimate::exact(mean);
    }
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let student = StudentsT::new(0.0, 1.0, count - 1.0).expect("a degree of freedom is left");
    let reach = student.inverse_cdf(0.975) * error;
    Estimate {
        value: mean,
        low: mean - reach,
        high: mean + reach,
    }
}

fn bins(numbers: &[u64]) -> Vec<Bin> {
    let (Some(&least), Some(&most)) = (numbers.iter().min(), numbers.iter().max()) else {
        return Vec::new();
    };
    let (from, width) = first_bin(least, most);
    let mut bins: Vec<Bin> = (0..=(most - from) / width)
        .map(|bin| Bin {
            from: from + bin * width,
            to: from + (bin + 1) * width,
            games: 0,
        })
        .collect();
    for number in numbers {
        bins[((number - from) / width) as usize].games += 1;
    }
    bins
}

/// Returns where the first bin begins, and the least round width by which there are not too many.
fn first_bin(least: u64, most: u64) -> (u64, u64) {
    let mut power = 1;
    loop {
        for width in [1, 2, 5].map(|digit| digit * power) {
            let from = least / width * width;
            if (most - from) / width < MOST_BINS {
                return (from, width);
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_mean_and_bins_of_a_few_numbers() {
        let spread = Distribution::of(&[3, 1, 2, 4]);
        assert_eq!(
            [spread.least, spread.lower_quartile, spread.median],
            [1.0, 1.0, 2.0]
        );
        assert_eq!([spread.upper_quartile, spread.most], [3.0, 4.0]);
        // Standard error 1.2910 / 2 = 0.6455; Student's 97.5 % point with 3 degrees is 3.1824.
        let Estimate { value, low, high } = spread.mean;
        assert!((value - 2.5).abs() < 1e-12, "{value}");
        assert!((low - 0.4457).abs() < 1e-3 && (high - 4.5543).abs() < 1e-3);
        assert_eq!(spread.bins.len(), 4);
        assert!(spread.bins.iter().all(|bin| bin.games == 1));
    }

    #[test]
    fn bins_are_few_and_round_and_hold_every_game() {
        let numbers: Vec<u64> = (0..500).map(|i| 37 + i % 311).collect();
        let bins = Distribution::of(&numbers).bins;
        assert!(bins.len() as u64 <= MOST_BINS);
        assert_eq!((bins[0].from, bins[0].to), (20, 40));
        assert!(bins.windows(2).all(|pair| pair[0].to == pair[1].from));
        assert_eq!(bins.iter().map(|bin| bin.games).sum::<u64>(), 500);
    }

    #[test]
    fn nothing_is_spread_over_nothing() {
        let spread = Distribution::of(&[]);
        assert_eq!((spread.mean, spread.bins.len()), (Estimate::exact(0.0), 0));
        assert_eq!(Distribution::of(&[7]).mean, Estimate::exact(7.0));
    }
}
