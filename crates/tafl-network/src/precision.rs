//! Which number format a network computes in.

use crate::inference::Inference;
use crate::{Device, Network, NetworkError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number format of the tower, as a config says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Times both on this machine and takes bf16 if it is faster.
    Auto,
    /// 32-bit numbers.
    F32,
    /// 16-bit numbers with the range of f32: faster on GPUs and on CPUs with AMX, much slower on others.
    Bf16,
}

/// The number format of the tower, decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compute {
    /// 32-bit numbers.
    F32,
    /// 16-bit numbers with the range of f32.
    Bf16,
}

impl Compute {
    pub(crate) const fn kind(self) -> tch::Kind {
        match self {
            Self::F32 => tch::Kind::Float,
            Self::Bf16 => tch::Kind::BFloat16,
        }
    }
}

impl std::fmt::Display for Compute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        })
    }
}

/// A decision between number formats and the timings behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecisionChoice {
    /// What was decided.
    pub compute: Compute,
    /// Evaluations per second on one core (or GPU) in f32, if timed; the reason where it failed.
    pub f32: Option<Result<f64, NetworkError>>,
    /// The same in bf16.
    pub bf16: Option<Result<f64, NetworkError>>,
}

/// How much faster bf16 must be to be taken; the two differ by factors of five, so noise never decides.
const MARGIN: f64 = 1.25;

/// Positions per batch in the timings.
const TIMED_BATCH: usize = 64;

impl Precision {
    /// Decides for a network on a device; `auto` takes a fraction of a second.
    ///
    /// Precision decides the last digits of every evaluation: a run decides once and hands the
    /// result to its workers and its trainer.
    #[must_use]
    pub fn resolve(self, network: &Network, device: Device) -> PrecisionChoice {
        let fixed = |compute| PrecisionChoice {
            compute,
            f32: None,
            bf16: None,
        };
        match self {
            Self::F32 => fixed(Compute::F32),
            Self::Bf16 => fixed(Compute::Bf16),
            Self::Auto => {
                let time = |compute| {
                    Inference::new(network, device, compute)
                        .and_then(|mut inference| inference.raw_forward(TIMED_BATCH, 0.15))
                };
                let (f32, bf16) = (time(Compute::F32), time(Compute::Bf16));
                let compute = match (&f32, &bf16) {
                    (Ok(f32), Ok(bf16)) if *bf16 > MARGIN * f32 => Compute::Bf16,
                    (Err(_), Ok(_)) => Compute::Bf16,
                    _ => Compute::F32,
                };
                PrecisionChoice {
                    compute,
                    f32: Some(f32),
                    bf16: Some(bf16),
                }
            }
        }
    }
}
