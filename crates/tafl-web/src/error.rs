//! What is said where there is no answer.

/// A question that cannot be answered, in a sentence for the reader of the page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub(crate) String);
