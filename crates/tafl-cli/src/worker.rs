//! A worker: self-play without an end, in shards, by the newest checkpoint.
//!
//! One thread for each of `selfplay.workers` plays; the thread that is here takes their finished games, writes shards,
//! and looks for newer checkpoints. A newer one waits until the games of the one before are played to their ends.

mod location;
mod shard;

use crate::config::RunConfig;
use crate::players;
use crate::progress::{Progress, thousands};
use crate::seat::Seat;
use crate::stages::{Ended, rate};
use location::{Checkpoint, Location};
use shard::{Sealed, Shard, Store};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use tafl_dataset::{Provenance, sha256_hex};
use tafl_network::{Compute, Network};
use tafl_rules::Rules;
use tafl_samples::GameRecord;
use tafl_selfplay::{Generation, Stream, derive_seed, stream_games};

/// Time between two looks for a newer checkpoint.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// Time after which a wish to end is seen at the latest.
const PAUSE: Duration = Duration::from_millis(100);

/// Games that may wait to be written before those who play wait too.
const QUEUE: usize = 64;

/// Begins what the numbers of a worker's games are derived from; above all numbers of generations.
const WORKERS: u64 = 1 << 41;

/// What a worker is asked to do.
pub(crate) struct Order<'a> {
    pub(crate) config: &'a RunConfig,
    pub(crate) rules: &'a [Arc<Rules>],
    /// Where checkpoints come from; an untrained network plays without it.
    pub(crate) checkpoint: Option<&'a Path>,
    /// Whether to wait for the first checkpoint.
    pub(crate) wait: bool,
    /// Where shards go.
    pub(crate) out: &'a Path,
    /// The worker's name.
    pub(crate) name: &'a str,
    /// Games in a full shard.
    pub(crate) shard_games: u32,
    /// Games after which the worker ends.
    pub(crate) games: Option<u64>,
    /// Set by whoever wants the worker to end.
    pub(crate) asked: &'a AtomicBool,
}

/// What a worker wrote.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Written {
    pub(crate) games: u64,
    pub(crate) samples: u64,
    pub(crate) shards: u64,
}

/// What plays until a newer checkpoint comes.
struct Player {
    network: Network,
    provenance: Provenance,
}

/// A worker at work.
struct Worker<'a> {
    order: &'a Order<'a>,
    store: Store,
    location: Option<Location>,
    compute: Compute,
    config_sha256: String,
    /// A random number that no other process has.
    start: u64,
    written: Written,
}

/// Plays and writes shards until there are enough games, or until asked to end.
pub(crate) fn work(order: &Order<'_>) -> anyhow::Result<Written> {
    let start = rand::random();
    let store = Store::open(order.out, order.name, start, order.rules)?;
    for shard in store.take_over()? {
        say(&format!(
            "left by a killed worker: {}",
            line_of_shard(&shard)
        ));
    }
    let config_sha256 = sha256_hex(toml::to_string(order.config)?.as_bytes());
    let mut location = order
        .checkpoint
        .map(|path| Location::new(path, &order.rules[0]));
    let first = match &mut location {
        None => Some(untrained(order.config, order.rules, &config_sha256)),
        Some(location) => first_checkpoint(order, location)?.map(|it| player(it, &config_sha256)),
    };
    let Some(mut current) = first else {
        return Ok(Written::default());
    };
    let config = order.config;
    let mut worker = Worker {
        order,
        store,
        location,
        compute: players::prepare(config.device, config.precision, &current.network)?,
        config_sha256,
        start,
        written: Written::default(),
    };
    worker.introduce();
    let mut session = 0;
    while worker.games_left() != Some(0) && !worker.is_asked() {
        match worker.play(current, session)? {
            Some(next) => current = next,
            None => break,
        }
        session += 1;
    }
    Ok(worker.written)
}

/// Returns the first checkpoint; `None` if the worker was asked to end while it waited for it.
fn first_checkpoint(
    order: &Order<'_>,
    location: &mut Location,
) -> anyhow::Result<Option<Checkpoint>> {
    let mut has_said = false;
    while !order.asked.load(Ordering::Relaxed) {
        match location.first(&say)? {
            Some(checkpoint) => {
                say(&line_of_player(&checkpoint));
                return Ok(Some(checkpoint));
            }
            None if !order.wait => return Err(location.is_empty()),
            None => {}
        }
        if !has_said {
            say("waiting for the first checkpoint");
            has_said = true;
        }
        thread::sleep(PAUSE);
    }
    Ok(None)
}

fn player(checkpoint: Checkpoint, config_sha256: &str) -> Player {
    let from = checkpoint.card.provenance;
    Player {
        network: checkpoint.network,
        provenance: Provenance {
            run: from.run,
            generation: from.generation,
            checkpoint: Seat::Checkpoint(from.generation).to_string(),
            config_sha256: config_sha256.to_owned(),
        },
    }
}

fn untrained(config: &RunConfig, rules: &[Arc<Rules>], config_sha256: &str) -> Player {
    Player {
        network: players::untrained(config, rules),
        provenance: Provenance {
            run: config.name.clone(),
            generation: 0,
            checkpoint: "untrained".to_owned(),
            config_sha256: config_sha256.to_owned(),
        },
    }
}

fn say(line: &str) {
    eprintln!("{line}");
}

fn line_of_player(checkpoint: &Checkpoint) -> String {
    let from = &checkpoint.card.provenance;
    let seat = Seat::Checkpoint(from.generation);
    format!("{seat} of {}: {}", from.run, checkpoint.folder.display())
}

fn line_of_shard(shard: &Sealed) -> String {
    let size = shard.samples_bytes.checked_div(shard.samples).unwrap_or(0);
    let (games, samples) = (
        thousands(shard.games.len() as u64),
        thousands(shard.samples),
    );
    let (ended, name) = (Ended::of(&shard.games), &shard.name);
    format!("{games} games, {samples} samples ({size} bytes each): {ended}: {name}")
}

impl Worker<'_> {
    fn introduce(&self) {
        let Order {
            config, rules, out, ..
        } = self.order;
        let names: Vec<&str> = rules
            .iter()
            .map(|rules| rules.ruleset().name.as_str())
            .collect();
        eprintln!(
            "worker {}: {} on {size}x{size}, {} in {}, shards of {} games to {}",
            self.order.name,
            names.join(", "),
            config.device,
            self.compute,
            self.order.shard_games,
            out.display(),
            size = rules[0].shape().size(),
        );
    }

    fn is_asked(&self) -> bool {
        self.order.asked.load(Ordering::Relaxed)
    }

    /// Returns how many games are left to play; `None` where there is no end.
    fn games_left(&self) -> Option<u64> {
        let games = self.order.games?;
        Some(games.saturating_sub(self.written.games))
    }

    /// Plays games of one player until a newer one is there, which is returned, or until the end.
    fn play(&mut self, player: Player, session: u64) -> anyhow::Result<Option<Player>> {
        let Order { config, rules, .. } = *self.order;
        let provenance = player.provenance;
        let job = Generation {
            config: &config.selfplay,
            search: &config.search,
            rules,
            run_seed: config.seed,
            generation: provenance.generation,
            player: &provenance.checkpoint,
            done: &BTreeSet::new(),
        };
        // Half of all numbers, since not everyone reads the other half as positive.
        let first = derive_seed(config.seed, &[WORKERS, self.start, session]) >> 1;
        let numbers = first..first.saturating_add(self.games_left().unwrap_or(1 << 62));
        let make_evaluator = players::evaluator_maker(player.network, config.device, self.compute);
        let progress = Progress::new("self-play", "games", self.games_left());
        let begun = self.store.begin(&provenance)?;
        let (sender, receiver) = sync_channel(QUEUE);
        let ends = Ends::default();
        let play = || {
            // Dropped when playing ends, which is how the intake knows.
            let sender = sender;
            let stream = Stream {
                progress: &|now| progress.show(now.games_done, || rate(now, progress.elapsed())),
                // Nobody listens any more once writing has failed.
                finished: &|game| drop(sender.send(game)),
                last: &ends.last,
                stop: &ends.stop,
            };
            stream_games(&job, numbers, &*make_evaluator, &stream)
        };
        let (next, played) = thread::scope(|scope| {
            let playing = scope.spawn(play);
            let mut intake = Intake {
                worker: self,
                provenance: &provenance,
                shard: Some(begun),
                progress: &progress,
            };
            let next = intake.take_all(receiver, &ends);
            ends.stop.store(true, Ordering::Relaxed);
            (next, playing.join())
        });
        progress.clear();
        let next = next?;
        played.expect("panics of those who play are caught")?;
        Ok(next)
    }
}

/// How those who play are told to end.
#[derive(Debug, Default)]
struct Ends {
    /// With the games in progress.
    last: AtomicBool,
    /// Without them.
    stop: AtomicBool,
}

/// Takes the games of one player as they end.
struct Intake<'a, 'w> {
    worker: &'a mut Worker<'w>,
    provenance: &'a Provenance,
    shard: Option<Shard>,
    progress: &'a Progress,
}

impl Intake<'_, '_> {
    /// Writes all games; returns the newer player, if one came.
    fn take_all(
        &mut self,
        games: Receiver<GameRecord>,
        ends: &Ends,
    ) -> anyhow::Result<Option<Player>> {
        let mut next = None;
        let mut looked = Instant::now();
        loop {
            match games.recv_timeout(PAUSE) {
                Ok(game) => self.add(game)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.worker.is_asked() {
                ends.stop.store(true, Ordering::Relaxed);
            } else if next.is_none() && looked.elapsed() >= LOOK_INTERVAL {
                next = self.newer();
                looked = Instant::now();
                ends.last.store(next.is_some(), Ordering::Relaxed);
            }
        }
        if let Some(shard) = self.shard.take() {
            self.seal(shard)?;
        }
        Ok(next)
    }

    fn add(&mut self, game: GameRecord) -> anyhow::Result<()> {
        let mut shard = match self.shard.take() {
            Some(shard) => shard,
            None => self.worker.store.begin(self.provenance)?,
        };
        shard.add(game)?;
        if shard.games.len() < self.worker.order.shard_games as usize {
            self.shard = Some(shard);
            return Ok(());
        }
        self.seal(shard)
    }

    fn seal(&mut self, shard: Shard) -> anyhow::Result<()> {
        let Some(sealed) = self.worker.store.seal(shard)? else {
            return Ok(());
        };
        let written = &mut self.worker.written;
        written.shards += 1;
        written.games += sealed.games.len() as u64;
        written.samples += sealed.samples;
        self.progress
            .say(&format!("  shard      {}", line_of_shard(&sealed)));
        Ok(())
    }

    fn newer(&mut self) -> Option<Player> {
        let say = |line: &str| self.progress.say(line);
        let checkpoint = self.worker.location.as_mut()?.newer(&say)?;
        say(&line_of_player(&checkpoint));
        Some(player(checkpoint, &self.worker.config_sha256))
    }
}
