//! The standings of a run's own matches: how strong each checkpoint is.

use crate::standings::{Meeting, Meetings, Resampling, Standings};
use std::sync::Arc;
use tafl_arena::{MatchResult, RatingError};
use tafl_rules::{Rules, Ruleset};
use tafl_samples::PlayerId;

/// Returns the standings of all players of a run's matches; `None` without matches.
///
/// Ratings are relative to the oldest checkpoint, which is the first player.
///
/// # Errors
/// If the matches cannot be rated.
pub fn standings(
    matches: &[MatchResult],
    rules: &[Arc<Rules>],
    resampling: Resampling,
) -> Result<Option<Standings>, RatingError> {
    let mut players: Vec<&PlayerId> = matches.iter().flat_map(|met| &met.players).collect();
    players.sort_by_key(|player| (player.order(), *player));
    players.dedup();
    if players.is_empty() {
        return Ok(None);
    }
    let rulesets: Vec<&Ruleset> = rules.iter().map(|rules| rules.ruleset()).collect();
    let number = |player: &PlayerId| players.iter().position(|&other| other == player);
    let meeting = |met: &MatchResult| {
        let [first, second] = met.players.each_ref().map(number);
        let ruleset = rulesets
            .iter()
            .position(|ruleset| ruleset.name == met.ruleset)?;
        Some(Meeting {
            players: [first?, second?],
            ruleset,
            result: met.clone(),
        })
    };
    let matches = matches.iter().filter_map(meeting).collect();
    let meetings = Meetings {
        players: players.iter().map(ToString::to_string).collect(),
        rulesets,
        matches,
    };
    meetings.standings(resampling).map(Some)
}
