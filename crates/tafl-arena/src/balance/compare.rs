//! Which ruleset is more balanced, and how balance changes with strength.

use super::posterior::estimate;
use super::{Comparison, Ranking, Trend};
use crate::estimate::mean;
use statrs::distribution::{ChiSquared, ContinuousCDF};
use std::collections::BTreeSet;
use tafl_samples::StrengthUnit;

/// Corrected probabilities below this are called clear.
const CLEAR: f64 = 0.05;

/// The posterior of one cell: draws of the attackers' score.
#[derive(Debug, Clone)]
pub(super) struct Scores<'a> {
    pub(super) ruleset: &'a str,
    pub(super) draws: &'a [f64],
}

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

/// Returns whether a corrected probability is small enough to speak of a difference.
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
    let pairs = (0..cells.len())
        .flat_map(|first| (first + 1..cells.len()).map(move |second| [first, second]));
    let pairs: Vec<([usize; 2], f64)> = pairs
        .map(|[first, second]| {
            let probability = closer(cells[first].draws, cells[second].draws);
            ([first, second], probability)
        })
        .collect();
    let draws = cells.first().map_or(1, |cell| cell.draws.len());
    let tails = pairs.iter().map(|(_, it)| two_sided(*it, draws));
    let adjusted = holm(&tails.collect::<Vec<f64>>());
    let named = pairs.into_iter().zip(adjusted);
    let comparison =
        |(([first, second], probability), adjusted): (([usize; 2], f64), f64)| Comparison {
            player: player.to_owned(),
            first: cells[first].ruleset.to_owned(),
            second: cells[second].ruleset.to_owned(),
            probability,
            adjusted,
            clear: is_clear(adjusted),
        };
    named.map(comparison).collect()
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

/// Fits a line through the posteriors of one ruleset at several strengths, which rise.
///
/// Every draw gives a least-squares line, whose points weigh as the posteriors are narrow; the slopes
/// of all draws are the posterior of the slope. The strengths share their openings, which this leaves
/// out of account.
pub(super) fn trend(
    (ruleset, family): (&str, &str),
    unit: StrengthUnit,
    cells: &[(u32, &[f64])],
) -> Option<Trend> {
    if cells.len() < 2 {
        return None;
    }
    let place = |strength: u32| match unit {
        StrengthUnit::Visits => f64::from(strength).log2(),
        StrengthUnit::Turns | StrengthUnit::None => f64::from(strength),
    };
    let points: Vec<Point> = cells
        .iter()
        .map(|&(strength, draws)| Point {
            place: place(strength),
            weight: 1.0 / variance(draws).max(f64::MIN_POSITIVE),
        })
        .collect();
    let draws = cells[0].1.len();
    let slopes = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let slope = |draw: usize| slope(&points, |point| of(cells[point].1[draw]));
        (0..draws).map(slope).collect()
    };
    let summed = |slopes: Vec<f64>| estimate(mean(&slopes), slopes);
    let scores = slopes(&|score| score);
    let rising = scores.iter().filter(|&&slope| slope > 0.0).count() as f64;
    let means: Vec<f64> = cells.iter().map(|(_, draws)| mean(draws)).collect();
    Some(Trend {
        ruleset: ruleset.to_owned(),
        family: family.to_owned(),
        unit,
        strengths: cells.iter().map(|(strength, _)| *strength).collect(),
        imbalance_slope: summed(slopes(&imbalance)),
        adjusted: two_sided(rising / draws.max(1) as f64, draws),
        clear: false,
        misfit: misfit(&points, &means),
        bent: false,
        score_slope: summed(scores),
    })
}

/// Corrects the probabilities of trends for the number of rulesets of one family, and says which are clear.
pub(super) fn correct(trends: &mut [Trend]) {
    let families: BTreeSet<String> = trends.iter().map(|it| it.family.clone()).collect();
    for family in families {
        let mut own: Vec<&mut Trend> = trends.iter_mut().filter(|it| it.family == family).collect();
        let slopes = holm(&own.iter().map(|it| it.adjusted).collect::<Vec<_>>());
        let misfits = holm(&own.iter().map(|it| it.misfit).collect::<Vec<_>>());
        for ((trend, adjusted), misfit) in own.iter_mut().zip(slopes).zip(misfits) {
            (trend.adjusted, trend.misfit) = (adjusted, misfit);
            (trend.clear, trend.bent) = (is_clear(adjusted), is_clear(misfit));
        }
    }
}

/// Returns how likely points are to be as far from their line as they are, if they were drawn around one: the chi-square test.
fn misfit(points: &[Point], heights: &[f64]) -> f64 {
    let weight: f64 = points.iter().map(|point| point.weight).sum();
    let middle = |of: &dyn Fn(usize) -> f64| {
        let terms = points
            .iter()
            .enumerate()
            .map(|(index, it)| it.weight * of(index));
        terms.sum::<f64>() / weight
    };
    let place = middle(&|index| points[index].place);
    let height = middle(&|index| heights[index]);
    let slope = slope(points, |index| heights[index]);
    let numbered = points.iter().zip(heights);
    let squares = numbered.map(|(point, own)| {
        let line = height + slope * (point.place - place);
        point.weight * (own - line).powi(2)
    });
    let freedom = points.len().saturating_sub(2);
    ChiSquared::new(freedom as f64).map_or(1.0, |it| it.sf(squares.sum()))
}

struct Point {
    place: f64,
    weight: f64,
}

fn variance(draws: &[f64]) -> f64 {
    let middle = mean(draws);
    let squares: Vec<f64> = draws.iter().map(|draw| (draw - middle).powi(2)).collect();
    mean(&squares)
}

/// Returns the slope of the weighted least-squares line through a height at each point.
fn slope(points: &[Point], height: impl Fn(usize) -> f64) -> f64 {
    let weight: f64 = points.iter().map(|point| point.weight).sum();
    let sum: f64 = points.iter().map(|it| it.weight * it.place).sum();
    let middle = sum / weight;
    let spread = |point: &Point| point.weight * (point.place - middle);
    let numbered = points.iter().enumerate();
    let above: f64 = numbered.map(|(index, it)| spread(it) * height(index)).sum();
    let below = points.iter().map(|it| spread(it) * (it.place - middle));
    above / below.sum::<f64>()
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

    #[test]
    fn a_line_through_doubled_visits_has_the_slope_by_doubling() {
        let draws = |score: f64| vec![score - 0.001, score + 0.001];
        let (low, middle, high) = (draws(0.3), draws(0.36), draws(0.4));
        let cells = [(1, &*low), (4, &*middle), (16, &*high)];
        let trend = trend(("r", "p"), StrengthUnit::Visits, &cells).expect("a line");
        // Equal weights: (0.4 - 0.3) / 4 doublings.
        assert!((trend.score_slope.value - 0.025).abs() < 1e-9, "{trend:?}");
        assert!((trend.imbalance_slope.value + 0.025).abs() < 1e-9);
        assert_eq!(trend.strengths, [1, 4, 16]);
    }

    #[test]
    fn scores_that_rise_and_fall_are_not_on_a_line() {
        // A standard error of 0.03 each, as of 250 games.
        let draws = |score: f64| [score - 0.03, score + 0.03].repeat(500);
        let of = |scores: [f64; 3]| {
            let drawn = scores.map(draws);
            let cells = [(1, &*drawn[0]), (16, &*drawn[1]), (64, &*drawn[2])];
            trend(("r", "p"), StrengthUnit::Visits, &cells).expect("a line")
        };
        let mut trends = [of([0.26, 0.47, 0.36]), of([0.3, 0.36, 0.4])];
        // By hand: the line through 0.26, 0.47, 0.36 at 0, 4, 6 doublings rises by 0.40667 / 18.667 and misses them by 0.0307,
        // 0.0921 and 0.0614, whose squares are 14.67 times that of the error. Chi-square with one degree of freedom exceeds
        // that with probability 0.000128.
        assert!((trends[0].misfit - 0.000_128).abs() < 1e-6, "{trends:?}");
        assert!(trends[1].misfit > 0.5, "{trends:?}");
        correct(&mut trends);
        assert_eq!(trends.each_ref().map(|it| it.bent), [true, false]);
        assert_eq!(trends.each_ref().map(|it| it.clear), [true, true]);
        let two = trend(
            ("r", "p"),
            StrengthUnit::Visits,
            &[(1, &draws(0.2)), (4, &draws(0.6))],
        );
        assert_eq!(two.expect("a line").misfit, 1.0);
    }

    #[test]
    fn one_strength_makes_no_trend() {
        assert_eq!(
            trend(("r", "p"), StrengthUnit::Visits, &[(4, &[0.5])]),
            None
        );
    }
}
