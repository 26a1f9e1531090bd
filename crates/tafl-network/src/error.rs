//! What can go wrong when libtorch computes.

use tafl_samples::{Batch, BatchError};
#[cfg(feature = "libtorch")]
use tch::TchError;

/// An error of libtorch, or a device that is not there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// libtorch refused an operation; the first line of its message.
    #[error("libtorch: {0}")]
    Torch(String),
    /// What libtorch is needed for, in a program built without it.
    #[error("this tafl is built without libtorch, which {0} needs")]
    NoLibtorch(&'static str),
    /// A device that cannot be used, for a reason.
    #[error("device {0}: {1}")]
    Device(String, String),
    /// A batch of another board or without samples.
    #[error("a batch of {len} samples on {squares} squares does not fit a network for {expected}")]
    Batch {
        /// Samples of the batch.
        len: usize,
        /// Squares of the batch's board.
        squares: usize,
        /// Squares of the network's board.
        expected: usize,
    },
    /// Samples do not make a batch.
    #[error(transparent)]
    Samples(#[from] BatchError),
    /// The config weights a loss whose head the network was made without.
    #[error("field `reply_weight`: above 0, but the network has no reply head; start a new run")]
    MissingHead,
    /// 8-bit integers on a GPU.
    #[error("precision int8: only on CPUs; use auto")]
    NoInt8,
    /// A part of a step was infinite or not a number; the weights are unchanged.
    #[error("{part} at step {step} is not a finite number")]
    NotFinite {
        /// Steps made before.
        step: u64,
        /// What it is, such as `the value loss`.
        part: &'static str,
    },
}

impl NetworkError {
    /// Returns that a batch does not fit a network for a board of so many files.
    pub(crate) fn unfit(batch: &Batch, size: usize) -> Self {
        Self::Batch {
            len: batch.len(),
            squares: batch.size() * batch.size(),
            expected: size * size,
        }
    }
}

#[cfg(feature = "libtorch")]
impl From<TchError> for NetworkError {
    fn from(error: TchError) -> Self {
        // libtorch appends a C++ backtrace to its messages; of TorchScript, the reason comes last.
        let text = match error {
            TchError::Torch(text) => text,
            other => other.to_string(),
        };
        let reason = text
            .rsplit_once("RuntimeError: ")
            .map_or(&*text, |(_, reason)| reason);
        Self::Torch(reason.lines().next().unwrap_or_default().to_owned())
    }
}
