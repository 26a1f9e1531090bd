//! Games counted by how they ended.

use crate::{Estimate, PairCounts};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tafl_rules::Side;
use tafl_samples::{Ending, GameRecord, PlayerId};

/// Games as one player sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn by a rule.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Games cut at the limit of plies; they score like draws.
    pub capped: u64,
}

/// Matches of two sets (one opening, both sides) as the first player sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SetTally {
    /// Matches won.
    pub wins: u64,
    /// Matches drawn.
    pub draws: u64,
    /// Matches lost.
    pub losses: u64,
    /// Matches with a capped or adjudicated game, which decide nothing.
    pub undecided: u64,
}

/// Returns which player of a match attacked, 0 for the one who is called `first`, else 1.
pub(crate) fn attackers_of(record: &GameRecord, first: &PlayerId) -> usize {
    if record.attackers == record.defenders {
        (record.game_id % 2) as usize
    } else {
        usize::from(record.attackers != *first)
    }
}

impl Tally {
    /// Counts a game as the player of one side sees it.
    pub fn count(&mut self, ending: Ending, own: Side) {
        *self.of_ending(ending, own) += 1;
    }

    fn of_ending(&mut self, ending: Ending, own: Side) -> &mut u64 {
        match ending.winner {
            Some(side) if side == own => &mut self.wins,
            Some(_) => &mut self.losses,
            None if ending.is_capped() => &mut self.capped,
            None => &mut self.draws,
        }
    }

    /// Counts games as the attackers see them.
    pub fn of<'a>(games: impl IntoIterator<Item = &'a GameRecord>) -> Self {
        let mut tally = Self::default();
        for game in games {
            tally.count(game.ending, Side::Attacker);
        }
        tally
    }

    /// Counts a game of a match as the match's first player sees it.
    pub fn add_game(&mut self, record: &GameRecord, first: &PlayerId) {
        let own = Side::ALL[attackers_of(record, first)];
        self.count(record.ending, own);
    }

    /// Returns the number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses + self.capped
    }

    /// Returns the number of games that were won or lost.
    pub const fn decided(&self) -> u64 {
        self.wins + self.losses
    }

    /// Returns whether there are draws, and so many that ratings of [`rate`](crate::rate), of decided games, say little.
    pub const fn is_hardly_decided(&self) -> bool {
        let (decided, games) = (self.decided(), self.games());
        decided < games && (decided < 10 || 10 * decided < games)
    }

    /// Returns whether neither all games were won nor all lost.
    pub const fn is_mixed(&self) -> bool {
        self.wins < self.games() && self.losses < self.games()
    }

    /// Returns points a game, 0 to 1: a win 1, a draw or a capped game 1/2. Half without games.
    pub fn score(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (self.wins as f64 + 0.5 * (self.draws + self.capped) as f64) / self.games() as f64
    }

    /// Returns the Elo difference to the opponents, each game by itself.
    pub fn elo(&self) -> Estimate {
        PairCounts([self.losses, 0, self.draws + self.capped, 0, self.wins]).elo()
    }
}

impl SetTally {
    /// Returns the Elo difference of the sets that were decided, each a pair of its own: a match won
    /// is 2 points of 2, a drawn one 1.
    pub fn elo(&self) -> Estimate {
        PairCounts([self.losses, 0, self.draws, 0, self.wins]).elo()
    }
}

impl std::ops::Add for Tally {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            capped: self.capped + other.capped,
        }
    }
}

/// Games by the ways in which they ended: reason and winner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endings(BTreeMap<(&'static str, Option<Side>), (Ending, u64)>);

impl Endings {
    /// Counts games that ended in one way.
    pub fn add(&mut self, ending: Ending, games: u64) {
        let way = (ending.reason.name(), ending.winner);
        self.0.entry(way).or_insert((ending, 0)).1 += games;
    }

    /// Adds the games of another count.
    pub fn merge(&mut self, other: &Self) {
        for &(ending, games) in other.0.values() {
            self.add(ending, games);
        }
    }

    /// Returns all games as the attackers see them.
    pub fn attackers(&self) -> Tally {
        let mut tally = Tally::default();
        for &(ending, games) in self.0.values() {
            *tally.of_ending(ending, Side::Attacker) += games;
        }
        tally
    }

    /// Returns the ways with their games, the most frequent first.
    pub fn by_frequency(&self) -> Vec<(Ending, u64)> {
        let mut ways: Vec<(Ending, u64)> = self.0.values().copied().collect();
        ways.sort_by_key(|&(_, games)| Reverse(games));
        ways
    }
}
