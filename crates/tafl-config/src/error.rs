//! What is wrong with the fields of a config, and where in a file.

use std::fmt::{self, Display, Formatter};

/// A field and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// The field with the sections around it, as in `search.visits` or `players[0].player`; empty for the whole config.
    pub field: String,
    /// What is wrong, as in "expected whole number from 1 to 64, found 100".
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

    /// Returns whether the reason names a field beside the one that is wrong, as in "5 is above `visits`, 4".
    pub(crate) fn names(&self, field: &str) -> bool {
        let [own, other] = [&self.field, field].map(crate::path::split);
        own.0 == other.0 && self.reason.contains(&format!("`{}`", other.1))
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

/// A fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands and what is wrong, as in "a.toml: line 4: field `search.visits`: expected ..., found 0".
    pub text: String,
    /// What is wrong.
    pub error: ConfigError,
}

/// Everything that is wrong with a file, by line; displayed with a line for each fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines().collect::<Vec<_>>().join("\n"))]
pub struct Faults(
    /// The faults, at least one.
    pub Vec<Fault>,
);

impl Faults {
    /// Returns each fault in words.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|fault| fault.text.as_str())
    }

    /// Returns the fault of a file that cannot be taken apart into fields.
    pub(crate) fn whole(text: String) -> Self {
        let error = ConfigError::new("", &text);
        Self(vec![Fault { text, error }])
    }
}
