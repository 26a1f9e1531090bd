//! Which number format a network computes in.

use crate::processor::Processor;
use crate::{Compute, Device, Inference, Network, backend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number format of the tower, as a config says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// int8 on CPUs with instructions for it (AVX2 and later), else bf16 where it is faster, else f32.
    Auto,
    /// 32-bit numbers.
    F32,
    /// 16-bit numbers with the range of f32: faster on GPUs, on CPUs with AMX and on AMD's with AVX-512, much slower on
    /// others.
    Bf16,
    /// 8-bit integers, on CPUs; training uses what `auto` would without it.
    Int8,
}

impl Precision {
    /// Decides for evaluations by a network on a device.
    ///
    /// Precision decides the last digits of every evaluation, so that two runs of one config are the
    /// same only if it is. Hence `auto` asks what the device is and times nothing: timings depend on
    /// what else the machine does. [`doctor`](crate::doctor()) times all of them.
    pub fn resolve(self, network: &Network, device: Device) -> Compute {
        let is_fast = || device == Device::Cpu && Processor::read().is_fast_in_int8();
        match self {
            Self::Int8 => Compute::Int8,
            Self::Auto if is_fast() => Compute::Int8,
            _ => self.resolve_for_training(network, device),
        }
    }

    /// Decides for training, where 8-bit integers are no choice.
    pub fn resolve_for_training(self, network: &Network, device: Device) -> Compute {
        let is_bf16 = match self {
            Self::F32 => false,
            Self::Bf16 => true,
            Self::Auto | Self::Int8 => is_faster_in_bf16(device) && computes_bf16(network, device),
        };
        if is_bf16 { Compute::Bf16 } else { Compute::F32 }
    }
}

fn is_faster_in_bf16(device: Device) -> bool {
    match device {
        Device::Cpu => Processor::read().is_faster_in_bf16(),
        Device::Cuda(number) => backend::capability(number).is_some_and(|major| major >= AMPERE),
    }
}

/// The first compute capability of GPUs that multiply in bf16 (NVIDIA's Ampere).
const AMPERE: i32 = 8;

/// Returns whether a network can be computed in bf16 on a device: with libtorch, on CPUs with AVX-512.
///
/// libtorch may be kept from using the instructions that the processor has (`ONEDNN_MAX_CPU_ISA`).
pub fn computes_bf16(network: &Network, device: Device) -> bool {
    Inference::new(network, device, Compute::Bf16).is_ok()
}
