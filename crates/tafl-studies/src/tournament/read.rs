//! What was played in a tournament, read from its folder.

use super::TournamentSettings;
use crate::ladder;
use crate::rulesets::kept_rulesets;
use crate::standings::{Resampling, Standings};
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::MatchResult;
use tafl_dataset::read_games;
use tafl_rules::Rules;
use tafl_samples::{GameRecord, PlayerId};
use tafl_store::{Manifest, StoreKind, entries};

/// The folder of a tournament, which need not be open.
#[derive(Debug)]
pub struct TournamentFolder {
    folder: PathBuf,
    /// What it is, with the names of its players.
    pub manifest: Manifest<TournamentSettings>,
    /// Its rulesets.
    pub rules: Vec<Arc<Rules>>,
}

impl TournamentFolder {
    /// Opens a folder for reading.
    ///
    /// # Errors
    /// If it is not that of a tournament, or a ruleset is neither built in nor kept in it.
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::<TournamentSettings>::read(folder)?;
        let rules = kept_rulesets(folder, &manifest.rulesets)?;
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
            rules,
        })
    }

    /// Returns its files of games.
    pub fn files(&self) -> Vec<PathBuf> {
        self.manifest.paths(&self.folder, "games/")
    }

    /// Returns the ratings of all players by all games stored; `None` without games.
    ///
    /// # Errors
    /// If a file of games is damaged, or the matches cannot be rated.
    pub fn standings(&self, resampling: Resampling) -> anyhow::Result<Option<Standings>> {
        let mut matches: BTreeMap<([PlayerId; 2], String), Vec<GameRecord>> = BTreeMap::new();
        for path in self.files() {
            for record in read_games(&path)? {
                let mut players = [record.attackers.clone(), record.defenders.clone()];
                players.sort();
                let key = (players, record.ruleset.clone());
                matches.entry(key).or_default().push(record);
            }
        }
        let mut results = Vec::with_capacity(matches.len());
        for ((players, ruleset), records) in matches {
            let rules = self.rules.iter().find(|it| it.ruleset().name == ruleset);
            let rules = rules.with_context(|| {
                let folder = self.folder.display();
                format!("{folder}: games of {ruleset}, which its manifest does not have")
            })?;
            results.push(MatchResult::of_records(records, players, rules));
        }
        let standings = ladder::standings(&results, &self.rules, resampling)?;
        Ok(standings.map(Standings::sorted))
    }
}

/// Tournaments in which some runs met, and why others could not be read.
#[derive(Debug, Default)]
pub struct Meetings {
    /// Folders and ratings, by name.
    pub found: Vec<(PathBuf, Standings)>,
    /// Why a folder was left out.
    pub left_out: Vec<anyhow::Error>,
}

impl Meetings {
    /// Looks through the folders in `arena`, which need not exist, for tournaments of networks of at least two of the runs.
    pub fn of_runs(arena: &Path, runs: &[String], resampling: Resampling) -> Self {
        let mut folders = entries(arena).unwrap_or_default();
        folders.retain(|folder| {
            matches!(
                StoreKind::of_folder(folder),
                Ok(Some(StoreKind::Tournament))
            )
        });
        let mut meetings = Self::default();
        for folder in folders {
            match standings_of(&folder, runs, resampling) {
                Ok(Some(standings)) => meetings.found.push((folder, standings)),
                Ok(None) => {}
                Err(error) => meetings.left_out.push(error),
            }
        }
        meetings
    }
}

/// Returns the ratings of a tournament in which at least two of the runs took part.
fn standings_of(
    folder: &Path,
    runs: &[String],
    resampling: Resampling,
) -> anyhow::Result<Option<Standings>> {
    let tournament = TournamentFolder::open(folder)?;
    let of_run = |name: &String| match PlayerId::from(name.as_str()) {
        PlayerId::Network { run, .. } => runs.contains(&run).then_some(run),
        _ => None,
    };
    let players = tournament.manifest.players.keys();
    let met: BTreeSet<String> = players.filter_map(of_run).collect();
    match met.len() {
        0 | 1 => Ok(None),
        _ => tournament.standings(resampling),
    }
}
