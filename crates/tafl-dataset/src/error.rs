//! What can go wrong with files.

use std::io;
use std::path::{Path, PathBuf};
use tafl_samples::{BatchError, RecordError};

/// A file that cannot be written or read; names the file and what is wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The operating system refused.
    #[error("{action} {}: {reason}", path.display())]
    Io {
        /// What was tried: `reading`, `writing`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The reason, in words.
        reason: String,
    },
    /// No Parquet file, or a damaged one.
    #[error("{}: {reason}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The reader's or the writer's reason.
        reason: String,
    },
    /// A file of another kind or of a version that this program does not read.
    #[error("{}: {found} where {expected} is expected", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        found: String,
        /// What is read here.
        expected: String,
    },
    /// A column is not there.
    #[error("{}: column `{column}` is missing", path.display())]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
    /// A column has another type.
    #[error("{}: column `{column}` is of type {found} instead of {expected}", path.display())]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// The type in the file.
        found: String,
        /// The type of the schema.
        expected: String,
    },
    /// A value cannot be.
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
    /// A record that is to be written is no game.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record's ruleset is not among those given.
    #[error("game {game_id} is of ruleset {ruleset:?}, which is not among those of this run")]
    UnknownRuleset {
        /// The game.
        game_id: u64,
        /// Its ruleset.
        ruleset: String,
    },
    /// A sample that was read is no position of the rules given.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// A manifest cannot be read.
    #[error("{}: {reason}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is not what the manifest says was written.
    #[error("{}: damaged since it was written ({reason})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How it differs.
        reason: String,
    },
}

impl DatasetError {
    /// Returns the error for a file or folder that the operating system would not read.
    #[must_use]
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        Self::Io {
            action: "reading",
            path: path.into(),
            reason: words(error),
        }
    }

    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        Self::Io {
            action: "writing",
            path: path.into(),
            reason: words(error),
        }
    }

    pub(crate) fn parquet(path: &Path, error: &impl std::fmt::Display) -> Self {
        Self::Parquet {
            path: path.into(),
            reason: format!("no readable Parquet file: {error}"),
        }
    }
}

/// Returns what an error of the operating system means to a user.
fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "no space left on device".into(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".into(),
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_named() {
        let error = std::fs::write("/dev/full", b"x").unwrap_err();
        let error = DatasetError::writing(Path::new("runs/a/metrics.parquet"), &error);
        assert_eq!(
            error.to_string(),
            "writing runs/a/metrics.parquet: no space left on device"
        );
    }
}
