//! What keeps a report from being made.

use std::path::PathBuf;
use tafl_arena::balance::SummaryError;
use tafl_dataset::DatasetError;
use tafl_samples::RecordError;
use tafl_store::StoreError;

/// A file of a run or of a study that cannot be reported; names the file and what is wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The games or numbers in a file cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A stored game cannot be replayed.
    #[error("{}: {reason}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with the game.
        reason: RecordError,
    },
    /// A stored game is of rules that are not known.
    #[error(
        "{}: game {game_id} has ruleset {ruleset:?}, which the {what} does not have",
        path.display()
    )]
    UnknownRuleset {
        /// The file.
        path: PathBuf,
        /// The game.
        game_id: u64,
        /// Its ruleset.
        ruleset: String,
        /// What was to be reported: `run` or `study`.
        what: &'static str,
    },
    /// The summary of a study cannot be read.
    #[error("{}: not a summary of a study: {reason}", path.display())]
    Summary {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: SummaryError,
    },
}
