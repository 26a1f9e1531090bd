//! A tournament; its ratings come from `tafl-studies`.

use crate::ReportError;
use crate::board::{Board, HeatMap};
use crate::games::ViewedGame;
use crate::outcomes::Balance;
use crate::pick::{GameFile, shown_games};
use crate::survey::Survey;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::Rules;

/// Where a tournament is, and what is known of it beside its games.
pub struct TournamentSource<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// Its rulesets.
    pub rules: &'a [Arc<Rules>],
    /// Its files of games.
    pub files: Vec<std::path::PathBuf>,
    /// Its settings by name, as its manifest has them.
    pub settings: serde_json::Value,
    /// Its ratings in the form of `tafl arena --json`; `None` before the first game.
    pub standings: Option<serde_json::Value>,
    /// Games to show ply by ply at most.
    pub games: usize,
}

/// All that the page shows of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TournamentReport {
    /// The name of its folder.
    pub name: String,
    /// As [`TournamentSource::settings`].
    pub settings: serde_json::Value,
    /// The names of its rulesets.
    pub rulesets: Vec<String>,
    /// Games stored.
    pub stored_games: u64,
    /// As [`TournamentSource::standings`].
    pub standings: Option<serde_json::Value>,
    /// How games of each ruleset ended.
    pub balance: Vec<Balance>,
    /// The board of each ruleset.
    pub boards: Vec<Board>,
    /// Where pieces moved.
    pub heat: Vec<HeatMap>,
    /// Games to look at.
    pub games: Vec<ViewedGame>,
}

/// Reads the games of a tournament.
///
/// # Errors
/// If a file of games is missing or damaged, or a game cannot be replayed by the rules.
pub fn report_tournament(source: &TournamentSource<'_>) -> Result<TournamentReport, ReportError> {
    let mut survey = Survey::new(source.rules, "tournament");
    let file = |path: &std::path::PathBuf| GameFile {
        path: path.clone(),
        samples: None,
        is_match: true,
    };
    let files = source.files.iter().map(file).collect();
    if let Some(error) = survey.add_files(files).into_iter().next() {
        return Err(error);
    }
    let name = source.folder.file_name().unwrap_or_default();
    let rulesets = source.rules.iter().map(|it| it.ruleset().name.clone());
    Ok(TournamentReport {
        name: name.to_string_lossy().into_owned(),
        settings: source.settings.clone(),
        rulesets: rulesets.collect(),
        stored_games: survey.games()[1],
        standings: source.standings.clone(),
        balance: survey.balance(),
        games: shown_games(&survey, source.games)?,
        boards: source.rules.iter().map(|rules| Board::of(rules)).collect(),
        heat: survey.heat(),
    })
}
