//! The standings of a run's own matches: how strong each checkpoint is.

use crate::standings::{Anchor, Resampling, Standings};
use anyhow::Context;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::{MatchResult, RatingError};
use tafl_network::{ModelCard, StrengthCard};
use tafl_rules::Rules;
use tafl_samples::PlayerId;
use tafl_store::StoreError;
use tafl_training::{RUN_CONFIG, load, matches_of, run_of};

/// Returns the standings of all players of a run's matches; `None` without matches.
///
/// Ratings are relative to [`Anchor::Reference`].
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
    let has_players = !players.is_empty();
    has_players
        .then(|| Standings::of(&players, rules, matches, Anchor::Reference, resampling))
        .transpose()
}

/// Returns the Elo of each checkpoint of a run's own matches, with both ends of its 95 % interval.
pub fn checkpoint_ratings(matches: &[MatchResult], standings: &Standings) -> Vec<(u32, [f64; 3])> {
    let players = matches.iter().flat_map(|met| &met.players);
    let checkpoints: BTreeSet<u32> = players.filter_map(PlayerId::checkpoint).collect();
    let rated = checkpoints.into_iter().filter_map(|checkpoint| {
        let name = PlayerId::Checkpoint(checkpoint).to_string();
        let row = standings.players.iter().find(|row| row.name == name)?;
        Some((checkpoint, [row.elo.value, row.elo.low, row.elo.high]))
    });
    rated.collect()
}

/// Returns how strong a checkpoint is under some rulesets, if it is in a run in which it played rated matches under them; those of
/// a run of another version are not known.
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
    let loaded = load(&folder.join(RUN_CONFIG), &[]).ok();
    let all = loaded.as_ref().map_or(rules, |loaded| &loaded.rules[..]);
    let mut matches = match matches_of(&folder, all) {
        // One of another version.
        Err(error) if matches!(error.downcast_ref(), Some(StoreError::OtherFormat { .. })) => {
            return Ok(None);
        }
        matches => {
            matches.with_context(|| format!("reading the matches of {}", folder.display()))?
        }
    };
    let is_asked = |own: &&Arc<Rules>| {
        let own = own.ruleset().fingerprint();
        rules.iter().any(|it| it.ruleset().fingerprint() == own)
    };
    let asked = all.iter().filter(is_asked);
    let mut rulesets: Vec<String> = asked.map(|it| it.ruleset().name.clone()).collect();
    matches.retain(|met| rulesets.contains(&met.ruleset));
    rulesets.retain(|name| matches.iter().any(|met| met.ruleset == *name));
    let Some(standings) = standings(&matches, all, Resampling::NONE)? else {
        return Ok(None);
    };
    let own = standings.player(&PlayerId::Checkpoint(card.provenance.generation).to_string());
    Ok(own.map(|own| StrengthCard {
        elo: own.elo.value,
        interval: [own.elo.low, own.elo.high],
        above: standings.anchor.clone(),
        games: (own.attackers + own.defenders).games(),
        rulesets,
        visits: loaded.map(|loaded| loaded.config.arena.visits),
    }))
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
            standings(&[met], &rules, Resampling::NONE)
        };
        let found = of("brandubh").expect("rated").expect("a match");
        assert_eq!(found.anchor, "checkpoint 0");
        let error = of("fetlar").expect_err("another ruleset");
        assert_eq!(error.to_string(), "ruleset 1 of 1 does not exist");
    }
}
