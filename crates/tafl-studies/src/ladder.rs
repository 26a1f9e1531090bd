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
/// If the matches cannot be rated, or one is of a ruleset that is not among `rules`.
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
    // A number beyond the last stands for nothing, which the ratings refuse.
    let player = |id: &PlayerId| (players.iter().take_while(|&&other| other != id)).count();
    let ruleset = |name: &str| (rulesets.iter().take_while(|it| it.name != name)).count();
    let meeting = |met: &MatchResult| Meeting {
        players: met.players.each_ref().map(player),
        ruleset: ruleset(&met.ruleset),
        result: met.clone(),
    };
    let meetings = Meetings {
        players: players.iter().map(ToString::to_string).collect(),
        matches: matches.iter().map(meeting).collect(),
        rulesets,
    };
    meetings.standings(resampling).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_of_a_ruleset_that_is_not_given_is_refused() {
        let rules = [Rules::preset("brandubh").expect("a preset")];
        let of = |ruleset: &str| {
            let met = MatchResult {
                players: [PlayerId::Checkpoint(1), PlayerId::Checkpoint(0)],
                ruleset: ruleset.to_owned(),
                games: Vec::new(),
            };
            let resampling = Resampling {
                resamples: 0,
                seed: 0,
            };
            standings(&[met], &rules, resampling)
        };
        let found = of("brandubh").expect("rated").expect("a match");
        assert_eq!(found.anchor, "checkpoint 0");
        let error = of("fetlar").expect_err("another ruleset");
        assert_eq!(error.to_string(), "ruleset 1 of 1 does not exist");
    }
}
