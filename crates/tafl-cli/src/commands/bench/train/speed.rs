//! The speed of the trainer, and of the samples that reach it.

use anyhow::{Context, ensure};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_dataset::{
    Feed, Provenance, Replay, ReplayWindow, WindowIndex, sample_files, write_generation,
};
use tafl_network::{Architecture, Compute, Device, Network, Trainer};
use tafl_play::{MakeEvaluator, Player, Repertoire, SelfplayPlan, Watch, generate_games};
use tafl_rules::Rules;
use tafl_samples::{Batch, PlayerId, Sample, derive_seed};
use tafl_search::UniformEvaluator;
use tafl_training::{Loaded, RunConfig, prepare};

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

/// How fast the trainer learns, and how fast samples reach it.
#[derive(Debug, Serialize)]
pub(super) struct TrainSpeed {
    /// Blocks and channels, such as `6x64`.
    pub(super) network: String,
    pub(super) blocks: u32,
    pub(super) channels: u32,
    pub(super) value_channels: u32,
    pub(super) value_hidden: u32,
    pub(super) parameters: u64,
    pub(super) board_size: u8,
    pub(super) device: String,
    pub(super) precision: String,
    pub(super) batch: u32,
    /// Parts of a batch that are learned at the same time.
    pub(super) shards: u32,
    pub(super) threads: usize,
    pub(super) samples: usize,
    /// Forward, backward and optimizer on batches that are ready.
    pub(super) trainer_samples_per_s: f64,
    /// The same by the processor time of all threads; `None` where the system does not tell it.
    pub(super) trainer_samples_per_cpu_s: Option<f64>,
    /// Drawn rows of Parquet files to samples.
    pub(super) read_samples_per_s: f64,
    /// Samples to batches on one core.
    pub(super) encode_samples_per_s: f64,
    /// Drawn rows to batches on all cores, as in a run.
    pub(super) pipeline_samples_per_s: f64,
    /// The trainer with the next batches made meanwhile.
    pub(super) loop_samples_per_s: f64,
    /// Samples that the pipeline gives for each that the trainer takes.
    pub(super) supply: f64,
    /// Share of the trainer's own speed that remains when its batches are made meanwhile.
    pub(super) hidden: f64,
}

/// Measures each of the five for at least the given seconds, in turns, on the config's device unless another is given.
///
/// The samples are those in a folder, of a run or of a worker's shards; without it games are played with equal priors.
pub(super) fn train_speed(
    loaded: &Loaded,
    samples: Option<&Path>,
    device: Option<Device>,
    seconds: f64,
) -> anyhow::Result<TrainSpeed> {
    let (config, rules) = (&loaded.config, &loaded.rules);
    let architecture = Architecture::new(config.network, rules[0].shape())
        .with_auxiliary(config.trainer.auxiliary());
    let network = &Network::untrained(architecture, derive_seed(config.seed, &[]));
    let device = device.unwrap_or(config.device);
    prepare(device, config.precision, network)?;
    let compute = config.precision.resolve_for_training(network, device);
    let played = tempfile::tempdir().context("a temporary folder")?;
    let files = match samples {
        Some(folder) => sample_files(folder)?,
        None => vec![play(config, rules, played.path())?],
    };
    let window = Replay::new(config.replay, config.seed).window_of_files(&files, 0)?;
    ensure!(
        !window.is_empty(),
        "there are no samples to learn from{}",
        samples.map_or_else(String::new, |it| format!(" in {}", it.display()))
    );
    let mut job = Job {
        batches: Batches::new(config, rules, &window)?,
        trainer: Trainer::new(network, config.trainer, device, compute)?,
    };
    let rates = job.measure(seconds)?;
    let samples = window.len();
    Ok(report(config, network, device, compute, samples, rates))
}

/// Plays games with equal priors and few visits, and writes their samples; returns the file.
fn play(config: &RunConfig, rules: &Repertoire, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut config = config.clone();
    config.search.visits = config.search.visits.min(VISITS);
    let id = PlayerId::Other("bench".to_owned());
    let make: MakeEvaluator = Arc::new(|_| Ok(Box::new(UniformEvaluator)));
    let player = Arc::new(Player::network(id, config.search.clone(), make));
    let plan = Arc::new(SelfplayPlan::after(
        &[],
        &config.selfplay,
        rules.listed(),
        0,
        player,
    ));
    let numbers: Vec<u64> = (0..GAMES).collect();
    let session = config.session(rules);
    let games = generate_games(&session, &plan, &numbers, &Watch::default());
    let games = games.context("self-play")?;
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
    batches: Batches<'a>,
    trainer: Trainer,
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

/// Returns the processor time that this process took, all threads together, from `/proc`.
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
    pipeline: Rate,
    looped: Rate,
}

impl Job<'_> {
    /// Measures all five in turns.
    fn measure(&mut self, seconds: f64) -> anyhow::Result<Rates> {
        let limit = Duration::from_secs_f64(seconds);
        let batches = (0..BATCHES).map(|index| self.batches.make(index));
        let batches = batches.collect::<anyhow::Result<Vec<Batch>>>()?;
        let learn = |trainer: &mut Trainer, batch: &Batch| -> anyhow::Result<usize> {
            trainer.step(batch, 1e-4)?;
            Ok(batch.len())
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
            let Batches { window, drawn, .. } = &self.batches;
            rates.read.until(until, || Ok(window.read(drawn)?.len()))?;
            rates.encode.until(until, || {
                index += 1;
                Ok(self.batches.make(index)?.len())
            })?;
            rates
                .pipeline
                .until(until, || self.batches.feed(DRAWN, |_| Ok(())))?;
            let trainer = &mut self.trainer;
            rates.looped.until(until, || {
                let step = |batch: &Batch| learn(trainer, batch).map(drop);
                self.batches.feed(FED, step)
            })?;
        }
        Ok(rates)
    }
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
) -> TrainSpeed {
    let (size, trainer) = (config.network, config.trainer);
    let Rates { read, encode, .. } = rates;
    let [own, pipeline, fed] = [rates.trainer, rates.pipeline, rates.looped].map(Rate::per_s);
    TrainSpeed {
        network: format!("{}x{}", size.blocks, size.channels),
        blocks: size.blocks,
        channels: size.channels,
        value_channels: size.value_channels,
        value_hidden: size.value_hidden,
        parameters: network.architecture().parameter_count(),
        board_size: network.architecture().board_size,
        device: device.to_string(),
        precision: compute.to_string(),
        batch: config.training_loop.batch_size,
        shards: trainer.shards_on(device),
        threads: trainer.threads_on(device),
        samples,
        trainer_samples_per_s: own,
        trainer_samples_per_cpu_s: rates.trainer.per_cpu_s(),
        read_samples_per_s: read.per_s(),
        encode_samples_per_s: encode.per_s(),
        pipeline_samples_per_s: pipeline,
        loop_samples_per_s: fed,
        supply: pipeline / own,
        hidden: fed / own,
    }
}
