//! What is known of a score after some games: draws from the posterior.
//!
//! A game ends for the attackers in a win, a draw or a loss. With Jeffreys' prior the posterior of
//! their chances after `w`, `d` and `l` such games is the Dirichlet distribution with the parameters
//! `w + 1/2`, `d + 1/2`, `l + 1/2` (Gelman et al., Bayesian Data Analysis, 3rd ed., 3.4). Everything
//! that follows from the chances, such as the score, is computed for each of many draws, and an
//! interval is the range of most of the draws.

use crate::estimate::{LEVEL, quantile, sorted};
use crate::{Estimate, Tally};
use rand::SeedableRng;
use rand_distr::{Distribution as _, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_samples::derive_seed;

/// Pseudo-games of the prior for each result of a single game.
const PRIOR: f64 = 0.5;

/// How often is drawn, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Draws from each posterior, at least 1.
    pub draws: u32,
    /// Where all draws come from.
    pub seed: u64,
}

impl Sampling {
    /// Returns as many draws as make probabilities exact to 0.01.
    pub const fn of_seed(seed: u64) -> Self {
        Self {
            draws: 20_000,
            seed,
        }
    }

    /// Returns the same with a seed that belongs to some names alone.
    pub(super) fn named(&self, names: &[&str]) -> Self {
        let bytes = names.iter().flat_map(|name| name.bytes().chain([0]));
        let path: Vec<u64> = bytes.map(u64::from).collect();
        Self {
            seed: derive_seed(self.seed, &path),
            ..*self
        }
    }

    /// Returns the second of two scores of the attackers less the first, of games that have nothing in common.
    pub fn difference(&self, results: [&Tally; 2]) -> Estimate {
        let [one, other] = [0, 1].map(|number| {
            let own = self.named(&[["first", "second"][number]]);
            own.scores(results[number])
        });
        let draws = one.iter().zip(&other).map(|(one, other)| other - one);
        estimate(expected(results[1]) - expected(results[0]), draws.collect())
    }

    /// Draws chances from a Dirichlet distribution, `each` of which makes a number.
    ///
    /// # Panics
    /// If a parameter is not above 0.
    pub(super) fn dirichlet(&self, parameters: &[f64], mut each: impl FnMut(&[f64])) {
        let gammas: Vec<Gamma<f64>> = parameters
            .iter()
            .map(|&parameter| Gamma::new(parameter, 1.0).expect("parameters are above 0"))
            .collect();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(self.seed, &[0]));
        let mut chances = vec![0.0; gammas.len()];
        for _ in 0..self.draws {
            for (chance, gamma) in chances.iter_mut().zip(&gammas) {
                *chance = gamma.sample(&mut rng);
            }
            let sum: f64 = chances.iter().sum();
            // All may underflow where the prior is all that there is.
            let sum = if sum > 0.0 { sum } else { f64::MIN_POSITIVE };
            chances.iter_mut().for_each(|chance| *chance /= sum);
            each(&chances);
        }
    }

    /// Draws the attackers' score from its posterior; capped games count as drawn.
    pub(super) fn scores(&self, results: &Tally) -> Vec<f64> {
        let counts = [results.wins, results.draws + results.capped, results.losses];
        let parameters = counts.map(|count| count as f64 + PRIOR);
        let mut scores = Vec::with_capacity(self.draws as usize);
        self.dirichlet(&parameters, |chances| {
            scores.push(chances[0] + chances[1] / 2.0)
        });
        scores
    }
}

/// Returns the mean and the middle of the posterior of a score, from draws of it.
pub(super) fn posterior_score(results: &Tally, draws: Vec<f64>) -> Estimate {
    estimate(expected(results), draws)
}

/// Returns the mean of the posterior of a score.
fn expected(results: &Tally) -> f64 {
    let games = results.games() as f64;
    let points = results.score() * games;
    (points + 1.5 * PRIOR) / (games + 3.0 * PRIOR)
}

/// Returns a number with the interval of the middle 95 % of some samples.
pub(super) fn estimate(value: f64, draws: Vec<f64>) -> Estimate {
    let draws = sorted(draws);
    let end = |share| quantile(&draws, share).unwrap_or(0.0);
    Estimate {
        value,
        low: end((1.0 - LEVEL) / 2.0),
        high: end(f64::midpoint(1.0, LEVEL)),
    }
}
