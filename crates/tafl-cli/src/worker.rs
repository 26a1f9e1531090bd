//! A worker: self-play without an end, in shards, by the newest checkpoint.
//!
//! One thread for each of `selfplay.workers` plays; the thread that is here takes their finished games, writes shards,
//! and looks for newer checkpoints. A newer one plays the games that begin from then on, while those of the ones before
//! (of at most two at a thread) are played to their ends; each has a shard of its own.

mod intake;
mod location;
mod shard;

use crate::config::RunConfig;
use crate::players;
use crate::progress::{Progress, thousands};
use crate::seat::Seat;
use crate::stages::{Ended, rate};
use intake::Intake;
use location::{Checkpoint, Location};
pub(crate) use shard::is_shard_of;
use shard::{Sealed, Store};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tafl_dataset::{Provenance, sha256_hex};
use tafl_network::{Compute, Network};
use tafl_rules::Rules;
use tafl_samples::GameRecord;
use tafl_selfplay::{Contender, Course, Lineup, Session, Stream, derive_seed, stream_games};

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
    /// Set while the worker is to rest.
    pub(crate) rest: &'a AtomicBool,
    /// Whether a line is printed for each shard.
    pub(crate) shows_shards: bool,
}

/// What a worker wrote.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Written {
    pub(crate) games: u64,
    pub(crate) samples: u64,
    pub(crate) shards: u64,
}

/// A network that plays, and one that it meets now and then.
struct Player {
    network: Network,
    provenance: Provenance,
    past: Option<Checkpoint>,
}

/// Who plays now; asked by those who play.
type Current = Mutex<Arc<Lineup<'static>>>;

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
        Some(location) => {
            let first = first_checkpoint(order, location)?;
            first.map(|it| player(order.config, (it, location), &config_sha256, &say))
        }
    };
    let Some(first) = first else {
        return Ok(Written::default());
    };
    let config = order.config;
    let mut worker = Worker {
        order,
        store,
        location,
        compute: players::prepare(config.device, config.precision, &first.network)?,
        config_sha256,
        start,
        written: Written::default(),
    };
    worker.introduce();
    if order.games != Some(0) {
        worker.play(first)?;
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

fn player(
    config: &RunConfig,
    (checkpoint, location): (Checkpoint, &mut Location),
    config_sha256: &str,
    say: &dyn Fn(&str),
) -> Player {
    let from = checkpoint.card.provenance;
    let past = match config.selfplay.past_opponent_fraction > 0.0 {
        true => location.draw_past(rand::random(), say),
        false => None,
    };
    Player {
        network: checkpoint.network,
        past,
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
        past: None,
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

    /// Plays until there are enough games or the worker is asked to end, by newer and newer checkpoints.
    fn play(&mut self, first: Player) -> anyhow::Result<()> {
        let order = self.order;
        // Half of all numbers, since not everyone reads the other half as positive.
        let number = derive_seed(order.config.seed, &[WORKERS, self.start]) >> 1;
        let session = Session {
            rules: order.rules,
            run_seed: order.config.seed,
            numbers: number..number.saturating_add(order.games.unwrap_or(1 << 62)),
        };
        let progress = Progress::new("self-play", "games", order.games);
        let (stop, rest) = (AtomicBool::new(false), order.rest);
        let (sender, receiver) = sync_channel(QUEUE);
        let provenance = first.provenance.clone();
        let mut latest = intake::latest_games(order.out)?;
        let first = self.lineup(0, first, latest.make_contiguous());
        let current = Mutex::new(Arc::clone(&first));
        let current = &current;
        let play = || {
            // Dropped when playing ends, which is how the intake knows.
            let sender = sender;
            let stream = Stream {
                progress: &|now| progress.show(now.games_done, || rate(now, progress.elapsed())),
                // Nobody listens any more once writing has failed.
                finished: &|game, number| drop(sender.send((game, number))),
                rest,
                last: &AtomicBool::new(false),
                stop: &stop,
            };
            stream_games(&session, &|| now(current), &stream)
        };
        let (taken, played) = thread::scope(|scope| {
            let playing = scope.spawn(play);
            let taken = Intake::new(self, current, &progress, latest)
                .begin(first, provenance)
                .and_then(|mut intake| intake.take_all(&receiver, &stop));
            stop.store(true, Ordering::Relaxed);
            // Whoever waits for a place in the queue is to see it too.
            drop(receiver);
            (taken, playing.join())
        });
        progress.clear();
        taken?;
        played.expect("panics of those who play are caught")?;
        Ok(())
    }

    /// Returns who plays from now on; `before` are the games of this worker that the last one played.
    fn lineup(&self, number: u64, player: Player, before: &[GameRecord]) -> Arc<Lineup<'static>> {
        let config = self.order.config;
        let generation = player.provenance.generation;
        let contender = |name, network| -> Contender<'static> {
            players::self_player(name, network, config.device, self.compute)
        };
        let past = player.past.map(|past| {
            let seat = Seat::Checkpoint(past.card.provenance.generation);
            contender(seat.to_string(), past.network)
        });
        Arc::new(Lineup {
            number,
            generation,
            config: config.selfplay.clone(),
            search: config.selfplay.search_of(&config.search, generation),
            course: Course::after(
                &config.selfplay,
                self.order.rules,
                generation,
                before.iter(),
            ),
            newest: contender(player.provenance.checkpoint, player.network),
            past,
        })
    }
}

fn now(current: &Current) -> Arc<Lineup<'static>> {
    let current = current.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(&current)
}
