//! A run: its folder, its config, and what of it is complete.

mod begin;
mod files;
mod stored;
mod words;

pub(crate) use begin::Begin;
pub(crate) use files::match_paths;

use crate::config::RunConfig;
use crate::gate::Gate;
use crate::players::{self, Contestant};
use crate::seat::Seat;
use anyhow::Context;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tafl_dataset::{Metric, Provenance, Replay, ReplayWindow, RunManifest, WrittenGeneration};
use tafl_network::{Compute, EventWriter, RulesetCard};
use tafl_rules::{BoardShape, Rules};
use tafl_samples::GameRecord;
use tafl_selfplay::{Contender, MakeEvaluator, derive_seed};

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
    manifest: Mutex<RunManifest>,
    /// The samples, of which it remembers what was verified.
    replay: Replay,
    /// The stages that were measured, once someone asked; held while the metrics are read and written again.
    metrics: Mutex<Option<BTreeSet<(u32, String)>>>,
    /// Set when what is going on in other threads is of no use any more.
    given_up: AtomicBool,
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
    /// Which older checkpoint plays in self-play.
    PastOpponent,
    /// Openings and players of the matches that decide who plays self-play.
    Gate,
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
            config_sha256: self.manifest().info.config_sha256.clone(),
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
            origin: None,
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

    /// Returns a checkpoint as a player of self-play.
    pub(crate) fn self_player(&self, generation: u32) -> anyhow::Result<Contender<'static>> {
        let (network, _) = tafl_network::load_network(&self.checkpoint_folder(generation))?;
        let name = Seat::Checkpoint(generation).to_string();
        let (device, compute) = (self.config.device, self.compute);
        Ok(players::self_player(name, network, device, compute))
    }

    /// Writes the games of a generation and their samples, which count once they are entered.
    pub(crate) fn write_games(
        &self,
        generation: u32,
        records: &[GameRecord],
    ) -> anyhow::Result<WrittenGeneration> {
        let checkpoint = Seat::Checkpoint(self.player_of(generation)?).to_string();
        let provenance = Provenance {
            checkpoint,
            ..self.provenance(generation)
        };
        let (folder, rules) = (&self.folder, &self.rules);
        Ok(tafl_dataset::write_generation(
            folder,
            records,
            rules,
            &provenance,
        )?)
    }

    /// Stores the games of a match.
    pub(crate) fn store_match(&self, path: &Path, records: &[&GameRecord]) -> anyhow::Result<()> {
        let generation = records.first().map_or(0, |record| record.generation);
        let provenance = self.provenance(generation);
        tafl_dataset::write_games(path, records, &self.rules, &provenance)?;
        self.enter(&[path])
    }

    /// Returns the latest positions, those of generation `generation` included.
    pub(crate) fn replay_window(&self, generation: u32) -> anyhow::Result<ReplayWindow> {
        let generations = generation + 1;
        let manifest = self.manifest().clone();
        let window = self
            .replay
            .window_of_run(&self.folder, &manifest, generations)?;
        Ok(window)
    }

    /// Returns the latest positions of some files of samples, the oldest first.
    pub(crate) fn window_of_files(&self, files: &[PathBuf]) -> anyhow::Result<ReplayWindow> {
        Ok(self.replay.window_of_files(files)?)
    }

    /// Returns how many positions of a file of samples are learned from: all but those of games held out.
    pub(crate) fn positions_to_learn(&self, path: &Path) -> anyhow::Result<u64> {
        if self.config.replay.held_out_fraction == 0.0 {
            return Ok(tafl_dataset::positions_in(path)?);
        }
        let window = self.window_of_files(&[path.to_owned()])?;
        Ok(window.positions_to_learn(path).unwrap_or(0))
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
        let mut measured = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.metrics_path();
        tafl_dataset::record_metrics(&path, generation, stage, &metrics)?;
        if let Some(measured) = &mut *measured {
            measured.insert((generation, stage.to_owned()));
        }
        Ok(())
    }

    /// Returns whether a stage of a generation was measured.
    pub(crate) fn has_measured(&self, generation: u32, stage: &str) -> anyhow::Result<bool> {
        let mut measured = self.metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let stages = match &mut *measured {
            Some(stages) => stages,
            none => none.insert(tafl_dataset::measured_stages(&self.metrics_path())?),
        };
        Ok(stages.contains(&(generation, stage.to_owned())))
    }

    /// Records values that were measured together after so many training steps, for notebooks and `TensorBoard`.
    pub(crate) fn record_values(
        &self,
        (generation, stage): (u32, &str),
        step: u64,
        values: &[(impl AsRef<str>, f64)],
    ) -> anyhow::Result<()> {
        let named: Vec<(&str, f64)> = values
            .iter()
            .map(|(name, value)| (name.as_ref(), *value))
            .collect();
        self.events(generation, stage)?
            .scalars(step, now(), &named)?;
        let metric = |(name, value): (&str, f64)| Metric {
            generation,
            step,
            name: name.to_owned(),
            value,
        };
        self.record(generation, stage, named.into_iter().map(metric).collect())
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

    /// Returns which checkpoints may play self-play.
    pub(crate) fn gate(&self) -> Gate {
        Gate::of(&self.folder)
    }

    /// Returns the checkpoint that plays in a generation: its own, or the newest one that passed the gate.
    pub(crate) fn player_of(&self, generation: u32) -> anyhow::Result<u32> {
        match self.config.amounts.gate.is_on() {
            true => self.gate().newest_accepted(generation),
            false => Ok(generation),
        }
    }

    /// Asks the stages that go on in other threads to end with an error.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Returns whether stages that go on are to end.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Returns the flag that stages look at.
    pub(crate) const fn given_up(&self) -> &AtomicBool {
        &self.given_up
    }

    /// Enters finished files into the manifest.
    pub(crate) fn enter(&self, paths: &[&Path]) -> anyhow::Result<()> {
        let mut manifest = self.manifest();
        for path in paths {
            manifest.enter(&self.folder, path)?;
        }
        Ok(manifest.write(&self.folder)?)
    }

    fn manifest(&self) -> MutexGuard<'_, RunManifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the time in seconds since 1970; for logs only, nothing depends on it.
pub(crate) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
