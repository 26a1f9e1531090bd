//! How strong the players of a study are: each meets a reference opponent under each ruleset.

use super::{StudyPlan, open_player};
use crate::tournament::{Format, Openings, Tournament, TournamentSettings};
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::MeasuredStrength;
use tafl_play::MatchConfig;
use tafl_rules::Rules;
use tafl_training::{Observer, OpenedPlayer, PlayerSource};

/// Measures players; returns for each ruleset and then each player what was found. Nothing where nothing is to be
/// measured, or the player is the reference opponent itself.
///
/// The matches are a tournament in a folder of its own, which plays only what is missing.
pub(crate) fn measure(
    folder: &Path,
    plan: &StudyPlan,
    rules: &[Arc<Rules>],
    observer: &dyn Observer,
) -> anyhow::Result<Vec<Vec<Option<MeasuredStrength>>>> {
    let (config, sources) = (&plan.config, &plan.players);
    let wanted = &config.strength;
    if wanted.openings == 0 {
        return Ok(vec![vec![None; sources.len()]; rules.len()]);
    }
    let matches = MatchConfig {
        openings: wanted.openings,
        ..config.matches()
    };
    let source = Openings {
        file: None,
        count: None,
        config: &matches,
        seed: config.seed,
    };
    let settings = TournamentSettings::of(&source, None);
    let draw = |rules: &Arc<Rules>| source.of(rules, observer);
    let openings = rules.iter().map(draw).collect::<anyhow::Result<Vec<_>>>()?;
    let reference = PlayerSource::Baseline(wanted.reference);
    let others = || sources.iter().filter(|&source| *source != reference);
    let players = [&reference]
        .into_iter()
        .chain(others())
        .map(|source| open_player(source, config, rules))
        .collect::<anyhow::Result<Vec<OpenedPlayer>>>()?;
    let tournament = Tournament {
        players,
        rules: rules.to_vec(),
        openings,
        config: &matches,
        runner: &config.runner,
        format: Format::Gauntlet,
        sprt: None,
        adjudication: None,
        first_opening: 0,
    };
    let (meetings, _) = tournament.play(folder, &settings, observer)?;
    let mut found = vec![vec![None; sources.len()]; rules.len()];
    for meeting in &meetings.matches {
        // The reference opponent has number 0, wherever it stands in the match.
        let own = usize::from(meeting.players[0] == 0);
        let number = meeting.players[own];
        let source = others().nth(number - 1);
        let place = source.and_then(|source| sources.iter().position(|other| other == source));
        let counts = match (own, meeting.result.pair_counts()) {
            (0, counts) => counts,
            (_, counts) => counts.for_opponent(),
        };
        if let Some(place) = place {
            let elo = counts.elo();
            found[meeting.ruleset][place] = Some(MeasuredStrength {
                reference: wanted.reference.to_string(),
                results: meeting.result.total(own),
                elo,
                wanted_elo: wanted.least_elo,
                enough: elo.low >= wanted.least_elo,
            });
        }
    }
    Ok(found)
}
