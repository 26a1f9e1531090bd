//! Files of games, and the games of them that are shown.

use crate::ReportError;
use crate::games::{ViewedGame, view};
use crate::pick::{Candidate, pick};
use crate::survey::Survey;
use std::path::PathBuf;
use tafl_dataset::{read_games, read_samples};
use tafl_samples::Sample;

/// Bytes of games in the page at most, as JSON.
const MOST_BYTES: usize = 3_000_000;

/// A file of games.
#[derive(Debug, Clone)]
pub(crate) struct GameFile {
    pub(crate) path: PathBuf,
    /// What searches said in these games, if it was stored.
    pub(crate) samples: Option<PathBuf>,
    /// Whether they are of matches rather than of self-play.
    pub(crate) is_match: bool,
}

/// Reads at most `most` games to show, with what their searches found; the newest files come first.
///
/// If the page gets too large, the oldest games are left out.
pub(crate) fn shown_games(
    survey: &Survey<'_>,
    most: usize,
) -> Result<Vec<ViewedGame>, ReportError> {
    let picked = pick(&survey.candidates, most);
    let (mut games, mut bytes) = (Vec::new(), 0);
    for file in picked.chunk_by(|one, other| one.file == other.file).rev() {
        for game in games_of_file(survey, file)? {
            bytes += serde_json::to_string(&game).map_or(0, |text| text.len());
            if bytes > MOST_BYTES {
                return Ok(games);
            }
            games.push(game);
        }
    }
    Ok(games)
}

fn games_of_file(
    survey: &Survey<'_>,
    picked: &[&Candidate],
) -> Result<Vec<ViewedGame>, ReportError> {
    let Some(first) = picked.first() else {
        return Ok(Vec::new());
    };
    let file = &survey.files[first.file];
    let records = read_games(&file.path)?;
    let samples = match &file.samples {
        Some(path) => read_samples(path)?,
        None => Vec::new(),
    };
    let mut games = Vec::new();
    // Files are replaced by such as hold more games, never fewer; if one was, the rest is shown.
    for candidate in picked.iter().filter(|picked| picked.row < records.len()) {
        let (record, kind) = (&records[candidate.row], candidate.kind);
        let is_own = |sample: &&Sample| sample.game_id == record.game_id;
        let own: Vec<&Sample> = samples.iter().filter(is_own).collect();
        let game = view(record, &survey.rules[kind.ruleset], kind.is_match, &own);
        games.push(game.map_err(|reason| ReportError::Record {
            path: file.path.clone(),
            reason,
        })?);
    }
    Ok(games)
}
