//! Which ruleset is more balanced, as one player plays them.

use serde::{Deserialize, Serialize};

/// Which of two rulesets is more balanced, as one player plays them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The player's name.
    pub player: String,
    /// The first ruleset.
    pub first: String,
    /// The second ruleset.
    pub second: String,
    /// Posterior probability that the first one's imbalance is the smaller one.
    pub probability: f64,
    /// 2 min(probability, 1 - probability) after Holm's correction for all pairs of this player, 0 to 1.
    pub adjusted: f64,
    /// Whether `adjusted` is below 0.05.
    pub clear: bool,
}

/// How likely a ruleset is the most balanced of all, as one player plays them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The player's name.
    pub player: String,
    /// The ruleset.
    pub ruleset: String,
    /// Posterior probability; those of a player sum to 1. Joint over all, so there is nothing to correct.
    pub probability: f64,
}

/// Draws of the attackers' score from the posterior of one player under one ruleset.
#[derive(Debug, Clone)]
pub(super) struct Scores<'a> {
    pub(super) ruleset: &'a str,
    pub(super) draws: &'a [f64],
}

/// Corrected probabilities below this are called clear.
const CLEAR: f64 = 0.05;

/// How far a score is from even.
pub(super) fn imbalance(score: f64) -> f64 {
    (score - 0.5).abs()
}

/// Corrects tail probabilities for their number: Holm's step-down procedure (Holm 1979), which keeps
/// the chance of any false call at the level that each alone would have, whatever depends on what.
pub(super) fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]));
    let mut adjusted = vec![0.0; probabilities.len()];
    let mut most: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let tests_left = (probabilities.len() - rank) as f64;
        most = most.max((probabilities[index] * tests_left).min(1.0));
        adjusted[index] = most;
    }
    adjusted
}

/// Returns whether a corrected probability is small enough for a clear difference.
pub(super) fn is_clear(adjusted: f64) -> bool {
    adjusted < CLEAR
}

/// Returns twice the lesser of a probability and its opposite, at least one draw's worth.
pub(super) fn two_sided(probability: f64, draws: usize) -> f64 {
    let least = 1.0 / draws.max(1) as f64;
    (2.0 * probability.min(1.0 - probability)).clamp(least, 1.0)
}

/// Compares every two rulesets as one player plays them.
pub(super) fn comparisons(player: &str, cells: &[Scores<'_>]) -> Vec<Comparison> {
    let mut found = Vec::new();
    for (number, first) in cells.iter().enumerate() {
        for second in &cells[number + 1..] {
            let probability = closer(first.draws, second.draws);
            found.push(Comparison {
                player: player.to_owned(),
                first: first.ruleset.to_owned(),
                second: second.ruleset.to_owned(),
                probability,
                adjusted: two_sided(probability, first.draws.len()),
                clear: false,
            });
        }
    }
    let tails: Vec<f64> = found.iter().map(|it| it.adjusted).collect();
    for (comparison, adjusted) in found.iter_mut().zip(holm(&tails)) {
        comparison.adjusted = adjusted;
        comparison.clear = is_clear(adjusted);
    }
    found
}

/// Returns the share of draws in which the first score is closer to even; equal ones count half.
fn closer(first: &[f64], second: &[f64]) -> f64 {
    let points = first.iter().zip(second).map(|(first, second)| {
        match imbalance(*first).total_cmp(&imbalance(*second)) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 0.0,
        }
    });
    points.sum::<f64>() / first.len().max(1) as f64
}

/// Returns the share of joint draws in which each ruleset is closest to even, as one player plays.
pub(super) fn rankings(player: &str, cells: &[Scores<'_>]) -> Vec<Ranking> {
    let draws = cells.first().map_or(0, |cell| cell.draws.len());
    let mut best = vec![0_u64; cells.len()];
    for draw in 0..draws {
        let far = |cell: &Scores<'_>| imbalance(cell.draws[draw]);
        let closest = (0..cells.len()).min_by(|&a, &b| far(&cells[a]).total_cmp(&far(&cells[b])));
        if let Some(closest) = closest {
            best[closest] += 1;
        }
    }
    let ranking = |(cell, count): (&Scores<'_>, u64)| Ranking {
        player: player.to_owned(),
        ruleset: cell.ruleset.to_owned(),
        probability: count as f64 / draws.max(1) as f64,
    };
    cells.iter().zip(best).map(ranking).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holm_multiplies_by_the_tests_that_are_left() {
        // By hand: 0.01 * 4, 0.02 * 3, then 0.03 * 2 no lower than that, then 0.5.
        let adjusted = holm(&[0.03, 0.01, 0.5, 0.02]);
        for (found, expected) in adjusted.iter().zip([0.06, 0.04, 0.5, 0.06]) {
            assert!((found - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn the_closest_to_even_is_found_on_either_side_of_it() {
        let draws = [[0.45, 0.45], [0.6, 0.52], [0.3, 0.7]];
        let cells: Vec<Scores<'_>> = ["a", "b", "c"]
            .iter()
            .zip(&draws)
            .map(|(&ruleset, draws)| Scores { ruleset, draws })
            .collect();
        let found = rankings("p", &cells);
        let shares: Vec<f64> = found.iter().map(|ranking| ranking.probability).collect();
        assert_eq!(shares, [0.5, 0.5, 0.0]);
        let found = comparisons("p", &cells);
        let pairs: Vec<(&str, &str, f64)> = found
            .iter()
            .map(|it| (&*it.first, &*it.second, it.probability))
            .collect();
        assert_eq!(pairs, [("a", "b", 0.5), ("a", "c", 1.0), ("b", "c", 1.0)]);
    }
}
