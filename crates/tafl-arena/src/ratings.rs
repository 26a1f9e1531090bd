//! How strong many players are, from all their games together.

use crate::linear::{SymmetricMatrix, cholesky};

/// Results of one player as attackers against another as defenders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideResults {
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

/// A number and its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The most likely number.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Ratings of all players on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// Elo points above the anchor, by player; the anchor's own are 0 with an interval of no width.
    pub players: Vec<Estimate>,
    /// Elo points that playing the attackers is worth; below 0 the defenders are favored.
    pub attacker_advantage: Estimate,
    /// Share of draws between players who are equal with the advantage counted in.
    pub even_draw_rate: Estimate,
}

/// Results that cannot be rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// A number stands for no player.
    #[error("player {player} of {players} does not exist")]
    NoSuchPlayer {
        /// The number, from 0.
        player: usize,
        /// How many players there are.
        players: usize,
    },
    /// The search for the most likely ratings did not settle.
    #[error("the ratings do not settle")]
    NotSettled,
}

/// Elo points for one natural logarithm of strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Half the width of a 95 % interval in standard deviations.
const WIDTH_95: f64 = 1.959_964;
/// Standard deviation of ratings and of the advantage before any game, in logarithms of strength:
/// 1,000 Elo points.
const PRIOR_STRENGTH: f64 = 1_000.0 / ELO;
/// Mean and standard deviation of the logarithm of the draw parameter: 0.1 to 33 % draws are
/// likely.
const PRIOR_DRAW: [f64; 2] = [-3.0, 2.0];

/// Rates players by the model of Bradley and Terry with draws (Davidson 1970) and an advantage of
/// the attackers.
///
/// With d = rating of the attacking player + advantage - rating of the defending one, in logarithms
/// of strength, the chances of attackers, draw and defenders are as exp(d/2) : draw parameter :
/// exp(-d/2). A weak normal prior keeps players finite who won or lost all. Intervals are those of
/// the curvature at the most likely ratings.
///
/// # Errors
/// If a result or the anchor names a player who does not exist.
pub fn rate(
    players: usize,
    results: &[SideResults],
    anchor: usize,
) -> Result<Ratings, RatingError> {
    let named = results
        .iter()
        .flat_map(|cell| [cell.attackers, cell.defenders]);
    if let Some(player) = named.chain([anchor]).find(|&player| player >= players) {
        return Err(RatingError::NoSuchPlayer { player, players });
    }
    let model = Model { players, results };
    let (parameters, covariance) = model.fit()?;
    let interval = |value: f64, variance: f64| {
        let width = WIDTH_95 * variance.max(0.0).sqrt();
        [value, value - width, value + width]
    };
    let estimate = |[value, low, high]: [f64; 3]| Estimate { value, low, high };
    let above_anchor = |player: usize| {
        let shared = covariance.at(player, player) + covariance.at(anchor, anchor);
        let variance = shared - 2.0 * covariance.at(player, anchor);
        estimate(interval(parameters[player] - parameters[anchor], variance).map(|x| x * ELO))
    };
    let advantage = interval(parameters[players], covariance.at(players, players));
    let draw = interval(
        parameters[players + 1],
        covariance.at(players + 1, players + 1),
    );
    Ok(Ratings {
        players: (0..players).map(above_anchor).collect(),
        attacker_advantage: estimate(advantage.map(|x| x * ELO)),
        even_draw_rate: estimate(draw.map(|x| x.exp() / (2.0 + x.exp()))),
    })
}

/// Returns the chances of attackers, draw and defenders at a difference `d` and draw parameter
/// exp(`draw`).
fn chances(d: f64, draw: f64) -> [f64; 3] {
    let highest = (d.abs() / 2.0).max(draw);
    let weights = [d / 2.0, draw, -d / 2.0].map(|x| (x - highest).exp());
    let total: f64 = weights.iter().sum();
    weights.map(|weight| weight / total)
}

/// Parameters are the players' ratings, the advantage, and the logarithm of the draw parameter.
struct Model<'a> {
    players: usize,
    results: &'a [SideResults],
}

impl Model<'_> {
    /// Returns the most likely parameters and their covariance, by Newton's method; the
    /// log-likelihood is concave.
    fn fit(&self) -> Result<(Vec<f64>, SymmetricMatrix), RatingError> {
        let mut parameters = vec![0.0; self.players + 2];
        parameters[self.players + 1] = PRIOR_DRAW[0];
        let mut height = self.log_posterior(&parameters);
        for _ in 0..200 {
            let (gradient, curvature) = self.derivatives(&parameters);
            let factor = cholesky(&curvature).ok_or(RatingError::NotSettled)?;
            let step = factor.solve(&gradient);
            let gain: f64 = step.iter().zip(&gradient).map(|(a, b)| a * b).sum();
            if gain < 1e-12 {
                return Ok((parameters, factor.inverse()));
            }
            let halvings = (0..40).map(|halvings| 0.5_f64.powi(halvings));
            let moved = halvings.map(|share| {
                let moved = parameters
                    .iter()
                    .zip(&step)
                    .map(|(at, step)| at + share * step);
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
        parameters[cell.attackers] + parameters[self.players] - parameters[cell.defenders]
    }

    fn log_posterior(&self, parameters: &[f64]) -> f64 {
        let games = self.results.iter().map(|cell| {
            let p = chances(
                self.difference(cell, parameters),
                parameters[self.players + 1],
            );
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

    fn prior(&self, parameter: usize) -> (f64, f64) {
        if parameter > self.players {
            (PRIOR_DRAW[0], PRIOR_DRAW[1])
        } else {
            (0.0, PRIOR_STRENGTH)
        }
    }

    /// Returns the gradient of the log-posterior and its negated second derivatives.
    fn derivatives(&self, parameters: &[f64]) -> (Vec<f64>, SymmetricMatrix) {
        let len = parameters.len();
        let (mut gradient, mut curvature) = (vec![0.0; len], SymmetricMatrix::zero(len));
        let draw = self.players + 1;
        for cell in self.results {
            let [win, tie, loss] = chances(self.difference(cell, parameters), parameters[draw]);
            let counts = [cell.attacker_wins, cell.draws, cell.defender_wins].map(|n| n as f64);
            let games: f64 = counts.iter().sum();
            // Derivatives by d and by the draw parameter's logarithm; d has three parts, +1, +1 and -1.
            let by_d = (counts[0] - counts[2] - games * (win - loss)) / 2.0;
            let by_dd = games * ((win + loss) - (win - loss).powi(2)) / 4.0;
            let by_d_draw = -games * tie * (win - loss) / 2.0;
            let parts = [
                (cell.attackers, 1.0),
                (self.players, 1.0),
                (cell.defenders, -1.0),
            ];
            for (i, sign) in parts {
                gradient[i] += sign * by_d;
                for (j, other_sign) in parts {
                    curvature.add(i, j, sign * other_sign * by_dd);
                }
                curvature.add(i, draw, sign * by_d_draw);
                curvature.add(draw, i, sign * by_d_draw);
            }
            gradient[draw] += counts[1] - games * tie;
            curvature.add(draw, draw, games * tie * (1.0 - tie));
        }
        for (i, at) in parameters.iter().enumerate() {
            let (mean, deviation) = self.prior(i);
            gradient[i] -= (at - mean) / deviation.powi(2);
            curvature.add(i, i, deviation.powi(-2));
        }
        (gradient, curvature)
    }
}

#[cfg(test)]
mod tests;
