//! How much stronger one player is, from games in pairs.

use crate::estimate::{Estimate, cdf_of, quantile_of};
use statrs::distribution::Beta;

/// Pairs of games by the first player's points in both together: 0, 1/2, 1, 3/2 and 2.
///
/// A pair is one opening played twice with sides changed. The two games are not independent, above
/// all where one side is favored; counting pairs instead of games takes that into account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts(pub [u64; 5]);

/// Points a game in a pair of each kind.
pub(crate) const POINTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Pairs added at each end before looking, half a lost and half a won one: Jeffreys' prior where
/// every pair is won or lost. It keeps a perfect score, and no games at all, finite.
const PRIOR_PAIRS: [f64; 5] = [0.5, 0.0, 0.0, 0.0, 0.5];

/// Elo points for one natural logarithm of strength, or of odds.
pub(crate) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Scores are kept this far from 0 and 1, which is 2,400 Elo points.
const SCORE_MARGIN: f64 = 1e-6;

/// Returns the Elo difference for a score between 0 and 1, -2,400 to 2,400.
pub(crate) fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN);
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the score that an Elo difference predicts.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

impl PairCounts {
    /// Counts a pair in which the first player made `half_points` of 4; more than 4 count as 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the same pairs seen by the second player.
    #[must_use]
    pub fn for_opponent(self) -> Self {
        let mut counts = self.0;
        counts.reverse();
        Self(counts)
    }

    /// Returns the Elo difference, first player minus second.
    ///
    /// The posterior of the score under [`Dirichlet`] prior pairs is taken as the Beta distribution
    /// with its mean and variance, which is exact where every pair is won or lost. No interval has
    /// width 0 or an infinite end.
    ///
    /// [`Dirichlet`]: https://en.wikipedia.org/wiki/Dirichlet_distribution
    pub fn elo(&self) -> Estimate {
        let (mean, posterior) = self.posterior();
        let score = Estimate {
            value: mean,
            low: quantile_of(&posterior, 0.025),
            high: quantile_of(&posterior, 0.975),
        };
        score.mapped(elo_of_score)
    }

    /// Returns the probability that the first player is the stronger one (LOS), by the posterior of [`Self::elo`].
    pub fn superiority(&self) -> f64 {
        1.0 - cdf_of(&self.posterior().1, 0.5)
    }

    /// Returns the posterior of the score, between 0 and 1, with its mean.
    fn posterior(&self) -> (f64, Beta) {
        let weights: [f64; 5] = std::array::from_fn(|i| self.0[i] as f64 + PRIOR_PAIRS[i]);
        let total: f64 = weights.iter().sum();
        let moment = |of: &dyn Fn(f64) -> f64| {
            let terms = weights.iter().zip(POINTS);
            let terms = terms.map(|(weight, points)| weight * of(points));
            terms.sum::<f64>() / total
        };
        let mean = moment(&|points| points);
        let variance = moment(&|points| (points - mean).powi(2)) / (total + 1.0);
        let concentration = mean * (1.0 - mean) / variance - 1.0;
        let posterior = Beta::new(mean * concentration, (1.0 - mean) * concentration)
            .expect("the prior keeps mean and variance inside their ranges");
        (mean, posterior)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use statrs::distribution::ContinuousCDF;

    fn elo(counts: [u64; 5]) -> Estimate {
        PairCounts(counts).elo()
    }

    /// Returns the kind of a pair drawn by a number from 0 to 1.
    pub(crate) fn draw(chances: &[f64; 5], mut number: f64) -> usize {
        let kind = chances.iter().position(|chance| {
            number -= chance;
            number < 0.0
        });
        kind.unwrap_or(4)
    }

    #[test]
    fn the_opponent_sees_the_mirror_image() {
        for counts in [[10, 5, 30, 5, 10], [3, 1, 4, 1, 15]].map(PairCounts) {
            let opposite = counts.for_opponent();
            let (one, other) = (counts.elo(), opposite.elo());
            assert!((one.value + other.value).abs() < 1e-9);
            assert!((one.low + other.high).abs() < 1e-6 && (one.high + other.low).abs() < 1e-6);
            assert!((counts.superiority() + opposite.superiority() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn many_pairs_agree_with_the_normal_approximation() {
        // Score 0.6 with a variance of 0.065 a pair: 1.96 standard errors are 0.0158.
        let many = elo([50, 100, 400, 300, 150]);
        let (low, high) = (elo_of_score(0.6 - 0.0158), elo_of_score(0.6 + 0.0158));
        assert!((many.value - 70.4).abs() < 0.5, "{many:?}");
        let ends = [many.low - low, many.high - high];
        assert!(ends.iter().all(|end| end.abs() < 1.0), "{many:?}");
    }

    #[test]
    fn perfect_scores_and_no_games_stay_finite() {
        let counts = PairCounts([0, 0, 0, 0, 20]);
        let won = counts.elo();
        assert!(won.value > 400.0 && won.value < 1_000.0, "{won:?}");
        assert!(won.low > 300.0 && won.low < won.value, "{won:?}");
        assert!(won.high > won.value && won.high <= 2_400.1, "{won:?}");
        assert!(counts.superiority() > 0.9999);
        let none = elo([0; 5]);
        assert!(none.value.abs() < 1e-9, "{none:?}");
        assert!(none.low < -800.0 && none.low.is_finite(), "{none:?}");
        assert!(none.high > 800.0 && none.high.is_finite(), "{none:?}");
    }

    #[test]
    fn pairs_that_all_end_even_say_little_when_few() {
        let (few, many) = (elo([0, 0, 2, 0, 0]), elo([0, 0, 200, 0, 0]));
        assert!(few.high > 150.0, "{few:?}");
        assert!(many.high > 1.0 && many.high < 10.0, "{many:?}");
    }

    #[test]
    fn many_pairs_have_the_interval_of_few_but_narrower() {
        // The first by scipy's Beta; the others as intervals of so many more pairs must be.
        for (counts, low, high) in [
            ([0, 0, 10_000, 0, 0], -0.068, 0.068),
            ([0, 0, 1_000_000, 0, 0], -0.000_68, 0.000_68),
            ([0, 40, 5_000, 40, 0], -0.61, 0.61),
        ] {
            let found = elo(counts);
            assert!((found.low - low).abs() < 0.02 * high, "{found:?}");
            assert!((found.high - high).abs() < 0.02 * high, "{found:?}");
            assert!((PairCounts(counts).superiority() - 0.5).abs() < 1e-6);
        }
        // Both ways to compute meet where one takes over from the other.
        for (a, b) in [(999.0, 1_500.0), (20_000.0, 999.0)] {
            let (below, above) = (
                Beta::new(a, b).unwrap(),
                Beta::new(a + 1.0, b + 1.0).unwrap(),
            );
            for share in [0.001, 0.025, 0.5, 0.975] {
                for large in [&below, &above] {
                    let end = quantile_of(large, share);
                    assert!((large.cdf(end) - share).abs() < 1e-5, "{a} {b} {share}");
                }
            }
        }
    }

    #[test]
    fn more_pairs_narrow_the_interval() {
        let widths = [1, 10, 100].map(|n| {
            let estimate = elo([n, 0, 3 * n, 0, 2 * n]);
            estimate.high - estimate.low
        });
        assert!(widths[0] > widths[1] && widths[1] > widths[2], "{widths:?}");
    }

    #[test]
    fn intervals_cover_the_truth_in_about_95_of_100_matches() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for (chances, pairs) in [
            ([0.2, 0.1, 0.4, 0.1, 0.2], 50),
            ([0.05, 0.05, 0.5, 0.1, 0.3], 100),
            ([0.02, 0.03, 0.15, 0.2, 0.6], 50),
            ([0.05, 0.0, 0.9, 0.0, 0.05], 100),
        ] {
            let truth = elo_of_score((0..5).map(|i| chances[i] * POINTS[i]).sum());
            let covered = (0..1_000).filter(|_| {
                let mut counts = PairCounts::default();
                (0..pairs).for_each(|_| counts.add(draw(&chances, rng.random())));
                counts.elo().holds(truth)
            });
            let covered = covered.count();
            assert!((920..=980).contains(&covered), "{chances:?}: {covered}");
        }
    }

    #[test]
    fn elo_and_score_are_inverse() {
        for elo in [-1_000.0, -150.0, 0.0, 3.0, 700.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-6);
        }
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-12);
    }
}
