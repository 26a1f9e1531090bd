//! Matches of a run's checkpoints with each other and with baselines.

use crate::progress::Progress;
use crate::run::{Purpose, Run, match_paths};
use crate::seat::Seat;
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tafl_arena::{Match, MatchGame, MatchProgress, MatchResult, MatchWatch, Tally, play_match};
use tafl_dataset::{Metric, RunManifest, read_games};
use tafl_rules::{Game, Rules};
use tafl_samples::GameRecord;

/// The stage of a generation's metrics that matches with earlier checkpoints give.
const ELO: &str = "elo";

/// A finished match, with its players.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) seats: [Seat; 2],
    pub(crate) result: MatchResult,
}

/// A new checkpoint plays the earlier ones that the config names.
pub(crate) fn play_opponents(run: &Run, generation: u32) -> anyhow::Result<()> {
    let opponents = run.config.ladder.opponents.iter();
    let opponents = opponents.filter_map(|&back| Some((back, generation.checked_sub(back)?)));
    let opponents: Vec<(u32, Seat)> = opponents
        .map(|(back, opponent)| (back, Seat::Checkpoint(opponent)))
        .collect();
    if opponents.is_empty() {
        return Ok(());
    }
    let own = Seat::Checkpoint(generation);
    let is_played = |&(_, opponent): &(u32, Seat)| {
        let mut names = run.rules.iter().map(|rules| &rules.ruleset().name);
        names.all(|ruleset| run.has_file(&run.match_path(own, opponent, ruleset)))
    };
    if opponents.iter().all(is_played) && run.has_measured(trained_in(generation), ELO)? {
        return Ok(());
    }
    let mut metrics = Vec::new();
    for (back, opponent) in opponents {
        let results = play(run, own, opponent)?;
        for result in results {
            let name = format!("elo/against_{back}_back/{}", result.ruleset);
            metrics.push((name, result.elo().elo));
        }
    }
    record(run, generation, ("matches", ELO), metrics)
}

/// Checkpoints spread over the run play everyone against everyone, and the last one the baselines; returns all matches of the run.
pub(crate) fn play_ladder(run: &Run) -> anyhow::Result<Vec<Played>> {
    let last = run.last_checkpoint();
    let rungs = rungs(last, run.config.ladder.checkpoints);
    for (index, &newer) in rungs.iter().enumerate().rev() {
        for &older in &rungs[..index] {
            play(run, Seat::Checkpoint(newer), Seat::Checkpoint(older))?;
        }
    }
    for baseline in run.config.ladder.baselines.clone() {
        if let Some(&last) = rungs.last() {
            play(run, Seat::Checkpoint(last), Seat::Baseline(baseline))?;
        }
    }
    read_matches(run)
}

/// Returns all complete matches of the run in a folder, which need not be open.
pub(crate) fn matches_of(folder: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<Vec<Played>> {
    let manifest = RunManifest::read(folder)?;
    read_all(&match_paths(&manifest, folder), rules)
}

/// Returns all complete matches of the run, by the names of their files.
fn read_matches(run: &Run) -> anyhow::Result<Vec<Played>> {
    read_all(&run.match_paths(), &run.rules)
}

fn read_all(paths: &[PathBuf], rules: &[Arc<Rules>]) -> anyhow::Result<Vec<Played>> {
    let read = |path| {
        let result = read_match(path, rules)?;
        let seat = |player: usize| result.names[player].parse::<Seat>();
        Ok(Played {
            seats: [seat(0)?, seat(1)?],
            result,
        })
    };
    paths.iter().map(|path| read(path)).collect()
}

/// Returns `count` generations from 0 to `last`, both included, evenly spread.
pub(crate) fn rungs(last: u32, count: u32) -> Vec<u32> {
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
fn play(run: &Run, first: Seat, second: Seat) -> anyhow::Result<Vec<MatchResult>> {
    let mut results = Vec::new();
    for (index, rules) in run.rules.clone().iter().enumerate() {
        let path = run.match_path(first, second, &rules.ruleset().name);
        if run.has_file(&path) {
            results.push(read_match(&path, &run.rules)?);
            continue;
        }
        let numbers = [first.number(), second.number(), index as u64];
        let seed = run.seed(Purpose::Matches, &numbers);
        let result = play_one(run, [first, second], rules, seed)?;
        let records: Vec<&GameRecord> = result.games.iter().map(|game| &game.record).collect();
        run.store_match(&path, &records)?;
        results.push(result);
    }
    Ok(results)
}

fn play_one(
    run: &Run,
    seats: [Seat; 2],
    rules: &Arc<Rules>,
    seed: u64,
) -> anyhow::Result<MatchResult> {
    let contestants = [run.contestant(seats[0])?, run.contestant(seats[1])?];
    let search = run.config.arena.match_search(&run.config.search);
    let players = [
        contestants[0].player(search.clone()),
        contestants[1].player(search),
    ];
    let generation = match seats[0] {
        Seat::Checkpoint(generation) => generation,
        Seat::Baseline(_) => 0,
    };
    let job = Match {
        config: &run.config.arena,
        players: [&players[0], &players[1]],
        rules,
        seed,
        generation,
    };
    let result = show_match(&job, run.given_up())?;
    ensure!(!run.is_given_up(), "a match was given up");
    Ok(result)
}

/// Plays a match with progress on stderr and a line at its end.
///
/// Once `stop` is set, it ends with the games that are finished.
fn show_match(job: &Match<'_>, stop: &AtomicBool) -> anyhow::Result<MatchResult> {
    let progress = Progress::start("match", "games", 2 * u64::from(job.config.openings));
    let show = |now: MatchProgress| {
        progress.show(now.first.games(), || versus(now.first));
    };
    let watch = MatchWatch {
        progress: &show,
        finished: &|_| {},
        stop,
    };
    let result = play_match(job, &watch)?;
    progress.finish(&summary(&result));
    Ok(result)
}

/// Returns games as `+12 =0 -4`.
pub(super) fn versus(games: Tally) -> String {
    let draws = games.draws + games.capped;
    format!("+{} ={draws} -{}", games.wins, games.losses)
}

/// Returns a line such as `checkpoint 3 against checkpoint 2: +12 =0 -4, Elo +191 (+20 to +400)`.
fn summary(result: &MatchResult) -> String {
    let [first, second] = &result.names;
    let games = versus(result.total(0));
    let elo = result.elo();
    format!(
        "{first} against {second}: {games}, Elo {:+.0} ({:+.0} to {:+.0})",
        elo.elo, elo.low, elo.high
    )
}

/// Reads a match as it was played; two games of one opening follow each other.
pub(super) fn read_match(path: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<MatchResult> {
    let games = read_games(path)?;
    let first = games
        .first()
        .with_context(|| format!("{}: no games", path.display()))?;
    let names = [first.attackers.clone(), first.defenders.clone()];
    let ruleset = first.ruleset.clone();
    let found = rules.iter().find(|rules| rules.ruleset().name == ruleset);
    let rules = found.with_context(|| format!("{}: unknown ruleset {ruleset}", path.display()))?;
    let games = games.into_iter().map(|record| MatchGame {
        attackers: usize::from(record.attackers != names[0]),
        turns: turns(&record, rules),
        record,
    });
    Ok(MatchResult {
        games: games.collect(),
        names,
        ruleset,
    })
}

/// Counts the turns of each side; a chain is one.
fn turns(record: &GameRecord, rules: &Arc<Rules>) -> [u32; 2] {
    let mut game = Game::new(Arc::clone(rules));
    let mut turns = [0; 2];
    for ply in &record.plies {
        let (side, within_chain) = (game.position().side(), game.position().chain().is_some());
        if game.play(ply.mv).is_err() {
            break;
        }
        turns[side.index()] += u32::from(!within_chain);
    }
    turns
}

/// Returns the generation that trained a checkpoint, to which its metrics belong.
const fn trained_in(checkpoint: u32) -> u32 {
    checkpoint.saturating_sub(1)
}

/// Records what was measured of a checkpoint, with the names of the event file and of the metrics' stage.
pub(super) fn record(
    run: &Run,
    generation: u32,
    (events, stage): (&str, &str),
    values: Vec<(String, f64)>,
) -> anyhow::Result<()> {
    let trained_in = trained_in(generation);
    let step = run.steps_of_checkpoint(generation)?;
    let named: Vec<(&str, f64)> = values
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    run.events(trained_in, events)?
        .scalars(step, crate::run::now(), &named)?;
    let metric = |(name, value)| Metric {
        generation: trained_in,
        step,
        name,
        value,
    };
    run.record(trained_in, stage, values.into_iter().map(metric).collect())
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
