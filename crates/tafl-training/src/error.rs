//! What keeps a run, a worker or a player from going on where a user can do something about it. What he can do is the
//! caller's to say: it knows by which words its user asks for things.

use std::path::PathBuf;
use tafl_network::{Device, RulesetCard};

/// Why a run does not begin or go on. Paths are those of the run, or of its config where the message is about that.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The name is not one of a folder.
    #[error("{0:?} is not a valid folder name")]
    Name(String),
    /// The folder holds a run without its config, so that its seed is unknown.
    #[error("{}: missing, but the folder holds a run", .0.display())]
    NoConfig(PathBuf),
    /// The folder holds a run without its manifest, so that nobody knows which of its files are complete.
    #[error("{}: a run without its manifest.json", .0.display())]
    NoManifest(PathBuf),
    /// The folder is no run, but holds this where a run would have a part of its own.
    #[error("{}: not a run; it holds {}, and a run needs a folder of its own", .0.display(), .1.display())]
    NoRun(PathBuf, PathBuf),
    /// The run was to be new.
    #[error("the run {} already exists", .0.display())]
    Exists(PathBuf),
    /// The folder of a new run holds games already, such as these.
    #[error("{}: games from before the run", .0.display())]
    HoldsGames(PathBuf),
    /// The run was to be there.
    #[error("there is no run {} to resume", .0.display())]
    Missing(PathBuf),
    /// A part of the run cannot be read, or is not what was written; with what is wrong with which file.
    #[error("{1}")]
    Damaged(RunPart, String),
    /// The config was changed since the run wrote it.
    #[error("{}: changed since the run wrote it: its SHA-256 is not the one in manifest.json", .0.display())]
    ConfigChanged(PathBuf),
    /// The config changes what a run keeps: these fields, each with both values.
    #[error("a run keeps what it began with, but other than in {}: {}", .0.display(), .1.join(", "))]
    OtherFields(PathBuf, Vec<String>),
    /// A ruleset is another than that of its name with which the run began.
    #[error(
        "{place}: not the rules with which the run began: their fingerprint is {found}, in manifest.json {known}"
    )]
    OtherRules {
        /// Its file, or its name.
        place: String,
        /// Whether it is compiled in.
        is_shipped: bool,
        /// Its fingerprint.
        found: String,
        /// That of the run.
        known: String,
        /// The version of the program that began the run.
        program: String,
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
    /// The config needs more memory than the machine has: what it needs, part by part, and what there is.
    #[error("not enough memory: {0}")]
    Memory(String),
}

/// A part of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunPart {
    /// The manifest.
    Manifest,
    /// Games, matches, or what workers say; the run can go on without them.
    Games,
    /// A network of the pool.
    Pool,
    /// What was measured before; the run can go on without it.
    Metrics,
    /// A checkpoint; the run can go on from the one before.
    Checkpoint(PathBuf),
}

/// Why a worker, or a generation without a run, does not play. Paths are those of its folder, unless said otherwise.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The folder is not for games of self-play.
    #[error("{}: it holds matches, a study, a sweep or a checkpoint, not a run", .0.display())]
    NoRun(PathBuf),
    /// The folder would be in the place of this file, or below it.
    #[error("{}: a file, not a folder", .0.display())]
    NoFolder(PathBuf),
    /// A file of others is where the worker would write what it does.
    #[error("{}: not of a worker, which would replace it", .0.display())]
    NoStatus(PathBuf),
    /// The folder holds runs or the like, of which one is named here.
    #[error("{}: it holds {}; games need a folder of their own", .0.display(), .1.display())]
    HoldsOthers(PathBuf, PathBuf),
    /// The folder is a part of a run, which is for something else.
    #[error("{}: within the run {}, which keeps other files there", .0.display(), .1.display())]
    WithinRun(PathBuf, PathBuf),
    /// The folder is a run that learns from its own games only.
    #[error("{}: a synchronous run learns from no workers", .0.display())]
    Synchronous(PathBuf),
    /// The config names a ruleset that the run does not learn, or learns by other rules.
    #[error("{}: the run does not learn ruleset {} as this worker's config has it", .0.display(), .1)]
    OtherRuleset(PathBuf, String),
    /// The folder is for a run, here named, that has not begun.
    #[error("{}: no run yet", .0.display())]
    NoRunYet(PathBuf),
    /// A generation is to be played alone, but into a run, here named.
    #[error("{}: a run, which takes in games of workers only", .0.display())]
    NotApart(PathBuf),
    /// A worker is to wait for a checkpoint, but of no run.
    #[error("{}: not for a run, so there is no checkpoint to wait for", .0.display())]
    NothingToWaitFor(PathBuf),
    /// The run leaves out the games of this worker.
    #[error("{}: worker {} was purged, so the run learns nothing from its games", .0.display(), .1)]
    Purged(PathBuf, String),
    /// The run that learns from the games is no longer there.
    #[error("{}: the run is no longer there", .0.display())]
    RunGone(PathBuf),
    /// Another process plays there under this name.
    #[error("{}: a worker named {} is at work there", .0.display(), .1)]
    NameInUse(PathBuf, String),
    /// There is no checkpoint yet where it is looked for.
    #[error("{}: no checkpoint", .0.display())]
    NoCheckpoint(PathBuf),
    /// A shard cannot be written, for a reason; its games are kept.
    #[error("{0}")]
    Unwritten(String),
    /// The file of games that a killed worker left cannot be read, for a reason.
    #[error("{}: games of a killed worker: {}", .0.display(), .1)]
    LeftGames(PathBuf, String),
    /// A file of the generation is there already.
    #[error("{} exists", .0.display())]
    Exists(PathBuf),
}

/// Why a name or a path does not give a player, its rules or its config.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// There is nothing of that name.
    #[error("{}: no such file or folder", .0.display())]
    NoFolder(PathBuf),
    /// The folder is not one of a checkpoint.
    #[error("{}: no checkpoint (it has no model.json)", .0.display())]
    NoCheckpoint(PathBuf),
    /// A checkpoint learned a ruleset that is not known here.
    #[error("{}: ruleset {} ({}) is neither compiled in nor in its run", .0.join("model.json").display(), .1.name, .1.fingerprint)]
    LearnedRuleset(PathBuf, RulesetCard),
    /// A checkpoint says of no ruleset that it learned it.
    #[error("{}: it names no ruleset that was learned", .0.join("model.json").display())]
    NothingLearned(PathBuf),
    /// A game of a file was played by a ruleset that is not known here.
    #[error("{}: ruleset {} ({}) is neither compiled in nor kept in a folder around it", .0.display(), .1.name, .1.fingerprint)]
    PlayedRuleset(PathBuf, RulesetCard),
    /// The file that keeps the ruleset of games was changed since.
    #[error("{}: not the ruleset {} ({}) by which the games of {} were played", kept.display(), ruleset.name, ruleset.fingerprint, file.display())]
    ChangedRuleset {
        /// The file of the ruleset.
        kept: PathBuf,
        /// The file of the games.
        file: PathBuf,
        /// The ruleset of the games.
        ruleset: RulesetCard,
    },
    /// A game was played by other rules than those given.
    #[error("{}: {unlike}", file.display())]
    OtherRules {
        /// The file of the game.
        file: PathBuf,
        /// The game, and in what the rules differ.
        unlike: String,
        /// Whether its own rules are found.
        is_kept: bool,
    },
    /// No ruleset has that name.
    #[error("unknown ruleset {0:?}")]
    Ruleset(String),
    /// No field of rulesets has that name, but these do.
    #[error("{0:?} is not a field of rulesets")]
    RulesetField(String, Vec<String>),
    /// The config of a run cannot be read, as one of another version; with what is wrong with it.
    #[error("{1}")]
    StoredConfig(StoredConfigFor, String),
    /// The device cannot compute in bf16.
    #[error("precision bf16: {0} cannot compute it here")]
    Bf16(Device),
    /// CUDA cannot be used, for a reason.
    #[error("{0}")]
    Cuda(String),
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
    /// To do so in the pool of another run.
    Pool,
    /// To know the rules that the run learned.
    Rules,
}
