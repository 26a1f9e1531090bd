//! A training run: the settings of its manifest, and its checkpoints.

use crate::{Settings, StoreError, StoreKind, entries};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What made a run, in `settings` of its manifest; the program's version and the rulesets are stored beside them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// The name of the run.
    pub run: String,
    /// The commit that the program was built from, where known.
    pub git_commit: Option<String>,
    /// The seed of the run.
    pub seed: u64,
    /// SHA-256 of the resolved config.
    pub config_sha256: String,
    /// The version of libtorch.
    pub libtorch: String,
    /// The device, such as `cpu`.
    pub device: String,
    /// The precision of inference that was used.
    pub precision: String,
    /// What was changed when the run was resumed, the first change first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<RunStage>,
}

/// Fields of a run's config that were changed when it was resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStage {
    /// The checkpoint from which on the new values count.
    pub checkpoint: u32,
    /// Field, value before and value from then on, as in a config file; empty where a value belongs to an alternative that
    /// is not used.
    pub changes: Vec<[String; 3]>,
    /// SHA-256 of the config before; that of `config.toml` if the process was killed before it wrote the changed one.
    #[serde(default)]
    pub config_sha256_before: String,
}

impl RunSettings {
    /// Returns what was changed since the run had the config of a SHA-256, each field with its value then and now; nothing for
    /// a config that it never had.
    pub fn changes_since(&self, config_sha256: &str) -> Vec<[String; 3]> {
        let mut stages = self.stages.iter();
        let Some(first) = stages.rposition(|it| it.config_sha256_before == config_sha256) else {
            return Vec::new();
        };
        // Runs of before did not say what config each stage began with.
        if config_sha256.is_empty() || self.config_sha256 == config_sha256 {
            return Vec::new();
        }
        let mut changes: Vec<[String; 3]> = Vec::new();
        for [field, before, after] in self.stages[first..].iter().flat_map(|it| &it.changes) {
            match changes.iter_mut().find(|[known, ..]| known == field) {
                Some([_, _, last]) => last.clone_from(after),
                None => changes.push([field.clone(), before.clone(), after.clone()]),
            }
        }
        changes.retain(|[_, before, after]| before != after);
        changes
    }

    /// Returns the value that a field had in a generation, as in a config file, if it was changed since.
    pub fn value_in(&self, field: &str, generation: u32) -> Option<&str> {
        let later = self.stages.iter().filter(|it| it.checkpoint > generation);
        let mut changes = later.flat_map(|stage| &stage.changes);
        let change = changes.find(|[changed, ..]| changed == field);
        change.map(|[_, before, _]| before.as_str())
    }
}

impl Settings for RunSettings {
    const KIND: StoreKind = StoreKind::Run;
    const ADVICE: &'static str = "start another run";
    const INFORMATION: &'static [&'static str] = &["git_commit", "libtorch"];
    /// Workers may be writing games and samples, whose leftovers are left to them.
    const FOLDERS: &'static [&'static str] = &["arena", "checkpoints", "rulesets"];
    /// The second is that of a report.
    const RESULTS: &'static [&'static str] = &["metrics.parquet", "summary.json"];
}

/// The file of a checkpoint that says what it is.
pub const CARD: &str = "model.json";

/// The file of the weights that play.
pub const WEIGHTS: &str = "weights.safetensors";

/// The folder of a run's checkpoints.
const CHECKPOINTS: &str = "checkpoints";

/// Returns the name of a generation's folder, `000003`.
pub fn generation_folder(generation: u32) -> String {
    format!("{generation:06}")
}

/// Returns where a checkpoint of a run is; the one of generation 0 is untrained.
pub fn checkpoint_folder(run: &Path, generation: u32) -> PathBuf {
    run.join(CHECKPOINTS).join(generation_folder(generation))
}

/// Returns whether a folder is a checkpoint; one of a run appears whole or not at all.
pub fn is_checkpoint(folder: &Path) -> bool {
    folder.join(CARD).is_file()
}

/// Returns whether a folder is a checkpoint or a run: such a one comes before a network of its name.
pub fn is_checkpoint_or_run(folder: &Path) -> bool {
    is_checkpoint(folder) || folder.join(CHECKPOINTS).is_dir()
}

/// Returns number and folder of all checkpoints of a run, or of a folder of checkpoints, the first one first; none if it is
/// missing.
///
/// # Errors
/// If the operating system refuses.
pub fn checkpoints(folder: &Path) -> Result<Vec<(u32, PathBuf)>, StoreError> {
    let mut numbered = numbered(folder)?;
    numbered.retain(|(_, folder)| is_checkpoint(folder));
    Ok(numbered)
}

/// Returns what [`checkpoints`] does, with those that have lost their `model.json`.
///
/// # Errors
/// If the operating system refuses.
pub fn numbered(folder: &Path) -> Result<Vec<(u32, PathBuf)>, StoreError> {
    let of_run = folder.join(CHECKPOINTS);
    let folders = entries(if of_run.is_dir() { &of_run } else { folder })?;
    // One that is being written has another name.
    let numbered = folders.into_iter().filter_map(|folder| {
        let number = folder.file_name()?.to_str()?.parse().ok()?;
        Some((number, folder))
    });
    let mut numbered: Vec<(u32, PathBuf)> = numbered.collect();
    numbered.sort_unstable();
    Ok(numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_and_changed_back_is_as_it_was() {
        let mut checkpoint = 0;
        let mut stage = |before: &str, changes: &[[&str; 3]]| RunStage {
            checkpoint: std::mem::replace(&mut checkpoint, 2),
            changes: changes.iter().map(|it| it.map(str::to_owned)).collect(),
            config_sha256_before: before.to_owned(),
        };
        let settings = RunSettings {
            run: "it".to_owned(),
            git_commit: None,
            seed: 1,
            config_sha256: "d".to_owned(),
            libtorch: String::new(),
            device: String::new(),
            precision: String::new(),
            stages: vec![
                stage("a", &[["visits", "16", "64"], ["plies", "4", "5"]]),
                stage("b", &[["visits", "64", "16"]]),
                stage("c", &[["generations", "2", "3"]]),
            ],
        };
        for (then, expected) in [
            ("a", vec!["plies 4 5", "generations 2 3"]),
            ("b", vec!["visits 64 16", "generations 2 3"]),
            ("c", vec!["generations 2 3"]),
            ("d", vec![]),
            ("unknown", vec![]),
        ] {
            let found = settings.changes_since(then);
            let found: Vec<String> = found.iter().map(|it| it.join(" ")).collect();
            assert_eq!(found, expected, "{then}");
        }
        // The first stage is of checkpoint 0, the others are of checkpoint 2.
        let visits = [1, 2].map(|generation| settings.value_in("visits", generation));
        assert_eq!(visits, [Some("64"), None]);
    }
}
