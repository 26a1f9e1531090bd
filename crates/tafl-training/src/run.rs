//! A run: its folder, its config, and its complete parts.

mod begin;
mod changes;
mod lost;
mod measured;
mod pool;
mod verify;

pub use begin::Begin;
pub use changes::{changed_fields, differing_fields};
pub use verify::VerifiedRun;

use crate::config::RunConfig;
use crate::error::{RunError, RunPart};
use crate::observer::{Notice, Observer};
use crate::player;
use crate::storage::{self, Freed, Kept};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use tafl_dataset::{Feed, Provenance, Replay};
use tafl_network::{
    CheckpointError, Compute, EventWriter, ModelCard, Network, RulesetCard, Trainer, load_trainer,
};
use tafl_play::{Player, Repertoire};
use tafl_rules::BoardShape;
use tafl_samples::{PlayerId, derive_seed};
use tafl_search::SearchConfig;
use tafl_store::{RunSettings, Store, generation_folder, is_checkpoint};

/// An open run.
///
/// The files alone decide what is complete, so a killed run continues where it was.
pub struct Run {
    /// The name of the run.
    pub name: String,
    /// Its config.
    pub config: RunConfig,
    /// The rules of its games.
    pub rules: Repertoire,
    /// The number format of self-play and matches.
    pub compute: Compute,
    /// That of training.
    pub training_compute: Compute,
    /// Whether an asynchronous run plays games itself, beside workers; true unless it is changed.
    pub plays: bool,
    observer: Arc<dyn Observer>,
    store: Store<RunSettings>,
    /// The samples; verified files are remembered.
    pub(crate) replay: Replay,
    /// Held while the metrics are read and written again.
    measured: Mutex<Measured>,
    /// When the run began, in seconds since 1970.
    began: f64,
    /// Seconds that earlier processes worked on the run, as its metrics say.
    seconds_before: f64,
    /// Seconds that parts of the work took since they were recorded.
    parts: Mutex<BTreeMap<&'static str, f64>>,
    /// The players of the pool, once someone asked.
    pool: OnceLock<Vec<Arc<Player>>>,
    /// When this process began.
    begun: Instant,
    /// Set when other threads must stop with an error, because their work is no longer needed.
    pub(crate) given_up: AtomicBool,
}

/// What is known of the run's metrics.
#[derive(Debug, Default)]
struct Measured {
    /// The stages of generations that were measured, once someone asked.
    stages: Option<BTreeSet<(u32, String)>>,
    /// The file of events for `TensorBoard`, once this process has measured something, and the stages in it.
    events: Option<(EventWriter, BTreeSet<(u32, String)>)>,
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
    /// Games by which values are evened out.
    Turns,
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
    pub(crate) fn seed(&self, purpose: Purpose, path: &[u64]) -> u64 {
        purpose.seed(self.config.seed, path)
    }

    /// Returns the board that all rulesets of the run share.
    pub(crate) fn shape(&self) -> BoardShape {
        self.rules[0].shape()
    }

    pub(crate) fn observer(&self) -> &dyn Observer {
        &*self.observer
    }

    pub(crate) const fn store(&self) -> &Store<RunSettings> {
        &self.store
    }

    /// Returns the metadata of a generation's files.
    pub(crate) fn provenance(&self, generation: u32) -> Provenance {
        Provenance {
            run: self.name.clone(),
            generation,
            checkpoint: PlayerId::Checkpoint(generation).to_string(),
            config_sha256: self.store.settings().config_sha256,
            weights_sha256: None,
        }
    }

    /// Returns where a checkpoint comes from, for its `model.json`.
    pub(crate) fn checkpoint_provenance(&self, generation: u32) -> tafl_network::Provenance {
        let rulesets = self.rules.listed().iter();
        let rulesets = rulesets.map(|rules| RulesetCard::of(rules));
        tafl_network::Provenance {
            run: self.name.clone(),
            generation,
            seed: self.config.seed,
            compute: self.training_compute,
            rulesets: rulesets.collect(),
            rule_changes: self.config.rule_changes.clone(),
            history: Vec::new(),
            origin: None,
        }
    }

    pub(crate) fn network(&self, generation: u32) -> anyhow::Result<Network> {
        Ok(tafl_network::load_network(&self.checkpoint_folder(generation))?.0)
    }

    /// Loads what goes on learning from a checkpoint.
    pub(crate) fn trainer(&self, generation: u32) -> anyhow::Result<(Trainer, ModelCard)> {
        let folder = self.checkpoint_folder(generation);
        let (device, compute) = (self.config.device, self.training_compute);
        let loaded = load_trainer(&folder, self.config.trainer, device, compute);
        loaded.map_err(|error| match error {
            CheckpointError::Network(error) => error.into(),
            error => RunError::Damaged(RunPart::Checkpoint(folder), error.to_string()).into(),
        })
    }

    /// Returns a player of the run's matches or of its self-play; a checkpoint of it uses the given search.
    pub(crate) fn player(
        &self,
        id: &PlayerId,
        search: SearchConfig,
    ) -> anyhow::Result<Arc<Player>> {
        let player = match id {
            PlayerId::Checkpoint(generation) | PlayerId::Network { generation, .. } => {
                let make = player::evaluator_maker(
                    self.network(*generation)?,
                    self.config.device,
                    self.compute,
                );
                Player::network(id.clone(), search, make)
            }
            PlayerId::Baseline(baseline) => Player::baseline(*baseline),
            _ => anyhow::bail!("{id} is not a player of the run {}", self.name),
        };
        Ok(Arc::new(player))
    }

    /// Returns how drawn positions become batches.
    pub(crate) fn feed<'a>(&'a self, seed: &'a (dyn Fn(usize) -> u64 + Sync)) -> Feed<'a> {
        Feed {
            rules: &self.rules,
            targets: &self.config.targets,
            batch_size: self.config.training_loop.batch_size as usize,
            seed,
        }
    }

    /// Removes what the config does not keep, samples by `remove`, and says so.
    pub(crate) fn free(
        &self,
        remove: impl FnOnce() -> anyhow::Result<Freed>,
    ) -> anyhow::Result<()> {
        let kept = Kept::from(self.config.keep);
        let freed = match kept.old_samples {
            true => Freed::default(),
            false => remove()?,
        };
        let freed = storage::thin(self.folder(), kept, &self.config, freed)?;
        if freed.samples > 0 || freed.checkpoints > 0 {
            self.observer().noticed(&Notice::Freed(freed));
        }
        Ok(())
    }
    /// Returns the run's folder.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// Returns the folder of a checkpoint; the one of generation 0 is untrained.
    pub fn checkpoint_folder(&self, generation: u32) -> PathBuf {
        tafl_store::checkpoint_folder(self.folder(), generation)
    }

    pub(crate) fn match_path(&self, players: [&PlayerId; 2], ruleset: &str) -> PathBuf {
        let [first, second] = players.map(|player| match player {
            PlayerId::Checkpoint(generation) => generation_folder(*generation),
            other => other
                .to_string()
                .replace([':', '/', '\\'], "")
                .replace(' ', "-"),
        });
        let name = format!("{first}-{second}-{ruleset}.parquet");
        self.folder().join("arena").join(name)
    }

    /// Returns the file with everything that was measured.
    pub(crate) fn metrics_path(&self) -> PathBuf {
        self.folder().join("metrics.parquet")
    }

    /// Returns whether a checkpoint is complete; its folder appears whole or not at all.
    pub(crate) fn has_checkpoint(&self, generation: u32) -> bool {
        is_checkpoint(&self.checkpoint_folder(generation))
    }

    /// Returns the training steps behind a checkpoint.
    pub(crate) fn steps_of_checkpoint(&self, generation: u32) -> anyhow::Result<u64> {
        Ok(tafl_network::load_card(&self.checkpoint_folder(generation))?.steps)
    }

    /// Returns the generation of the latest complete checkpoint.
    pub fn last_checkpoint(&self) -> u32 {
        let mut generations = 1..=self.config.training_loop.generations;
        generations
            .rfind(|&it| self.has_checkpoint(it))
            .unwrap_or(0)
    }
}
