//! A tournament: players who meet under some rulesets, and the folder that keeps their games.

mod entrant;
mod folder;
mod play;

pub(crate) use entrant::{Entrant, EntrantCard};
pub(crate) use folder::{Folder, Settings};

use crate::standings::{Meeting, Meetings};
use anyhow::bail;
use std::collections::BTreeSet;
use std::sync::Arc;
use tafl_arena::{Adjudication, ArenaConfig, MatchPlan, Sprt, SprtConfig, openings};
use tafl_rules::{Game, Move, Rules};
use tafl_selfplay::derive_seed;

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Everyone meets everyone.
    RoundRobin,
    /// The first player meets each of the others.
    Gauntlet,
}

impl Format {
    /// Returns the numbers of the players of each match.
    fn pairings(self, players: usize) -> Vec<[usize; 2]> {
        let firsts = match self {
            Self::RoundRobin => 0..players,
            Self::Gauntlet => 0..players.min(1),
        };
        firsts
            .flat_map(|first| (first + 1..players).map(move |second| [first, second]))
            .collect()
    }
}

/// A tournament to play.
pub(crate) struct Tournament<'a> {
    pub(crate) entrants: Vec<Entrant>,
    pub(crate) rules: Vec<Arc<Rules>>,
    /// Openings of each ruleset.
    pub(crate) openings: Vec<Vec<Vec<Move>>>,
    pub(crate) arena: &'a ArenaConfig,
    pub(crate) format: Format,
    pub(crate) sprt: Option<SprtConfig>,
    pub(crate) adjudication: Option<Adjudication>,
}

impl Tournament<'_> {
    /// Plays what the folder does not hold yet; returns all matches of the players, and the test if there was one.
    pub(crate) fn play(&self, folder: &mut Folder) -> anyhow::Result<(Meetings<'_>, Option<Sprt>)> {
        for entrant in &self.entrants {
            folder.admit(entrant)?;
        }
        folder.write()?;
        let (mut matches, mut last) = (Vec::new(), None);
        for ruleset in 0..self.rules.len() {
            for players in self.format.pairings(self.entrants.len()) {
                let (meeting, sprt) = self.meet(folder, players, ruleset)?;
                matches.push(meeting);
                last = sprt;
            }
        }
        let meetings = Meetings {
            players: self
                .entrants
                .iter()
                .map(|entrant| entrant.name.clone())
                .collect(),
            rulesets: self.rules.iter().map(|rules| rules.ruleset()).collect(),
            matches,
        };
        Ok((meetings, last))
    }

    fn meet(
        &self,
        folder: &mut Folder,
        players: [usize; 2],
        ruleset: usize,
    ) -> anyhow::Result<(Meeting, Option<Sprt>)> {
        let rules = &self.rules[ruleset];
        let names = players.map(|player| self.entrants[player].name.as_str());
        let stored = folder.stored(names, rules)?;
        // In the folder the two may stand the other way round.
        let turned = [names[1], names[0]];
        let is_turned = match &stored {
            Some(stored) => stored.names == turned,
            None => folder.has_spool(turned, rules),
        };
        let players = if is_turned {
            [players[1], players[0]]
        } else {
            players
        };
        let plan = MatchPlan {
            openings: self.openings[ruleset].clone(),
            finished: stored.map(|stored| stored.games).unwrap_or_default(),
            sprt: self.sprt,
            tested: usize::from(is_turned),
            adjudication: self.adjudication,
            mirror: false,
            left_out: BTreeSet::new(),
        };
        let entrants = players.map(|player| &self.entrants[player]);
        let (result, sprt) = play::play(folder, entrants, rules, plan, self.arena)?;
        let meeting = Meeting {
            players,
            ruleset,
            result,
        };
        Ok((meeting, sprt))
    }
}

/// Returns the openings of a ruleset: those of a file, or drawn from the tournament's seed.
///
/// More of them are the same ones and some more.
pub(crate) fn openings_for(
    rules: &Arc<Rules>,
    file: Option<&OpeningFile>,
    count: Option<u32>,
    arena: &ArenaConfig,
    seed: u64,
) -> anyhow::Result<Vec<Vec<Move>>> {
    let Some(file) = file else {
        let count = count.unwrap_or(arena.openings);
        let seed = derive_seed(seed, &[0]);
        let drawn = openings(rules, count, arena.opening_plies, seed);
        return Ok(distinct(rules, drawn));
    };
    let mut found = tafl_arena::read_openings(&file.text, rules)
        .map_err(|error| anyhow::anyhow!("{}: {error}", file.name))?;
    let count = count.map_or(found.len(), |count| count as usize);
    if found.is_empty() || count > found.len() {
        let (name, found) = (&file.name, found.len());
        bail!(
            "{name}: {found} openings, where {} are to be played",
            count.max(1)
        );
    }
    if let Some(long) = found
        .iter()
        .position(|moves| moves.len() >= arena.max_plies as usize)
    {
        bail!(
            "{}: opening {} is as long as a game may be",
            file.name,
            long + 1
        );
    }
    found.truncate(count);
    Ok(found)
}

/// Leaves out openings that lead to the position of an earlier one: played again by players who do not vary, their games
/// would be counted as new ones.
fn distinct(rules: &Arc<Rules>, openings: Vec<Vec<Move>>) -> Vec<Vec<Move>> {
    let (wanted, mut seen) = (openings.len(), BTreeSet::new());
    let mut distinct = openings;
    distinct.retain(|moves| {
        let mut game = Game::new(rules.clone());
        let played = moves.iter().all(|&mv| game.play(mv).is_ok());
        played && seen.insert(game.position().key())
    });
    if distinct.len() < wanted {
        eprintln!(
            "only {} of {wanted} openings differ; more random plies (--opening-plies) give more",
            distinct.len()
        );
    }
    distinct
}

/// A file of openings, read.
#[derive(Debug)]
pub(crate) struct OpeningFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_meets_everyone_or_the_first_the_others() {
        assert_eq!(Format::RoundRobin.pairings(3), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(Format::Gauntlet.pairings(3), [[0, 1], [0, 2]]);
        assert!(Format::Gauntlet.pairings(1).is_empty());
    }
}
