//! A tournament: players who meet under some rulesets, and the folder that keeps their games.

mod read;

pub use read::{Meetings, TournamentFolder};

use crate::resumable::{self, ResumableMatch};
use crate::rulesets::admit_rulesets;
use crate::standings::{Anchor, Resampling, Standings};
use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use strum::{EnumMessage, IntoStaticStr, VariantArray};
use tafl_arena::{MatchGame, MatchResult, PairedSprt, RatingError, Sprt, SprtConfig, Verdict};
use tafl_dataset::{read_games, write_games};
use tafl_play::{Adjudication, Match, MatchConfig, MatchPlan, RunnerConfig, distinct_openings};
use tafl_rules::{Move, Rules};
use tafl_samples::{GameRecord, PlayerId, derive_seed};
use tafl_store::{
    Journal, MOST_TEXT_BYTES, Settings, Store, StoreKind, file_stem, read_text, sha256_hex,
};
use tafl_training::{Notice, Observer, OpenedPlayer, Stage};

/// Who plays whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// All pairs of players.
    RoundRobin,
    /// The first player against each of the others.
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

/// What all games of a tournament have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentSettings {
    /// Where openings and everything random in the games come from.
    pub seed: u64,
    /// Random plies of an opening; nothing where openings are from a file.
    pub opening_plies: Option<u32>,
    /// SHA-256 of the file of openings.
    pub openings_sha256: Option<String>,
    /// Plies after which a game is cut.
    pub max_plies: u32,
    /// Value at which games were adjudicated, as text; nothing where they were not.
    pub adjudicate: Option<String>,
}

impl Settings for TournamentSettings {
    const KIND: StoreKind = StoreKind::Tournament;
    const ADVICE: &'static str =
        "all games of a tournament have the same settings; use another folder";
    const FOLDERS: &'static [&'static str] = &["games"];
    const RESULTS: &'static [&'static str] = &["rulesets"];
}

impl TournamentSettings {
    /// Returns the settings of games from some openings.
    pub fn of(openings: &Openings<'_>, adjudication: Option<Adjudication>) -> Self {
        let Openings { file, config, .. } = openings;
        Self {
            seed: openings.seed,
            opening_plies: file.is_none().then_some(config.opening_plies),
            openings_sha256: file.map(|file| sha256_hex(file.text.as_bytes())),
            max_plies: config.max_plies,
            adjudicate: adjudication.map(|rule| rule.value.to_string()),
        }
    }

    /// Returns a short text that other settings do not share.
    pub fn short_hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        sha256_hex(&text)[..8].to_owned()
    }
}

/// A tournament to play.
#[derive(Debug)]
pub struct Tournament<'a> {
    /// The players; no two have one name.
    pub players: Vec<OpenedPlayer>,
    /// The rules of the games.
    pub rules: Vec<Arc<Rules>>,
    /// Openings of each ruleset.
    pub openings: Vec<Vec<Vec<Move>>>,
    /// The limit of plies.
    pub config: &'a MatchConfig,
    /// Parallel games and workers.
    pub runner: &'a RunnerConfig,
    /// Who plays whom.
    pub format: Format,
    /// The test that ends a match.
    pub sprt: Option<SprtConfig>,
    /// Whether games end early when both players agree on the winner.
    pub adjudication: Option<Adjudication>,
    /// Number of the first opening that is played; those before it are left to others.
    pub first_opening: u32,
}

impl Tournament<'_> {
    /// Plays the missing games; returns all matches of the players, and the test if there was one.
    ///
    /// # Errors
    /// If the folder contains games with other settings, a player fails, or games cannot be stored.
    pub fn play(
        &self,
        folder: &Path,
        settings: &TournamentSettings,
        observer: &dyn Observer,
    ) -> anyhow::Result<(Vec<MatchResult>, Option<Sprt>)> {
        let store = Store::open_or_create(folder, settings)?;
        admit_rulesets(&store, &self.rules)?;
        for player in &self.players {
            store.admit_player(&player.name(), &player.card)?;
        }
        let (mut matches, mut last) = (Vec::new(), None);
        let (mut earlier, mut engines) = (0, BTreeSet::new());
        for (rules, openings) in self.rules.iter().zip(&self.openings) {
            let cell = Cell {
                tournament: self,
                store: &store,
                rules,
                openings,
                observer,
            };
            for numbers in self.format.pairings(self.players.len()) {
                let (result, sprt, stored) = cell.play(numbers)?;
                matches.push(result);
                last = sprt;
                let players = numbers.map(|number| &self.players[number]).into_iter();
                let mut own = players.filter(|it| it.card.engine.is_some()).peekable();
                if stored > 0 && own.peek().is_some() {
                    earlier += stored;
                    engines.extend(own.map(OpenedPlayer::name));
                }
            }
        }
        if earlier > 0 {
            observer.noticed(&Notice::EarlierGames {
                games: earlier,
                engines: &engines,
            });
        }
        Ok((matches, last))
    }

    /// Rates the players by their matches.
    ///
    /// # Errors
    /// As [`Standings::of`].
    pub fn standings(
        &self,
        matches: &[MatchResult],
        anchor: Anchor,
        resampling: Resampling,
    ) -> Result<Standings, RatingError> {
        let players: Vec<&PlayerId> = self.players.iter().map(|it| &it.player.id).collect();
        Standings::of(&players, &self.rules, matches, anchor, resampling)
    }
}

/// The match of two players under one ruleset.
struct Cell<'a> {
    tournament: &'a Tournament<'a>,
    store: &'a Store<TournamentSettings>,
    rules: &'a Arc<Rules>,
    openings: &'a [Vec<Move>],
    observer: &'a dyn Observer,
}

impl Cell<'_> {
    /// Plays the games that are neither stored nor were finished before an interruption, and stores them; returns with the
    /// result how many games were there.
    fn play(&self, numbers: [usize; 2]) -> anyhow::Result<(MatchResult, Option<Sprt>, usize)> {
        // In the folder the two may stand the other way round.
        let turned = [numbers[1], numbers[0]];
        let is_there = |numbers| {
            let name = self.name(numbers);
            !self.entered(&name).is_empty() || self.store.has_journal(&name)
        };
        let is_turned = !is_there(numbers) && is_there(turned);
        let players = if is_turned { turned } else { numbers };
        let name = self.name(players);
        let mut stored = Vec::new();
        for path in self.entered(&name) {
            if path.exists() {
                stored.extend(read_games(self.store.verified(&path)?)?);
                continue;
            }
            let note = format!("missing: {}; its games are played again", path.display());
            self.observer.noticed(&Notice::Uncounted(&note));
        }
        let is_stored: BTreeSet<u64> = stored.iter().map(|record| record.game_id).collect();
        let journal = self.store.journal(&name)?;
        let is_asked = |number: &u64| number / 2 < self.openings.len() as u64;
        let earlier = journal.1.iter().map(|record: &GameRecord| record.game_id);
        let mut earlier: BTreeSet<u64> = earlier.chain(is_stored.iter().copied()).collect();
        earlier.retain(is_asked);
        let test = self.tournament.sprt.map(Sprt::new).transpose()?;
        let test =
            test.map(|sprt| PairedSprt::new(sprt, usize::from(is_turned), self.openings.len()));
        let (mut records, test) = self.play_missing(players, journal, stored, test)?;
        let new = records.iter();
        let new: Vec<&GameRecord> = new.filter(|it| !is_stored.contains(&it.game_id)).collect();
        self.write(players, &name, &new)?;
        self.store.remove_journal(&name)?;
        let ids = numbers.map(|player| self.id(player).clone());
        // More openings may be stored than are asked for now.
        records.retain(|record| is_asked(&record.game_id));
        let mut result = MatchResult::of_records(records, ids, self.rules);
        if let Some(test) = &test {
            result.games.retain(|game| test.counts(game));
        }
        Ok((result, test.map(|test| test.sprt()), earlier.len()))
    }

    fn play_missing(
        &self,
        players: [usize; 2],
        journal: (Journal, Vec<GameRecord>),
        stored: Vec<GameRecord>,
        test: Option<PairedSprt>,
    ) -> anyhow::Result<(Vec<GameRecord>, Option<PairedSprt>)> {
        let Self {
            tournament, rules, ..
        } = self;
        let ids = players.map(|player| self.id(player));
        let job = Match {
            config: tournament.config,
            runner: tournament.runner,
            players: players.map(|player| Arc::clone(&tournament.players[player].player)),
            rules,
            seed: resumable::seed_of(
                self.store.settings().seed,
                &format!("{}\n{}\n{}", ids[0], ids[1], rules.ruleset().name),
            ),
            generation: 0,
        };
        let plan = MatchPlan {
            adjudication: tournament.adjudication,
            left_out: (0..2 * u64::from(tournament.first_opening)).collect(),
            ..MatchPlan::new(self.openings.to_vec())
        };
        let test = test.map(Mutex::new);
        let decides = |record: &GameRecord| {
            let Some(test) = &test else { return false };
            let game = MatchGame::of_record(record.clone(), ids[0], rules);
            let mut test = test.lock().unwrap_or_else(PoisonError::into_inner);
            test.add(&game) != Verdict::Continue
        };
        let kept = ResumableMatch {
            job,
            plan,
            journal,
            stage: Stage::Match,
            observer: self.observer,
            decides: &decides,
        };
        let records = resumable::play(kept, stored)?;
        let test = test.map(|test| test.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok((records, test))
    }

    /// Stores games of a match in a file of their own. One that was entered is never written again, so a process that is
    /// killed here leaves a file that does not count.
    fn write(
        &self,
        players: [usize; 2],
        name: &str,
        records: &[&GameRecord],
    ) -> anyhow::Result<()> {
        let file = match records.first().map(|first| first.game_id) {
            None => return Ok(()),
            Some(0) => format!("{name}.parquet"),
            Some(first) => format!("{name}_{first:06}.parquet"),
        };
        let [first, second] = players.map(|player| self.id(player));
        let provenance =
            resumable::provenance(self.store, "tournament", &format!("{first} - {second}"))?;
        let path = self.store.folder().join("games").join(file);
        let rules = std::slice::from_ref(self.rules);
        write_games(&path, records, rules, &provenance)?;
        Ok(self.store.enter(&[&path])?)
    }

    fn id(&self, player: usize) -> &PlayerId {
        &self.tournament.players[player].player.id
    }

    fn name(&self, players: [usize; 2]) -> String {
        let [first, second] = players.map(|player| self.id(player).to_string());
        file_stem(&[&first, &second, &self.rules.ruleset().name])
    }

    /// Returns the files of a match, in the order of their games; some may be lost.
    fn entered(&self, name: &str) -> Vec<PathBuf> {
        self.store.files(&format!("games/{name}"))
    }
}

/// Source of the openings.
#[derive(Debug, Clone, Copy)]
pub struct Openings<'a> {
    /// Their file; without it they are random.
    pub file: Option<&'a OpeningFile>,
    /// How many; without it as many as the config says or the file holds.
    pub count: Option<u32>,
    /// Plies of those that are drawn.
    pub config: &'a MatchConfig,
    /// From where they are drawn.
    pub seed: u64,
}

/// A file of openings, read.
#[derive(Debug)]
pub struct OpeningFile {
    /// Its name in messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl OpeningFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let text = read_text(path, MOST_TEXT_BYTES)?;
        Ok(Self { name, text })
    }
}

impl Openings<'_> {
    /// Returns the openings of a ruleset: those of the file, or drawn from the seed.
    ///
    /// A larger number gives the same ones and more.
    ///
    /// # Errors
    /// If the file is wrong, or holds too few.
    pub fn of(
        &self,
        rules: &Arc<Rules>,
        observer: &dyn Observer,
    ) -> anyhow::Result<Vec<Vec<Move>>> {
        match self.file {
            Some(file) => self.read(file, rules),
            None => Ok(self.draw(rules, observer)),
        }
    }

    fn read(&self, file: &OpeningFile, rules: &Arc<Rules>) -> anyhow::Result<Vec<Vec<Move>>> {
        let OpeningFile { name, text } = file;
        let mut found = tafl_play::read_openings(text, rules)
            .map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        let count = self.count.map_or(found.len(), |count| count as usize);
        ensure!(
            !found.is_empty() && count <= found.len(),
            "{name}: {} openings, but {} are needed",
            found.len(),
            count.max(1)
        );
        let most = self.config.max_plies as usize;
        if let Some(long) = found.iter().position(|moves| moves.len() >= most) {
            bail!("{name}: opening {} reaches the ply limit", long + 1);
        }
        found.truncate(count);
        Ok(found)
    }

    fn draw(&self, rules: &Arc<Rules>, observer: &dyn Observer) -> Vec<Vec<Move>> {
        let wanted = self.count.unwrap_or(self.config.openings);
        let seed = derive_seed(self.seed, &[0]);
        let kept = distinct_openings(rules, wanted, self.config.opening_plies, seed);
        let (found, wanted) = (kept.len(), wanted as usize);
        if found < wanted {
            observer.noticed(&Notice::FewOpenings { found, wanted });
        }
        kept
    }
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
