//! Matches of a run's checkpoints with each other and with baselines.

use crate::config::RunConfig;
use crate::observer::{Notice, Progress, Stage, Summary};
use crate::run::{Purpose, Run};
use crate::stages::match_settings::{ARENA, OutdatedMatches, has_changed, is_current};
use crate::storage::rungs;
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tafl_arena::{MatchResult, Tally};
use tafl_dataset::{Metric, read_games, write_games};
use tafl_play::{Match, MatchConfig, MatchPlan, Player, Watch, distinct_openings, play_match};
use tafl_rules::{Rules, Side};
use tafl_samples::{GameRecord, PlayerId, derive_seed};
use tafl_store::{Manifest, RunSettings, checkpoints, generation_folder, sha256_hex};

/// The stage of a generation's metrics that matches with the pool give.
pub(crate) const ELO: &str = "elo";

/// Openings of a match with a player of the pool, each played from both sides: the cost of a point of the curve.
const POOL_OPENINGS: u32 = 5;

/// Who plays a match.
enum Contestant<'a> {
    /// A checkpoint of the run, perhaps with visits of its own, or a baseline.
    OfRun(PlayerId),
    /// A player of the pool.
    OfPool(&'a Arc<Player>),
}

/// A new checkpoint plays the pool, if it is its turn. What is recorded of it is by today's settings of matches; files of
/// matches that others played stay.
pub(crate) fn play_pool(run: &Run, checkpoint: u32) -> anyhow::Result<()> {
    let ladder = &run.config.ladder;
    let is_due = !ladder.pool.is_empty() && checkpoint.is_multiple_of(ladder.pool_every);
    // The generation that trained a checkpoint is the one its metrics belong to.
    let trained_in = checkpoint.saturating_sub(1);
    // One that was removed plays no more.
    let counts = match is_due && run.has_checkpoint(checkpoint) {
        true => !has_played_pool(run, checkpoint)?,
        false => counts_without_playing(run, checkpoint)?,
    };
    if !counts {
        return Ok(());
    }
    let own = Contestant::OfRun(PlayerId::Checkpoint(checkpoint));
    let config = MatchConfig {
        openings: POOL_OPENINGS,
        ..run.config.arena.clone()
    };
    let mut by_side = [Tally::default(); 2];
    for opponent in run.pool()? {
        for result in play(run, &config, [&own, &Contestant::OfPool(opponent)])? {
            for side in Side::ALL {
                let sum = &mut by_side[side.index()];
                *sum = *sum + result.tally(0, side);
            }
        }
    }
    let mut values = Vec::new();
    for (side, tally) in Side::ALL.into_iter().zip(by_side) {
        let elo = tally.elo();
        let numbers = [("", elo.value), ("_low", elo.low), ("_high", elo.high)];
        let names = numbers.map(|(end, value)| (format!("elo/pool{end}/{}", side.name()), value));
        values.extend(names);
    }
    let known = tafl_dataset::read_metrics(&run.metrics_path())?;
    let is_known = |(name, value): &(String, f64)| {
        let is_it = |it: &Metric| (it.generation, &it.name, it.value) == (trained_in, name, *value);
        known.iter().any(is_it)
    };
    if values.iter().all(is_known) {
        return Ok(());
    }
    let is_of_pool = |it: &&Metric| it.generation == trained_in && it.name.starts_with("elo/");
    let measured = known.iter().find(is_of_pool);
    let step = match measured {
        Some(measured) => measured.step,
        None => run.steps_of_checkpoint(checkpoint)?,
    };
    run.record_values((trained_in, ELO), step, &values)
}

/// Returns whether a checkpoint that is not to play the pool, but was measured, is to be measured anew by matches that are
/// there. What it measured by other settings is taken back: its points would stand among those of today's.
fn counts_without_playing(run: &Run, checkpoint: u32) -> anyhow::Result<bool> {
    let measured_in = (checkpoint.saturating_sub(1), ELO);
    if !has_changed(&run.store().settings()) || !run.has_measured(measured_in.0, ELO)? {
        return Ok(false);
    }
    let own = PlayerId::Checkpoint(checkpoint);
    let mut are_there = true;
    for opponent in run.pool()? {
        for rules in run.rules.listed() {
            let (players, ruleset) = ([&own, &opponent.id], &rules.ruleset().name);
            let path = file_of(run, players, ruleset)?;
            if run.store().has(&path) {
                continue;
            }
            are_there = false;
            if path != run.match_path(players, ruleset) {
                let none: [(&str, f64); 0] = [];
                run.record_values(measured_in, 0, &none)?;
                return Ok(false);
            }
        }
    }
    Ok(are_there)
}

/// Returns whether it is certain that a checkpoint was measured against the pool by today's settings of matches, and that
/// none of its matches was removed.
fn has_played_pool(run: &Run, checkpoint: u32) -> anyhow::Result<bool> {
    if !run.has_measured(checkpoint.saturating_sub(1), ELO)? {
        return Ok(false);
    }
    let its_matches = format!("{ARENA}{}-", generation_folder(checkpoint));
    let are_there = || run.store().files(&its_matches).iter().all(|it| it.exists());
    Ok(!has_changed(&run.store().settings()) && are_there())
}

/// Checkpoints spread over the run play everyone against everyone, and the last one the baselines and itself with a quarter
/// of its visits and with one, its policy alone; returns all matches of the run.
///
/// # Errors
/// If a match cannot be played, read or written.
pub fn play_ladder(run: &Run) -> anyhow::Result<Vec<MatchResult>> {
    let outdated = OutdatedMatches::of(run.folder())?;
    if outdated.count > 0 {
        let text = format!("{outdated}: they do not count");
        run.observer().noticed(&Notice::Uncounted(&text));
    }
    let mut missing = Vec::new();
    for players in ladder_of(run)? {
        let games = missing_games(run, &players)?;
        missing.extend((games > 0).then_some((players, games)));
    }
    let all: u64 = missing.iter().map(|(_, games)| games).sum();
    let tell = |games, time| run.observer().noticed(&Notice::Ladder { games, time });
    if all > 0 {
        tell(all, None);
    }
    let begun = Instant::now();
    for (number, (players, games)) in missing.iter().enumerate() {
        play(run, &run.config.arena, players.each_ref())?;
        // Only a match tells how long matches take: self-play has other games, with alpha-beta among its players.
        if number == 0 && *games < all {
            let left = all - games;
            let time = begun.elapsed().mul_f64(left as f64 / *games as f64);
            tell(left, Some(time));
        }
    }
    matches_of(run.folder(), &run.rules)
}

/// Returns who plays whom in the ladder of a run.
fn ladder_of(run: &Run) -> anyhow::Result<Vec<[Contestant<'static>; 2]>> {
    let last = run.last_checkpoint();
    let there = checkpoints(run.folder())?;
    let nearest = |rung: u32| {
        let there = there.iter().map(|(number, _)| *number);
        there.min_by_key(|it| it.abs_diff(rung)).unwrap_or(last)
    };
    let rungs = rungs(last, run.config.ladder.checkpoints).into_iter();
    let mut rungs: Vec<u32> = rungs.map(nearest).collect();
    rungs.dedup();
    let of_run = |checkpoint| Contestant::OfRun(PlayerId::Checkpoint(checkpoint));
    let mut matches = Vec::new();
    for (index, &newer) in rungs.iter().enumerate().rev() {
        let older = rungs[..index].iter();
        matches.extend(older.map(|&older| [of_run(newer), of_run(older)]));
    }
    if let Some(&last) = rungs.last() {
        for &baseline in &run.config.ladder.baselines {
            let baseline = Contestant::OfRun(PlayerId::Baseline(baseline));
            matches.push([of_run(last), baseline]);
        }
        for visits in fewer_visits(run.config.arena.visits) {
            let fewer = PlayerId::Network {
                run: run.name.clone(),
                generation: last,
                visits,
            };
            matches.push([of_run(last), Contestant::OfRun(fewer)]);
        }
    }
    Ok(matches)
}

/// Returns how many games of a match of the ladder are not played yet, under all rulesets.
fn missing_games(run: &Run, players: &[Contestant<'_>; 2]) -> anyhow::Result<u64> {
    let (ids, arena) = (players.each_ref().map(Contestant::id), &run.config.arena);
    let mut games = 0;
    for index in 0..run.rules.listed().len() {
        games += Planned::of(run, arena, ids, index)?.plan.missing().len() as u64;
    }
    Ok(games)
}

/// Returns the visits with which the last checkpoint plays itself.
fn fewer_visits(visits: u32) -> Vec<u32> {
    let mut fewer = vec![visits / 4, 1];
    fewer.retain(|it| (1..visits).contains(it));
    fewer.dedup();
    fewer
}

/// Returns how many games the ladder of a run has, if all its checkpoints are kept.
pub fn ladder_games(config: &RunConfig, rulesets: usize) -> u64 {
    let last = config.training_loop.generations;
    let rungs = rungs(last, config.ladder.checkpoints).len() as u64;
    let others = config.ladder.baselines.len() + fewer_visits(config.arena.visits).len();
    let of_last = if rungs > 0 { others as u64 } else { 0 };
    let matches = rungs * rungs.saturating_sub(1) / 2 + of_last;
    2 * u64::from(config.arena.openings) * rulesets as u64 * matches
}

/// Returns all complete matches of the run in a folder, which need not be open; files that were removed are left out, and
/// [`OutdatedMatches`].
///
/// # Errors
/// If the folder is not that of a run, or a file is damaged.
pub fn matches_of(folder: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<Vec<MatchResult>> {
    let manifest = Manifest::<RunSettings>::read(folder)?;
    let mut read = Vec::new();
    for path in manifest.paths(folder, ARENA) {
        if path.exists() && is_current(&path, &manifest.settings)? {
            read.push(read_match(&path, rules)?);
        }
    }
    Ok(read)
}

/// Returns the files of all matches of the run in a folder but [`OutdatedMatches`]; some may be missing or damaged.
///
/// # Errors
/// If the folder is not that of a run.
pub fn files_of_matches(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let manifest = Manifest::<RunSettings>::read(folder)?;
    let mut paths = manifest.paths(folder, ARENA);
    paths.retain(|path| is_current(path, &manifest.settings).unwrap_or(true));
    Ok(paths)
}

/// Returns the matches in those of some files that can be read.
pub fn readable_matches(files: &[PathBuf], rules: &[Arc<Rules>]) -> Vec<MatchResult> {
    let read = files.iter().map(|path| read_match(path, rules));
    read.filter_map(Result::ok).collect()
}

impl Contestant<'_> {
    fn id(&self) -> &PlayerId {
        match self {
            Self::OfRun(id) => id,
            Self::OfPool(player) => &player.id,
        }
    }

    fn player(&self, run: &Run, config: &MatchConfig) -> anyhow::Result<Arc<Player>> {
        match self {
            Self::OfRun(id) => {
                let mut search = config.match_search(&run.config.search);
                if let PlayerId::Network { visits, .. } = id {
                    search.visits = *visits;
                }
                run.player(id, search)
            }
            Self::OfPool(player) => Ok(Arc::clone(player)),
        }
    }
}

/// A match under one ruleset.
struct Planned {
    path: PathBuf,
    seed: u64,
    /// What is to be played.
    plan: MatchPlan,
    /// The games that were played before: more openings are more of the same.
    known: Vec<GameRecord>,
}

impl Planned {
    fn of(
        run: &Run,
        config: &MatchConfig,
        players: [&PlayerId; 2],
        ruleset: usize,
    ) -> anyhow::Result<Self> {
        let rules = &run.rules.listed()[ruleset];
        let path = file_of(run, players, &rules.ruleset().name)?;
        let known = match run.store().has(&path) {
            true => read_games(&path)?,
            false => Vec::new(),
        };
        let numbers = numbers_of(&run.name, players, ruleset);
        let seed = run.seed(Purpose::Matches, &numbers);
        let mut plan = MatchPlan::default();
        if (known.len() as u64) < 2 * u64::from(config.openings) {
            let (openings, plies) = (config.openings, config.opening_plies);
            plan.openings = distinct_openings(rules, openings, plies, derive_seed(seed, &[0]));
            plan.left_out = known.iter().map(|game| game.game_id).collect();
        }
        Ok(Self {
            path,
            seed,
            plan,
            known,
        })
    }
}

/// Plays what is missing of a match under each ruleset; results are of as many openings as the config says, seen by the first
/// player.
fn play(
    run: &Run,
    config: &MatchConfig,
    players: [&Contestant<'_>; 2],
) -> anyhow::Result<Vec<MatchResult>> {
    let ids = players.map(Contestant::id);
    let mut results = Vec::new();
    for (index, rules) in run.rules.listed().iter().enumerate() {
        let planned = Planned::of(run, config, ids, index)?;
        let path = planned.path.clone();
        if !planned.plan.missing().is_empty() {
            let [first, second] = players.map(|player| player.player(run, config));
            let job = Match {
                config,
                runner: &run.config.runner,
                players: [first?, second?],
                rules,
                seed: planned.seed,
                generation: ids[0].checkpoint().unwrap_or(0),
            };
            play_one(run, &job, planned)?;
        }
        let mut result = read_match(&path, &run.rules)?;
        let games = 2 * u64::from(config.openings);
        result.games.retain(|game| game.record.game_id < games);
        results.push(result);
    }
    Ok(results)
}

/// Returns what tells a match from all others of a run, so that it has openings of its own; runs that differ in their names
/// alone have the same.
fn numbers_of(run: &str, players: [&PlayerId; 2], ruleset: usize) -> Vec<u64> {
    let [first, second] = players.map(PlayerId::order);
    let mut numbers = vec![first, second, ruleset as u64];
    // All networks of elsewhere have one number.
    for player in players.iter().filter(|it| it.order() == u64::MAX) {
        match player {
            PlayerId::Network {
                run: of,
                generation,
                visits,
            } if of == run => numbers.extend([u64::from(*generation), u64::from(*visits)]),
            other => numbers.extend(other.to_string().bytes().map(u64::from)),
        }
    }
    numbers
}

fn play_one(run: &Run, job: &Match<'_>, planned: Planned) -> anyhow::Result<()> {
    let Planned {
        path, plan, known, ..
    } = planned;
    let ids = job.players.each_ref().map(|player| player.id.clone());
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
            now.add_game(record, &ids[0]);
        },
        stop: &run.given_up,
    };
    let mut records = run.timed("matches", || play_match(job, &plan, &watch))?;
    let is_given_up = run.given_up.load(Ordering::Relaxed);
    ensure!(!is_given_up, "a match was given up");
    if !known.is_empty() {
        // A kill from here on loses them, and leaves no file that is another than was entered.
        run.store().remove(std::slice::from_ref(&path))?;
        records.extend(known);
        records.sort_by_key(|record| record.game_id);
    }
    let all: Vec<&GameRecord> = records.iter().collect();
    write_games(&path, &all, &run.rules, &run.provenance(job.generation))?;
    run.store().enter(&[path.as_path()])?;
    let result = MatchResult::of_records(records, ids, job.rules);
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

/// Returns the file of a match by today's settings, which has a name of its own beside one that was played by others.
pub(crate) fn file_of(
    run: &Run,
    players: [&PlayerId; 2],
    ruleset: &str,
) -> anyhow::Result<PathBuf> {
    let plain = run.match_path(players, ruleset);
    if !run.store().has(&plain) || is_current(&plain, &run.store().settings())? {
        return Ok(plain);
    }
    let arena = MatchConfig {
        openings: 1,
        ..run.config.arena.clone()
    };
    let search = arena.match_search(&run.config.search);
    let settings = serde_json::to_string(&(arena, search))?;
    let digits = &sha256_hex(settings.as_bytes())[..8];
    Ok(run.match_path(players, &format!("{ruleset}-{digits}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::{Observer, Silent};
    use crate::run::Begin;
    use crate::stages::learn::create_first_checkpoint;

    /// Returns a run of `smoke.toml` on a small board.
    fn begun(data: &Path, observer: Arc<dyn Observer>) -> Run {
        let smoke = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
        let changes = [
            "rulesets=['brandubh']",
            "precision='f32'",
            "arena.openings=1",
        ];
        let changes = changes.map(|it| it.parse().expect("a change"));
        let loaded = crate::load(&smoke, &changes).expect("a config");
        Run::open(loaded, data, None, Begin::New, observer).expect("a run")
    }

    /// What was told of ladders: games, and whether their time.
    #[derive(Default)]
    struct Told(Mutex<Vec<(u64, bool)>>);

    impl Observer for Told {
        fn noticed(&self, notice: &Notice<'_>) {
            if let Notice::Ladder { games, time } = notice {
                let mut told = self.0.lock().expect("no panic");
                told.push((*games, time.is_some()));
            }
        }
    }

    #[test]
    fn the_time_of_a_ladder_is_told_by_its_first_match_and_nothing_of_one_without_games() {
        let data = tempfile::tempdir().expect("a folder");
        let told = Arc::new(Told::default());
        let observer: Arc<dyn Observer> = told.clone();
        let mut run = begun(data.path(), observer);
        create_first_checkpoint(&run, None).expect("made");
        let mut tells = |checkpoints| {
            run.config.ladder.checkpoints = checkpoints;
            play_ladder(&run).expect("played");
            std::mem::take(&mut *told.0.lock().expect("no panic"))
        };
        assert!(tells(0).is_empty());
        // It meets the random mover and itself with one visit.
        assert_eq!(tells(1), [(4, false), (2, true)]);
        assert!(tells(1).is_empty());
    }

    #[test]
    fn a_checkpoint_that_was_removed_plays_the_pool_no_more() {
        let data = tempfile::tempdir().expect("a folder");
        let run = begun(data.path(), Arc::new(Silent));
        play_pool(&run, 1).expect("nobody plays");
        assert!(!run.has_measured(0, ELO).expect("readable"));
    }

    #[test]
    fn matches_with_different_players_have_different_numbers() {
        let in_run = |run: &str, second: &str| {
            numbers_of(run, [&PlayerId::Checkpoint(3), &PlayerId::from(second)], 1)
        };
        let of = |second: &str| in_run("own", second);
        assert_eq!(of("checkpoint 2"), [3, 2, 1]);
        assert_ne!(of("one 4@100"), of("other 4@100"));
        assert_ne!(of("one 4@100"), of("one 4@1"));
        assert_ne!(of("own 4@100"), of("own 4@1"));
        assert_eq!(of("own 4@100"), in_run("renamed", "renamed 4@100"));
    }
}
