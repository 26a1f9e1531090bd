//! Bootstrap intervals: ratings of resampled pairs.

use super::{Model, RatingError, SideResults};
use crate::Estimate;
use crate::elo::ELO;
use crate::estimate::{quantile, sorted};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use tafl_rules::Side;

/// The two games of one opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedPair {
    /// The ruleset, from 0.
    pub ruleset: usize,
    /// The players, from 0, in the order of their match.
    pub players: [usize; 2],
    /// Who attacked in each game.
    pub attackers: [usize; 2],
    /// The side that won each game, `None` for a draw or a game that was cut.
    pub winners: [Option<Side>; 2],
}

/// Intervals from ratings of resampled pairs; nothing where the pairs cannot tell how wide one is.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// Elo points above the anchor, by player; nothing for the anchor itself.
    pub players: Vec<Option<Estimate>>,
    /// Elo points that playing the attackers is worth, by ruleset.
    pub attacker_advantages: Vec<Option<Estimate>>,
}

/// Fewest pairs of which an interval is drawn: resamples of fewer are too much alike.
pub const LEAST_PAIRS: usize = 10;

/// Elo points below which an interval is but an error of rounding.
const LEAST_WIDTH: f64 = 0.01;

/// Rates players as [`super::rate`] does, with intervals that take no game to be independent of the
/// other one of its opening.
///
/// In each resample every match (two players, one ruleset) gets as many pairs as it had, drawn from
/// its own with replacement; the intervals are the middle 95 % of the resamples' ratings (Efron 1979,
/// percentile method). They are to confirm the intervals of the model, and are wider where the games
/// of a pair tend to end alike for a player, narrower where the side decides.
///
/// Where all games end alike, so do all resamples, which says nothing of what else may happen: a player or a side has an
/// interval of [`LEAST_PAIRS`] or more, with games won and games lost, and if the anchor is such a player too.
///
/// # Errors
/// As [`super::rate`].
pub fn bootstrap(
    counts: [usize; 2],
    pairs: &[RatedPair],
    anchor: usize,
    resamples: u32,
    seed: u64,
) -> Result<Bootstrap, RatingError> {
    let [players, rulesets] = counts;
    let all: Vec<&RatedPair> = pairs.iter().collect();
    // Finds numbers that stand for nothing, once for all.
    super::rate(players, rulesets, &results_of(&all), anchor)?;
    let mut matches: BTreeMap<_, Vec<&RatedPair>> = BTreeMap::new();
    for pair in pairs {
        let own = matches.entry((pair.ruleset, pair.players)).or_default();
        own.push(pair);
    }
    let fit = |pairs: &[&RatedPair], start: Option<&[f64]>| {
        let results = &results_of(pairs);
        let model = Model {
            players,
            rulesets,
            results,
        };
        Ok::<_, RatingError>(model.fit(start)?.0)
    };
    let best = fit(&all, None)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(resamples as usize);
    for _ in 0..resamples {
        let mut sample = Vec::with_capacity(pairs.len());
        for own in matches.values() {
            sample.extend((0..own.len()).map(|_| own[rng.random_range(0..own.len())]));
        }
        drawn.push(fit(&sample, Some(&best))?);
    }
    let middle = |of: &dyn Fn(&[f64]) -> f64| {
        let numbers = sorted(drawn.iter().map(|parameters| of(parameters)).collect());
        let estimate = Estimate {
            value: of(&best),
            low: quantile(&numbers, 0.025)?,
            high: quantile(&numbers, 0.975)?,
        };
        (estimate.high - estimate.low > LEAST_WIDTH).then_some(estimate)
    };
    let is_known = |player: usize| {
        varies(pairs, |pair, game| {
            let is_own = pair.players.contains(&player);
            is_own.then(|| Side::ALL[usize::from(pair.attackers[game] != player)])
        })
    };
    let player = |player: usize| {
        let has = player != anchor && is_known(player) && is_known(anchor);
        let above = || middle(&|at| (at[player] - at[anchor]) * ELO);
        has.then(above).flatten()
    };
    let advantage = |number: usize| {
        let of_ruleset = |pair: &RatedPair, _| (pair.ruleset == number).then_some(Side::Attacker);
        let advantage = || middle(&|at| at[players + 2 * number] * ELO);
        varies(pairs, of_ruleset).then(advantage).flatten()
    };
    Ok(Bootstrap {
        players: (0..players).map(player).collect(),
        attacker_advantages: (0..rulesets).map(advantage).collect(),
    })
}

/// Returns whether there are enough pairs with games of a side that it did not all win or all lose.
fn varies(pairs: &[RatedPair], side_of: impl Fn(&RatedPair, usize) -> Option<Side>) -> bool {
    let (mut count, mut games, mut won, mut lost) = (0, 0, 0, 0);
    for pair in pairs {
        count += usize::from(side_of(pair, 0).is_some());
        for (game, winner) in pair.winners.into_iter().enumerate() {
            let Some(own) = side_of(pair, game) else {
                continue;
            };
            games += 1;
            won += usize::from(winner == Some(own));
            lost += usize::from(winner == Some(own.opponent()));
        }
    }
    count >= LEAST_PAIRS && won < games && lost < games
}

/// Counts games by ruleset and players of the sides.
fn results_of(pairs: &[&RatedPair]) -> Vec<SideResults> {
    let mut cells: BTreeMap<(usize, usize, usize), SideResults> = BTreeMap::new();
    for pair in pairs {
        for (attackers, winner) in pair.attackers.into_iter().zip(pair.winners) {
            let [one, other] = pair.players;
            let defenders = if attackers == one { other } else { one };
            let ruleset = pair.ruleset;
            let cell = cells
                .entry((ruleset, attackers, defenders))
                .or_insert(SideResults {
                    ruleset,
                    attackers,
                    defenders,
                    attacker_wins: 0,
                    draws: 0,
                    defender_wins: 0,
                });
            match winner {
                Some(Side::Attacker) => cell.attacker_wins += 1,
                Some(Side::Defender) => cell.defender_wins += 1,
                None => cell.draws += 1,
            }
        }
    }
    cells.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate;
    use Side::{Attacker as A, Defender as D};

    /// Returns pairs in which player 0 meets player 1, each kind as often as given.
    fn pairs(kinds: &[([Option<Side>; 2], usize)]) -> Vec<RatedPair> {
        let pair = |winners| RatedPair {
            ruleset: 0,
            players: [0, 1],
            attackers: [0, 1],
            winners,
        };
        let many = |&(winners, count): &([Option<Side>; 2], usize)| vec![pair(winners); count];
        kinds.iter().flat_map(many).collect()
    }

    /// Returns the bootstrap, and its intervals of player 1 and of the sides by those of the model.
    fn widths(pairs: &[RatedPair], resamples: u32) -> (Bootstrap, [Option<f64>; 2]) {
        let all: Vec<&RatedPair> = pairs.iter().collect();
        let model = rate(2, 1, &results_of(&all), 0).unwrap();
        let drawn = bootstrap([2, 1], pairs, 0, resamples, 1).unwrap();
        let ratio = |drawn: Option<Estimate>, model: Estimate| {
            drawn.map(|it| (it.high - it.low) / (model.high - model.low))
        };
        let player = ratio(drawn.players[1], model.players[1]);
        let model = model.rulesets[0].attacker_advantage;
        let sides = ratio(drawn.attacker_advantages[0], model);
        (drawn, [player, sides])
    }

    #[test]
    fn independent_games_give_the_intervals_of_the_model() {
        // Attackers win 40 % whoever they are; each game on its own.
        let independent = pairs(&[
            ([Some(A), Some(A)], 32),
            ([Some(A), Some(D)], 48),
            ([Some(D), Some(A)], 48),
            ([Some(D), Some(D)], 72),
        ]);
        let (drawn, ratios) = widths(&independent, 1_000);
        let are_like = ratios.map(|it| it.is_some_and(|it| (0.9..1.1).contains(&it)));
        assert_eq!(are_like, [true; 2], "{ratios:?}");
        assert_eq!(drawn, bootstrap([2, 1], &independent, 0, 1_000, 1).unwrap());
    }

    #[test]
    fn openings_that_decide_say_nothing_of_the_players_and_widen_the_sides() {
        // Whoever attacks wins the one half of the openings, whoever defends the other.
        let decided = pairs(&[
            ([Some(A), Some(A)], 98),
            ([Some(D), Some(D)], 98),
            ([None, None], 4),
        ]);
        let (_, [player, sides]) = widths(&decided, 500);
        assert_eq!(player, None);
        assert!(
            sides.is_some_and(|it| (1.25..1.6).contains(&it)),
            "{sides:?}"
        );
    }

    #[test]
    fn games_that_all_end_alike_have_no_interval() {
        let drawn = |kinds: &[([Option<Side>; 2], usize)]| {
            let drawn = bootstrap([2, 1], &pairs(kinds), 0, 50, 1).unwrap();
            (
                drawn.players[1].is_some(),
                drawn.attacker_advantages[0].is_some(),
            )
        };
        let [own, other] = [[Some(A), Some(D)], [Some(D), Some(A)]];
        // The first player wins all, the attackers half.
        assert_eq!(drawn(&[(own, 1)]), (false, false));
        assert_eq!(drawn(&[(own, 40)]), (false, false));
        assert_eq!(drawn(&[([Some(A); 2], 40)]), (false, false));
        assert_eq!(drawn(&[(own, 6), (other, 3)]), (false, false), "nine pairs");
        assert_eq!(drawn(&[(own, 6), (other, 4)]), (true, false));
        assert_eq!(
            drawn(&[([Some(A); 2], 6), ([Some(D); 2], 4)]),
            (false, true)
        );
    }

    #[test]
    fn no_pairs_and_unknown_players_end_well() {
        let none = bootstrap([2, 1], &[], 0, 10, 1).unwrap();
        assert_eq!(none.players, [None, None]);
        let strange = [RatedPair {
            players: [0, 7],
            attackers: [0, 7],
            ..pairs(&[([None; 2], 1)])[0]
        }];
        assert!(bootstrap([2, 1], &strange, 0, 10, 1).is_err());
    }
}
