//! A cell of a study: a player against itself under one ruleset, played on from what is stored.

use super::StudyConfig;
use super::openings::StudyOpenings;
use crate::error::StudiesError;
use crate::resumable::{self, ResumableMatch};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tafl_arena::balance::{PlayedCell, StudyGame, StudyKind};
use tafl_dataset::{read_searched_games, write_shard};
use tafl_play::{Match, MatchPlan};
use tafl_rules::Rules;
use tafl_samples::GameRecord;
use tafl_store::{Settings, Store, StoreKind, file_stem, generation_folder};
use tafl_training::{Notice, Observer, OpenedPlayer, Stage};

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
    const ADVICE: &'static str = "all games of a study have the same settings; use another folder";
    const FOLDERS: &'static [&'static str] = &["games"];
    /// Openings that lie there would be taken for those of the study.
    const RESULTS: &'static [&'static str] = &[
        "summary.json",
        "scores.svg",
        "strength.svg",
        "openings",
        "rulesets",
    ];
}

/// A player that is to play itself under one ruleset, each opening once.
pub(crate) struct CellToPlay<'a> {
    pub(crate) store: &'a Store<StudySettings>,
    pub(crate) config: &'a StudyConfig,
    pub(crate) observer: &'a dyn Observer,
    /// Its number, from 1, and how many cells there are.
    pub(crate) number: usize,
    pub(crate) count: usize,
    pub(crate) player: &'a OpenedPlayer,
    pub(crate) rules: &'a Arc<Rules>,
    pub(crate) openings: &'a StudyOpenings,
}

/// The games of a cell that its files hold.
#[derive(Default)]
struct StoredGames {
    /// Those of the study's openings, by opening.
    games: BTreeMap<u64, StudyGame>,
    /// Files within the study's folder that hold any of them.
    files: Vec<String>,
    /// Other openings of which there are games: a study with fewer than one before it leaves some out.
    others: BTreeSet<u64>,
}

impl StoredGames {
    fn has(&self, opening: u64) -> bool {
        self.games.contains_key(&opening) || self.others.contains(&opening)
    }
}

impl CellToPlay<'_> {
    /// Plays what the folder does not hold yet; returns the games of the openings, and how many it holds of others.
    pub(crate) fn play(&self) -> anyhow::Result<(PlayedCell, usize)> {
        let mut stored = StoredGames::default();
        for file in self.stored_files() {
            self.read(file, &mut stored)?;
        }
        let left_out = self.openings.left_out.iter().map(|&opening| opening as u64);
        let left_out = left_out.chain(stored.games.keys().copied());
        let plan = MatchPlan {
            left_out: left_out.map(|opening| 2 * opening).collect(),
            is_mirror: true,
            ..MatchPlan::new(self.openings.moves.clone())
        };
        let is_missing = !plan.missing().is_empty();
        if is_missing {
            let (player, ruleset) = (self.player.name(), &self.rules.ruleset().name);
            let text = format!(
                "{} of {}: {player} under {ruleset}",
                self.number, self.count
            );
            self.observer.noticed(&Notice::Begun(&text));
        }
        // A journal may hold games of other openings, which no study with these would play again.
        if is_missing || self.store.has_journal(&self.stem()) {
            let records = self.play_missing(plan, &stored)?;
            if let Some(file) = self.write(&records)? {
                self.read(file, &mut stored)?;
            }
        }
        self.store.remove_journal(&self.stem())?;
        let played = PlayedCell {
            ruleset: self.rules.ruleset().name.clone(),
            player: self.player.name(),
            games: stored.games.into_values().collect(),
            games_files: stored.files,
            trained: None,
            strength: None,
        };
        Ok((played, stored.others.len()))
    }

    /// Returns the cell's files within the study's folder, in the order of their openings.
    fn stored_files(&self) -> Vec<String> {
        let manifest = self.store.manifest();
        let prefix = format!("games/{}/{}-", generation_folder(0), self.stem());
        let names = manifest.files.into_keys();
        names.filter(|name| name.starts_with(&prefix)).collect()
    }

    /// Reads the games of a file with the values of their searches.
    fn read(&self, file: String, stored: &mut StoredGames) -> anyhow::Result<()> {
        let folder = self.store.folder();
        let path = folder.join(&file);
        if self.store.is_pruned(&path) {
            return Err(StudiesError::Pruned(folder.to_owned()).into());
        }
        let mut is_own = false;
        for record in read_searched_games(self.store.verified(&path)?)? {
            let game = StudyGame::replay(&record, self.rules)
                .with_context(|| format!("reading {}", path.display()))?;
            if self.openings.contains(game.opening) {
                is_own = true;
                stored.games.insert(game.opening, game);
            } else {
                stored.others.insert(game.opening);
            }
        }
        stored.files.extend(is_own.then_some(file));
        Ok(())
    }

    /// Plays the games of a plan, those left out that were finished before an interruption; returns all that are not
    /// stored, those of other openings too.
    fn play_missing(
        &self,
        plan: MatchPlan,
        stored: &StoredGames,
    ) -> anyhow::Result<Vec<GameRecord>> {
        let (journal, mut found) = self.store.journal::<GameRecord>(&self.stem())?;
        found.retain(|record| !stored.has(record.game_id / 2));
        let own = &self.player.player;
        let kept = ResumableMatch {
            job: Match {
                config: &self.config.matches(),
                runner: &self.config.runner,
                players: [Arc::clone(own), Arc::clone(own)],
                rules: self.rules,
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
        resumable::play(kept, Vec::new())
    }

    /// Stores games; returns their file within the study's folder.
    fn write(&self, records: &[GameRecord]) -> anyhow::Result<Option<String>> {
        let Some(first) = records.first() else {
            return Ok(None);
        };
        let name = format!("{}-{:06}", self.stem(), first.game_id / 2);
        let provenance = resumable::provenance(self.store, "balance", &self.player.name())?;
        let rules = std::slice::from_ref(self.rules);
        let written = write_shard(self.store.folder(), &name, records, rules, &provenance)?;
        self.store.enter(&[&written.path])?;
        let generation = generation_folder(0);
        Ok(Some(format!("games/{generation}/{name}.parquet")))
    }

    /// Returns the beginning of the names of the cell's files.
    fn stem(&self) -> String {
        file_stem(&[&self.rules.ruleset().name, &self.player.name()])
    }
}
