//! Where the time of evaluations goes.

use crate::NetworkError;
use std::time::{Duration, Instant};
use tafl_search::Evaluator;

/// Where the time of an [`Inference`](crate::Inference) went since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InferenceTimes {
    /// Writing the planes.
    pub encode: Duration,
    /// Computing tower and heads.
    pub forward: Duration,
    /// Reading logits and values, where heads do not put them out.
    pub read: Duration,
}

/// An evaluator that knows where its time goes.
pub trait TimedEvaluator: Evaluator {
    /// Returns where the time went since it was made.
    fn times(&self) -> InferenceTimes;
}

/// Returns how many are computed in a second where `forward` computes some, timed for `seconds` after one call that is not.
pub(crate) fn per_second(
    some: usize,
    seconds: f64,
    mut forward: impl FnMut() -> Result<(), NetworkError>,
) -> Result<f64, NetworkError> {
    forward()?;
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds.max(0.0)));
    let mut calls = 0;
    while calls == 0 || start.elapsed() < limit {
        forward()?;
        calls += 1;
    }
    Ok((calls * some) as f64 / start.elapsed().as_secs_f64())
}
