//! Games of people: which side wins them, and whether that changes with strength.
//!
//! A few people play many games, and the same two meet again and again. So intervals take the games of two people as one
//! observation (a cluster), whoever of them attacked.

mod fit;

#[cfg(test)]
mod tests;

pub use fit::{PeopleFit, fit_people};

use crate::Estimate;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;
use tafl_rules::Side;

/// Games with fewer plies say nothing of the rules: somebody left.
pub const LEAST_PLIES: u32 = 10;

/// Ratings of people may be this far apart in games that are counted by rating.
const LARGEST_RATING_GAP: f64 = 200.0;

/// Where bands of the weaker one's rating begin.
const RATING_BANDS: [f64; 4] = [f64::NEG_INFINITY, 1_300.0, 1_500.0, 1_700.0];

/// Bands of fewer games are left out.
const LEAST_OF_BAND: usize = 30;

/// Standard errors on each side of a number in an interval of 95 %.
const ERRORS: f64 = 1.96;

/// Pairs from which on Student's distribution is so near to the normal one that it makes no difference.
const MANY_PAIRS: usize = 100;

/// How a game of people ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeopleEnd {
    /// By the rules of the board.
    Played,
    /// Somebody resigned.
    Resigned,
    /// Somebody's time ran out.
    Timeout,
}

/// A finished game of two people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeopleGame {
    /// Who attacked, then who defended, as numbers.
    pub people: [u32; 2],
    /// Ratings before or after the game, in the same order, if both are known.
    pub ratings: Option<[f64; 2]>,
    /// The side that won, nothing for a draw.
    pub winner: Option<Side>,
    /// How it ended.
    pub end: PeopleEnd,
    /// Plies of both sides.
    pub plies: u32,
}

/// What games under one ruleset say of its sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeopleCounts {
    /// All games.
    pub games: u64,
    /// Games that ended by a player's time.
    pub timeouts: u64,
    /// The attackers' points a game among these, nothing without one.
    pub timeout_score: Option<f64>,
    /// Games of fewer than [`LEAST_PLIES`] plies that did not end by time.
    pub short: u64,
    /// All others: the following is about them.
    pub counted: u64,
    /// Games that the attackers won.
    pub attacker_wins: u64,
    /// Draws.
    pub draws: u64,
    /// Games that the defenders won.
    pub defender_wins: u64,
    /// Games in which somebody resigned.
    pub resigned: u64,
    /// Pairs of people.
    pub pairs: u64,
    /// The attackers' points a game, 0 to 1.
    pub score: Estimate,
    /// Median of the plies of games that the attackers won.
    pub attacker_plies: Option<u32>,
    /// Median of the plies of games that the defenders won.
    pub defender_plies: Option<u32>,
}

/// What a strength of people is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeopleScale {
    /// The rating of the site where they played, of the weaker one.
    Rating,
    /// The mean of both strengths by [`fit_people`], in Elo above the mean of all games.
    Fitted,
}

/// Games of people of about one strength.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeopleBand {
    /// What the strength is counted in.
    pub scale: PeopleScale,
    /// Mean strength of the games.
    pub strength: f64,
    /// Games.
    pub games: u64,
    /// Pairs of people.
    pub pairs: u64,
    /// The attackers' points a game, 0 to 1; of fitted strengths those between equals.
    pub score: Estimate,
}

impl PeopleGame {
    /// Returns the attackers' points.
    fn points(&self) -> f64 {
        match self.winner {
            Some(Side::Attacker) => 1.0,
            Some(Side::Defender) => 0.0,
            None => 0.5,
        }
    }

    /// Returns whether the game says something of the rules: nobody's time ran out or left at once.
    pub fn counts(&self) -> bool {
        self.end != PeopleEnd::Timeout && self.plies >= LEAST_PLIES
    }

    /// Returns both people, whoever attacked.
    fn pair(&self) -> [u32; 2] {
        let [one, other] = self.people;
        [one.min(other), one.max(other)]
    }
}

/// Counts the games under one ruleset.
pub fn count_people(games: &[PeopleGame]) -> PeopleCounts {
    let timeouts = || games.iter().filter(|it| it.end == PeopleEnd::Timeout);
    let late = timeouts().count();
    let counted: Vec<&PeopleGame> = games.iter().filter(|it| it.counts()).collect();
    let wins = |side| counted.iter().filter(|it| it.winner == side).count() as u64;
    let resigned = counted.iter().filter(|it| it.end == PeopleEnd::Resigned);
    let (pairs, score) = clustered_score(&counted);
    PeopleCounts {
        games: games.len() as u64,
        timeouts: late as u64,
        timeout_score: (late > 0)
            .then(|| timeouts().map(PeopleGame::points).sum::<f64>() / late as f64),
        short: (games.len() - late - counted.len()) as u64,
        counted: counted.len() as u64,
        attacker_wins: wins(Some(Side::Attacker)),
        draws: wins(None),
        defender_wins: wins(Some(Side::Defender)),
        resigned: resigned.count() as u64,
        pairs,
        score,
        attacker_plies: median_plies(&counted, Side::Attacker),
        defender_plies: median_plies(&counted, Side::Defender),
    }
}

/// Counts the games between people of about equal ratings, by the weaker one's, from weak to strong; at least 30 in each band.
pub fn count_by_rating(games: &[PeopleGame]) -> Vec<PeopleBand> {
    let mut bands: Vec<Vec<(&PeopleGame, f64)>> = vec![Vec::new(); RATING_BANDS.len()];
    for game in games.iter().filter(|it| it.counts()) {
        let Some([one, other]) = game.ratings else {
            continue;
        };
        if (one - other).abs() <= LARGEST_RATING_GAP {
            let weaker = one.min(other);
            let band = RATING_BANDS.iter().rposition(|&from| weaker >= from);
            bands[band.unwrap_or(0)].push((game, weaker));
        }
    }
    bands.retain(|own| own.len() >= LEAST_OF_BAND);
    let band = |own: Vec<(&PeopleGame, f64)>| {
        let strength = own.iter().map(|it| it.1).sum::<f64>() / own.len() as f64;
        let games: Vec<&PeopleGame> = own.into_iter().map(|it| it.0).collect();
        let (pairs, score) = clustered_score(&games);
        PeopleBand {
            scale: PeopleScale::Rating,
            strength,
            games: games.len() as u64,
            pairs,
            score,
        }
    };
    bands.into_iter().map(band).collect()
}

/// Returns the number of pairs of people, and the attackers' points a game with the interval by the spread between pairs.
fn clustered_score(games: &[&PeopleGame]) -> (u64, Estimate) {
    let mut pairs: BTreeMap<[u32; 2], (f64, f64)> = BTreeMap::new();
    for game in games {
        let own = pairs.entry(game.pair()).or_default();
        *own = (own.0 + game.points(), own.1 + 1.0);
    }
    let count = games.len().max(1) as f64;
    let mean = games.iter().map(|it| it.points()).sum::<f64>() / count;
    let residuals = pairs
        .values()
        .map(|(points, games)| (points - mean * games).powi(2));
    let (spread, among) = (residuals.sum::<f64>(), pairs.len() as f64);
    let error = match pairs.len() {
        // A single pair has no spread between pairs.
        0 | 1 => f64::INFINITY,
        // Where all agree, one in 3 / n may still be otherwise (the rule of three).
        _ if spread == 0.0 => 3.0 / among,
        many => errors_of(many) * (among / (among - 1.0) * spread).sqrt() / count,
    };
    let score = Estimate {
        value: mean,
        low: (mean - error).max(0.0),
        high: (mean + error).min(1.0),
    };
    (pairs.len() as u64, score)
}

/// Returns the standard errors on each side of a mean of so many pairs, at least two: of few more, as their spread is known badly.
fn errors_of(pairs: usize) -> f64 {
    match StudentsT::new(0.0, 1.0, pairs as f64 - 1.0) {
        Ok(student) if pairs < MANY_PAIRS => student.inverse_cdf(0.975),
        _ => ERRORS,
    }
}

fn median_plies(games: &[&PeopleGame], winner: Side) -> Option<u32> {
    let won = games.iter().filter(|it| it.winner == Some(winner));
    let mut plies: Vec<u32> = won.map(|it| it.plies).collect();
    plies.sort_unstable();
    plies.get(plies.len() / 2).copied()
}
