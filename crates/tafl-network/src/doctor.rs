//! What this machine and its libtorch can do.

use crate::{Device, Network, Precision, PrecisionChoice, libtorch_folder, open_cuda};
use std::path::PathBuf;

/// The version of libtorch that this program was built for.
pub const LIBTORCH_VERSION: &str = env!("TAFL_LIBTORCH_VERSION");

/// What `tafl doctor` tells.
#[derive(Debug, Clone)]
pub struct Doctor {
    /// The version of libtorch.
    pub libtorch_version: String,
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
    /// What `precision = "auto"` decides on the CPU, with the timings behind it.
    pub precision: PrecisionChoice,
}

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
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = |key: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(key))?;
        line.split_once(':').map(|(_, value)| value.trim())
    };
    let flags: Vec<&str> = line("flags")
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    Doctor {
        libtorch_version: LIBTORCH_VERSION.to_owned(),
        libtorch_folder: libtorch_folder(),
        cuda,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        processor: line("model name").map(str::to_owned),
        features: FEATURES
            .map(|(flag, name)| (name, flags.contains(&flag)))
            .to_vec(),
        precision: Precision::Auto.resolve(network, Device::Cpu),
    }
}
