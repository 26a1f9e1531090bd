//! The tables at the end of a run: how strong each checkpoint is.

use crate::seat::Seat;
use crate::stages::Played;
use crate::standings::{Meeting, Meetings, Resampling, Standings};
use std::sync::Arc;
use tafl_arena::RatingError;
use tafl_rules::{Rules, Ruleset};

/// The intervals of the model are enough.
pub(crate) const NO_RESAMPLING: Resampling = Resampling {
    resamples: 0,
    seed: 0,
};

/// Returns the tables of all players of a run's matches.
pub(crate) fn tables(matches: &[Played], rules: &[Arc<Rules>]) -> Result<String, RatingError> {
    let standings = standings(matches, rules, NO_RESAMPLING)?;
    Ok(standings.map_or_else(
        || "No matches were played.\n".to_owned(),
        |standings| standings.tables(),
    ))
}

/// Returns the standings of all players of a run's matches; `None` without matches.
///
/// Ratings are relative to the oldest checkpoint, which is the first player.
pub(crate) fn standings(
    matches: &[Played],
    rules: &[Arc<Rules>],
    resampling: Resampling,
) -> Result<Option<Standings>, RatingError> {
    let mut seats: Vec<Seat> = matches.iter().flat_map(|played| played.seats).collect();
    seats.sort_by_key(|seat| seat.number());
    seats.dedup();
    if seats.is_empty() {
        return Ok(None);
    }
    let rulesets: Vec<&Ruleset> = rules.iter().map(|rules| rules.ruleset()).collect();
    let number = |seat: Seat| seats.iter().position(|&other| other == seat);
    let meeting = |played: &Played| {
        let [first, second] = played.seats.map(number);
        let name = &played.result.ruleset;
        let ruleset = rulesets.iter().position(|ruleset| ruleset.name == *name)?;
        Some(Meeting {
            players: [first?, second?],
            ruleset,
            result: played.result.clone(),
        })
    };
    let matches = matches.iter().filter_map(meeting).collect();
    let meetings = Meetings {
        players: seats.iter().map(ToString::to_string).collect(),
        rulesets,
        matches,
    };
    meetings.standings(resampling).map(Some)
}
