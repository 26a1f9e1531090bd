//! What can go wrong with files.

use std::path::{Path, PathBuf};
use tafl_samples::{BatchError, RecordError};
use tafl_store::StoreError;

/// A file that cannot be written or read; names the file and what is wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file or the folder itself.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of another kind.
    #[error("{}: no file of {expected}, but one of {found}", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        found: String,
        /// What is read here.
        expected: &'static str,
    },
    /// A file of a version that this program does not read, or without one.
    #[error("{}: expected {expected}, found {found}", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        found: String,
        /// What is read here.
        expected: String,
    },
    /// A column is missing or has another type.
    #[error("{}: column `{column}` is {reason}", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A value is out of its range.
    #[error("{}: column `{column}`, row {row}: {reason}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The row, from 0.
        row: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A record that is to be written is not a game.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record's ruleset is not among those given.
    #[error("game {game_id} has ruleset {ruleset:?}, which this run does not have")]
    UnknownRuleset {
        /// The game.
        game_id: u64,
        /// Its ruleset.
        ruleset: String,
    },
    /// Two records have one number.
    #[error("two games have the number {game_id}")]
    SameNumber {
        /// The number.
        game_id: u64,
    },
    /// A row is not what its game gives when it is played again.
    #[error("{}: game {game_id}, ply {}: `{column}` is not what the game gives", .path.display(), .ply + 1)]
    Differs {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The game.
        game_id: u64,
        /// The ply, from 0; texts count from 1.
        ply: u32,
    },
    /// A sample that was read is not a position of the rules given.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

impl DatasetError {
    pub(crate) fn parquet(path: &Path, error: &impl std::fmt::Display) -> Self {
        StoreError::unreadable(path, format!("not a readable Parquet file: {error}")).into()
    }
}
