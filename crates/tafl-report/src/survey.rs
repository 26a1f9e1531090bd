//! One look at every game: counts, moves, and which games are worth showing.

use crate::ReportError;
use crate::board::HeatMap;
use crate::outcomes::{Balance, Counts, Results};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tafl_dataset::read_games;
use tafl_rules::{Rules, Side};
use tafl_samples::{GameRecord, RecordError, Replay};

/// Files that are read side by side before their counts are added.
const FILES_AT_A_TIME: usize = 256;

/// What all games of some files say together.
pub(crate) struct Survey<'a> {
    pub(crate) rules: &'a [Arc<Rules>],
    what: &'static str,
    /// Counts of self-play by generation, ruleset and handicap.
    self_play: BTreeMap<(u32, usize, Option<Side>), Counts>,
    /// Names of variants, whose games are only counted.
    variants: Vec<&'a str>,
    /// Games of self-play that say nothing of the network under these rules: those that alpha-beta played on both sides,
    /// and those of variants.
    passed_over: u64,
    /// Generations of self-play with games, whoever played them.
    pub(crate) generations: u32,
    /// Counts of matches by ruleset.
    matches: BTreeMap<usize, Counts>,
    heat: Vec<HeatMap>,
    pub(crate) files: Vec<GameFile>,
    pub(crate) candidates: Vec<Candidate>,
}

/// A file of games.
#[derive(Debug, Clone)]
pub(crate) struct GameFile {
    pub(crate) path: PathBuf,
    /// Whether they are of matches rather than of self-play.
    pub(crate) is_match: bool,
}

/// What decides whether a game is shown, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Number of the file among those that were read.
    pub(crate) file: usize,
    /// Row within the file.
    pub(crate) row: usize,
    pub(crate) generation: u32,
    pub(crate) kind: Kind,
}

/// Games of one kind are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) is_match: bool,
    pub(crate) ruleset: usize,
    pub(crate) winner: Option<Side>,
    pub(crate) reason: &'static str,
    pub(crate) handicap: Option<Side>,
}

impl<'a> Survey<'a> {
    /// `variants` are names of rulesets whose games are only counted; `what` is what the files belong to, for errors: a
    /// run or a study.
    pub(crate) fn new(rules: &'a [Arc<Rules>], variants: &[&'a str], what: &'static str) -> Self {
        let heat = |rules: &Arc<Rules>| HeatMap::new(&rules.ruleset().name, rules.shape());
        Self {
            rules,
            what,
            self_play: BTreeMap::new(),
            variants: variants.to_vec(),
            passed_over: 0,
            generations: 0,
            matches: BTreeMap::new(),
            heat: rules.iter().map(heat).collect(),
            files: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Counts every game of some files, of matches or of self-play, which are read side by side; returns why those were left
    /// out that were.
    pub(crate) fn add_files(
        &mut self,
        paths: impl IntoIterator<Item = PathBuf>,
        is_match: bool,
    ) -> Vec<ReportError> {
        let (rules, variants, what) = (self.rules, self.variants.clone(), self.what);
        // Some at a time, since each has counts of its own until it is added.
        let mut left_out = Vec::new();
        let file = |path| GameFile { path, is_match };
        let mut files = paths.into_iter().map(file).peekable();
        while files.peek().is_some() {
            let some: Vec<GameFile> = files.by_ref().take(FILES_AT_A_TIME).collect();
            let read = some.into_par_iter().map(|file| {
                let mut of_file = Self::new(rules, &variants, what);
                of_file.add_file(file).map(|()| of_file)
            });
            for of_file in read.collect::<Vec<_>>() {
                match of_file {
                    Ok(of_file) => self.merge(of_file),
                    Err(error) => left_out.push(error),
                }
            }
        }
        left_out
    }

    /// Counts every game of some files, all of which must be sound.
    pub(crate) fn add_sound(
        &mut self,
        paths: impl IntoIterator<Item = PathBuf>,
        is_match: bool,
    ) -> Result<(), ReportError> {
        let left_out = self.add_files(paths, is_match).into_iter().next();
        left_out.map_or(Ok(()), Err)
    }

    fn merge(&mut self, other: Self) {
        for (cell, counts) in &other.self_play {
            self.self_play.entry(*cell).or_default().merge(counts);
        }
        self.passed_over += other.passed_over;
        self.generations = self.generations.max(other.generations);
        for (ruleset, counts) in &other.matches {
            self.matches.entry(*ruleset).or_default().merge(counts);
        }
        for (heat, other) in self.heat.iter_mut().zip(&other.heat) {
            heat.merge(other);
        }
        let before = self.files.len();
        self.files.extend(other.files);
        let candidates = other.candidates.into_iter();
        self.candidates.extend(candidates.map(|mut candidate| {
            candidate.file += before;
            candidate
        }));
    }

    fn add_file(&mut self, file: GameFile) -> Result<(), ReportError> {
        let (number, is_match) = (self.files.len(), file.is_match);
        for (row, record) in read_games(&file.path)?.iter().enumerate() {
            if !is_match {
                self.generations = self.generations.max(record.generation.saturating_add(1));
            }
            let is_variant = self.variants.contains(&&*record.ruleset);
            if !is_match && (is_variant || record.teachers().is_some()) {
                self.passed_over += 1;
                continue;
            }
            let ruleset = self.ruleset_of(record, &file)?;
            self.add(record, ruleset, is_match)
                .map_err(|reason| ReportError::Record {
                    path: file.path.clone(),
                    reason,
                })?;
            let kind = Kind {
                is_match,
                ruleset,
                winner: record.ending.winner,
                reason: record.ending.reason.name(),
                handicap: uneven_side(record, is_match),
            };
            self.candidates.push(Candidate {
                file: number,
                row,
                generation: record.generation,
                kind,
            });
        }
        self.files.push(file);
        Ok(())
    }

    fn add(
        &mut self,
        record: &GameRecord,
        ruleset: usize,
        is_match: bool,
    ) -> Result<(), RecordError> {
        let rules = &self.rules[ruleset];
        let handicap = uneven_side(record, is_match);
        let heat = &mut self.heat[ruleset];
        heat.games += u64::from(handicap.is_none());
        let (mut captures, mut number) = (0, 0);
        let mut replay = Replay::new(record, rules)?;
        while let Some(ply) = replay.next() {
            let from = *replay.game().position();
            let captured = replay.play(ply)?;
            if handicap.is_none() && number >= record.opening_plies {
                heat.add(&from, ply.mv, captured, rules.shape());
            }
            captures += captured.count();
            number += 1;
        }
        replay.end()?;
        let counts = if is_match {
            self.matches.entry(ruleset).or_default()
        } else {
            let cell = (record.generation, ruleset, handicap);
            self.self_play.entry(cell).or_default()
        };
        counts.add(record, captures);
        Ok(())
    }

    /// Returns the number of a game's ruleset.
    fn ruleset_of(&self, record: &GameRecord, file: &GameFile) -> Result<usize, ReportError> {
        let is_own = |rules: &Arc<Rules>| rules.ruleset().name == record.ruleset;
        let found = self.rules.iter().position(is_own);
        found.ok_or_else(|| ReportError::UnknownRuleset {
            path: file.path.clone(),
            game_id: record.game_id,
            ruleset: record.ruleset.clone(),
            what: self.what,
        })
    }

    /// Returns the results of self-play by generation, ruleset and handicap.
    pub(crate) fn results(&self) -> Vec<Results> {
        let name = |ruleset: usize| &*self.rules[ruleset].ruleset().name;
        let cells = self.self_play.iter();
        let results = cells.map(|(&(generation, ruleset, handicap), counts)| {
            counts.results(generation, name(ruleset), handicap)
        });
        results.collect()
    }

    /// Returns how the games of each ruleset ended that nobody played with a handicap.
    pub(crate) fn balance(&self) -> Vec<Balance> {
        let mut balance = Vec::new();
        let generations = self.self_play.keys().map(|&(generation, ..)| generation);
        let (first, last) = (generations.clone().min(), generations.max());
        // The last quarter of the generations, the last one at least.
        let latest = last.map(|last| last - (last - first.unwrap_or(0)) / 4);
        for (ruleset, rules) in self.rules.iter().enumerate() {
            let name = &rules.ruleset().name;
            for (games_of, from) in [("latest self-play", latest), ("self-play", first)] {
                let counts = self.self_play_from(ruleset, from.unwrap_or(0));
                if counts.games() > 0 {
                    balance.push(counts.balance(name, games_of));
                }
            }
            if let Some(counts) = self.matches.get(&ruleset) {
                balance.push(counts.balance(name, "matches"));
            }
        }
        balance
    }

    fn self_play_from(&self, ruleset: usize, first: u32) -> Counts {
        let mut sum = Counts::default();
        let cells = self.self_play.iter();
        let wanted = cells.filter(|((generation, own, handicap), _)| {
            *own == ruleset && *generation >= first && handicap.is_none()
        });
        wanted.for_each(|(_, counts)| sum.merge(counts));
        sum
    }

    /// Returns the number of games of self-play and of matches.
    pub(crate) fn games(&self) -> [u64; 2] {
        let self_play: u64 = self.self_play.values().map(Counts::games).sum();
        [
            self_play + self.passed_over,
            self.matches.values().map(Counts::games).sum(),
        ]
    }

    /// Returns the maps of moves of rulesets with games.
    pub(crate) fn heat(self) -> Vec<HeatMap> {
        let mut heat = self.heat;
        heat.retain(|map| map.games > 0);
        heat
    }
}

/// Returns the side of a game of self-play that was handicapped or a sparring partner's.
fn uneven_side(record: &GameRecord, is_match: bool) -> Option<Side> {
    record.uneven_side().filter(|_| !is_match)
}
