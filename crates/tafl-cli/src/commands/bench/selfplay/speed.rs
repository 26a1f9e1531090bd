//! The speed of self-play beside that of its network alone.

use anyhow::{Context, ensure};
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tafl_network::{Compute, Device, Inference, InferenceTimes, Network};
use tafl_play::{
    MakeEvaluator, Player, Repertoire, SelfplayPlan, Throughput, Watch, generate_games,
    random_game, worker_count,
};
use tafl_rules::{Game, Move};
use tafl_samples::{PlayerId, derive_seed};
use tafl_search::{
    Evaluation, Evaluator, Leaf, SearchTimes, start_search_clock, stop_search_clock,
};
use tafl_training::{Loaded, RunConfig, load_network, prepare};

/// How fast self-play is, and where the time of its workers goes.
#[derive(Debug, Serialize)]
pub(super) struct SelfplaySpeed {
    /// Blocks and channels, such as `6x64`.
    pub(super) network: String,
    pub(super) device: String,
    pub(super) precision: String,
    pub(super) workers: usize,
    /// Games of a worker, the largest batch.
    pub(super) batch: u32,
    pub(super) visits: u32,
    /// Positions a second that the forward passes of all workers evaluate by themselves.
    pub(super) raw_evaluations_per_s: f64,
    /// Positions a second that the network evaluated in self-play.
    pub(super) evaluations_per_s: f64,
    /// The second by the first.
    pub(super) utilization: f64,
    /// Leaves a second, known ones included.
    pub(super) visits_per_s: f64,
    /// Training samples a second.
    pub(super) positions_per_s: f64,
    pub(super) plies_per_s: f64,
    /// Games an hour, by the length of those that ended.
    pub(super) games_per_h: f64,
    /// Leaves in a batch as a share of the games of a worker.
    pub(super) batch_fill: f64,
    /// Leaves whose evaluation was in the cache, as a share of all.
    pub(super) cache_hit_rate: f64,
    pub(super) phases: Phases,
}

/// Shares of the workers' time, in percent.
#[derive(Debug, Serialize)]
pub(super) struct Phases {
    /// The network.
    pub(super) forward: f64,
    /// Positions to tensors.
    pub(super) encode: f64,
    /// Tensors to evaluations.
    pub(super) read: f64,
    /// Moves and positions.
    pub(super) rules: f64,
    /// New nodes of the trees.
    pub(super) expand: f64,
    /// Values up the trees.
    pub(super) back_up: f64,
    /// Walking down the trees, choosing and recording plies, the cache.
    pub(super) select: f64,
}

/// Measures self-play for the given seconds, after a warm-up of a fifth of that, and the forward pass alone before and
/// after it for a quarter of them; with a checkpoint, or else an untrained network, on the config's device unless
/// another is given.
pub(super) fn selfplay_speed(
    loaded: &Loaded,
    checkpoint: Option<&Path>,
    device: Option<Device>,
    seconds: f64,
) -> anyhow::Result<SelfplaySpeed> {
    let (config, rules) = (&loaded.config, &loaded.rules);
    let network = match checkpoint {
        Some(folder) => load_network(folder, &rules[0])?.0,
        None => Network::new(config.network, rules[0].shape(), config.seed),
    };
    let network = &network;
    let device = device.unwrap_or(config.device);
    let compute = prepare(device, config.precision, network)?;
    let job = Job {
        config,
        rules,
        network,
        device,
        compute,
        workers: worker_count(config.runner.workers),
    };
    let before = job.raw_forward(seconds / 4.0)?;
    let played = job.play(seconds)?;
    let after = job.raw_forward(seconds / 4.0)?;
    Ok(job.report(f64::midpoint(before, after), &played))
}

/// What is measured.
struct Job<'a> {
    config: &'a RunConfig,
    rules: &'a Repertoire,
    network: &'a Network,
    device: Device,
    compute: Compute,
    workers: usize,
}

/// What self-play came to in the time that was measured.
struct Played {
    seconds: f64,
    /// The counts at its begin and at its end.
    span: [Throughput; 2],
    times: Times,
}

/// Where the time of all workers went.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    all: Duration,
    inference: InferenceTimes,
    search: SearchTimes,
}

impl Job<'_> {
    /// Returns evaluations a second of all workers together, with positions of random games.
    fn raw_forward(&self, seconds: f64) -> anyhow::Result<f64> {
        let rate = |worker: usize| -> anyhow::Result<f64> {
            let mut inference = Inference::new(self.network, self.device, self.compute)?;
            let games = self.positions(worker as u64);
            let moves: Vec<Vec<Move>> = games.iter().map(legal).collect();
            let leaves: Vec<Leaf<'_>> = games
                .iter()
                .zip(&moves)
                .map(|(game, moves)| Leaf::new(game, moves))
                .collect();
            Ok(inference.raw_forward_of(&leaves, seconds)?)
        };
        std::thread::scope(|scope| {
            let workers = (0..self.workers).map(|worker| scope.spawn(move || rate(worker)));
            let workers: Vec<_> = workers.collect();
            let rates = workers.into_iter().map(|worker| {
                let failed = |_| Err(anyhow::anyhow!("a worker failed"));
                worker.join().unwrap_or_else(failed)
            });
            rates.sum()
        })
    }

    /// Returns as many positions as a batch holds, from random games that are not over.
    fn positions(&self, worker: u64) -> Vec<Game> {
        let seeds = (0..).map(|index| derive_seed(self.config.seed, &[99, worker, index]));
        let games = seeds.zip(self.rules.iter().cycle()).map(|(seed, rules)| {
            let plies = (seed % 80) as u32;
            random_game(rules, plies, seed)
        });
        games
            .filter(|game| game.outcome().is_none())
            .take(self.config.runner.parallel_games as usize)
            .collect()
    }

    /// Plays for a fifth of the time, then for the time.
    fn play(&self, seconds: f64) -> anyhow::Result<Played> {
        let [warm_up, end] = [0.2, 1.2].map(|share| Duration::from_secs_f64(share * seconds));
        let begun = Instant::now();
        let totals = Arc::new(Mutex::new(Times::default()));
        let (stop, marks) = (AtomicBool::new(false), Mutex::new(Vec::new()));
        let progress = |now: Throughput| {
            let elapsed = begun.elapsed();
            if elapsed >= warm_up {
                let mut marks = lock(&marks);
                marks.truncate(1);
                marks.push((elapsed, now));
            }
            if elapsed >= end {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let (network, device, compute) = (self.network.clone(), self.device, self.compute);
        let all = Arc::clone(&totals);
        let make: MakeEvaluator = Arc::new(move |_| {
            let inference = Inference::new(&network, device, compute)?;
            start_search_clock();
            Ok(Box::new(Timed {
                inference,
                begun: Instant::now(),
                totals: all.clone(),
            }))
        });
        let id = PlayerId::Other("bench".to_owned());
        // Alpha-beta plays the games before.
        let entries = self.config.selfplay.uneven.iter();
        let generation = entries.map(|it| it.generations).max().unwrap_or(0);
        let player = Arc::new(Player::network(id, self.config.search.clone(), make));
        let (config, listed) = (&self.config.selfplay, self.rules.listed());
        let plan = Arc::new(SelfplayPlan::after(&[], config, listed, generation, player));
        // More games than anyone can play in the time, so that no batch shrinks towards an end.
        let numbers: Vec<u64> = (0..1_000_000).collect();
        let watch = Watch {
            progress: &progress,
            stop: &stop,
            ..Watch::default()
        };
        let session = self.config.session(self.rules);
        generate_games(&session, &plan, &numbers, &watch).context("self-play")?;
        let times = *lock(&totals);
        let marks = marks.into_inner().unwrap_or_default();
        let [(first, from), (last, to)] = marks[..] else {
            anyhow::bail!("fewer than two batches in {seconds} s; use a longer time");
        };
        ensure!(last > first, "one batch only; use a longer time");
        Ok(Played {
            seconds: (last - first).as_secs_f64(),
            span: [from, to],
            times,
        })
    }

    fn report(&self, raw: f64, played: &Played) -> SelfplaySpeed {
        let [from, to] = played.span;
        let count = |of: fn(&Throughput) -> u64| of(&to) - of(&from);
        let per_s = |count: u64| count as f64 / played.seconds;
        let [evaluations, cache_hits] = [count(|it| it.evaluations), count(|it| it.cache_hits)];
        let [plies, games] = [count(|it| it.plies), count(|it| it.games_done)];
        let leaves = evaluations + cache_hits;
        let places = count(|it| it.batches) * u64::from(self.config.runner.parallel_games);
        let size = self.network.architecture().network;
        SelfplaySpeed {
            network: format!("{}x{}", size.blocks, size.channels),
            device: self.device.to_string(),
            precision: self.compute.to_string(),
            workers: self.workers,
            batch: self.config.runner.parallel_games,
            visits: self.config.search.visits,
            raw_evaluations_per_s: raw,
            evaluations_per_s: per_s(evaluations),
            utilization: per_s(evaluations) / raw,
            visits_per_s: per_s(leaves),
            positions_per_s: per_s(count(|it| it.positions)),
            plies_per_s: per_s(plies),
            games_per_h: per_s(games) * 3_600.0,
            batch_fill: evaluations as f64 / places.max(1) as f64,
            cache_hit_rate: cache_hits as f64 / leaves.max(1) as f64,
            phases: played.times.phases(),
        }
    }
}

impl Times {
    fn phases(&self) -> Phases {
        let all = self.all.as_secs_f64().max(1e-9);
        let percent = |time: Duration| 100.0 * time.as_secs_f64() / all;
        let InferenceTimes {
            encode,
            forward,
            read,
        } = self.inference;
        let SearchTimes {
            rules,
            expand,
            back_up,
        } = self.search;
        let others = encode + forward + read + rules + expand + back_up;
        Phases {
            forward: percent(forward),
            encode: percent(encode),
            read: percent(read),
            rules: percent(rules),
            expand: percent(expand),
            back_up: percent(back_up),
            select: percent(self.all.saturating_sub(others)),
        }
    }
}

/// Evaluates as a network does and hands over its times in the end.
struct Timed {
    inference: Inference,
    begun: Instant,
    totals: Arc<Mutex<Times>>,
}

impl Evaluator for Timed {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        self.inference.evaluate(leaves, evaluations);
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        let search = stop_search_clock().unwrap_or_default();
        let inference = self.inference.times();
        let mut totals = lock(&self.totals);
        totals.all += self.begun.elapsed();
        totals.inference.encode += inference.encode;
        totals.inference.forward += inference.forward;
        totals.inference.read += inference.read;
        totals.search.rules += search.rules;
        totals.search.expand += search.expand;
        totals.search.back_up += search.back_up;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn legal(game: &Game) -> Vec<Move> {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves
}
