//! A run, read and counted.

use crate::ReportError;
use crate::board::{Board, HeatMap};
use crate::curves::{Learning, METRICS};
use crate::games::ViewedGame;
use crate::outcomes::{Balance, Results};
use crate::pick::shown_games;
use crate::shards::{self, learned_from, not_learned_from};
use crate::survey::Survey;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_store::{MOST_TEXT_BYTES, Manifest, RunSettings, checkpoints, read_text};

/// A process that played for a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunWorker {
    /// Its name.
    pub name: String,
    /// What it does: `playing`, `resting`, `ended`, `silent`, `purged` or `unknown`.
    pub state: String,
    /// The checkpoint that it said last it plays.
    pub checkpoint: Option<String>,
    /// Games per hour, as it said last.
    pub games_per_hour: Option<f64>,
    /// Its games that the run has learned from.
    pub games: u64,
    /// Samples of those.
    pub samples: u64,
    /// Its program and version.
    pub program: Option<String>,
}

/// What made a run, as its manifest says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunInfo {
    /// The version of Taflforge that began it.
    pub version: String,
    /// Its name, seed, config and device.
    #[serde(flatten)]
    pub settings: RunSettings,
    /// Fingerprints of its rulesets by name, 16 hexadecimal digits.
    pub rulesets: BTreeMap<String, String>,
}

/// All that the page shows of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// What made the run.
    pub info: RunInfo,
    /// The resolved config, as stored; not in the summary.
    pub config: String,
    /// Games of self-play.
    pub self_play_games: u64,
    /// Generations of self-play with games, whoever played them.
    pub generations: u32,
    /// The number of the last checkpoint; 0 before training.
    pub checkpoints: u32,
    /// Games of the matches that count.
    pub match_games: u64,
    /// Positions to learn from that were stored, those that were pruned included.
    pub positions: u64,
    /// Why files were left out: they are damaged, or the run did not learn from them, such as shards of workers.
    pub left_out: Vec<String>,
    /// Why the run learns little, if it does.
    pub warnings: Vec<String>,
    /// The workers that played for it; empty if it played alone.
    pub workers: Vec<RunWorker>,
    /// What was measured; `None` before the first training, and where that is missing.
    pub learning: Option<Learning>,
    /// Ratings of all matches in the form of `tafl arena --json`; `None` where none was played.
    pub standings: Option<serde_json::Value>,
    /// Results of self-play by generation, ruleset and handicap.
    pub self_play: Vec<Results>,
    /// How games of each ruleset ended.
    pub balance: Vec<Balance>,
    /// The board of each ruleset.
    pub boards: Vec<Board>,
    /// Where pieces moved.
    pub heat: Vec<HeatMap>,
    /// Games to look at; not in the summary.
    pub games: Vec<ViewedGame>,
}

/// Reads a run, which may still be going on, and counts all games that it learned from, with at most `games` to show ply by ply. Its ratings,
/// its workers and warnings are known elsewhere: nothing is said of them.
///
/// `rules` are its rulesets, `variant_rules` those that it learns beside; the games of these are only counted. `matches` are the
/// files of those matches that count.
///
/// # Errors
/// If its manifest, config or metrics are missing or damaged. Files of games that cannot be read, whose games
/// cannot be replayed by the rules, or that the run did not learn from are left out.
pub fn report_run(
    folder: &Path,
    rules: &[Arc<Rules>],
    variant_rules: &[Arc<Rules>],
    matches: Vec<PathBuf>,
    games: usize,
) -> Result<RunReport, ReportError> {
    let manifest = Manifest::<RunSettings>::read(folder)?;
    let variants = variant_rules.iter().map(|it| it.ruleset().name.as_str());
    let variants: Vec<&str> = variants.collect();
    let mut survey = Survey::new(rules, &variants, "run");
    let learned_from = learned_from(folder, &manifest);
    let mut left_out = survey.add_files(learned_from.iter().cloned(), false);
    left_out.extend(survey.add_files(matches, true));
    let mut left_out: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    let all: Vec<Arc<Rules>> = rules.iter().chain(variant_rules).cloned().collect();
    left_out.extend(not_learned_from(folder, &learned_from, &all)?);
    let mut positions = 0;
    for file in survey.files.iter().filter(|file| !file.is_match) {
        positions += shards::positions(folder, &manifest, &file.path)?;
    }
    let learning = Learning::of_run(folder)?;
    let checkpoints = checkpoints(folder)?.last().map_or(0, |(number, _)| *number);
    if learning.is_none() && checkpoints > 0 {
        left_out.push(format!("{}: missing", folder.join(METRICS).display()));
    }
    let [self_play_games, match_games] = survey.games();
    let mut info = info_of(manifest);
    info.rulesets.retain(|name, _| !variants.contains(&&**name));
    Ok(RunReport {
        info,
        config: read_text(&folder.join("config.toml"), MOST_TEXT_BYTES)?,
        self_play_games,
        generations: survey.generations,
        checkpoints,
        match_games,
        positions,
        left_out,
        warnings: Vec::new(),
        workers: Vec::new(),
        learning,
        standings: None,
        self_play: survey.results(),
        balance: survey.balance(),
        games: shown_games(&survey, games)?,
        boards: rules.iter().map(|rules| Board::of(rules)).collect(),
        heat: survey.heat(),
    })
}

/// Returns what made a run.
pub(crate) fn info_of(manifest: Manifest<RunSettings>) -> RunInfo {
    RunInfo {
        version: manifest.program,
        settings: manifest.settings,
        rulesets: manifest.rulesets,
    }
}
