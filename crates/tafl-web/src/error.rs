//! What is said where there is no answer.

/// A question that cannot be answered, in a sentence for the reader of the page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub(crate) String);

impl EngineError {
    /// Returns what says a reason behind some words, as the sentence `WORDS: REASON.`
    pub(crate) fn about<E: std::fmt::Display>(words: &str) -> impl Fn(E) -> Self {
        move |reason| Self(format!("{words}: {reason}."))
    }
}
