//! What this machine and its libtorch can do.

use crate::processor::Processor;
use crate::{
    Compute, Device, Inference, Network, NetworkError, Precision, libtorch_folder, open_cuda,
};
use std::path::PathBuf;

/// The version of libtorch that this program was built for.
pub const LIBTORCH_VERSION: &str = env!("TAFL_LIBTORCH_VERSION");

/// What `tafl doctor` reports.
#[derive(Debug, Clone)]
pub struct Doctor {
    /// The folder from which it was loaded.
    pub libtorch_folder: Option<PathBuf>,
    /// GPUs that can be used, or why there are none.
    pub cuda: Result<usize, String>,
    /// Cores that this process may use.
    pub cores: usize,
    /// The processor's name.
    pub processor: Option<String>,
    /// The processor's instructions that matter here, each with whether it has them.
    pub features: Vec<(&'static str, bool)>,
    /// What `precision = "auto"` decides on the CPU.
    pub precision: Compute,
    /// Both number formats, each with evaluations per second on one core, or why it failed.
    pub timings: [(Compute, Result<f64, NetworkError>); 2],
}

impl Doctor {
    /// Returns the number format other than the decided one if that was clearly faster here.
    #[must_use]
    pub fn faster(&self) -> Option<Compute> {
        let speed = |wanted: bool| {
            let mut timings = self.timings.iter();
            let (compute, timing) =
                timings.find(|(compute, _)| (*compute == self.precision) == wanted)?;
            Some((*compute, timing.clone().unwrap_or_default()))
        };
        let ((_, decided), (other, speed)) = (speed(true)?, speed(false)?);
        (speed > CLEARLY * decided).then_some(other)
    }
}

/// How many times as fast a number format must be to be called faster: timings are noisy.
const CLEARLY: f64 = 1.25;

/// Positions per batch in the timings.
const TIMED_BATCH: usize = 64;

/// Instructions that decide how fast networks are on a CPU, as Linux names them, and a readable name.
const FEATURES: [(&str, &str); 5] = [
    ("avx2", "AVX2"),
    ("avx512f", "AVX-512"),
    ("avx512_bf16", "AVX-512 bf16"),
    ("amx_tile", "AMX"),
    ("amx_bf16", "AMX bf16"),
];

/// Looks at the machine; times `network` on one core in both number formats (a fraction of a second).
///
/// Asks libtorch about CUDA, so [`open_cuda`] is called first if nothing did.
#[must_use]
pub fn doctor(network: &Network) -> Doctor {
    let cuda = match open_cuda().and_then(|()| Device::Cuda(0).check()) {
        Ok(()) => Ok(usize::try_from(tch::Cuda::device_count()).unwrap_or_default()),
        Err(error) => Err(error.to_string()),
    };
    let processor = Processor::read();
    let time = |compute| {
        let timing = Inference::new(network, Device::Cpu, compute)
            .and_then(|mut inference| inference.raw_forward(TIMED_BATCH, 0.15));
        (compute, timing)
    };
    Doctor {
        libtorch_folder: libtorch_folder(),
        cuda,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        features: FEATURES
            .map(|(flag, name)| (name, processor.has(flag)))
            .to_vec(),
        processor: processor.name,
        precision: Precision::Auto.resolve(network, Device::Cpu),
        timings: [time(Compute::F32), time(Compute::Bf16)],
    }
}
