//! A worker: endless self-play in shards, by the newest checkpoint.
//!
//! One thread for each of `runner.workers` plays; the thread that is here takes their finished games, writes shards,
//! and looks for newer checkpoints. A newer one goes on with the games in progress from their next ply. A game's shard is
//! that of the checkpoint it began with; its samples name the one that searched.

mod games;
mod left_out;
mod location;
mod names;
mod place;
mod shard;
mod status;

use crate::config::{RUN_CONFIG, RunConfig};
use crate::error::WorkerError;
use crate::found_rules::{Learned, keep_rules};
use crate::memory::Memory;
use crate::observer::{Notice, Observer, Progress, Stage};
use crate::player;
use games::Playing;
pub use left_out::put_aside;
pub(crate) use left_out::{misplaced, purged, tell_put_aside};
use location::{Checkpoint, Location};
pub use names::WORKER;
pub(crate) use names::{WORKER_FOLDERS, any_games, is_of, is_shard_of, one_of};
pub(crate) use place::check_apart;
pub use place::learning_run;
use place::{check_purged, check_there, has_ended, run_to_come, tell_differences};
use shard::ShardFolder;
use status::StatusFile;
pub use status::{WorkerReport, WorkerState, WorkerStatus, others, purge, tell_ended, workers};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tafl_config::Difference;
use tafl_dataset::Provenance;
use tafl_network::Compute;
use tafl_play::{Repertoire, SelfplayPlan, Stream, Throughput, stream_games};
use tafl_samples::{GameRecord, PlayerId, derive_seed};
use tafl_store::sha256_hex;

/// Longest time until a stop request is noticed.
const PAUSE: Duration = Duration::from_millis(100);

/// Games that may wait to be written before the playing threads wait too.
const QUEUE: usize = 64;

/// Begins what the numbers of a worker's games are derived from; above all numbers of generations.
const WORKERS: u64 = 1 << 41;

/// The job of a worker.
pub struct WorkerJob<'a> {
    /// How games are played.
    pub config: &'a RunConfig,
    /// The rules of the games.
    pub rules: &'a Repertoire,
    /// Where checkpoints come from; without it those of the run that learns from the games play, else an untrained network.
    pub checkpoint: Option<&'a Path>,
    /// Whether to wait for the run and for the first checkpoint.
    pub wait: bool,
    /// Where shards go.
    pub out: &'a Path,
    /// The worker's name.
    pub name: &'a str,
    /// Games in a full shard.
    pub shard_games: u32,
    /// Time after its first game at which a shard is written, full or not.
    pub shard_time: Option<Duration>,
    /// Games after which the worker ends.
    pub games: Option<u64>,
    /// Set to end the worker.
    pub asked: &'a AtomicBool,
    /// Set while the worker must pause.
    pub rest: &'a AtomicBool,
    /// Receives its progress.
    pub observer: &'a dyn Observer,
    /// Receives the numbers of its games, after every batch.
    pub follow: &'a (dyn Fn(Throughput) + Sync),
}

/// What a worker wrote.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkerSummary {
    /// Games.
    pub games: u64,
    /// Samples of them.
    pub samples: u64,
    /// Files of games.
    pub shards: u64,
}

/// How new games are played; read by the playing threads.
type Current = Mutex<Arc<SelfplayPlan>>;

struct Worker<'a> {
    job: &'a WorkerJob<'a>,
    shards: ShardFolder,
    location: Option<Location>,
    /// The run that learns from the games.
    learner: Option<PathBuf>,
    compute: Compute,
    config_sha256: String,
    /// A random number that no other process has.
    start: u64,
    summary: WorkerSummary,
    /// Plans that have games in progress, the newest last.
    playing: Vec<Playing>,
    /// Plans so far.
    plans: u64,
    /// The latest games of all players, on which the next plan depends.
    latest: VecDeque<GameRecord>,
    /// Samples in shards that were written, less what the checkpoints needed that came meanwhile.
    ahead: u64,
    /// When it was said that there are too many of them.
    rests_since: Option<Instant>,
    /// In what the run's config was said to differ from the worker's.
    told: Vec<Difference>,
    /// Whether it was said that the run puts games of this worker aside.
    has_told: bool,
    /// Whether the run has got its last checkpoint meanwhile, so that no more games are needed.
    has_ended: bool,
    status: StatusFile,
}

/// Plays and writes shards until there are enough games, or until stopped.
///
/// # Errors
/// If there is no checkpoint that can be used, a player fails, or shards cannot be written; finished games are kept.
pub fn work(job: &WorkerJob<'_>) -> anyhow::Result<WorkerSummary> {
    Memory::of(job.config, job.rules[0].shape(), false).check(job.observer)?;
    // One that only writes what others left may come while they play.
    let plays = job.games != Some(0);
    if plays && !awaits_run(job)? {
        return Ok(WorkerSummary::default());
    }
    let learner = place::learner(job.out, job.rules)?;
    let mut told = Vec::new();
    if let Some(run) = &learner {
        check_purged(job, &run.folder)?;
        tell_differences(job.config, &run.config, &mut told, job.observer)?;
    }
    let learner = learner.map(|run| run.folder);
    let from = job.checkpoint.or(learner.as_deref());
    if from.is_none() && job.wait {
        return Err(WorkerError::NothingToWaitFor(job.out.to_owned()).into());
    }
    let mut location = from.map(|path| Location::new(path, &job.rules[0]));
    if plays {
        status::check_own(job.out, job.name)?;
    }
    let start = rand::random();
    let shards = ShardFolder::open(job.out, job.name, start, job.rules)?;
    let _lock = plays.then(|| place::take_name(job)).transpose()?;
    for written in shards.take_over()? {
        job.observer.noticed(&written.notice(true));
    }
    if !plays && let Ok(_lock) = place::take_name(job) {
        // The process that said otherwise was killed.
        tell_ended(job.out, job.name);
    }
    let config_sha256 = sha256_hex(tafl_config::show(job.config)?.as_bytes());
    let Some(first) = first_checkpoint(job, location.as_mut())? else {
        return Ok(WorkerSummary::default());
    };
    if has_ended(job, learner.as_deref(), location.as_ref()) {
        let other = from.filter(|_| learner.is_none());
        let ended = other.map_or(Notice::RunEnded, Notice::OtherRunEnded);
        job.observer.noticed(&ended);
        return Ok(WorkerSummary::default());
    }
    if let Some(learner) = learner.as_ref().filter(|_| location.is_some()) {
        place::tell_other_run(&first, learner, job.observer)?;
    }
    let config = job.config;
    let mut worker = Worker {
        job,
        shards,
        location,
        learner,
        compute: player::prepare(config.device, config.precision, &first.network)?,
        config_sha256,
        start,
        summary: WorkerSummary::default(),
        playing: Vec::new(),
        plans: 0,
        latest: VecDeque::new(),
        ahead: 0,
        rests_since: None,
        told,
        has_told: false,
        has_ended: false,
        status: StatusFile::new(job.out, job.name, &first.id.to_string()),
    };
    let text = about(job, worker.compute);
    job.observer.noticed(&Notice::Begun(&text));
    if plays {
        worker.play(first)?;
    }
    Ok(worker.summary)
}

/// Returns which worker plays what, and how.
fn about(job: &WorkerJob<'_>, compute: Compute) -> String {
    let names = job.rules.listed().iter().map(|it| &*it.ruleset().name);
    let names = names.collect::<Vec<_>>().join(", ");
    let (name, games, out) = (job.name, job.shard_games, job.out.display());
    let size = job.rules[0].shape().size();
    format!(
        "worker {name}: {names} on {size}x{size}, in {compute}, shards of {games} games to {out}"
    )
}

/// Waits for the run that the folder is for by its name; returns whether it is there, if there is to be one.
///
/// Games from before it would be those of another network, and lie where it cannot begin.
fn awaits_run(job: &WorkerJob<'_>) -> anyhow::Result<bool> {
    // A run that begins has its config last.
    let begins = || -> anyhow::Result<Option<PathBuf>> {
        let run = learning_run(job.out)?.filter(|_| job.wait);
        Ok(run.filter(|run| !run.join(RUN_CONFIG).is_file()))
    };
    let Some(run) = run_to_come(job.out)?.map_or_else(begins, |run| Ok(Some(run)))? else {
        return Ok(true);
    };
    if !job.wait {
        return Err(WorkerError::NoRunYet(run).into());
    }
    job.observer.noticed(&Notice::WaitingForRun(&run));
    while !run.join(RUN_CONFIG).is_file() {
        if job.asked.load(Ordering::Relaxed) {
            return Ok(false);
        }
        thread::sleep(PAUSE);
    }
    Ok(true)
}

/// Returns the first checkpoint, an untrained one where none is looked for; `None` if the worker was stopped while it waited.
fn first_checkpoint(
    job: &WorkerJob<'_>,
    location: Option<&mut Location>,
) -> anyhow::Result<Option<Checkpoint>> {
    let Some(location) = location else {
        job.observer.noticed(&Notice::Untrained);
        return Ok(Some(Checkpoint {
            network: player::untrained(job.config, job.rules),
            id: PlayerId::Other("untrained".to_owned()),
            run: job.config.name.clone(),
            generation: 0,
            learned: Learned::default(),
            weights_sha256: None,
        }));
    };
    let mut has_said = false;
    while !job.asked.load(Ordering::Relaxed) {
        match location.first(job.observer)? {
            Some(checkpoint) => return Ok(Some(checkpoint)),
            None if !job.wait => {
                return Err(WorkerError::NoCheckpoint(location.path.clone()).into());
            }
            None => {}
        }
        if !has_said {
            job.observer.noticed(&Notice::WaitingForCheckpoint);
            has_said = true;
        }
        thread::sleep(PAUSE);
    }
    Ok(None)
}

impl Worker<'_> {
    /// Plays until there are enough games or the worker is asked to end, by newer and newer checkpoints.
    fn play(&mut self, first: Checkpoint) -> anyhow::Result<()> {
        let job = self.job;
        if self.learner.is_none() {
            keep_rules(job.out, job.rules)?;
            let player = (&*first.run, first.generation);
            let rules = job.rules.listed();
            first.learned.tell_doubts(player, rules, job.observer);
        }
        let session = job.config.session(job.rules);
        // Half of all numbers, since not everyone reads the other half as positive.
        let number = derive_seed(job.config.seed, &[WORKERS, self.start]) >> 1;
        let numbers = number..number.saturating_add(job.games.unwrap_or(1 << 62));
        job.observer.started(Stage::SelfPlay, job.games);
        let (stop, rest) = (AtomicBool::new(false), AtomicBool::new(false));
        let (sender, receiver) = sync_channel(QUEUE);
        self.latest = games::latest_games(job.out)?;
        let mut first = self.plan(first);
        first.shard = Some(self.shards.begin(&first.provenance)?);
        let current = &Mutex::new(Arc::clone(&first.plan));
        self.playing.push(first);
        let play = || {
            // Dropped when playing ends, which is how the other thread knows.
            let sender = sender;
            let stream = Stream {
                progress: &|now| {
                    (job.follow)(now);
                    let games = Progress::Games(now);
                    job.observer
                        .progressed(Stage::SelfPlay, now.games_done, games);
                },
                // Nobody listens any more once writing has failed.
                finished: &|game, number| drop(sender.send((game, number))),
                rest: &rest,
                stop: &stop,
            };
            stream_games(&session, numbers, &|| now(current), &stream)
        };
        let (taken, played) = thread::scope(|scope| {
            let playing = scope.spawn(play);
            let taken = self.take_all(&receiver, current, &stop, &rest);
            stop.store(true, Ordering::Relaxed);
            // A thread that waits for a place in the queue must see it too.
            drop(receiver);
            (taken, playing.join())
        });
        job.observer.finished(Stage::SelfPlay, None);
        taken?;
        played.expect("panics of those who play are caught")?;
        Ok(())
    }

    /// Returns how games are played that begin now.
    fn plan(&mut self, from: Checkpoint) -> Playing {
        let (config, generation) = (self.job.config, from.generation);
        let provenance = Provenance {
            run: from.run,
            generation,
            checkpoint: from.id.to_string(),
            config_sha256: self.config_sha256.clone(),
            weights_sha256: from.weights_sha256,
        };
        let make = player::evaluator_maker(from.network, config.device, self.compute);
        let before = self.latest.make_contiguous();
        let plan = config.plan(self.job.rules, before, generation, from.id, make);
        let number = self.plans;
        self.plans += 1;
        Playing {
            plan: Arc::new(SelfplayPlan { number, ..plan }),
            provenance,
            shard: None,
        }
    }
}

fn now(current: &Current) -> Arc<SelfplayPlan> {
    let current = current.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(&current)
}
