//! Where the files of a run are, and which of them are complete.

use super::Run;
use std::path::{Path, PathBuf};
use tafl_samples::PlayerId;
use tafl_store::{generation_folder, is_checkpoint};

impl Run {
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
