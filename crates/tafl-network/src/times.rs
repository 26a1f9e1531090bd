//! Where the time of evaluations goes.

use std::time::Duration;

/// Where the time of an [`Inference`](crate::Inference) went since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InferenceTimes {
    /// Writing the planes.
    pub encode: Duration,
    /// Computing tower and heads.
    pub forward: Duration,
    /// Reading logits and values.
    pub read: Duration,
}
