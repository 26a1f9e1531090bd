//! What can go wrong with files and folders.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that cannot be written or read; names it and what is wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
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
    /// A file that is damaged, or something else than was expected.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A folder or file of something else where a store would be.
    #[error("{}: {reason}", path.display())]
    Foreign {
        /// The folder or file.
        path: PathBuf,
        /// By what it is seen.
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
    /// A manifest of a format that this program does not read.
    #[error("{}: expected format {expected}, found {found}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The format that is read here.
        expected: u32,
        /// Whether it is that of a run.
        is_run: bool,
    },
    /// A store of another kind.
    #[error("{}: expected a {expected}, found a {found}", path.display())]
    OtherKind {
        /// The manifest.
        path: PathBuf,
        /// What the store is.
        found: &'static str,
        /// What is read here.
        expected: &'static str,
    },
    /// Games of a store were played otherwise than those that are to be played.
    #[error("{}: field `{field}`: played with {stored}, now {wanted}", path.display())]
    Differs {
        /// The manifest.
        path: PathBuf,
        /// The field of the manifest, its parts separated by `.`.
        field: String,
        /// Its value in the manifest.
        stored: String,
        /// Its value now.
        wanted: String,
        /// What the user may do.
        advice: &'static str,
    },
    /// Games of a store were played under another ruleset of the name.
    #[error("{}: games were played by these rules; ruleset {name} has changed since{}", path.display(), told(fields))]
    RulesetChanged {
        /// The file that tells of the rules of the games: the ruleset's own if the store has it, else the manifest.
        path: PathBuf,
        /// The name.
        name: String,
        /// The fingerprint of its rules now, 16 hexadecimal digits.
        fingerprint: Box<str>,
        /// The fields that differ, as far as they are known.
        fields: Vec<String>,
        /// What the user may do.
        advice: &'static str,
    },
    /// The folder of a store that is to be new holds games.
    #[error("{}: already contains games", .0.display())]
    Exists(PathBuf),
    /// Another process holds the lock.
    #[error("{}: another process is writing this {what}", path.display())]
    InUse {
        /// The folder or file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A line of a journal is damaged, or of another version of the program.
    #[error("{}: line {line}: {reason}", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
}

fn told(fields: &[String]) -> String {
    match fields {
        [] => String::new(),
        fields => format!(": {}", fields.join(", ")),
    }
}

impl StoreError {
    /// Returns advice to the user, if known.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Differs { advice, .. } | Self::RulesetChanged { advice, .. } => Some(*advice),
            Self::OtherFormat { .. }
            | Self::Exists(_)
            | Self::OtherKind { .. }
            | Self::Foreign { .. } => Some("use another folder"),
            Self::InUse { .. } => Some("wait until it ends, or use another folder"),
            Self::Journal { .. } => Some(
                "it is damaged or from another version; move the file away to play its games again",
            ),
            _ => None,
        }
    }

    /// Returns the error for a file or folder that the operating system would not read.
    pub fn reading(path: &Path, error: &io::Error) -> Self {
        Self::io("reading", path, error)
    }

    /// Returns the error for a file or folder that the operating system would not write.
    pub fn writing(path: &Path, error: &io::Error) -> Self {
        Self::io("writing", path, error)
    }

    /// Returns the error for a file whose content is not what it should be.
    pub fn unreadable(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Unreadable {
            path: path.into(),
            reason: reason.to_string(),
        }
    }

    /// Returns the error for a folder that holds something else, and so gets no games.
    pub fn foreign(folder: &Path, other: &Path) -> Self {
        Self::Foreign {
            path: folder.into(),
            reason: format!(
                "it holds {}; games need a folder of their own",
                other.display()
            ),
        }
    }

    fn io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io {
            action,
            path: path.into(),
            reason: words(error),
        }
    }
}

/// Returns an operating-system error in words for users.
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
