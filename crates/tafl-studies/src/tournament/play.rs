//! One match of a tournament: played on from what is stored, with progress on stderr.

use super::{Entrant, Folder};
use crate::progress::Progress;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_arena::{
    ArenaConfig, Match, MatchGame, MatchPlan, MatchProgress, MatchResult, MatchWatch, Sprt,
    play_planned,
};
use tafl_rules::Rules;
use tafl_selfplay::derive_seed;

/// Plays the games of a plan that are neither stored nor were finished before an interruption, and
/// stores all of them; returns them, and the test if there is one.
pub(super) fn play(
    folder: &mut Folder,
    entrants: [&Entrant; 2],
    rules: &Arc<Rules>,
    mut plan: MatchPlan,
    arena: &ArenaConfig,
) -> anyhow::Result<(MatchResult, Option<Sprt>)> {
    let names = entrants.map(|entrant| entrant.name.as_str());
    let stored: BTreeSet<u64> = plan
        .finished
        .iter()
        .map(|game| game.record.game_id)
        .collect();
    let (spool, spooled) = folder.spool(names, rules)?;
    let is_new = |game: &MatchGame| !stored.contains(&game.record.game_id);
    plan.finished.extend(spooled.into_iter().filter(is_new));

    let players = entrants.map(Entrant::player);
    let job = Match {
        config: arena,
        players: [&players[0], &players[1]],
        rules,
        seed: seed_of(folder.seed(), names, rules),
        generation: 0,
    };
    let progress = Progress::start("match", "games", 2 * plan.openings.len() as u64);
    let show = |now: MatchProgress| {
        let (first, draws) = (now.first, now.first.draws + now.first.capped);
        progress.show(first.games(), || {
            format!("+{} ={draws} -{}", first.wins, first.losses)
        });
    };
    let (stop, failure) = (AtomicBool::new(false), Mutex::new(None));
    let keep = |game: &MatchGame| {
        if let Err(error) = spool.add(&game.record) {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            stop.store(true, Ordering::Relaxed);
        }
    };
    let watch = MatchWatch {
        progress: &show,
        finished: &keep,
        stop: &stop,
    };
    let played = play_planned(&job, &plan, &watch)?;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let result = played.result;
    progress.finish(&format!(
        "{} under {}",
        summary(&result),
        rules.ruleset().name
    ));
    if let Some(games) = games_to_store(&result, &plan, &stored) {
        folder.store(names, rules, &games)?;
    }
    spool.remove()?;
    Ok((result, played.sprt))
}

/// Returns all games of a match if any of them is not stored.
///
/// A test may end before the last of the games that an earlier match stored; those stay.
fn games_to_store(
    result: &MatchResult,
    plan: &MatchPlan,
    stored: &BTreeSet<u64>,
) -> Option<Vec<MatchGame>> {
    let of_result: BTreeSet<u64> = result
        .games
        .iter()
        .map(|game| game.record.game_id)
        .collect();
    if of_result.is_subset(stored) {
        return None;
    }
    let is_kept = |game: &&MatchGame| {
        let id = &game.record.game_id;
        stored.contains(id) && !of_result.contains(id)
    };
    let mut games = result.games.clone();
    games.extend(plan.finished.iter().filter(is_kept).cloned());
    games.sort_by_key(|game| game.record.game_id);
    Some(games)
}

/// Returns a line such as `a against b: +12 =0 -4, Elo +191 (+20 to +400)`.
fn summary(result: &MatchResult) -> String {
    let [first, second] = &result.names;
    let total = result.total(0);
    let (wins, draws, losses) = (total.wins, total.draws + total.capped, total.losses);
    let elo = result.elo();
    format!(
        "{first} against {second}: +{wins} ={draws} -{losses}, Elo {:+.0} ({:+.0} to {:+.0})",
        elo.elo, elo.low, elo.high
    )
}

/// Returns the seed of a match, which no other match of the tournament has.
fn seed_of(seed: u64, names: [&str; 2], rules: &Rules) -> u64 {
    let text = format!("{}\n{}\n{}", names[0], names[1], rules.ruleset().name);
    let bytes = text.bytes().map(u64::from);
    derive_seed(seed, &[1].into_iter().chain(bytes).collect::<Vec<_>>())
}
