//! A balance study; its numbers are from its summary.

use crate::ReportError;
use crate::board::{Board, HeatMap};
use crate::games::ViewedGame;
use crate::pick::shown_games;
use crate::picture;
use crate::survey::Survey;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::Summary;
use tafl_rules::Rules;
use tafl_store::{MOST_TEXT_BYTES, read_text};

/// All that the page shows of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyReport {
    /// The results, as `tafl balance` stored them.
    pub summary: Summary,
    /// The picture of the attackers' scores, an SVG file; nothing without a verdict.
    pub picture: Option<String>,
    /// The picture of the scores by strength, people's beside; nothing where there is but one strength.
    pub strength_picture: Option<String>,
    /// Games stored.
    pub stored_games: u64,
    /// The board of each ruleset.
    pub boards: Vec<Board>,
    /// Where pieces moved.
    pub heat: Vec<HeatMap>,
    /// Games to look at.
    pub games: Vec<ViewedGame>,
}

/// Reads the summary of a study.
///
/// # Errors
/// If `summary.json` is missing, damaged, or of another version.
pub fn read_study(folder: &Path) -> Result<Summary, ReportError> {
    let path = folder.join("summary.json");
    let text = read_text(&path, MOST_TEXT_BYTES)?;
    Summary::of_json(&text).map_err(|reason| ReportError::Summary { path, reason })
}

/// Reads the games of a study, with at most `games` to show.
///
/// # Errors
/// If a file of games is missing or damaged, or a game cannot be replayed by the rules.
pub fn report_study(
    folder: &Path,
    summary: Summary,
    rules: &[Arc<Rules>],
    games: usize,
) -> Result<StudyReport, ReportError> {
    let mut survey = Survey::new(rules, &[], "study");
    let files = summary.cells.iter().flat_map(|cell| &cell.games_files);
    // A study says of itself which games it has: one that is missing or damaged is missed.
    survey.add_sound(files.map(|path| folder.join(path)), false)?;
    Ok(StudyReport {
        picture: picture::scores(&summary),
        strength_picture: picture::strengths(&summary),
        stored_games: survey.games()[0],
        games: shown_games(&survey, games)?,
        boards: rules.iter().map(|rules| Board::of(rules)).collect(),
        heat: survey.heat(),
        summary,
    })
}
