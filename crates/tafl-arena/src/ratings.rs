//! How strong many players are, from all their games together.

mod bootstrap;
#[cfg(test)]
mod tests;

pub use bootstrap::{Bootstrap, LEAST_PAIRS, RatedPair, bootstrap};

use crate::Estimate;
use crate::elo::ELO;
use crate::linear::Cholesky;
use ndarray::Array2;
use statrs::distribution::{ContinuousCDF, Normal};

/// Results of one player as attackers against another as defenders, under one ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SideResults {
    /// The ruleset, from 0.
    pub ruleset: usize,
    /// The player who attacked, from 0.
    pub attackers: usize,
    /// The player who defended, from 0; the same one in self-play, which tells about the sides
    /// alone.
    pub defenders: usize,
    /// Games won by the attackers.
    pub attacker_wins: u64,
    /// Games drawn, capped ones included.
    pub draws: u64,
    /// Games won by the defenders.
    pub defender_wins: u64,
}

/// Ratings of all players on one scale.
#[derive(Debug, Clone)]
pub struct Ratings {
    /// Elo points above the anchor, by player; the anchor's own are 0 with an interval of no width.
    pub players: Vec<Estimate>,
    /// What holds for all players alike, by ruleset.
    pub rulesets: Vec<RulesetRating>,
    /// Covariance of all parameters, players first, in logarithms of strength.
    covariance: Array2<f64>,
}

/// What a ruleset adds, independent of the players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RulesetRating {
    /// Elo points that playing the attackers is worth; below 0 the defenders are favored.
    pub attacker_advantage: Estimate,
    /// Share of draws between players who are equal with the advantage counted in.
    pub even_draw_rate: Estimate,
}

/// Results that cannot be rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// A number does not name a player or a ruleset.
    #[error("{what} {number} of {count} does not exist")]
    DoesNotExist {
        /// `player` or `ruleset`.
        what: &'static str,
        /// The number, from 0.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// The search for the most likely ratings did not settle.
    #[error("the ratings do not settle")]
    NotSettled,
}

/// Half the width of a 95 % interval in standard deviations.
const WIDTH_95: f64 = 1.959_964;
/// Standard deviation of ratings and of the advantage before any game, in logarithms of strength:
/// 1,000 Elo points.
const PRIOR_STRENGTH: f64 = 1_000.0 / ELO;
/// Mean and standard deviation of the logarithm of the draw parameter: 0.1 to 33 % draws are
/// likely.
const PRIOR_DRAW: (f64, f64) = (-3.0, 2.0);

/// Rates players by the model of Bradley and Terry with draws (Davidson 1970) and, for each
/// ruleset, an advantage of the attackers and a parameter of draws.
///
/// With d = rating of the attacking player + advantage - rating of the defending one, in logarithms
/// of strength, the chances of attackers, draw and defenders are as exp(d/2) : draw parameter :
/// exp(-d/2). BayesElo's `eloAdvantage` and `eloDraw` are the same two parameters; its draws (Rao and
/// Kupper 1967) have no finite `eloDraw` where nobody drew. A weak normal prior keeps players finite
/// who won or lost all. The most likely parameters are found by Newton's method; intervals are those
/// of the curvature there.
///
/// Results are numbers of players and of rulesets below `players` and `rulesets`. A ruleset
/// without games gets what is known beforehand.
///
/// # Errors
/// If a result or the anchor names a player or a ruleset that does not exist.
pub fn rate(
    players: usize,
    rulesets: usize,
    results: &[SideResults],
    anchor: usize,
) -> Result<Ratings, RatingError> {
    let within = |what, number, count| {
        let missing = RatingError::DoesNotExist {
            what,
            number,
            count,
        };
        if number < count { Ok(()) } else { Err(missing) }
    };
    for cell in results {
        within("player", cell.attackers, players)?;
        within("player", cell.defenders, players)?;
        within("ruleset", cell.ruleset, rulesets)?;
    }
    within("player", anchor, players)?;
    let model = Model {
        players,
        rulesets,
        results,
    };
    let (parameters, covariance) = model.fit(None)?;
    let difference = |player: usize| {
        let value = parameters[player] - parameters[anchor];
        normal(value, variance_between(&covariance, player, anchor)).mapped(in_elo)
    };
    let ruleset = |number: usize| {
        let [advantage, draw] = model.places(number);
        let at = |place: usize| normal(parameters[place], covariance[[place, place]]);
        RulesetRating {
            attacker_advantage: at(advantage).mapped(in_elo),
            even_draw_rate: at(draw).mapped(draw_rate),
        }
    };
    Ok(Ratings {
        players: (0..players).map(difference).collect(),
        rulesets: (0..rulesets).map(ruleset).collect(),
        covariance,
    })
}

impl Ratings {
    /// Returns the probability that the first player is the stronger one (LOS); 1/2 for a player and
    /// itself.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn superiority(&self, first: usize, second: usize) -> f64 {
        let difference = (self.players[first].value - self.players[second].value) / ELO;
        let deviation = variance_between(&self.covariance, first, second).sqrt();
        if deviation == 0.0 {
            return 0.5;
        }
        Normal::standard().cdf(difference / deviation)
    }
}

impl RulesetRating {
    /// Returns the draw rate as BayesElo's `eloDraw`: Elo points by which the stronger side must be
    /// ahead of a draw, so that players who are equal draw as often.
    pub fn elo_draw(&self) -> Estimate {
        self.even_draw_rate
            .mapped(|rate| ELO * ((1.0 + rate) / (1.0 - rate)).ln())
    }
}

/// Returns the 95 % interval of a normal distribution.
fn normal(value: f64, variance: f64) -> Estimate {
    let width = WIDTH_95 * variance.max(0.0).sqrt();
    Estimate {
        value,
        low: value - width,
        high: value + width,
    }
}

/// Returns Elo points of logarithms of strength.
fn in_elo(logarithm: f64) -> f64 {
    logarithm * ELO
}

fn variance_between(covariance: &Array2<f64>, first: usize, second: usize) -> f64 {
    let shared = covariance[[first, first]] + covariance[[second, second]];
    (shared - 2.0 * covariance[[first, second]]).max(0.0)
}

/// Returns the share of draws between equals, of the logarithm of the draw parameter.
fn draw_rate(draw: f64) -> f64 {
    draw.exp() / (2.0 + draw.exp())
}

/// Returns the chances of attackers, draw and defenders at a difference `d` and draw parameter
/// exp(`draw`).
fn chances(d: f64, draw: f64) -> [f64; 3] {
    let highest = (d.abs() / 2.0).max(draw);
    let weights = [d / 2.0, draw, -d / 2.0].map(|x| (x - highest).exp());
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// Parameters are the players' ratings, and for each ruleset the advantage and the logarithm of the
/// draw parameter.
struct Model<'a> {
    players: usize,
    rulesets: usize,
    results: &'a [SideResults],
}

impl Model<'_> {
    /// Returns the indices of a ruleset's advantage and draw parameter among the parameters.
    const fn places(&self, ruleset: usize) -> [usize; 2] {
        let advantage = self.players + 2 * ruleset;
        [advantage, advantage + 1]
    }

    /// Returns the most likely parameters and their covariance, by Newton's method; the
    /// log-likelihood is concave. The search begins at `start`, or at what is likely beforehand.
    fn fit(&self, start: Option<&[f64]>) -> Result<(Vec<f64>, Array2<f64>), RatingError> {
        let len = self.players + 2 * self.rulesets;
        let beforehand = || (0..len).map(|place| self.prior(place).0).collect();
        let mut parameters: Vec<f64> = start.map_or_else(beforehand, <[f64]>::to_vec);
        let mut height = self.log_posterior(&parameters);
        for _ in 0..200 {
            let (gradient, curvature) = self.derivatives(&parameters);
            let factor = Cholesky::of(&curvature).ok_or(RatingError::NotSettled)?;
            let step = factor.solve(&gradient);
            let gain: f64 = step.iter().zip(&gradient).map(|(a, b)| a * b).sum();
            if gain < 1e-12 {
                return Ok((parameters, factor.inverse()));
            }
            let halvings = (0..40).map(|halvings| 0.5_f64.powi(halvings));
            let moved = halvings.map(|share| {
                let both = parameters.iter().zip(&step);
                let moved = both.map(|(at, step)| at + share * step);
                moved.collect::<Vec<f64>>()
            });
            // Rounding may hide the last tiny gains; then the top is reached.
            let rising = |moved: &Vec<f64>| self.log_posterior(moved) > height;
            let Some(next) = moved.into_iter().find(rising) else {
                return Ok((parameters, factor.inverse()));
            };
            height = self.log_posterior(&next);
            parameters = next;
        }
        Err(RatingError::NotSettled)
    }

    fn difference(&self, cell: &SideResults, parameters: &[f64]) -> f64 {
        let [advantage, _] = self.places(cell.ruleset);
        parameters[cell.attackers] + parameters[advantage] - parameters[cell.defenders]
    }

    fn log_posterior(&self, parameters: &[f64]) -> f64 {
        let games = self.results.iter().map(|cell| {
            let [_, draw] = self.places(cell.ruleset);
            let p = chances(self.difference(cell, parameters), parameters[draw]);
            let counts = [cell.attacker_wins, cell.draws, cell.defender_wins];
            let likelihoods = counts.iter().zip(p).filter(|(count, _)| **count > 0);
            likelihoods
                .map(|(&count, p)| count as f64 * p.max(1e-300).ln())
                .sum::<f64>()
        });
        let prior = parameters.iter().enumerate().map(|(i, at)| {
            let (mean, deviation) = self.prior(i);
            -0.5 * ((at - mean) / deviation).powi(2)
        });
        games.sum::<f64>() + prior.sum::<f64>()
    }

    /// Returns the mean of a parameter before any game, and its standard deviation.
    const fn prior(&self, parameter: usize) -> (f64, f64) {
        let is_draw = parameter > self.players && (parameter - self.players) % 2 == 1;
        if is_draw {
            PRIOR_DRAW
        } else {
            (0.0, PRIOR_STRENGTH)
        }
    }

    /// Returns the gradient of the log-posterior and its negated second derivatives.
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, Array2<f64>) {
        let len = parameters.len();
        let (mut gradient, mut curvature) = (vec![0.0; len], Array2::zeros((len, len)));
        for cell in self.results {
            let [advantage, draw] = self.places(cell.ruleset);
            let [win, tie, loss] = chances(self.difference(cell, parameters), parameters[draw]);
            let counts = [cell.attacker_wins, cell.draws, cell.defender_wins].map(|n| n as f64);
            let games: f64 = counts.iter().sum();
            // Derivatives by d and by the draw parameter's logarithm; d has three parts, +1, +1 and -1.
            let by_d = (counts[0] - counts[2] - games * (win - loss)) / 2.0;
            let by_dd = games * ((win + loss) - (win - loss).powi(2)) / 4.0;
            let by_d_draw = -games * tie * (win - loss) / 2.0;
            let parts = [
                (cell.attackers, 1.0),
                (advantage, 1.0),
                (cell.defenders, -1.0),
            ];
            for (i, sign) in parts {
                gradient[i] += sign * by_d;
                for (j, other_sign) in parts {
                    curvature[[i, j]] += sign * other_sign * by_dd;
                }
                curvature[[i, draw]] += sign * by_d_draw;
                curvature[[draw, i]] += sign * by_d_draw;
            }
            gradient[draw] += counts[1] - games * tie;
            curvature[[draw, draw]] += games * tie * (1.0 - tie);
        }
        for (i, at) in parameters.iter().enumerate() {
            let (mean, deviation) = self.prior(i);
            gradient[i] -= (at - mean) / deviation.powi(2);
            curvature[[i, i]] += deviation.powi(-2);
        }
        (gradient, curvature)
    }
}
