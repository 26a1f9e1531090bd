//! How strong the players of a study are: each meets a reference opponent under each ruleset.

use super::{StudyMember, StudyPlan};
use crate::tournament::{Format, Openings, Tournament, TournamentSettings};
use std::path::Path;
use tafl_arena::balance::{MeasuredStrength, PlayedCell};
use tafl_dataset::read_games;
use tafl_play::MatchConfig;
use tafl_samples::PlayerId;
use tafl_store::entries;
use tafl_training::{Notice, Observer, OpenedPlayer};

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
    let reference = PlayerId::Baseline(wanted.reference);
    let others = players.iter().map(|it| it.opened.clone());
    let others = others.filter(|it| it.player.id != reference);
    let first = OpenedPlayer::baseline(wanted.reference);
    let rules = plan.rulesets.iter().map(|it| &it.rules);
    let drawn = rules.clone().map(|rules| openings.of(rules, observer));
    let tournament = Tournament {
        openings: drawn.collect::<anyhow::Result<_>>()?,
        players: [first].into_iter().chain(others).collect(),
        rules: rules.cloned().collect(),
        config: &matches,
        runner: &plan.config.runner,
        format: Format::Gauntlet,
        sprt: None,
        adjudication: None,
        first_opening: 0,
    };
    let openings: usize = tournament.openings.iter().map(Vec::len).sum();
    let files = entries(&folder.join("games")).unwrap_or_default();
    let stored = files.iter().filter_map(|file| read_games(file).ok());
    let stored: usize = stored.map(|games| games.len()).sum();
    let games = (2 * openings * (tournament.players.len() - 1)).saturating_sub(stored);
    if games > 0 {
        observer.noticed(&Notice::Strength {
            reference: &reference,
            games,
        });
    }
    let (played, _) = tournament.play(folder, &settings, observer)?;
    for met in &played {
        // The reference opponent stands first.
        let elo = met.pair_counts().for_opponent().elo();
        let name = met.players[1].to_string();
        let is_own = |cell: &&mut PlayedCell| cell.ruleset == met.ruleset && cell.player == name;
        if let Some(cell) = cells.iter_mut().find(is_own) {
            cell.strength = Some(MeasuredStrength {
                reference: reference.to_string(),
                results: met.total(1),
                elo,
                wanted_elo: wanted.least_elo,
                enough: elo.low >= wanted.least_elo,
            });
        }
    }
    Ok(())
}
