//! A run: its folder, its config, and what of it is complete.

mod begin;
mod files;
mod words;

pub(crate) use begin::Begin;

use crate::config::RunConfig;
use crate::players::{self, Contestant};
use crate::seat::Seat;
use anyhow::Context;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{Metric, Provenance, Replay, ReplayWindow, RunManifest};
use tafl_network::{Compute, EventWriter, RulesetCard};
use tafl_rules::{BoardShape, Rules};
use tafl_samples::GameRecord;
use tafl_selfplay::{MakeEvaluator, derive_seed};

/// An open run.
///
/// What is complete is decided by the files alone, so a run that was killed goes on where it was.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) config: RunConfig,
    pub(crate) rules: Vec<Arc<Rules>>,
    /// The number format of self-play, training and matches.
    pub(crate) compute: Compute,
    folder: PathBuf,
    manifest: RunManifest,
    /// The samples, of which it remembers what was verified.
    replay: Replay,
    /// Held as long as the run is open, so that two processes cannot write it.
    _lock: File,
}

/// What draws random numbers in a run, besides self-play, which derives its seeds from generations.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// The weights of the untrained network.
    Network,
    /// Which samples a step learns from, and their symmetries.
    Training,
    /// Openings and players of matches.
    Matches,
}

impl Purpose {
    /// Returns the seed of something within the purpose.
    fn seed(self, run_seed: u64, path: &[u64]) -> u64 {
        // Above all numbers of generations, so that no game of self-play has the same.
        let purpose = (1 << 40) + self as u64;
        derive_seed(derive_seed(run_seed, &[purpose]), path)
    }
}

impl Run {
    /// Returns the seed of something within a purpose.
    pub(crate) fn seed(&self, purpose: Purpose, path: &[u64]) -> u64 {
        purpose.seed(self.config.seed, path)
    }

    /// Returns the board that all rulesets of the run share.
    pub(crate) fn shape(&self) -> BoardShape {
        self.rules[0].shape()
    }

    /// Returns where training of a generation begins, ends, and so on: what stands in its files.
    pub(crate) fn provenance(&self, generation: u32) -> Provenance {
        Provenance {
            run: self.name.clone(),
            generation,
            checkpoint: Seat::Checkpoint(generation).to_string(),
            config_sha256: self.manifest.info.config_sha256.clone(),
        }
    }

    /// Returns where a checkpoint comes from, for its `model.json`.
    pub(crate) fn checkpoint_provenance(&self, generation: u32) -> tafl_network::Provenance {
        tafl_network::Provenance {
            run: self.name.clone(),
            generation,
            seed: self.config.seed,
            compute: self.compute,
            rulesets: self
                .rules
                .iter()
                .map(|rules| RulesetCard::of(rules))
                .collect(),
            history: Vec::new(),
        }
    }

    /// Returns the player in a seat.
    pub(crate) fn contestant(&self, seat: Seat) -> anyhow::Result<Contestant> {
        Ok(match seat {
            Seat::Baseline(baseline) => Contestant::baseline(baseline),
            Seat::Checkpoint(generation) => {
                let (network, _) = tafl_network::load_network(&self.checkpoint_folder(generation))?;
                let (device, compute) = (self.config.device, self.compute);
                Contestant::network(seat.to_string(), network, device, compute)
            }
        })
    }

    /// Returns what makes evaluators of a checkpoint.
    pub(crate) fn evaluator_maker(
        &self,
        generation: u32,
    ) -> anyhow::Result<Box<MakeEvaluator<'static>>> {
        let (network, _) = tafl_network::load_network(&self.checkpoint_folder(generation))?;
        Ok(players::evaluator_maker(
            network,
            self.config.device,
            self.compute,
        ))
    }

    /// Stores the games of a generation and their samples; returns the number of samples and the bytes of their file.
    pub(crate) fn store_games(
        &mut self,
        generation: u32,
        records: &[GameRecord],
    ) -> anyhow::Result<(u64, u64)> {
        let provenance = self.provenance(generation);
        let written =
            tafl_dataset::write_generation(&self.folder, records, &self.rules, &provenance)?;
        self.enter(&[&written.games_path, &written.samples_path])?;
        Ok((written.samples.len() as u64, written.samples_bytes))
    }

    /// Stores the games of a match.
    pub(crate) fn store_match(
        &mut self,
        path: &Path,
        records: &[&GameRecord],
    ) -> anyhow::Result<()> {
        let generation = records.first().map_or(0, |record| record.generation);
        let provenance = self.provenance(generation);
        tafl_dataset::write_games(path, records, &self.rules, &provenance)?;
        self.enter(&[path])
    }

    /// Returns the latest positions, those of generation `generation` included.
    pub(crate) fn replay_window(&self, generation: u32) -> anyhow::Result<ReplayWindow> {
        let generations = generation + 1;
        Ok(self
            .replay
            .window_of_run(&self.folder, &self.manifest, generations)?)
    }

    /// Puts what was measured in a stage of a generation in the place of what an earlier attempt measured.
    ///
    /// `stage` is the first part of the metrics' names, such as `loss`; other stages keep theirs.
    pub(crate) fn record(
        &self,
        generation: u32,
        stage: &str,
        metrics: Vec<Metric>,
    ) -> anyhow::Result<()> {
        let path = self.metrics_path();
        Ok(tafl_dataset::record_metrics(
            &path, generation, stage, &metrics,
        )?)
    }

    /// Records values that were measured together after so many training steps, for notebooks and `TensorBoard`.
    pub(crate) fn record_values(
        &self,
        (generation, stage): (u32, &str),
        step: u64,
        values: &[(String, f64)],
    ) -> anyhow::Result<()> {
        let named: Vec<(&str, f64)> = values
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        self.events(generation, stage)?
            .scalars(step, now(), &named)?;
        let metric = |(name, value): &(String, f64)| Metric {
            generation,
            step,
            name: name.clone(),
            value: *value,
        };
        self.record(generation, stage, values.iter().map(metric).collect())
    }

    /// Returns an empty event file for `TensorBoard`, one for each stage of each generation.
    pub(crate) fn events(&self, generation: u32, stage: &str) -> anyhow::Result<EventWriter> {
        let path = self
            .folder
            .join(format!("events.out.tfevents.{generation:010}.{stage}"));
        let context = || format!("writing {}", path.display());
        if path.exists() {
            std::fs::remove_file(&path).with_context(context)?;
        }
        EventWriter::open(&path, now()).with_context(context)
    }

    fn enter(&mut self, paths: &[&Path]) -> anyhow::Result<()> {
        for path in paths {
            self.manifest.enter(&self.folder, path)?;
        }
        Ok(self.manifest.write(&self.folder)?)
    }
}

/// Returns the time in seconds since 1970; for logs only, nothing depends on it.
pub(crate) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
