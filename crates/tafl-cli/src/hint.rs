//! Errors that carry a piece of advice.

/// An error with a piece of advice for the user; found in a chain of causes by downcasting.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Hinted {
    message: String,
    /// What the user can do.
    pub(crate) hint: String,
}

/// Returns an error with a piece of advice.
pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    let (message, hint) = (message.into(), hint.into());
    Hinted { message, hint }.into()
}

/// Returns what to do about a run that lacks a file without which it cannot go on.
pub(crate) fn put_back(file: &str) -> String {
    format!(
        "put {file} back from a copy; without it, `tafl train CONFIG --run NAME --from CHECKPOINT` continues with the weights of \
         the last checkpoint"
    )
}
