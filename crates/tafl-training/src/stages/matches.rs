//! Matches of a run's checkpoints with each other and with baselines.

use crate::observer::{Progress, Stage, Summary};
use crate::run::{Purpose, Run};
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tafl_arena::{MatchResult, Tally};
use tafl_dataset::{Manifest, RunSettings, read_games};
use tafl_play::{Match, MatchPlan, Watch, openings, play_match};
use tafl_rules::Rules;
use tafl_samples::{GameRecord, PlayerId, derive_seed};

/// The stage of a generation's metrics that matches with earlier checkpoints give.
const ELO: &str = "elo";

/// Where a run keeps its matches.
const ARENA: &str = "arena/";

/// A new checkpoint plays the earlier ones that the config names.
pub(crate) fn play_opponents(run: &Run, generation: u32) -> anyhow::Result<()> {
    let opponents = run.config.ladder.opponents.iter();
    let opponents = opponents.filter_map(|&back| Some((back, generation.checked_sub(back)?)));
    let opponents: Vec<(u32, PlayerId)> = opponents
        .map(|(back, opponent)| (back, PlayerId::Checkpoint(opponent)))
        .collect();
    if opponents.is_empty() {
        return Ok(());
    }
    let own = PlayerId::Checkpoint(generation);
    let is_played = |(_, opponent): &(u32, PlayerId)| {
        let mut names = run.rules.iter().map(|rules| &rules.ruleset().name);
        names.all(|ruleset| run.store().has(&run.match_path([&own, opponent], ruleset)))
    };
    // The generation that trained a checkpoint is the one its metrics belong to.
    let trained_in = generation.saturating_sub(1);
    if opponents.iter().all(is_played) && run.has_measured(trained_in, ELO)? {
        return Ok(());
    }
    let mut values = Vec::new();
    for (back, opponent) in opponents {
        for result in play(run, [&own, &opponent])? {
            let name = format!("elo/against_{back}_back/{}", result.ruleset);
            values.push((name, result.elo().value));
        }
    }
    let step = run.steps_of_checkpoint(generation)?;
    run.record_values((trained_in, ELO), step, &values)
}

/// Checkpoints spread over the run play everyone against everyone, and the last one the baselines; returns all matches of
/// the run.
///
/// # Errors
/// If a match cannot be played, read or written.
pub fn play_ladder(run: &Run) -> anyhow::Result<Vec<MatchResult>> {
    let last = run.last_checkpoint();
    let rungs = rungs(last, run.config.ladder.checkpoints);
    for (index, &newer) in rungs.iter().enumerate().rev() {
        for &older in &rungs[..index] {
            play(
                run,
                [&PlayerId::Checkpoint(newer), &PlayerId::Checkpoint(older)],
            )?;
        }
    }
    for &baseline in &run.config.ladder.baselines {
        if let Some(&last) = rungs.last() {
            let players = [PlayerId::Checkpoint(last), PlayerId::Baseline(baseline)];
            play(run, players.each_ref())?;
        }
    }
    read_all(&run.store().files(ARENA), &run.rules)
}

/// Returns all complete matches of the run in a folder, which need not be open.
///
/// # Errors
/// If the folder is not that of a run, or a file is damaged.
pub fn matches_of(folder: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<Vec<MatchResult>> {
    let manifest = Manifest::<RunSettings>::read(folder)?;
    read_all(&manifest.paths(folder, ARENA), rules)
}

fn read_all(paths: &[PathBuf], rules: &[Arc<Rules>]) -> anyhow::Result<Vec<MatchResult>> {
    paths.iter().map(|path| read_match(path, rules)).collect()
}

/// Returns `count` generations from 0 to `last`, both included, evenly spread.
#[must_use]
pub fn rungs(last: u32, count: u32) -> Vec<u32> {
    let steps = u64::from(count.saturating_sub(1)).max(1);
    let rung = |step: u64| (u64::from(last) * step + steps / 2) / steps;
    let mut rungs: Vec<u32> = (0..u64::from(count))
        .map(|step| rung(step) as u32)
        .collect();
    if count == 1 {
        rungs = vec![last];
    }
    rungs.dedup();
    rungs
}

/// Plays a match under each ruleset, where it is not complete; results are seen by the first player.
fn play(run: &Run, players: [&PlayerId; 2]) -> anyhow::Result<Vec<MatchResult>> {
    let mut results = Vec::new();
    for (index, rules) in run.rules.iter().enumerate() {
        let path = run.match_path(players, &rules.ruleset().name);
        if !run.store().has(&path) {
            let [first, second] = players.map(PlayerId::order);
            let seed = run.seed(Purpose::Matches, &[first, second, index as u64]);
            play_one(run, players, rules, (seed, &path))?;
        }
        results.push(read_match(&path, &run.rules)?);
    }
    Ok(results)
}

/// Plays and stores one match.
fn play_one(
    run: &Run,
    ids: [&PlayerId; 2],
    rules: &Arc<Rules>,
    (seed, path): (u64, &Path),
) -> anyhow::Result<()> {
    let config = &run.config.arena;
    let search = config.match_search(&run.config.search);
    let [first, second] = ids.map(|id| run.player(id, search.clone()));
    let job = Match {
        config,
        runner: &run.config.runner,
        players: [first?, second?],
        rules,
        seed,
        generation: ids[0].checkpoint().unwrap_or(0),
    };
    let seed = derive_seed(seed, &[0]);
    let drawn = openings(rules, config.openings, config.opening_plies, seed);
    let plan = MatchPlan::new(drawn);
    let observer = run.observer();
    observer.started(Stage::Match, Some(plan.missing().len() as u64));
    let results = Mutex::new(Tally::default());
    let tell = || *results.lock().unwrap_or_else(PoisonError::into_inner);
    let watch = Watch {
        progress: &|_| {
            let now = tell();
            observer.progressed(Stage::Match, now.games(), Progress::Results(now));
        },
        finished: &|record| {
            let mut now = results.lock().unwrap_or_else(PoisonError::into_inner);
            now.add_game(record, ids[0]);
        },
        stop: &run.given_up,
    };
    let records = play_match(&job, &plan, &watch)?;
    let is_given_up = run.given_up.load(Ordering::Relaxed);
    ensure!(!is_given_up, "a match was given up");
    let all: Vec<&GameRecord> = records.iter().collect();
    run.store_match(path, &all)?;
    let result = MatchResult::of_records(records, ids.map(Clone::clone), rules);
    observer.finished(Stage::Match, Some(&Summary::Match(&result)));
    Ok(())
}

/// Reads a match as it was played; two games of one opening follow each other.
fn read_match(path: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<MatchResult> {
    let games = read_games(path)?;
    let first = games
        .first()
        .with_context(|| format!("{}: no games", path.display()))?;
    let players = [first.attackers.clone(), first.defenders.clone()];
    let ruleset = &first.ruleset;
    let found = rules.iter().find(|rules| rules.ruleset().name == *ruleset);
    let rules = found.with_context(|| format!("{}: unknown ruleset {ruleset}", path.display()))?;
    Ok(MatchResult::of_records(games, players, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_are_spread_from_first_to_last() {
        assert_eq!(rungs(8, 4), [0, 3, 5, 8]);
        assert_eq!(rungs(2, 4), [0, 1, 2]);
        assert_eq!(rungs(8, 2), [0, 8]);
        assert_eq!(rungs(8, 1), [8]);
        assert!(rungs(8, 0).is_empty());
    }
}
