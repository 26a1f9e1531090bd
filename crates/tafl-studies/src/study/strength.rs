//! How strong the players of a study are: each meets a reference opponent under each ruleset.

use super::{StudyMember, StudyPlan};
use crate::tournament::{Format, Openings, Tournament, TournamentSettings};
use std::path::Path;
use tafl_arena::balance::{MeasuredStrength, PlayedCell};
use tafl_play::MatchConfig;
use tafl_training::{Observer, OpenedPlayer};

/// Measures the players of all cells; nothing where nothing is to be measured, or the player is the reference opponent itself.
///
/// The matches are a tournament in a folder of its own, which plays only what is missing.
pub(crate) fn measure(
    folder: &Path,
    plan: &StudyPlan,
    players: &[StudyMember],
    cells: &mut [PlayedCell],
    observer: &dyn Observer,
) -> anyhow::Result<()> {
    let wanted = &plan.config.strength;
    if wanted.openings == 0 {
        return Ok(());
    }
    let matches = MatchConfig {
        openings: wanted.openings,
        ..plan.config.matches()
    };
    let openings = Openings {
        file: None,
        count: None,
        config: &matches,
        seed: plan.config.seed,
    };
    let settings = TournamentSettings::of(&openings, None);
    let reference = OpenedPlayer::baseline(wanted.reference);
    let name = reference.name();
    let others = players.iter().map(|it| it.opened.clone());
    let others = others.filter(|it| it.name() != name);
    let rules = plan.rulesets.iter().map(|it| &it.rules);
    let drawn = rules.clone().map(|rules| openings.of(rules, observer));
    let tournament = Tournament {
        openings: drawn.collect::<anyhow::Result<_>>()?,
        players: [reference].into_iter().chain(others).collect(),
        rules: rules.cloned().collect(),
        config: &matches,
        runner: &plan.config.runner,
        format: Format::Gauntlet,
        sprt: None,
        adjudication: None,
        first_opening: 0,
    };
    let (played, _) = tournament.play(folder, &settings, observer)?;
    for met in &played.matches {
        // The reference opponent has number 0, wherever it stands in the match.
        let own = usize::from(met.players[0] == 0);
        let player = &played.players[met.players[own]];
        let counts = met.result.pair_counts();
        let counts = if own == 0 {
            counts
        } else {
            counts.for_opponent()
        };
        let elo = counts.elo();
        let strength = MeasuredStrength {
            reference: name.clone(),
            results: met.result.total(own),
            elo,
            wanted_elo: wanted.least_elo,
            enough: elo.low >= wanted.least_elo,
        };
        let is_own =
            |cell: &&mut PlayedCell| cell.ruleset == met.result.ruleset && cell.player == *player;
        if let Some(cell) = cells.iter_mut().find(is_own) {
            cell.strength = Some(strength);
        }
    }
    Ok(())
}
