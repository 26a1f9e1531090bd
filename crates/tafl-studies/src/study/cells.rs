//! The cells of a study: each is a player against itself under one ruleset, played on from what is stored.

use super::{OpeningSource, StudyConfig};
use crate::resumable::{self, ResumableMatch};
use crate::tournament::repeated;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::balance::{StudyGame, StudyKind};
use tafl_dataset::{read_games, read_samples, write_shard};
use tafl_play::{DrawnFrom, Match, MatchPlan, openings, policy_openings};
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::{Game, Move, Rules, Side, TurnText};
use tafl_samples::{GameRecord, derive_seed};
use tafl_store::{
    MOST_TEXT_BYTES, Settings, Store, StoreKind, create_folder, file_stem, generation_folder,
    read_text, write_atomically,
};
use tafl_training::{Notice, Observer, OpenedPlayer, Stage, hinted};

/// What all games of a study have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudySettings {
    pub(crate) kind: StudyKind,
    /// Fingerprint of the ruleset whose variants are compared.
    pub(crate) base: Option<String>,
    pub(crate) seed: u64,
    pub(crate) opening_plies: u32,
    /// Checksum of the weights from whose policy openings were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) opening_policy: Option<String>,
    /// Visits of that player's search, if they were drawn from its policy after a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) opening_visits: Option<u32>,
    pub(crate) max_plies: u32,
}

impl Settings for StudySettings {
    const KIND: StoreKind = StoreKind::Study;
    const ADVICE: &'static str =
        "all games of a study have the same settings; use another name, or another --folder";
    const FOLDERS: &'static [&'static str] = &["games", "samples"];
}

/// The openings of one ruleset.
#[derive(Debug, Clone)]
pub(crate) struct Openings {
    /// All that were drawn, by number.
    moves: Vec<Vec<Move>>,
    /// Those that repeat an earlier one, cannot be played or are left to others, by number.
    left_out: BTreeSet<usize>,
}

impl Openings {
    /// Draws openings under a ruleset. A larger number gives the same ones and more.
    pub(crate) fn draw(rules: &Arc<Rules>, config: &StudyConfig) -> Self {
        let wanted = &config.openings;
        let seed = derive_seed(config.seed, &[0]);
        Self::of(openings(rules, wanted.count, wanted.plies, seed), rules)
    }

    /// Draws openings from a player's policy or search, those left out that are in the file at `path`; and keeps all there,
    /// as other machines may compute other policies.
    pub(crate) fn of_policy(
        rules: &Arc<Rules>,
        config: &StudyConfig,
        player: &OpenedPlayer,
        path: &Path,
    ) -> anyhow::Result<Self> {
        let wanted = &config.openings;
        let name = || path.display().to_string();
        let mut known = match path.exists() {
            true => {
                let text = read_text(path, MOST_TEXT_BYTES)?;
                stored_openings(&text, rules).with_context(name)?
            }
            false => Vec::new(),
        };
        let stored = known.len();
        if stored < wanted.count as usize {
            let seed = derive_seed(config.seed, &[3]);
            let drawn = (wanted.count, wanted.plies, seed);
            let from = match wanted.source {
                OpeningSource::Search => DrawnFrom::Search,
                OpeningSource::Policy | OpeningSource::Random => DrawnFrom::Policy,
            };
            let all = policy_openings(rules, (&player.player, from), drawn, known);
            known = all.map_err(|error| anyhow::anyhow!("{}: {error}", player.name()))?;
            let lines: anyhow::Result<Vec<String>> =
                known.iter().map(|moves| line_of(moves, rules)).collect();
            if let Some(folder) = path.parent() {
                create_folder(folder)?;
            }
            write_atomically(path, (lines?.join("\n") + "\n").as_bytes())?;
        }
        known.truncate(wanted.count as usize);
        Ok(Self::of(known, rules))
    }

    /// Returns the same openings without the first ones, which others play.
    pub(crate) fn without_first(mut self, count: u32) -> Self {
        self.left_out.extend(0..count as usize);
        self
    }

    /// Returns the openings of a base for a variant, without those that it does not allow.
    ///
    /// Where the other side moves first, turns change places in pairs, so that the pieces come to stand alike; a last
    /// turn without its pair is left out.
    pub(crate) fn under(&self, rules: &Arc<Rules>, base: &Arc<Rules>) -> Self {
        let is_same_first = rules.start().side() == base.start().side();
        let moves = self.moves.iter().map(|moves| match is_same_first {
            true => moves.clone(),
            false => in_turned_pairs(moves, base),
        });
        let own = Self::of(moves.collect(), rules);
        Self {
            left_out: own.left_out.union(&self.left_out).copied().collect(),
            ..own
        }
    }

    /// Returns the first of these openings, a share of them.
    pub(crate) fn first(&self, share: f64) -> Self {
        let count = (share * self.moves.len() as f64).ceil() as usize;
        let mut own = self.clone();
        own.left_out.extend(count..self.moves.len());
        own
    }

    fn of(moves: Vec<Vec<Move>>, rules: &Arc<Rules>) -> Self {
        let left_out = repeated(rules, &moves);
        Self { moves, left_out }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> u32 {
        let numbers = 0..self.moves.len();
        numbers.filter(|it| !self.left_out.contains(it)).count() as u32
    }

    fn contains(&self, number: u64) -> bool {
        let number = number as usize;
        number < self.moves.len() && !self.left_out.contains(&number)
    }
}

/// The line of an opening without plies.
const START: &str = "start";

/// Returns an opening as a line of turns.
fn line_of(moves: &[Move], rules: &Arc<Rules>) -> anyhow::Result<String> {
    let mut game = Game::new(Arc::clone(rules));
    for &mv in moves {
        game.play_unchecked(mv);
    }
    let text = RecordedGame::of_game(&game)?.turns_text();
    Ok(if text.is_empty() {
        START.to_owned()
    } else {
        text
    })
}

/// Reads openings as [`line_of`] writes them.
fn stored_openings(text: &str, rules: &Arc<Rules>) -> anyhow::Result<Vec<Vec<Move>>> {
    let mut openings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let turns = if line == START { "" } else { line };
        let mut game = Game::new(Arc::clone(rules));
        for turn in turns.split_whitespace() {
            let turn = turn.parse::<TurnText>();
            for (mv, _) in turn.with_context(|| format!("line {number}"))?.plies {
                game.play(mv).with_context(|| format!("line {number}"))?;
            }
        }
        openings.push(game.moves().to_vec());
    }
    Ok(openings)
}

/// Returns the turns of an opening under a ruleset, the second before the first, the fourth before the third, and so on.
fn in_turned_pairs(opening: &[Move], rules: &Arc<Rules>) -> Vec<Move> {
    let mut game = Game::new(Arc::clone(rules));
    let mut turns: Vec<Vec<Move>> = Vec::new();
    for &mv in opening {
        match turns
            .last_mut()
            .filter(|_| game.position().chain().is_some())
        {
            Some(turn) => turn.push(mv),
            None => turns.push(vec![mv]),
        }
        game.play_unchecked(mv);
    }
    let (pairs, _) = turns.as_chunks::<2>();
    let turned = pairs.iter().flat_map(|[first, second]| [second, first]);
    turned.flatten().copied().collect()
}

/// Games of a cell that were played in one go, and their samples: the name of both files without folder and ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellFile(String);

impl CellFile {
    /// Returns where games and samples are within the study's folder.
    pub(crate) fn names(&self) -> [String; 2] {
        let generation = generation_folder(0);
        ["games", "samples"].map(|kind| format!("{kind}/{generation}/{}.parquet", self.0))
    }
}

/// The games of a cell, and the files that hold them.
pub(crate) struct PlayedCell {
    pub(crate) games: Vec<StudyGame>,
    pub(crate) files: Vec<CellFile>,
}

/// The open folder of a study.
pub(crate) struct StudyFolder<'a> {
    pub(crate) store: &'a Store<StudySettings>,
    pub(crate) config: &'a StudyConfig,
    pub(crate) observer: &'a dyn Observer,
}

impl StudyFolder<'_> {
    /// Plays what the folder does not hold yet of a cell, and returns the games of the openings. `place` is its number, from
    /// 1, and how many there are.
    pub(crate) fn play_cell(
        &self,
        place: [usize; 2],
        player: &OpenedPlayer,
        rules: &Arc<Rules>,
        openings: &Openings,
    ) -> anyhow::Result<PlayedCell> {
        let mut games: BTreeMap<u64, StudyGame> = BTreeMap::new();
        let mut files = Vec::new();
        for file in self.files(&player.name(), rules) {
            let own = self.read(&file, rules)?.into_iter();
            // A study with fewer openings than one before it leaves some out.
            let own: Vec<StudyGame> = own.filter(|game| openings.contains(game.opening)).collect();
            if !own.is_empty() {
                files.push(file);
            }
            games.extend(own.into_iter().map(|game| (game.opening, game)));
        }
        let left_out = openings.left_out.iter().map(|&opening| opening as u64);
        let plan = MatchPlan {
            left_out: left_out
                .chain(games.keys().copied())
                .map(|it| 2 * it)
                .collect(),
            is_mirror: true,
            ..MatchPlan::new(openings.moves.clone())
        };
        if !plan.missing().is_empty() {
            let [number, count] = place;
            self.observer.noticed(&Notice::Cell {
                number,
                count,
                player: &player.name(),
                ruleset: &rules.ruleset().name,
            });
        }
        if !plan.missing().is_empty()
            && let Some(file) = self.play_missing(player, rules, plan)?
        {
            let own = self.read(&file, rules)?.into_iter();
            games.extend(own.map(|game| (game.opening, game)));
            files.push(file);
        }
        self.store.remove_journal(&stem(&player.name(), rules))?;
        let games = games.into_values().collect();
        Ok(PlayedCell { games, files })
    }

    /// Returns the files of a cell, in the order of their openings.
    fn files(&self, player: &str, rules: &Rules) -> Vec<CellFile> {
        let prefix = format!("games/{}/{}-", generation_folder(0), stem(player, rules));
        let paths = self.store.files(&prefix).into_iter();
        let name = |path: PathBuf| path.file_stem().map(|it| it.to_string_lossy().into_owned());
        paths.filter_map(name).map(CellFile).collect()
    }

    /// Reads the games of a file with the values of their searches.
    fn read(&self, file: &CellFile, rules: &Arc<Rules>) -> anyhow::Result<Vec<StudyGame>> {
        let [games, samples] = file.names().map(|name| self.store.folder().join(name));
        if self.store.has_removed(&samples) {
            let folder = self.store.folder().display();
            return Err(hinted(
                format!(
                    "{folder}: `tafl run prune` removed the searches of its games, so it cannot go on"
                ),
                format!(
                    "`tafl report {folder}` shows it; --set name=NAME plays a study of your own"
                ),
            ));
        }
        let mut values: BTreeMap<u64, Vec<(u32, f64)>> = BTreeMap::new();
        for sample in read_samples(self.store.verified(&samples)?)? {
            let [win, draw, _] = sample.wdl.map(f64::from);
            let score = match sample.facts.side {
                Side::Attacker => win + draw / 2.0,
                Side::Defender => 1.0 - win - draw / 2.0,
            };
            let curve = values.entry(sample.game_id).or_default();
            curve.push((sample.ply, score));
        }
        let replay = |record: GameRecord| {
            let values = values.remove(&record.game_id).unwrap_or_default();
            StudyGame::replay(&record, values, rules)
                .with_context(|| format!("reading {}", games.display()))
        };
        let records = read_games(self.store.verified(&games)?)?;
        records.into_iter().map(replay).collect()
    }

    /// Plays the games of a plan, those left out that were finished before an interruption, and stores them.
    fn play_missing(
        &self,
        player: &OpenedPlayer,
        rules: &Arc<Rules>,
        plan: MatchPlan,
    ) -> anyhow::Result<Option<CellFile>> {
        let (config, name) = (self.config.matches(), player.name());
        let wanted: BTreeSet<u64> = plan.missing().into_iter().collect();
        let (journal, mut found) = self.store.journal::<GameRecord>(&stem(&name, rules))?;
        found.retain(|record| wanted.contains(&record.game_id));
        let own = &player.player;
        let kept = ResumableMatch {
            job: Match {
                config: &config,
                runner: &self.config.runner,
                players: [Arc::clone(own), Arc::clone(own)],
                rules,
                // The same under all rulesets, so that variants give the very same games up to where a rule matters.
                seed: resumable::seed_of(self.config.seed, &own.id.to_string()),
                generation: 0,
            },
            plan,
            journal: (journal, found),
            stage: Stage::SelfMatch,
            observer: self.observer,
            decides: &|_| false,
        };
        let records = resumable::play(kept, Vec::new())?;
        let Some(first) = records.first() else {
            return Ok(None);
        };
        let opening = first.game_id / 2;
        self.write(&name, rules, opening, &records).map(Some)
    }

    /// Stores games of a cell, of which the first begins with an opening of that number.
    fn write(
        &self,
        player: &str,
        rules: &Arc<Rules>,
        opening: u64,
        records: &[GameRecord],
    ) -> anyhow::Result<CellFile> {
        let name = format!("{}-{opening:06}", stem(player, rules));
        let provenance = resumable::provenance(self.store, "balance", player)?;
        let rulesets = std::slice::from_ref(rules);
        let folder = self.store.folder();
        let written = write_shard(folder, &name, records, rulesets, &provenance)?;
        let paths = [&*written.games_path, &*written.samples_path];
        self.store.enter(&paths)?;
        Ok(CellFile(name))
    }
}

/// Returns the beginning of the names of a cell's files.
fn stem(player: &str, rules: &Rules) -> String {
    file_stem(&[&rules.ruleset().name, player])
}
