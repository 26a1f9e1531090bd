//! Progress of a run: numbers, and sentences about what went otherwise than it should.

use crate::stages::one_sided::OneSided;
use crate::storage::Freed;
use crate::worker::WorkerReport;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use tafl_arena::{MatchResult, Tally};
use tafl_network::{Losses, RoleAssessment};
use tafl_play::Throughput;
use tafl_samples::PlayerId;
use tafl_store::RunStage;

/// Receives the progress of a run, a worker, a tournament or a study.
///
/// Calls come from several threads, those about progress after every batch, so they must be quick. Default methods do
/// nothing.
pub trait Observer: Send + Sync {
    /// A stage of `total` units begins; without a total it runs until it is stopped.
    fn started(&self, _stage: Stage, _total: Option<u64>) {}

    /// `done` units of a stage are finished.
    fn progressed(&self, _stage: Stage, _done: u64, _progress: Progress) {}

    /// A stage has ended, with its results; nothing if it was aborted.
    fn finished(&self, _stage: Stage, _summary: Option<&Summary<'_>>) {}

    /// Something happened that is not a stage.
    fn noticed(&self, _notice: &Notice<'_>) {}
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}

/// A part of the work; several may run side by side, but each of them once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Games for samples; counted in games.
    SelfPlay,
    /// The network learns; counted in steps.
    Training,
    /// A checkpoint is measured on games that it did not learn from; counted in positions.
    HeldOut,
    /// Shards that are new to a run are read and checked; counted in shards.
    Reading,
    /// Two players play a match; counted in games.
    Match,
    /// A player plays itself, for a balance study; counted in games.
    SelfMatch,
    /// A network searches positions with growing visits, for a balance study; counted in positions.
    Probing,
}

/// Progress of a stage.
#[derive(Debug, Clone, Copy)]
pub enum Progress {
    /// Games of self-play, since this process began them.
    Games(Throughput),
    /// Training: samples drawn by this process in the stage, and the loss of the last step.
    Steps {
        /// Samples drawn.
        samples: u64,
        /// All losses of the last step, weighted and summed.
        loss: f64,
    },
    /// Training waits for samples.
    Waiting {
        /// Those that are there to learn from.
        samples: u64,
        /// Those that the next steps need.
        needed: u64,
    },
    /// Nothing but the count.
    Count,
    /// Results of a match from the first player's point of view; of a player against itself, from the attackers'.
    Results(Tally),
}

/// Results of a stage.
#[derive(Debug)]
pub enum Summary<'a> {
    /// Games of a generation.
    SelfPlay(SelfPlaySummary),
    /// Training up to a checkpoint.
    Training(TrainingSummary),
    /// A checkpoint on held-out games, by side and ruleset.
    HeldOut(&'a [RoleAssessment]),
    /// A match.
    Match(&'a MatchResult),
}

/// Games of self-play that were stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfPlaySummary {
    /// Games.
    pub games: u64,
    /// Their samples.
    pub samples: u64,
    /// Bytes of their file.
    pub bytes: u64,
    /// How they ended, from the attackers' point of view.
    pub ended: Tally,
    /// How those ended that [`tafl_play::Repertoire::is_even`] names, where there were others.
    pub even: Option<Tally>,
}

/// Training steps that were made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingSummary {
    /// The resulting checkpoint.
    pub checkpoint: u32,
    /// Steps.
    pub steps: u64,
    /// Positions in the replay window.
    pub window: u64,
    /// Times that a position was drawn so far, on average: of the window in turns, of the run side by side.
    pub reuse: f64,
    /// Mean losses of the steps.
    pub losses: Losses,
    /// Time spent waiting for samples; only if self-play runs side by side.
    pub waited: Option<Duration>,
}

/// Something that happened.
#[derive(Debug)]
pub enum Notice<'a> {
    /// A generation of the synchronous loop begins, counted from 0.
    Generation(u32),
    /// The last matches of a run begin, if any are to be played; said again after the first one.
    Ladder {
        /// How many games are still to be played.
        games: u64,
        /// How long these take at the speed of the first match, once that was played.
        time: Option<Duration>,
    },
    /// The players of a study are to meet a reference opponent, which tells how strong they are.
    Strength {
        /// The opponent.
        reference: &'a PlayerId,
        /// How many games are still to be played.
        games: usize,
    },
    /// A worker begins to play, or a player plays itself for a study; a sentence says which, and by what rules.
    Begun(&'a str),
    /// No checkpoint is known, so an untrained network plays.
    Untrained,
    /// A worker waits for the run that its games are for.
    WaitingForRun(&'a Path),
    /// A worker plays for a run with another value of a field.
    OtherField {
        /// The field.
        field: &'a str,
        /// The worker's value.
        own: &'a str,
        /// The run's.
        of_run: &'a str,
    },
    /// A worker waits for the first checkpoint.
    WaitingForCheckpoint,
    /// A checkpoint plays from now on.
    NewCheckpoint {
        /// The run it is from.
        run: &'a str,
        /// Its number there.
        player: &'a PlayerId,
        /// Its folder.
        folder: &'a Path,
    },
    /// The run may come to less than it could, or the games mean less than they seem to; a sentence says why.
    Warning(&'a str),
    /// A shard was written.
    Shard {
        /// Its name.
        name: &'a str,
        /// What is in it.
        summary: SelfPlaySummary,
        /// Whether a killed process had left it.
        is_left: bool,
    },
    /// A file or folder was not used, for now or for good.
    Skipped {
        /// Why.
        reason: &'a anyhow::Error,
        /// Whether it is checked again even if it does not change.
        is_for_now: bool,
    },
    /// Nothing that was played ended: all games were cut at this limit of plies.
    AllCapped(u32),
    /// One side won nothing for long.
    OneSided(OneSided),
    /// A run of a sweep has failed; the others go on.
    FailedRun {
        /// Its name.
        run: &'a str,
        /// Why.
        reason: &'a anyhow::Error,
    },
    /// A worker, which made so many samples more than the checkpoints until now needed, plays no more until there is a
    /// newer one.
    Resting(u64),
    /// Others play for the run, too; said with every checkpoint.
    Workers(&'a BTreeMap<String, WorkerReport>),
    /// A run that plays no games itself waits for samples, and no worker is at work.
    NobodyPlays {
        /// The run's folder.
        run: &'a Path,
        /// Those that were.
        workers: &'a BTreeMap<String, WorkerReport>,
    },
    /// The run that a worker plays for has got its last checkpoint; the worker ends.
    RunEnded,
    /// The run whose checkpoints were to play has got its last one, and nothing says how many games to play for none.
    OtherRunEnded(&'a Path),
    /// A run removed files that its config does not keep.
    Freed(Freed),
    /// A run goes on with other values in its config.
    NewStage {
        /// Which.
        stage: &'a RunStage,
        /// Files of games whose samples were removed.
        pruned: usize,
    },
    /// A folder holds games that do not count, or has lost files; a sentence says which.
    Uncounted(&'a str),
    /// Games of other programs count that earlier calls played: the programs may have changed since.
    EarlierGames {
        /// How many.
        games: usize,
        /// The names of the programs.
        engines: &'a BTreeSet<String>,
    },
    /// Fewer distinct openings than requested.
    FewOpenings {
        /// Distinct openings.
        found: usize,
        /// Requested openings.
        wanted: usize,
    },
}
