//! Self-play of one generation.

use super::meter::Meter;
use super::played::PlayedGames;
use crate::observer::{Notice, Progress, SelfPlaySummary, Stage, Summary};
use crate::player::evaluator_maker;
use crate::run::Run;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_arena::Tally;
use tafl_dataset::{WrittenGeneration, games_path, read_games, write_generation};
use tafl_play::{Repertoire, Watch, generate_games};
use tafl_samples::{GameRecord, PlayerId, Sample};
use tafl_store::{ShardCount, StoreError, generation_folder};

/// The newest checkpoint plays a generation's games against itself; they and their samples become Parquet files.
pub(crate) fn self_play(run: &Run, generation: u32) -> anyhow::Result<()> {
    let games = run.config.training_loop.games;
    let name = generation_folder(generation);
    if run.store().has(&games_path(run.folder(), generation)) {
        // A kill just after they were entered left it.
        return Ok(run.store().remove_journal(&name)?);
    }
    let (journal, mut records) = run.store().journal::<GameRecord>(&name)?;
    let done: BTreeSet<u64> = records.iter().map(|game| game.game_id).collect();
    let numbers: Vec<u64> = (0..u64::from(games))
        .filter(|it| !done.contains(it))
        .collect();
    let (config, rules) = (&run.config, &run.rules);
    let make = evaluator_maker(run.network(generation)?, config.device, run.compute);
    let before = generation.checked_sub(1);
    let before = before.map(|before| games_path(run.folder(), before));
    let before = match before.filter(|path| path.exists()) {
        Some(path) => read_games(&path)?,
        None => Vec::new(),
    };
    let id = PlayerId::Checkpoint(generation);
    let plan = Arc::new(config.plan(rules, &before, generation, id, make));
    let (stop, failure) = (AtomicBool::new(false), Mutex::new(None::<StoreError>));
    let keep = |game: &GameRecord| {
        if let Err(error) = journal.append(game) {
            stop.store(true, Ordering::Relaxed);
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        }
    };
    let meter = Meter::new();
    let observer = run.observer();
    observer.started(Stage::SelfPlay, Some(games.into()));
    let watch = Watch {
        progress: &|now| {
            meter.see(now);
            let done = done.len() as u64 + now.games_done;
            observer.progressed(Stage::SelfPlay, done, Progress::Games(now));
        },
        finished: &keep,
        stop: &stop,
    };
    let session = config.session(rules);
    let played = run.timed("self_play", || {
        generate_games(&session, &plan, &numbers, &watch)
    })?;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error.into());
    }
    records.extend(played);
    run.record_played(generation, "speed", &meter.take())?;
    let provenance = run.provenance(generation);
    let written = write_generation(run.folder(), &records, rules, &provenance)?;
    let samples = written.samples.len() as u64;
    record(run, generation, &records, &written.samples)?;
    run.keep_times(generation)?;
    // Now the generation's games count as played.
    enter(run, &written, records.len())?;
    journal.remove()?;
    let summary = SelfPlaySummary::of(&records, rules, samples, written.bytes);
    let is_all_capped = summary.is_all_capped();
    observer.finished(Stage::SelfPlay, Some(&Summary::SelfPlay(summary)));
    if is_all_capped {
        observer.noticed(&Notice::AllCapped(config.selfplay.max_plies));
    }
    Ok(())
}

fn enter(run: &Run, written: &WrittenGeneration, games: usize) -> anyhow::Result<()> {
    let count = ShardCount {
        games: games as u64,
        samples: written.samples.len() as u64,
        to_learn: run.replay.positions_to_learn(&written.path)?,
    };
    Ok(run.store().enter_counted(&[(&written.path, Some(count))])?)
}

impl SelfPlaySummary {
    /// Counts games under these rules, their samples, and the bytes of their file.
    pub fn of(games: &[GameRecord], rules: &Repertoire, samples: u64, bytes: u64) -> Self {
        let is_even = |game: &&GameRecord| rules.is_even(game);
        let ended = Tally::of(games);
        let even = Tally::of(games.iter().filter(is_even));
        Self {
            games: games.len() as u64,
            samples,
            bytes,
            ended,
            even: (even != ended && even.games() > 0).then_some(even),
        }
    }

    /// Returns whether no game came to its end.
    pub const fn is_all_capped(&self) -> bool {
        self.games > 0 && self.ended.capped == self.games
    }
}

fn record(
    run: &Run,
    generation: u32,
    games: &[GameRecord],
    samples: &[Sample],
) -> anyhow::Result<()> {
    let mut played = PlayedGames::under(&run.rules);
    played.add(games, samples);
    run.record_played(generation, "selfplay", &played.values())
}
