//! The standings of a run's own matches: how strong each checkpoint is.

use crate::standings::{Meeting, Meetings, Resampling, Standings};
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::{MatchResult, RatingError};
use tafl_network::{ModelCard, StrengthCard};
use tafl_rules::{Rules, Ruleset};
use tafl_samples::PlayerId;
use tafl_training::{load, matches_of, run_of};

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

/// Returns the standings of the run in a folder, which need not be open; `None` without matches.
///
/// # Errors
/// If the folder is not that of a run, a file is damaged, or the matches cannot be rated.
pub fn run_standings(
    folder: &Path,
    rules: &[Arc<Rules>],
    resampling: Resampling,
) -> anyhow::Result<Option<Standings>> {
    let matches = matches_of(folder, rules)
        .with_context(|| format!("reading the matches of {}", folder.display()))?;
    Ok(standings(&matches, rules, resampling)?)
}

/// Returns how strong a checkpoint is, if it lies in a run in which it played rated matches.
///
/// `rules` are those that it learned, for a run whose config cannot be read.
///
/// # Errors
/// If a file of the run is damaged, or the matches cannot be rated.
pub fn strength_of(
    checkpoint: &Path,
    card: &ModelCard,
    rules: &[Arc<Rules>],
) -> anyhow::Result<Option<StrengthCard>> {
    let Some(folder) = run_of(checkpoint) else {
        return Ok(None);
    };
    let loaded = load(&folder.join("config.toml"), &[]);
    let all = loaded.map_or_else(|_| rules.to_vec(), |loaded| loaded.rules);
    let resampling = Resampling {
        resamples: 0,
        seed: 0,
    };
    let standings = run_standings(&folder, &all, resampling)?;
    let id = PlayerId::Checkpoint(card.provenance.generation);
    let standing = standings.and_then(|standings| standings.standing(&id.to_string()));
    Ok(standing.map(|standing| StrengthCard {
        elo: standing.elo.value,
        interval: [standing.elo.low, standing.elo.high],
        above: standing.above,
        games: standing.games,
    }))
}
