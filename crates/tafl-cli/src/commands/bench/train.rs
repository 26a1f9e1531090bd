//! `tafl bench train`: how fast the trainer learns, and whether the samples reach it fast enough.

use crate::args::ConfigSource;
use crate::config::RunConfig;
use crate::stages::feed::{feed, makers};
use crate::{config, players};
use anyhow::{Context, ensure};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tafl_dataset::{
    Provenance, ReplayWindow, WindowIndex, read_samples, sample_files, write_generation,
};
use tafl_network::{Architecture, Compute, Device, Network, Trainer};
use tafl_rules::Rules;
use tafl_samples::{Batch, Sample};
use tafl_search::{Evaluator, SearchConfig, UniformEvaluator};
use tafl_selfplay::{
    Course, Generation, MakeError, SelfplayConfig, Watch, derive_seed, generate_games,
};

/// Games that are played for samples where no run is given.
const GAMES: u32 = 96;

/// Visits of their searches, at most.
const VISITS: u32 = 32;

/// Batches that the trainer alone learns from, again and again.
const BATCHES: usize = 4;

/// Batches drawn from the window.
const DRAWN: usize = 64;

/// Turns into which the time of each measurement is cut.
const TURNS: u32 = 3;

/// Arguments of `tafl bench train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measured in one run, in turns, because machines are shared. `trainer` is forward, backward and
optimizer on batches that are ready; `read` is Parquet to samples; `encode` is a draw from the window
to a batch; `pipeline` is both for every sample, on one core; `loop` is the trainer with the next
batch made meanwhile, as in a run. `samples/cpu s` counts the processor time of all threads, which other programs
disturb less. `supply` is `pipeline` by `trainer`; `hidden` is `loop` by `trainer`.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Folder of a run, or of a worker's shards, whose samples are read; without it games are played with equal priors.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// Device instead of the config's: cpu, cuda or cuda:1.
    #[arg(long)]
    device: Option<Device>,
    /// Seconds that each of the four is measured, at least.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Report {
    network: String,
    blocks: u32,
    channels: u32,
    value_channels: u32,
    value_hidden: u32,
    parameters: usize,
    board_size: u8,
    device: String,
    precision: String,
    batch: u32,
    shards: u32,
    threads: usize,
    /// Samples that were read.
    samples: usize,
    trainer_samples_per_s: f64,
    /// The same by the processor time of all threads; `None` where the system does not tell it.
    trainer_samples_per_cpu_s: Option<f64>,
    read_samples_per_s: f64,
    encode_samples_per_s: f64,
    pipeline_samples_per_s: f64,
    loop_samples_per_s: f64,
    /// Samples that the pipeline gives for each that the trainer takes.
    supply: f64,
    /// Share of the trainer's own speed that remains when its batches are made meanwhile.
    hidden: f64,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = config::load(&args.source.config, &args.source.changes)?;
    let (config, rules) = (&loaded.config, &loaded.rules);
    let architecture = Architecture::new(config.network, rules[0].shape())
        .with_auxiliary(config.trainer.auxiliary());
    let network = Network::untrained(architecture, derive_seed(config.seed, &[]));
    let device = args.device.unwrap_or(config.device);
    let compute = players::prepare(device, config.precision, &network)?;
    let folder = tempfile::tempdir().context("a temporary folder")?;
    let files = match &args.samples {
        Some(folder) => sample_files(folder)?,
        None => vec![play(config, rules, folder.path())?],
    };
    let window = ReplayWindow::of_files(config.replay, &files)?;
    ensure!(!window.is_empty(), "there are no samples to learn from");
    let mut job = Job {
        files: &files,
        batches: Batches::new(config, rules, &window),
        trainer: Trainer::new(&network, config.trainer, device, compute)?,
        makers: makers(device),
    };
    let rates = job.measure(args.time)?;
    let report = report(config, &network, (device, compute), (window.len(), rates));
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        report.print();
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays games with equal priors and few visits, and writes their samples; returns the file.
fn play(config: &RunConfig, rules: &[Arc<Rules>], folder: &Path) -> anyhow::Result<PathBuf> {
    let (selfplay, search) = (
        SelfplayConfig {
            games: GAMES,
            growing_generations: 0,
            ..config.selfplay.clone()
        },
        SearchConfig {
            visits: config.search.visits.min(VISITS),
            ..config.search.clone()
        },
    );
    let generation = Generation {
        config: &selfplay,
        search: &search,
        course: &Course::after(&selfplay, rules, [].iter()),
        rules,
        run_seed: config.seed,
        generation: 0,
        player: "bench",
        past: None,
        done: &BTreeSet::new(),
    };
    let make = || -> Result<Box<dyn Evaluator>, MakeError> { Ok(Box::new(UniformEvaluator)) };
    let watch = Watch {
        progress: &|_| {},
        finished: &|_| {},
        stop: &AtomicBool::new(false),
    };
    let games = generate_games(&generation, &make, &watch).context("self-play")?;
    let provenance = Provenance {
        run: "bench".into(),
        generation: 0,
        checkpoint: "bench".into(),
        config_sha256: String::new(),
    };
    Ok(write_generation(folder, &games, rules, &provenance)?.samples_path)
}

/// What is measured.
struct Job<'a> {
    files: &'a [PathBuf],
    batches: Batches<'a>,
    trainer: Trainer,
    makers: usize,
}

/// Samples and the time that they took.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    samples: usize,
    time: Duration,
    /// Processor time of all threads, where the system tells it.
    cpu: Option<Duration>,
}

impl Rate {
    fn per_s(self) -> f64 {
        self.samples as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn per_cpu_s(self) -> Option<f64> {
        let cpu = self.cpu.filter(|cpu| !cpu.is_zero())?;
        Some(self.samples as f64 / cpu.as_secs_f64())
    }

    /// Adds what `work` does, which returns the samples it dealt with, until it took so much time; at least once.
    fn until(
        &mut self,
        time: Duration,
        mut work: impl FnMut() -> anyhow::Result<usize>,
    ) -> anyhow::Result<()> {
        let (before, start) = (self.time, Instant::now());
        let (cpu, cpu_start) = (self.cpu.unwrap_or_default(), processor_time());
        loop {
            self.samples += work()?;
            self.time = before + start.elapsed();
            if self.time >= time {
                let spent = processor_time().zip(cpu_start);
                self.cpu = spent.map(|(end, start)| cpu + end.saturating_sub(start));
                return Ok(());
            }
        }
    }
}

/// Returns the processor time that this process took, all threads together, as Linux tells it in `/proc`.
fn processor_time() -> Option<Duration> {
    // Linux counts in hundredths of a second whatever its clock (proc(5), `USER_HZ`).
    const TICK: Duration = Duration::from_millis(10);
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name may hold blanks; behind it, user and system time are the 12th and 13th field.
    let fields = text.rsplit_once(')')?.1;
    let mut ticks = fields.split_whitespace().skip(11).take(2);
    let mut next = || ticks.next()?.parse::<u32>().ok();
    Some(TICK * (next()? + next()?))
}

#[derive(Debug, Clone, Copy, Default)]
struct Rates {
    trainer: Rate,
    read: Rate,
    encode: Rate,
    feeding: Rate,
}

impl Job<'_> {
    /// Measures all four in turns.
    fn measure(&mut self, seconds: f64) -> anyhow::Result<Rates> {
        let limit = Duration::from_secs_f64(seconds);
        let batches = (0..BATCHES).map(|index| self.batches.make(index));
        let batches = batches.collect::<anyhow::Result<Vec<Batch>>>()?;
        let learn = |trainer: &mut Trainer, batch: &Batch| -> anyhow::Result<usize> {
            trainer.step(batch, 1e-4)?;
            Ok(batch.len)
        };
        // libtorch prepares each shape once.
        batches
            .iter()
            .try_for_each(|batch| learn(&mut self.trainer, batch).map(drop))?;
        let mut rates = Rates::default();
        for turn in 1..=TURNS {
            let until = limit.mul_f64(f64::from(turn) / f64::from(TURNS));
            let mut index = 0;
            rates.trainer.until(until, || {
                index += 1;
                learn(&mut self.trainer, &batches[index % BATCHES])
            })?;
            rates.read.until(until, || self.read())?;
            rates.encode.until(until, || {
                index += 1;
                Ok(self.batches.make(index)?.len)
            })?;
            rates.feeding.until(until, || self.feed(index))?;
        }
        Ok(rates)
    }

    fn read(&self) -> anyhow::Result<usize> {
        let read = self.files.iter().map(|path| read_samples(path));
        read.map(|samples| Ok(samples?.len())).sum()
    }

    /// Learns from batches that are made meanwhile.
    fn feed(&mut self, first: usize) -> anyhow::Result<usize> {
        let (batches, trainer) = (&self.batches, &mut self.trainer);
        let mut learned = 0;
        let make = |index: usize| batches.make(first + index);
        feed((2 * BATCHES, self.makers), make, |batch| {
            trainer.step(&batch, 1e-4)?;
            learned += batch.len;
            Ok(())
        })?;
        Ok(learned)
    }
}

/// Batches of samples drawn from a window.
struct Batches<'a> {
    config: &'a RunConfig,
    rules: &'a [Arc<Rules>],
    window: &'a ReplayWindow,
    drawn: Vec<WindowIndex>,
}

impl<'a> Batches<'a> {
    fn new(config: &'a RunConfig, rules: &'a [Arc<Rules>], window: &'a ReplayWindow) -> Self {
        let drawn = DRAWN * config.amounts.batch_size as usize;
        Self {
            config,
            rules,
            window,
            drawn: window.draw(drawn, config.seed),
        }
    }

    /// Encodes the drawn samples of a batch; after [`DRAWN`] batches they come again, under other symmetries.
    fn make(&self, index: usize) -> anyhow::Result<Batch> {
        let len = self.config.amounts.batch_size as usize;
        let drawn = &self.drawn[index % DRAWN * len..][..len];
        let samples: Vec<Sample> = drawn.iter().map(|&i| self.window.sample(i)).collect();
        let samples: Vec<&Sample> = samples.iter().collect();
        let seed = derive_seed(self.config.seed, &[index as u64]);
        let batch = Batch::new(&samples, self.rules, &self.config.targets, seed)?;
        Ok(batch)
    }
}

fn report(
    config: &RunConfig,
    network: &Network,
    (device, compute): (Device, Compute),
    (samples, rates): (usize, Rates),
) -> Report {
    let (size, trainer) = (config.network, config.trainer);
    let [own, read, encode, fed] =
        [rates.trainer, rates.read, rates.encode, rates.feeding].map(Rate::per_s);
    let pipeline = 1.0 / (1.0 / read + 1.0 / encode);
    Report {
        network: format!("{}x{}", size.blocks, size.channels),
        blocks: size.blocks,
        channels: size.channels,
        value_channels: size.value_channels,
        value_hidden: size.value_hidden,
        parameters: network.parameter_count(),
        board_size: network.architecture().board_size,
        device: device.to_string(),
        precision: compute.to_string(),
        batch: config.amounts.batch_size,
        shards: trainer.shards,
        threads: trainer.threads_on(device),
        samples,
        trainer_samples_per_s: own,
        trainer_samples_per_cpu_s: rates.trainer.per_cpu_s(),
        read_samples_per_s: read,
        encode_samples_per_s: encode,
        pipeline_samples_per_s: pipeline,
        loop_samples_per_s: fed,
        supply: pipeline / own,
        hidden: fed / own,
    }
}

impl Report {
    fn print(&self) {
        println!(
            "{} in {} on {}, batches of {} in {} shards on {} threads, {} samples",
            self.network,
            self.precision,
            self.device,
            self.batch,
            self.shards,
            self.threads,
            self.samples
        );
        let line = |name: &str, value: String| println!("{name:<22}{value:>12}");
        let whole = |value: f64| format!("{value:.0}");
        line("trainer samples/s", whole(self.trainer_samples_per_s));
        let per_cpu_s = self.trainer_samples_per_cpu_s.map(whole);
        line("trainer samples/cpu s", per_cpu_s.unwrap_or_default());
        line("read samples/s", whole(self.read_samples_per_s));
        line("encode samples/s", whole(self.encode_samples_per_s));
        line("pipeline samples/s", whole(self.pipeline_samples_per_s));
        line("loop samples/s", whole(self.loop_samples_per_s));
        line("supply", format!("{:.1}", self.supply));
        line("hidden", format!("{:.3}", self.hidden));
    }
}
