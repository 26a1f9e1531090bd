//! `tafl bench selfplay`: speed of self-play relative to the network's, and where the time goes.

use crate::args::ConfigSource;
use crate::commands::bench::{Row, Speed, percent, processor_time, tenths, thousandths, whole};
use crate::process::ExitCode;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tafl_network::{
    Compute, Device, Evaluators, Inference, InferenceTimes, Network, TimedEvaluator,
};
use tafl_play::{
    MakeEvaluator, Repertoire, SelfplayPlan, Throughput, Watch, generate_games, random_game,
    worker_count,
};
use tafl_rules::{Game, Move};
use tafl_samples::{PlayerId, derive_seed};
use tafl_search::{
    Evaluation, Evaluator, Leaf, OverlappingEvaluator, SearchTimes, UniformEvaluator,
    start_search_clock, stop_search_clock,
};
use tafl_training::{RunConfig, load_network, prepare};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measured in one run, because machines are shared: the network's forward pass alone, then self-play,
then the forward pass again, with the same batch, precision and workers. `utilization` is the
evaluations/s of self-play divided by those of the forward pass alone; cache hits are not counted.
`evaluations/cpu s` counts the CPU time of all threads, which other programs on the machine hardly
change; with `--instant` it is the cost of all but the network. `phases` are shares of the workers'
time: the network, positions to tensors, tensors to evaluations, moves and positions, new nodes,
values up the trees, and the rest.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Checkpoint that plays; default: an untrained network.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Measure self-play without a network: equal logits and even chances come at once.
    #[arg(long, conflicts_with_all = ["checkpoint", "device"])]
    instant: bool,
    /// Device instead of the config's: cpu, cuda or cuda:1.
    #[arg(long)]
    device: Option<Device>,
    /// Seconds of self-play to measure, after a warm-up of a fifth of that.
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (loaded, seconds) = (args.source.load()?, args.time);
    let (config, rules) = (&loaded.config, &loaded.rules);
    let mut job = Job {
        config,
        rules,
        net: None,
        workers: worker_count(config.runner.workers),
    };
    if args.instant {
        return Ok(job.report(&job.play(seconds)?).show(args.json));
    }
    let network = match &args.checkpoint {
        Some(folder) => load_network(folder, &rules[0])?.0,
        None => Network::new(config.network, rules[0].shape(), config.seed),
    };
    let device = args.device.unwrap_or(config.device);
    let compute = prepare(device, config.precision, &network)?;
    let net = Net {
        network,
        device,
        compute,
    };
    job.net = Some(net.clone());
    let before = job.raw_forward(&net, seconds / 4.0)?;
    let played = job.play(seconds)?;
    let after = job.raw_forward(&net, seconds / 4.0)?;
    let mut speed = job.report(&played);
    let raw = f64::midpoint(before, after);
    let utilization = (
        "utilization",
        played.evaluations_per_s() / raw,
        thousandths as _,
    );
    speed.rows.insert(0, ("raw_evaluations_per_s", raw, whole));
    speed.rows.insert(2, utilization);
    Ok(speed.show(args.json))
}

/// What is measured.
struct Job<'a> {
    config: &'a RunConfig,
    rules: &'a Repertoire,
    /// What evaluates; without it answers come at once.
    net: Option<Net>,
    workers: usize,
}

/// A network where it computes.
#[derive(Debug, Clone)]
struct Net {
    network: Network,
    device: Device,
    compute: Compute,
}

/// What self-play came to in the time that was measured.
struct Played {
    seconds: f64,
    /// The counts at its begin and at its end.
    span: [Throughput; 2],
    /// The CPU time between, where the system tells it.
    cpu: Option<Duration>,
    times: Times,
}

/// A moment of self-play.
struct Mark {
    elapsed: Duration,
    counts: Throughput,
    cpu: Option<Duration>,
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
    fn raw_forward(&self, net: &Net, seconds: f64) -> anyhow::Result<f64> {
        let rate = |worker: usize| -> anyhow::Result<f64> {
            let mut inference = Inference::new(&net.network, net.device, net.compute)?;
            let games = self.positions(worker as u64);
            let moves: Vec<Vec<Move>> = games.iter().map(Game::legal).collect();
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
        let progress = |counts: Throughput| {
            let elapsed = begun.elapsed();
            let is_over = elapsed >= end;
            if elapsed >= warm_up {
                let mut marks = lock(&marks);
                marks.truncate(1);
                let is_read = marks.is_empty() || is_over;
                let cpu = is_read.then(processor_time).flatten();
                marks.push(Mark {
                    elapsed,
                    counts,
                    cpu,
                });
            }
            if is_over {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let plan = Arc::new(self.plan(&totals));
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
        let [from, to] = &marks[..] else {
            anyhow::bail!("fewer than two batches in {seconds} s; use a longer time");
        };
        ensure!(
            to.elapsed > from.elapsed,
            "one batch only; use a longer time"
        );
        Ok(Played {
            seconds: (to.elapsed - from.elapsed).as_secs_f64(),
            span: [from.counts, to.counts],
            cpu: to
                .cpu
                .zip(from.cpu)
                .map(|(to, from)| to.saturating_sub(from)),
            times,
        })
    }

    /// Returns how games are played whose evaluators hand their times over to `totals`.
    fn plan(&self, totals: &Arc<Mutex<Times>>) -> SelfplayPlan {
        let (net, totals) = (self.net.clone(), Arc::clone(totals));
        let net = net.map(|net| Evaluators::new(net.network, net.device, net.compute));
        let make: MakeEvaluator = Arc::new(move |_| {
            let network = net.as_ref().map(Evaluators::make).transpose()?;
            start_search_clock();
            Ok(Box::new(Timed {
                network,
                begun: Instant::now(),
                totals: totals.clone(),
            }))
        });
        let id = PlayerId::Other("bench".to_owned());
        // Alpha-beta plays the games before.
        let entries = self.config.selfplay.uneven.iter();
        let generation = entries.map(|it| it.generations).max().unwrap_or(0);
        self.config.plan(self.rules, &[], generation, id, make)
    }

    fn report(&self, played: &Played) -> Speed {
        let per_s = |of: fn(&Throughput) -> u64| played.count(of) as f64 / played.seconds;
        let cache_hits = played.count(|it| it.cache_hits);
        let evaluations = played.count(|it| it.evaluations);
        let leaves = evaluations + cache_hits;
        let cpu_s = played.cpu.map_or(f64::NAN, |cpu| cpu.as_secs_f64());
        let RunConfig { runner, search, .. } = self.config;
        let places = played.count(|it| it.batches) * u64::from(runner.parallel_games);
        let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
        let (workers, batch, visits) = (self.workers, runner.parallel_games, search.visits);
        let mut rows: Vec<Row> = vec![
            ("evaluations_per_s", played.evaluations_per_s(), whole),
            ("evaluations_per_cpu_s", evaluations as f64 / cpu_s, whole),
            ("visits_per_s", leaves as f64 / played.seconds, whole),
            ("positions_per_s", per_s(|it| it.positions), tenths),
            ("plies_per_s", per_s(|it| it.plies), tenths),
            ("games_per_h", per_s(|it| it.games_done) * 3_600.0, whole),
            ("batch_fill", share(evaluations, places), thousandths),
            ("cache_hit_rate", share(cache_hits, leaves), thousandths),
        ];
        let phases = played.times.phases();
        rows.extend(phases.map(|(name, share)| (name, share, percent as _)));
        let mut about = json!({"workers": workers, "batch": batch, "visits": visits});
        let evaluator = match &self.net {
            Some(net) => net.describe(&mut about),
            None => "no network".to_owned(),
        };
        let title = format!("{evaluator}, {workers} workers, batches of {batch}, {visits} visits");
        Speed { title, about, rows }
    }
}

impl Net {
    /// Returns a text for people, and adds the same as fields of JSON.
    fn describe(&self, about: &mut Value) -> String {
        let size = self.network.architecture().network;
        let network = format!("{}x{}", size.blocks, size.channels);
        let (device, precision) = (self.device.to_string(), self.compute.to_string());
        let text = format!("{network} in {precision} on {device}");
        about["network"] = network.into();
        about["device"] = device.into();
        about["precision"] = precision.into();
        text
    }
}

impl Played {
    fn count(&self, of: impl Fn(&Throughput) -> u64) -> u64 {
        of(&self.span[1]) - of(&self.span[0])
    }

    fn evaluations_per_s(&self) -> f64 {
        self.count(|it| it.evaluations) as f64 / self.seconds
    }
}

impl Times {
    /// Returns shares of the workers' time, in percent.
    fn phases(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let (network, search) = (&self.inference, &self.search);
        let parts = [
            ("phases.forward", network.forward),
            ("phases.encode", network.encode),
            ("phases.read", network.read),
            ("phases.rules", search.rules),
            ("phases.expand", search.expand),
            ("phases.back_up", search.back_up),
        ];
        let others = parts.iter().map(|(_, time)| *time).sum();
        let rest = ("phases.select", self.all.saturating_sub(others));
        let all = self.all.as_secs_f64().max(1e-9);
        let share = move |(name, time): (_, Duration)| (name, 100.0 * time.as_secs_f64() / all);
        parts.into_iter().chain([rest]).map(share)
    }
}

/// Evaluates as a network does, if there is one, and hands over its times in the end.
struct Timed {
    network: Option<Box<dyn TimedEvaluator>>,
    begun: Instant,
    totals: Arc<Mutex<Times>>,
}

impl Evaluator for Timed {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        match &mut self.network {
            Some(network) => network.evaluate(leaves, evaluations),
            None => UniformEvaluator.evaluate(leaves, evaluations),
        }
    }

    fn overlapping(&mut self) -> Option<&mut dyn OverlappingEvaluator> {
        self.network.as_mut()?.overlapping()
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        let search = stop_search_clock().unwrap_or_default();
        let inference = self.network.as_ref().map(|network| network.times());
        let inference = inference.unwrap_or_default();
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
