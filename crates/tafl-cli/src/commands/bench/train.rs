//! `tafl bench train`: how fast the trainer learns, and whether the samples reach it fast enough.

use crate::args::ConfigSource;
use crate::commands::bench::{Speed, processor_time, tenths, thousandths, whole};
use crate::process::ExitCode;
use anyhow::{Context, ensure};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_dataset::{Feed, Provenance, Replay, ReplayWindow, WindowIndex, write_generation};
use tafl_network::{Architecture, Compute, Device, Network, Trainer};
use tafl_play::{MakeEvaluator, Repertoire, Watch, generate_games};
use tafl_rules::Rules;
use tafl_samples::{Batch, PlayerId, Sample, derive_seed};
use tafl_search::UniformEvaluator;
use tafl_training::{RunConfig, prepare, window_of_run};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measured in one run, in turns, as machines are shared. `trainer` is forward, backward and optimizer
on ready batches; `read` is drawn rows of Parquet files to samples, `encode` samples to batches on
one core; `pipeline` is drawn rows to batches on all cores, as in a run; `loop` is the trainer with
the next batches made meanwhile. `samples/cpu s` counts the CPU time of all threads, which other
programs disturb less. `supply` is `pipeline` / `trainer`; `hidden` is `loop` / `trainer`.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Folder of a run, or of a worker's shards, to read samples from; default: play games with equal priors.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// Device instead of the config's: cpu, cuda or cuda:1.
    #[arg(long)]
    device: Option<Device>,
    /// Minimum seconds for each of the five measurements.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Games that are played for samples where no run is given.
const GAMES: u64 = 96;

/// Visits of their searches, at most.
const VISITS: u32 = 32;

/// Batches that the trainer alone learns from, again and again.
const BATCHES: usize = 4;

/// Batches drawn from the window: a stretch of training.
const DRAWN: usize = 64;

/// Batches of it that the trainer learns from while the next ones are made.
const FED: usize = 2 * BATCHES;

/// Turns into which the time of each measurement is cut.
const TURNS: u32 = 3;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = args.source.load()?;
    let (config, rules) = (&loaded.config, &loaded.rules);
    let architecture = Architecture::new(config.network, rules[0].shape())
        .with_auxiliary(config.trainer.auxiliary());
    let network = &Network::untrained(architecture, derive_seed(config.seed, &[]));
    let device = args.device.unwrap_or(config.device);
    prepare(device, config.precision, network)?;
    let compute = config.precision.resolve_for_training(network, device);
    let played = tempfile::tempdir().context("a temporary folder")?;
    let window = match &args.samples {
        Some(folder) => window_of_run(folder, config)?,
        None => {
            let file = play(config, rules, played.path())?;
            Replay::new(config.replay, config.seed).window_of_files(&[file], 0)?
        }
    };
    let folder = args.samples.as_deref().unwrap_or(played.path()).display();
    ensure!(
        !window.is_empty(),
        "there are no samples to learn from in {folder}"
    );
    let batches = Batches::new(config, rules, &window)?;
    let mut trainer = Trainer::new(network, config.trainer, device, compute)?;
    let rates = batches.measure(&mut trainer, args.time)?;
    let speed = report(config, network, device, compute, window.len(), rates);
    Ok(speed.show(args.json))
}

/// Plays games with equal priors and few visits, and writes their samples; returns the file.
fn play(config: &RunConfig, rules: &Repertoire, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut config = config.clone();
    config.search.visits = config.search.visits.min(VISITS);
    let id = PlayerId::Other("bench".to_owned());
    let make: MakeEvaluator = Arc::new(|_| Ok(Box::new(UniformEvaluator)));
    let plan = Arc::new(config.plan(rules, &[], 0, id, make));
    let numbers: Vec<u64> = (0..GAMES).collect();
    let session = config.session(rules);
    let games = generate_games(&session, &plan, &numbers, &Watch::default());
    let games = games.context("self-play")?;
    let provenance = Provenance {
        run: "bench".into(),
        generation: 0,
        checkpoint: "bench".into(),
        config_sha256: String::new(),
        weights_sha256: None,
    };
    Ok(write_generation(folder, &games, rules, &provenance)?.path)
}

/// Samples and the time that they took.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    samples: usize,
    time: Duration,
    /// Processor time of all threads, if the system reports it.
    cpu: Option<Duration>,
}

impl Rate {
    fn per_s(self) -> f64 {
        self.samples as f64 / self.time.as_secs_f64().max(1e-9)
    }

    /// Returns no number where the system does not tell the time.
    fn per_cpu_s(self) -> f64 {
        let cpu = self.cpu.filter(|cpu| !cpu.is_zero());
        cpu.map_or(f64::NAN, |cpu| self.samples as f64 / cpu.as_secs_f64())
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

#[derive(Debug, Clone, Copy, Default)]
struct Rates {
    trainer: Rate,
    read: Rate,
    encode: Rate,
    pipeline: Rate,
    looped: Rate,
}

/// Samples drawn from a window.
struct Batches<'a> {
    config: &'a RunConfig,
    rules: &'a [Arc<Rules>],
    window: &'a ReplayWindow,
    drawn: Vec<WindowIndex>,
    /// The drawn samples of the first batches.
    samples: Vec<Sample>,
}

impl<'a> Batches<'a> {
    fn new(
        config: &'a RunConfig,
        rules: &'a [Arc<Rules>],
        window: &'a ReplayWindow,
    ) -> anyhow::Result<Self> {
        let batch_size = config.training_loop.batch_size as usize;
        let drawn = window.draw(DRAWN * batch_size, config.seed);
        Ok(Self {
            config,
            rules,
            window,
            samples: window.read(&drawn[..BATCHES * batch_size])?,
            drawn,
        })
    }

    /// Measures all five in turns.
    fn measure(&self, trainer: &mut Trainer, seconds: f64) -> anyhow::Result<Rates> {
        let limit = Duration::from_secs_f64(seconds);
        let batches = (0..BATCHES).map(|index| self.make(index));
        let batches = batches.collect::<anyhow::Result<Vec<Batch>>>()?;
        let learn = |trainer: &mut Trainer, batch: &Batch| -> anyhow::Result<usize> {
            trainer.step(batch, 1e-4)?;
            Ok(batch.len())
        };
        // libtorch prepares each shape once.
        batches
            .iter()
            .try_for_each(|batch| learn(trainer, batch).map(drop))?;
        let mut rates = Rates::default();
        for turn in 1..=TURNS {
            let until = limit.mul_f64(f64::from(turn) / f64::from(TURNS));
            let mut index = 0;
            rates.trainer.until(until, || {
                index += 1;
                learn(trainer, &batches[index % BATCHES])
            })?;
            let Self { window, drawn, .. } = self;
            rates.read.until(until, || Ok(window.read(drawn)?.len()))?;
            rates.encode.until(until, || {
                index += 1;
                Ok(self.make(index)?.len())
            })?;
            rates
                .pipeline
                .until(until, || self.feed(DRAWN, |_| Ok(())))?;
            rates.looped.until(until, || {
                let step = |batch: &Batch| learn(trainer, batch).map(drop);
                self.feed(FED, step)
            })?;
        }
        Ok(rates)
    }

    fn seed(&self, index: usize) -> u64 {
        derive_seed(self.config.seed, &[index as u64])
    }

    /// Encodes the samples of one of the first batches, each time under other symmetries.
    fn make(&self, index: usize) -> anyhow::Result<Batch> {
        let len = self.config.training_loop.batch_size as usize;
        let samples: Vec<&Sample> = self.samples[index % BATCHES * len..][..len]
            .iter()
            .collect();
        let targets = &self.config.targets;
        Ok(Batch::new(&samples, self.rules, targets, self.seed(index))?)
    }

    /// Reads and encodes this number of batches, as in a run; returns their samples.
    fn feed(
        &self,
        batches: usize,
        mut take: impl FnMut(&Batch) -> anyhow::Result<()>,
    ) -> anyhow::Result<usize> {
        let batch_size = self.config.training_loop.batch_size as usize;
        let feed = Feed {
            rules: self.rules,
            targets: &self.config.targets,
            batch_size,
            seed: &|index| self.seed(index),
        };
        let mut fed = 0;
        self.window
            .feed(&self.drawn[..batches * batch_size], &feed, |batch| {
                fed += batch.len();
                take(&batch)
            })?;
        Ok(fed)
    }
}

fn report(
    config: &RunConfig,
    network: &Network,
    device: Device,
    compute: Compute,
    samples: usize,
    rates: Rates,
) -> Speed {
    let (size, batch) = (config.network, config.training_loop.batch_size);
    let (shards, threads) = (
        config.trainer.shards_on(device),
        config.trainer.threads_on(device),
    );
    let title = format!("{}x{}", size.blocks, size.channels);
    let (device, precision) = (device.to_string(), compute.to_string());
    let [own, pipeline, fed] = [rates.trainer, rates.pipeline, rates.looped].map(Rate::per_s);
    Speed {
        about: json!({
            "network": title, "blocks": size.blocks, "channels": size.channels,
            "value_channels": size.value_channels, "value_hidden": size.value_hidden,
            "parameters": network.architecture().parameter_count(), "board_size": network.architecture().board_size,
            "device": device, "precision": precision, "batch": batch, "shards": shards,
            "threads": threads, "samples": samples,
        }),
        title: format!(
            "{title} in {precision} on {device}, batches of {batch} in {shards} shards on {threads} threads, {samples} samples"
        ),
        rows: vec![
            ("trainer_samples_per_s", own, whole),
            (
                "trainer_samples_per_cpu_s",
                rates.trainer.per_cpu_s(),
                whole,
            ),
            ("read_samples_per_s", rates.read.per_s(), whole),
            ("encode_samples_per_s", rates.encode.per_s(), whole),
            ("pipeline_samples_per_s", pipeline, whole),
            ("loop_samples_per_s", fed, whole),
            ("supply", pipeline / own, tenths),
            ("hidden", fed / own, thousandths),
        ],
    }
}
