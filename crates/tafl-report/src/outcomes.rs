//! How games ended, counted.

use serde::Serialize;
use std::collections::BTreeMap;
use tafl_arena::{Estimate, PairCounts, Tally, score_of_elo};
use tafl_rules::Side;
use tafl_samples::GameRecord;

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
    pub share: Option<Estimate>,
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
    attackers: Tally,
    /// By winner, then reason.
    endings: BTreeMap<(Option<Side>, &'static str), u64>,
    plies: u64,
    captures: u64,
    lengths: Vec<u64>,
}

impl Counts {
    pub(crate) fn add(&mut self, record: &GameRecord, captures: u32) {
        let ending = record.ending;
        self.attackers.count(ending, Side::Attacker);
        let kind = (ending.winner, ending.reason.name());
        *self.endings.entry(kind).or_default() += 1;
        self.plies += record.plies.len() as u64;
        self.captures += u64::from(captures);
        let bar = record.plies.len() / BAR as usize;
        if self.lengths.len() <= bar {
            self.lengths.resize(bar + 1, 0);
        }
        self.lengths[bar] += 1;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.attackers = self.attackers + other.attackers;
        for (kind, games) in &other.endings {
            *self.endings.entry(*kind).or_default() += games;
        }
        self.plies += other.plies;
        self.captures += other.captures;
        if self.lengths.len() < other.lengths.len() {
            self.lengths.resize(other.lengths.len(), 0);
        }
        for (sum, games) in self.lengths.iter_mut().zip(&other.lengths) {
            *sum += games;
        }
    }

    pub(crate) const fn games(&self) -> u64 {
        self.attackers.games()
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
        Results {
            generation,
            ruleset: ruleset.to_owned(),
            handicap,
            attackers: self.attackers,
            score: score(&self.attackers),
            plies: self.per_game(self.plies),
        }
    }

    pub(crate) fn balance(&self, ruleset: &str, games_of: &'static str) -> Balance {
        let games = self.games();
        let ending = |(&(winner, reason), &count): (&(Option<Side>, &'static str), &u64)| Ending {
            winner,
            reason,
            games: count,
            share: share(count, games),
        };
        let mut endings: Vec<Ending> = self.endings.iter().map(ending).collect();
        endings.sort_by_key(|ending| std::cmp::Reverse(ending.games));
        Balance {
            ruleset: ruleset.to_owned(),
            games_of,
            attackers: self.attackers,
            score: score(&self.attackers),
            attacker_advantage: elo(&self.attackers),
            endings,
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

/// Returns the attackers' points a game, 0 to 1, with the interval of [`PairCounts::elo`] where each game stands
/// alone; `None` without games. A capped game counts like a draw.
fn score(attackers: &Tally) -> Option<Estimate> {
    let (value, posterior) = (attackers.score(), elo(attackers)?.mapped(score_of_elo));
    // The posterior of nothing but wins leaves out 1 itself.
    Some(Estimate {
        value,
        low: posterior.low.min(value),
        high: posterior.high.max(value),
    })
}

/// Returns the Elo points that the attackers' side is worth to equals, by the same posterior as [`score`].
fn elo(attackers: &Tally) -> Option<Estimate> {
    let draws = attackers.draws + attackers.capped;
    let counts = PairCounts([attackers.losses, 0, draws, 0, attackers.wins]);
    (attackers.games() > 0).then(|| counts.elo())
}

/// Returns a share of games, 0 to 1, with Jeffreys' interval.
fn share(count: u64, games: u64) -> Option<Estimate> {
    score(&Tally {
        wins: count,
        losses: games.checked_sub(count)?,
        ..Tally::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_the_interval_of_jeffreys() {
        // Beta(3.5, 7.5) at 0.025 and 0.975, from a table of Brown, Cai and DasGupta (2001), n = 10, x = 3.
        let Estimate { value, low, high } = share(3, 10).expect("there are games");
        assert!((value - 0.3).abs() < 1e-12);
        assert!((low - 0.093).abs() < 1e-3, "{low}");
        assert!((high - 0.606).abs() < 1e-3, "{high}");
        assert_eq!(share(0, 0), None);
        assert_eq!(share(2, 1), None);
    }

    #[test]
    fn nothing_but_wins_is_within_its_interval() {
        let all = share(20, 20).expect("there are games");
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
