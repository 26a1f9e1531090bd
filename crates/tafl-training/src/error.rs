//! What keeps a run, a worker or a player from going on where a user can do something about it. What he can do is the
//! caller's to say: it knows by which words its user asks for things.

use std::path::PathBuf;
use tafl_network::Device;

/// Why a run does not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The name is not one of a folder.
    #[error("{name:?} is not a valid folder name")]
    Name {
        /// The name.
        name: String,
    },
    /// The folder holds a run without its config, so that its seed is unknown.
    #[error("{}: missing, but the folder holds a run", config.display())]
    NoConfig {
        /// Where it would be.
        config: PathBuf,
    },
    /// The run was to be new.
    #[error("the run {} already exists", folder.display())]
    Exists {
        /// The run.
        folder: PathBuf,
    },
    /// The run was to be there.
    #[error("there is no run {} to resume", folder.display())]
    Missing {
        /// The run.
        folder: PathBuf,
    },
    /// A part of the run cannot be read, or is not what was written.
    #[error("{reason}")]
    Damaged {
        /// The part.
        part: RunPart,
        /// What is wrong with which file.
        reason: String,
    },
    /// The config was changed since the run wrote it.
    #[error("{}: changed since the run wrote it: its SHA-256 is not the one in manifest.json", config.display())]
    ConfigChanged {
        /// The run's config.
        config: PathBuf,
    },
    /// The config changes what a run keeps.
    #[error("a run keeps what it began with, but other than in {}: {}", config.display(), fields.join(", "))]
    OtherFields {
        /// The run's config.
        config: PathBuf,
        /// The fields, with both values.
        fields: Vec<String>,
    },
    /// The config asks for fewer checkpoints than there are.
    #[error("loop.generations: {wanted}, but {} has {reached} checkpoints already", folder.display())]
    Shorter {
        /// The run.
        folder: PathBuf,
        /// Checkpoints that are asked for.
        wanted: u32,
        /// Checkpoints that are there.
        reached: u32,
    },
    /// Self-play gave nothing to learn from.
    #[error("self-play gave no samples to learn from")]
    NoSamples,
    /// The config needs more memory than the machine has.
    #[error("not enough memory: {needs}; there are {available}")]
    Memory {
        /// What it needs, part by part.
        needs: String,
        /// What there is.
        available: String,
    },
}

/// A part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunPart {
    /// The manifest.
    Manifest,
    /// Games, matches, or what workers say; the run can go on without them.
    Games,
    /// What was measured before; the run can go on without it.
    Metrics,
    /// A checkpoint; the run can go on from the one before.
    Checkpoint(PathBuf),
}

/// Why a worker, or a generation without a run, does not play.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// Its folder is not for games of self-play.
    #[error("{}: it holds matches or a study, not a run", folder.display())]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
    /// Its folder is a run that learns from its own games only.
    #[error("{}: a synchronous run learns from no workers", folder.display())]
    Synchronous {
        /// The run.
        folder: PathBuf,
    },
    /// Its config names a ruleset that its run does not learn.
    #[error("{}: the run does not learn ruleset {ruleset}, which this worker's config names", folder.display())]
    OtherRuleset {
        /// The run.
        folder: PathBuf,
        /// The ruleset.
        ruleset: String,
    },
    /// There is no checkpoint yet.
    #[error("{}: no checkpoint", folder.display())]
    NoCheckpoint {
        /// Where it would be.
        folder: PathBuf,
    },
    /// A shard cannot be written; its games are kept.
    #[error("{reason}")]
    Unwritten {
        /// What failed.
        reason: String,
    },
    /// The games that a killed worker left cannot be read.
    #[error("{}: games of a killed worker: {reason}", journal.display())]
    LeftGames {
        /// Their file.
        journal: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A config without generations of a fixed number of games.
    #[error("this config has no loop.synchronous.games, the number of games in a generation")]
    NoGames,
    /// The files of the generation are there already.
    #[error("{} exists", path.display())]
    Exists {
        /// One of them.
        path: PathBuf,
    },
}

/// Why a name or a path does not give a player, its rules or its config.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// There is no such folder.
    #[error("{}: no such folder", folder.display())]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder is not one of a checkpoint.
    #[error("{}: no checkpoint (it has no model.json)", folder.display())]
    NoCheckpoint {
        /// The folder.
        folder: PathBuf,
    },
    /// A checkpoint learned a ruleset that is not known here.
    #[error("{}: ruleset {name} ({fingerprint}) is neither compiled in nor in its run", checkpoint.join("model.json").display())]
    LearnedRuleset {
        /// The checkpoint.
        checkpoint: PathBuf,
        /// The ruleset.
        name: String,
        /// Its fingerprint.
        fingerprint: String,
    },
    /// No ruleset has that name.
    #[error("unknown ruleset {name:?}")]
    Ruleset {
        /// The name.
        name: String,
    },
    /// No field of rulesets has that name.
    #[error("{field:?} is not a field of rulesets")]
    RulesetField {
        /// The name.
        field: String,
        /// The fields that there are.
        known: Vec<&'static str>,
    },
    /// The config of a run cannot be read, as one of another version.
    #[error("{reason}")]
    StoredConfig {
        /// What it is read for.
        purpose: StoredConfigFor,
        /// What is wrong with it.
        reason: String,
    },
    /// The device cannot compute in bf16.
    #[error("precision bf16: {device} cannot compute it here")]
    Bf16 {
        /// The device.
        device: Device,
    },
    /// CUDA cannot be used.
    #[error("{reason}")]
    Cuda {
        /// Why.
        reason: String,
    },
}

/// What the config that a run stored is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredConfigFor {
    /// To go on with the run.
    Resume,
    /// To play for the run.
    Worker,
    /// To remove what the run does not need.
    Prune,
    /// To search as the run does.
    Search,
    /// To know the rules that the run learned.
    Rules,
}
