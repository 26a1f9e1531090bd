//! The manifest's settings of a training run.

use super::{Settings, StoreKind};
use serde::{Deserialize, Serialize};

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

impl Settings for RunSettings {
    const KIND: StoreKind = StoreKind::Run;
    const ADVICE: &'static str = "start another run";
    const INFORMATION: &'static [&'static str] = &["git_commit", "libtorch"];
    /// Workers may be writing games and samples, whose leftovers are left to them.
    const FOLDERS: &'static [&'static str] = &["arena", "checkpoints", "rulesets"];
}
