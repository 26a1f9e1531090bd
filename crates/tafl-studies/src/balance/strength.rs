//! How strong the players of a study are: each meets the yardstick under each ruleset.

use super::config::{StrengthConfig, StudyConfig};
use super::open_entrant;
use crate::players::{PlayerName, PlayerSpec};
use crate::tournament::{self, Entrant, Format, Tournament, openings_for};
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::MeasuredStrength;
use tafl_arena::{ArenaConfig, Estimate, PairCounts, Tally};
use tafl_rules::Rules;

/// Measures players; returns for each ruleset and then each player what was found. Nothing where nothing is to be
/// measured, or the player is the yardstick itself.
///
/// The matches are a tournament in a folder of its own, which plays only what is missing.
pub(crate) fn measure(
    folder: &Path,
    config: &StudyConfig,
    specs: &[PlayerSpec],
    rules: &[Arc<Rules>],
) -> anyhow::Result<Vec<Vec<Option<MeasuredStrength>>>> {
    let wanted = &config.strength;
    if wanted.openings == 0 {
        return Ok(vec![vec![None; specs.len()]; rules.len()]);
    }
    let arena = ArenaConfig {
        openings: wanted.openings,
        ..config.arena()
    };
    let settings = tournament::Settings {
        seed: config.seed,
        opening_plies: Some(arena.opening_plies),
        openings_sha256: None,
        max_plies: arena.max_plies,
        adjudicate: None,
    };
    let draw = |rules: &Arc<Rules>| openings_for(rules, None, None, &arena, config.seed);
    let openings = rules.iter().map(draw).collect::<anyhow::Result<Vec<_>>>()?;
    let yardstick = PlayerSpec {
        player: PlayerName::Baseline(wanted.yardstick),
        visits: None,
    };
    let others = specs.iter().filter(|&spec| *spec != yardstick);
    let entrants = [&yardstick]
        .into_iter()
        .chain(others)
        .map(|spec| open_entrant(spec, config, rules))
        .collect::<anyhow::Result<Vec<Entrant>>>()?;
    let mut tournament_folder = tournament::Folder::open(folder, &settings, rules)?;
    let tournament = Tournament {
        entrants,
        rules: rules.to_vec(),
        openings,
        arena: &arena,
        format: Format::Gauntlet,
        sprt: None,
        adjudication: None,
    };
    let (meetings, _) = tournament.play(&mut tournament_folder)?;
    let mut found = vec![vec![None; specs.len()]; rules.len()];
    for meeting in &meetings.matches {
        // The yardstick has number 0, wherever it stands in the match.
        let own = usize::from(meeting.players[0] == 0);
        let number = meeting.players[own];
        let spec = specs
            .iter()
            .filter(|&spec| *spec != yardstick)
            .nth(number - 1);
        let place = spec.and_then(|spec| specs.iter().position(|other| other == spec));
        let counts = meeting.result.pair_counts();
        let counts = if own == 0 {
            counts
        } else {
            counts.for_opponent()
        };
        if let Some(place) = place {
            let results = meeting.result.total(own);
            found[meeting.ruleset][place] = Some(measured(wanted, counts, results));
        }
    }
    Ok(found)
}

fn measured(wanted: &StrengthConfig, counts: PairCounts, results: Tally) -> MeasuredStrength {
    let elo = counts.elo();
    MeasuredStrength {
        yardstick: wanted.yardstick.to_string(),
        results,
        elo: Estimate {
            value: elo.elo,
            low: elo.low,
            high: elo.high,
        },
        wanted_elo: wanted.least_elo,
        enough: elo.elo >= wanted.least_elo,
    }
}
