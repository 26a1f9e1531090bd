//! A tournament; its ratings come from `tafl-studies`.

use crate::ReportError;
use crate::board::{Board, HeatMap};
use crate::games::ViewedGame;
use crate::outcomes::Balance;
use crate::pick::shown_games;
use crate::survey::Survey;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::Rules;

/// All that the page shows of a tournament.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TournamentReport {
    /// The name of its folder.
    pub name: String,
    /// Its settings by name, as its manifest has them.
    pub settings: serde_json::Value,
    /// The names of its rulesets.
    pub rulesets: Vec<String>,
    /// Games stored.
    pub stored_games: u64,
    /// Its ratings in the form of `tafl arena --json`; `None` before the first game.
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

/// Reads the games of a tournament in some files, with at most `games` to show ply by ply. Its settings and ratings are known
/// elsewhere: nothing is said of either.
///
/// # Errors
/// If a file of games is missing or damaged, or a game cannot be replayed by the rules.
pub fn report_tournament(
    folder: &Path,
    rules: &[Arc<Rules>],
    files: Vec<PathBuf>,
    games: usize,
) -> Result<TournamentReport, ReportError> {
    let mut survey = Survey::new(rules, &[], "tournament");
    survey.add_sound(files, true)?;
    let name = folder.file_name().unwrap_or_default();
    let rulesets = rules.iter().map(|it| it.ruleset().name.clone());
    Ok(TournamentReport {
        name: name.to_string_lossy().into_owned(),
        settings: serde_json::Value::Null,
        rulesets: rulesets.collect(),
        stored_games: survey.games()[1],
        standings: None,
        balance: survey.balance(),
        games: shown_games(&survey, games)?,
        boards: rules.iter().map(|rules| Board::of(rules)).collect(),
        heat: survey.heat(),
    })
}
