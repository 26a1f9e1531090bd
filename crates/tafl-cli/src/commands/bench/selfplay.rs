//! `tafl bench selfplay`: what part of the network's own speed self-play reaches, and where the rest goes.

use crate::args::ConfigSource;
use anyhow::{Context, ensure};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tafl_network::{Compute, Device, Inference, InferenceTimes, Network};
use tafl_play::{
    Curriculum, MakeEvaluator, Player, SelfplayConfig, SelfplayPlan, Session, Throughput, Watch,
    generate_games, random_game, worker_count,
};
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{PlayerId, derive_seed};
use tafl_search::{
    Evaluation, Evaluator, Leaf, SearchTimes, start_search_clock, stop_search_clock,
};
use tafl_training::{RunConfig, load, load_network, prepare, untrained};

/// Arguments of `tafl bench selfplay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measured in one run, because machines are shared: the network's forward pass alone, then self-play,
then the forward pass again, with the same batch, precision and workers. `utilization` is the
evaluations/s of self-play by those of the forward pass alone; evaluations that the cache knew are
not counted in it.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Checkpoint that plays; without it an untrained network.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Device instead of the config's: cpu, cuda or cuda:1.
    #[arg(long)]
    device: Option<Device>,
    /// Seconds of self-play that are measured, after a fifth as many that are not.
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Report {
    network: String,
    device: String,
    precision: String,
    workers: usize,
    batch: u32,
    visits: u32,
    raw_evaluations_per_s: f64,
    evaluations_per_s: f64,
    utilization: f64,
    visits_per_s: f64,
    positions_per_s: f64,
    plies_per_s: f64,
    games_per_h: f64,
    /// Leaves in a batch as a share of the games of a worker.
    batch_fill: f64,
    /// Leaves whose evaluation was known, as a share of all.
    cache_hit_rate: f64,
    /// Shares of the workers' time, in percent.
    phases: Phases,
}

#[derive(Debug, Serialize)]
struct Phases {
    forward: f64,
    encode: f64,
    read: f64,
    rules: f64,
    expand: f64,
    back_up: f64,
    /// Walking down the trees, choosing and recording plies, the cache.
    select: f64,
}

/// The job that is measured.
struct Job<'a> {
    config: &'a RunConfig,
    selfplay: SelfplayConfig,
    rules: &'a [Arc<Rules>],
    network: &'a Network,
    device: Device,
    compute: Compute,
    workers: usize,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = load(args.source.path(), &args.source.changes)?;
    let (config, rules) = (&loaded.config, &loaded.rules);
    let network = match &args.checkpoint {
        Some(folder) => load_network(folder, &rules[0])?.0,
        None => untrained(config, rules),
    };
    let device = args.device.unwrap_or(config.device);
    let compute = prepare(device, config.precision, &network)?;
    let job = Job {
        config,
        selfplay: SelfplayConfig {
            growing_generations: 0,
            ..config.selfplay.clone()
        },
        rules,
        network: &network,
        device,
        compute,
        workers: worker_count(config.runner.workers),
    };
    let before = job.raw_forward(args.time / 4.0)?;
    let played = job.play(args.time)?;
    let after = job.raw_forward(args.time / 4.0)?;
    let report = job.report(f64::midpoint(before, after), &played);
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        report.print();
    }
    Ok(ExitCode::SUCCESS)
}

/// What self-play came to in the time that was measured.
struct Played {
    seconds: f64,
    counts: Throughput,
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
                .map(|(game, moves)| Leaf { game, moves })
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
        self.generate(
            make,
            &Watch {
                progress: &progress,
                finished: &|_| {},
                stop: &stop,
            },
        )?;
        let times = *lock(&totals);
        let marks = marks.into_inner().unwrap_or_default();
        let [(first, from), (last, to)] = marks[..] else {
            anyhow::bail!("fewer than two batches in {seconds} s; a longer --time is needed");
        };
        ensure!(last > first, "one batch only; a longer --time is needed");
        Ok(Played {
            seconds: (last - first).as_secs_f64(),
            counts: difference(to, from),
            times,
        })
    }

    fn generate(&self, make: MakeEvaluator, watch: &Watch<'_>) -> anyhow::Result<()> {
        let id = PlayerId::Other("bench".to_owned());
        let plan = Arc::new(SelfplayPlan {
            number: 0,
            generation: 0,
            config: self.selfplay.clone(),
            curriculum: Curriculum::after(&self.selfplay, self.rules, 0, [].iter()),
            player: Arc::new(Player::network(id, self.config.search.clone(), make)),
        });
        let session = Session {
            rules: self.rules,
            run_seed: self.config.seed,
            runner: self.config.runner,
        };
        // More games than anyone can play in the time, so that no batch shrinks towards an end.
        let numbers: Vec<u64> = (0..1_000_000).collect();
        generate_games(&session, &plan, &numbers, watch).context("self-play")?;
        Ok(())
    }
}

impl Job<'_> {
    fn report(&self, raw: f64, played: &Played) -> Report {
        let counts = played.counts;
        let per_s = |count: u64| count as f64 / played.seconds;
        let leaves = counts.evaluations + counts.cache_hits;
        let plies_per_game = counts.plies as f64 / counts.games_done.max(1) as f64;
        let games_per_s = if counts.games_done > 0 {
            per_s(counts.plies) / plies_per_game
        } else {
            0.0
        };
        let size = self.network.architecture().network;
        Report {
            network: format!("{}x{}", size.blocks, size.channels),
            device: self.device.to_string(),
            precision: self.compute.to_string(),
            workers: self.workers,
            batch: self.config.runner.parallel_games,
            visits: self.config.search.visits,
            raw_evaluations_per_s: raw,
            evaluations_per_s: per_s(counts.evaluations),
            utilization: per_s(counts.evaluations) / raw,
            visits_per_s: per_s(leaves),
            positions_per_s: per_s(counts.positions),
            plies_per_s: per_s(counts.plies),
            games_per_h: games_per_s * 3_600.0,
            batch_fill: counts.evaluations as f64
                / (counts.batches * u64::from(self.config.runner.parallel_games)).max(1) as f64,
            cache_hit_rate: counts.cache_hits as f64 / leaves.max(1) as f64,
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

impl Report {
    fn print(&self) {
        println!(
            "{} in {} on {}, {} workers, batches of {}, {} visits",
            self.network, self.precision, self.device, self.workers, self.batch, self.visits
        );
        let line = |name: &str, value: String| println!("{name:<22}{value:>12}");
        let whole = |value: f64| format!("{value:.0}");
        let percent = |share: f64| format!("{share:.1} %");
        line("raw evaluations/s", whole(self.raw_evaluations_per_s));
        line("evaluations/s", whole(self.evaluations_per_s));
        line("utilization", format!("{:.3}", self.utilization));
        line("visits/s", whole(self.visits_per_s));
        line("positions/s", format!("{:.1}", self.positions_per_s));
        line("plies/s", format!("{:.1}", self.plies_per_s));
        line("games/h", whole(self.games_per_h));
        line("batch fill", percent(100.0 * self.batch_fill));
        line("cache hits", percent(100.0 * self.cache_hit_rate));
        let phases = &self.phases;
        println!("where the workers' time went:");
        for (name, share) in [
            ("forward", phases.forward),
            ("encode", phases.encode),
            ("read", phases.read),
            ("rules", phases.rules),
            ("expand", phases.expand),
            ("back up", phases.back_up),
            ("select and the rest", phases.select),
        ] {
            line(&format!("  {name}"), percent(share));
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

fn difference(to: Throughput, from: Throughput) -> Throughput {
    Throughput {
        games: to.games,
        games_done: to.games_done - from.games_done,
        attacker_wins: to.attacker_wins - from.attacker_wins,
        defender_wins: to.defender_wins - from.defender_wins,
        draws: to.draws - from.draws,
        capped: to.capped - from.capped,
        plies: to.plies - from.plies,
        positions: to.positions - from.positions,
        evaluations: to.evaluations - from.evaluations,
        cache_hits: to.cache_hits - from.cache_hits,
        batches: to.batches - from.batches,
    }
}
