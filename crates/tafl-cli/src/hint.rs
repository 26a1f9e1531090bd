//! Errors that carry a piece of advice.

use std::fmt;

/// An error with a piece of advice for the user; found in a chain of causes by downcasting.
#[derive(Debug)]
pub(crate) struct Hinted {
    message: String,
    hint: String,
}

impl Hinted {
    /// Returns what the user can do.
    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// Returns an error with a piece of advice.
pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Hinted {
        message: message.into(),
        hint: hint.into(),
    }
    .into()
}
