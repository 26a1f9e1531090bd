//! The likelihood ratio of two mean scores, given counted pairs.

use crate::PairCounts;
use crate::elo::POINTS;

/// What a kind of pair that never occurred counts as, so that every mean score stays possible.
const UNSEEN: f64 = 1e-3;

/// Returns the natural logarithm of the likelihood of `pairs` under the mean score `scores[1]`
/// over that under `scores[0]`.
///
/// Each is that of the distribution over the five kinds of pairs that is most likely among those
/// with that mean.
pub(super) fn log_likelihood_ratio(pairs: &PairCounts, scores: [f64; 2]) -> f64 {
    let counts = pairs.0.map(|count| (count as f64).max(UNSEEN));
    let total: f64 = counts.iter().sum();
    let shares = counts.map(|count| count / total);
    let [tilt0, tilt1] = scores.map(|score| tilt(&shares, score));
    // p_i = share_i / (1 + tilt * (points_i - score)); the shares cancel.
    let logs = shares.iter().zip(POINTS).map(|(share, points)| {
        let below = 1.0 + tilt0 * (points - scores[0]);
        let above = 1.0 + tilt1 * (points - scores[1]);
        share * (below / above).ln()
    });
    total * logs.sum::<f64>()
}

/// Returns the Lagrange multiplier t of the most likely distribution with the mean `score`: the
/// root of the sum of share_i * x_i / (1 + t * x_i), where x_i = points_i - score.
///
/// The sum falls from +infinity to -infinity between the poles -1/(1 - score) and 1/score (Van den
/// Bergh 2019, proposition 1.1), so Newton's steps are kept inside a shrinking bracket.
fn tilt(shares: &[f64; 5], score: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    let mut at = 0.0;
    for _ in 0..100 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (share, points) in shares.iter().zip(POINTS) {
            let x = points - score;
            let part = x / (1.0 + at * x);
            sum += share * part;
            slope -= share * part * part;
        }
        if sum > 0.0 {
            low = at;
        } else {
            high = at;
        }
        let newton = at - sum / slope;
        let next = if newton > low && newton < high {
            newton
        } else {
            f64::midpoint(low, high)
        };
        if (next - at).abs() < 1e-12 {
            return next;
        }
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_and_losses_alone_give_the_binomial_ratio() {
        // Unseen kinds stand for 0.003 pairs together, which is all that parts the two.
        let counts = PairCounts([30, 0, 0, 0, 50]);
        let exact = 50.0 * (0.6_f64 / 0.5).ln() + 30.0 * (0.4_f64 / 0.5).ln();
        let found = log_likelihood_ratio(&counts, [0.5, 0.6]);
        assert!((found - exact).abs() < 0.01, "{found} {exact}");
    }

    #[test]
    fn many_pairs_near_the_hypotheses_agree_with_the_normal_approximation() {
        // LLR ~ n (s1 - s0)(2 mean - s0 - s1) / (2 variance), Van den Bergh's first approximation.
        let counts = PairCounts([1_000, 2_000, 4_100, 2_000, 1_000]);
        let (n, variance) = (
            10_100.0,
            (2.0 * 1_000.0 * 0.25 + 2.0 * 2_000.0 * 0.0625) / 10_100.0,
        );
        let (s0, s1) = (0.5, 0.507);
        let normal = n * (s1 - s0) * (1.0 - s0 - s1) / (2.0 * variance);
        let found = log_likelihood_ratio(&counts, [s0, s1]);
        assert!((found - normal).abs() < 0.005, "{found} {normal}");
    }

    #[test]
    fn the_tilted_shares_have_the_mean_asked_for() {
        let shares = [0.3, 0.1, 0.2, 0.1, 0.3];
        for score in [0.05, 0.3, 0.5, 0.77, 0.99] {
            let t = tilt(&shares, score);
            let p = [0, 1, 2, 3, 4].map(|i| shares[i] / (1.0 + t * (POINTS[i] - score)));
            let mean: f64 = p.iter().zip(POINTS).map(|(p, points)| p * points).sum();
            assert!(p.iter().all(|p| *p > 0.0));
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{score}: {p:?}");
            assert!((mean - score).abs() < 1e-9, "{score}: {p:?}");
        }
    }

    #[test]
    fn swapped_hypotheses_and_mirrored_pairs_change_the_sign() {
        let counts = PairCounts([3, 1, 4, 1, 9]);
        let one = log_likelihood_ratio(&counts, [0.45, 0.55]);
        assert!((one + log_likelihood_ratio(&counts, [0.55, 0.45])).abs() < 1e-9);
        assert!((one + log_likelihood_ratio(&counts.for_opponent(), [0.45, 0.55])).abs() < 1e-9);
    }
}
