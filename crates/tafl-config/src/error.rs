//! What is wrong with the fields of a config, and where in a file.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// A field and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// The field with the sections around it, as in `search.visits` or `players[0].player`; empty for the whole config.
    pub field: String,
    /// What is wrong, as in "expected integer from 1 to 64, found 100".
    pub reason: String,
}

impl ConfigError {
    /// Returns an error about a field.
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// Returns the error as one of a config in which `section` holds the field.
    #[must_use]
    pub fn within(self, section: &str) -> Self {
        Self::new(crate::path::join(section, &self.field), self.reason)
    }
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &*self.field {
            "" => f.write_str(&self.reason),
            field => write!(f, "field `{field}`: {}", self.reason),
        }
    }
}

/// Where a fault stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular: a field is missing outside all sections.
    File,
    /// A line of the file, counted from 1; that of the section for a missing field.
    Line(usize),
    /// A change by `--set` to this field.
    Change(String),
}

/// A fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands.
    pub place: Place,
    /// What is wrong.
    pub error: ConfigError,
}

/// Everything that is wrong with a file, by line; displayed with a line for each fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Faults {
    /// The file.
    pub file: PathBuf,
    /// Its faults, at least one.
    pub faults: Vec<Fault>,
}

impl Faults {
    /// Returns each fault in words, as in "a.toml: line 4: field `search.visits`: expected ..., found 0".
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let file = self.file.display();
        self.faults
            .iter()
            .map(move |Fault { place, error }| match place {
                Place::File => format!("{file}: {error}"),
                Place::Line(line) => format!("{file}: line {line}: {error}"),
                Place::Change(field) if *field == error.field => {
                    format!("--set {field}: {}", error.reason)
                }
                Place::Change(field) => format!("--set {field}: {error}"),
            })
    }
}

impl Display for Faults {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().collect::<Vec<_>>().join("\n"))
    }
}

/// Why there is no config.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{}: {error}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is wrong.
    #[error(transparent)]
    Faults(#[from] Faults),
}
