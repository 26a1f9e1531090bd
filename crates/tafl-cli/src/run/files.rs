//! Where everything of a run lies, and what of it is complete.

use super::Run;
use crate::seat::Seat;
use std::path::{Path, PathBuf};
use tafl_dataset::{RunManifest, generation_folder};

impl Run {
    /// Returns the run's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of a checkpoint; the one of generation 0 is untrained.
    pub(crate) fn checkpoint_folder(&self, generation: u32) -> PathBuf {
        self.folder
            .join("checkpoints")
            .join(generation_folder(generation))
    }

    /// Returns the file with the finished games of a generation that is being played.
    pub(crate) fn spool_path(&self, generation: u32) -> PathBuf {
        self.folder
            .join("in-progress")
            .join(format!("{}.jsonl", generation_folder(generation)))
    }

    /// Returns the file of a match.
    pub(crate) fn match_path(&self, first: Seat, second: Seat, ruleset: &str) -> PathBuf {
        let name = format!(
            "{}-{}-{ruleset}.parquet",
            first.file_name(),
            second.file_name()
        );
        self.folder.join("arena").join(name)
    }

    /// Returns the file with everything that was measured.
    pub(crate) fn metrics_path(&self) -> PathBuf {
        self.folder.join("metrics.parquet")
    }

    /// Returns whether the games and samples of a generation are complete.
    pub(crate) fn has_samples(&self, generation: u32) -> bool {
        let path = tafl_dataset::samples_path(&self.folder, generation);
        path.exists() && self.manifest().has(&self.folder, &path)
    }

    /// Returns whether a checkpoint is complete; its folder appears whole or not at all.
    pub(crate) fn has_checkpoint(&self, generation: u32) -> bool {
        self.checkpoint_folder(generation)
            .join("model.json")
            .exists()
    }

    /// Returns the training steps behind a checkpoint.
    pub(crate) fn steps_of_checkpoint(&self, generation: u32) -> anyhow::Result<u64> {
        Ok(tafl_network::load_card(&self.checkpoint_folder(generation))?.steps)
    }

    /// Returns the generation of the latest complete checkpoint.
    pub(crate) fn last_checkpoint(&self) -> u32 {
        let generations = (1..=self.config.amounts.generations).rev();
        generations
            .into_iter()
            .find(|&generation| self.has_checkpoint(generation))
            .unwrap_or(0)
    }

    /// Returns whether a file of the run is complete.
    pub(crate) fn has_file(&self, path: &Path) -> bool {
        path.exists() && self.manifest().has(&self.folder, path)
    }

    /// Returns the names of all files that the manifest lists, as paths within the run's folder.
    pub(crate) fn file_names(&self) -> Vec<String> {
        self.manifest().files.keys().cloned().collect()
    }

    /// Returns the files of all complete matches, by name.
    pub(crate) fn match_paths(&self) -> Vec<PathBuf> {
        match_paths(&self.manifest(), &self.folder)
    }
}

/// Returns the files of all complete matches that a run's manifest lists, by name.
pub(crate) fn match_paths(manifest: &RunManifest, folder: &Path) -> Vec<PathBuf> {
    let names = manifest.files.keys();
    let names = names.filter(|name| name.starts_with("arena/"));
    names.map(|name| folder.join(name)).collect()
}
