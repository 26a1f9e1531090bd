//! How games ended, counted.

use serde::Serialize;
use tafl_arena::{Endings, Estimate, Tally, score_of_elo};
use tafl_rules::Side;
use tafl_samples::{Ending as Way, GameRecord};

/// Below this number of games a share's interval is wider than 20 percentage points; the page says that they are few.
const FEW_GAMES: u64 = 100;

/// Plies in one bar of the distribution of lengths.
const BAR: u32 = 20;

/// Results of self-play in one generation, under one ruleset, with or without a handicap or a sparring partner.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    /// The generation.
    pub generation: u32,
    /// The name of the ruleset.
    pub ruleset: String,
    /// The side some of whose plies were random, or that a sparring partner played; `None` where there was neither.
    pub handicap: Option<Side>,
    /// Games as the attackers see them.
    pub attackers: Tally,
    /// Attackers' points a game, 0 to 1, with its 95 % interval.
    pub score: Option<Estimate>,
    /// Plies a game, on average.
    pub plies: f64,
}

/// How games under one ruleset ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Balance {
    /// The name of the ruleset.
    pub ruleset: String,
    /// Which games: `self-play`, `latest self-play` (the last quarter of the generations) or `matches`. Games with a
    /// handicap or a sparring partner are left out.
    pub games_of: &'static str,
    /// Games as the attackers see them.
    pub attackers: Tally,
    /// Attackers' points a game, 0 to 1, with its 95 % interval.
    pub score: Option<Estimate>,
    /// Elo points that the attackers' side is worth if the players are equal, with its 95 % interval.
    pub attacker_advantage: Option<Estimate>,
    /// Each way in which games ended, most frequent first.
    pub endings: Vec<Ending>,
    /// How long the games were.
    pub lengths: Lengths,
    /// Pieces captured in a game, on average.
    pub captures: f64,
    /// Whether the games are too few to say much.
    pub is_few: bool,
}

/// One way in which games ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ending {
    /// The side that won; `None` for draws and capped games.
    pub winner: Option<Side>,
    /// The reason, in the words of the files.
    pub reason: &'static str,
    /// Games that ended so.
    pub games: u64,
    /// Their share of all games, 0 to 1, with its 95 % interval.
    pub share: Estimate,
}

/// How long games were, in plies.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengths {
    /// Plies a game, on average.
    pub mean: f64,
    /// Width of a bar, in plies.
    pub bar: u32,
    /// Games in each bar, from 0 plies.
    pub games: Vec<u64>,
}

/// Counts of games of one kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    endings: Endings,
    plies: u64,
    captures: u64,
    lengths: Vec<u64>,
}

impl Counts {
    pub(crate) fn add(&mut self, record: &GameRecord, captures: u32) {
        self.endings.add(record.ending, 1);
        self.plies += record.plies.len() as u64;
        self.captures += u64::from(captures);
        let bar = record.plies.len() / BAR as usize;
        if self.lengths.len() <= bar {
            self.lengths.resize(bar + 1, 0);
        }
        self.lengths[bar] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.endings.merge(&other.endings);
        self.plies += other.plies;
        self.captures += other.captures;
        if self.lengths.len() < other.lengths.len() {
            self.lengths.resize(other.lengths.len(), 0);
        }
        for (sum, games) in self.lengths.iter_mut().zip(&other.lengths) {
            *sum += games;
        }
    }

    pub(crate) fn games(&self) -> u64 {
        self.endings.attackers().games()
    }

    fn per_game(&self, sum: u64) -> f64 {
        sum as f64 / self.games().max(1) as f64
    }

    pub(crate) fn results(
        &self,
        generation: u32,
        ruleset: &str,
        handicap: Option<Side>,
    ) -> Results {
        let attackers = self.endings.attackers();
        Results {
            generation,
            ruleset: ruleset.to_owned(),
            handicap,
            attackers,
            score: score(&attackers),
            plies: self.per_game(self.plies),
        }
    }

    pub(crate) fn balance(&self, ruleset: &str, games_of: &'static str) -> Balance {
        let attackers = self.endings.attackers();
        let games = attackers.games();
        let ending = |(way, count): (Way, u64)| Ending {
            winner: way.winner,
            reason: way.reason.name(),
            games: count,
            share: Estimate::share(count, games),
        };
        let endings = self.endings.by_frequency().into_iter();
        Balance {
            ruleset: ruleset.to_owned(),
            games_of,
            attackers,
            score: score(&attackers),
            attacker_advantage: (games > 0).then(|| attackers.elo()),
            endings: endings.map(ending).collect(),
            lengths: Lengths {
                mean: self.per_game(self.plies),
                bar: BAR,
                games: self.lengths.clone(),
            },
            captures: self.per_game(self.captures),
            is_few: games < FEW_GAMES,
        }
    }
}

/// Returns the attackers' points a game, 0 to 1, with the interval of [`Tally::elo`]; `None` without games. A capped game
/// counts like a draw.
fn score(attackers: &Tally) -> Option<Estimate> {
    if attackers.games() == 0 {
        return None;
    }
    let (value, posterior) = (attackers.score(), attackers.elo().mapped(score_of_elo));
    // The posterior of nothing but wins leaves out 1 itself.
    Some(Estimate {
        value,
        low: posterior.low.min(value),
        high: posterior.high.max(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_wins_is_within_its_interval() {
        let all = score(&Tally {
            wins: 20,
            ..Tally::default()
        });
        let all = all.expect("there are games");
        assert!(all.high >= all.value && all.low < 0.95 && all.low > 0.8);
    }

    #[test]
    fn a_capped_game_is_half_a_point_and_draws_narrow_the_interval() {
        let tally = |wins, draws, capped, losses| Tally {
            wins,
            draws,
            losses,
            capped,
        };
        let decided = score(&tally(50, 0, 0, 50)).expect("there are games");
        let drawn = score(&tally(10, 40, 40, 10)).expect("there are games");
        assert!((decided.value - 0.5).abs() < 1e-12 && (drawn.value - 0.5).abs() < 1e-12);
        assert!(drawn.high - drawn.low < 0.6 * (decided.high - decided.low));
    }
}
