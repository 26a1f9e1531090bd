//! What this machine and its libtorch can do.

use crate::agreement::{Agreement, agreement, policy_positions};
use crate::processor::Processor;
use crate::{
    Compute, Device, Inference, Network, NetworkError, Precision, backend, libtorch_folder,
    open_cuda,
};
use std::path::PathBuf;
use std::sync::Arc;
use tafl_rules::Rules;

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
    /// All number formats, each with evaluations per second on one core, or why it failed.
    pub timings: [(Compute, Result<f64, NetworkError>); 3],
    /// The formats other than f32 that work here, and how far their evaluations are from those in f32.
    pub agreements: Vec<(Compute, Agreement)>,
}

impl Doctor {
    /// Returns the fastest number format if it was clearly faster here than the decided one.
    pub fn faster(&self) -> Option<Compute> {
        let speed = |timing: &Result<f64, NetworkError>| timing.clone().unwrap_or_default();
        let mut timings = self.timings.iter();
        let decided = timings.find(|it| it.0 == self.precision)?;
        let all = self.timings.iter();
        let fastest = all.max_by(|a, b| speed(&a.1).total_cmp(&speed(&b.1)))?;
        (speed(&fastest.1) > CLEARLY * speed(&decided.1)).then_some(fastest.0)
    }
}

/// How many times as fast a number format must be to be called faster: timings are noisy.
const CLEARLY: f64 = 1.25;

/// Positions per batch in the timings.
const TIMED_BATCH: usize = 64;

/// Instructions that decide how fast networks are on a CPU, as Linux names them, and a readable name.
const FEATURES: [(&str, &str); 7] = [
    ("avx2", "AVX2"),
    ("avx_vnni", "AVX-VNNI"),
    ("avx512f", "AVX-512"),
    ("avx512_vnni", "AVX-512 VNNI"),
    ("avx512_bf16", "AVX-512 bf16"),
    ("amx_bf16", "AMX bf16"),
    ("amx_int8", "AMX int8"),
];

/// Positions on which number formats are compared.
const COMPARED: usize = 500;

/// Looks at the machine; times `network` on one core in all number formats, and compares them on positions of games that
/// its policy plays by `rules` (a second or two).
///
/// Asks libtorch about CUDA, so [`open_cuda`] is called first if nothing did.
pub fn doctor(network: &Network, rules: &Arc<Rules>) -> Doctor {
    let cuda = match open_cuda().and_then(|()| Device::Cuda(0).check()) {
        Ok(()) => Ok(backend::gpus()),
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
        timings: [Compute::F32, Compute::Bf16, Compute::Int8].map(time),
        agreements: agreements(network, rules).unwrap_or_default(),
    }
}

fn agreements(
    network: &Network,
    rules: &Arc<Rules>,
) -> Result<Vec<(Compute, Agreement)>, NetworkError> {
    let mut exact = Inference::new(network, Device::Cpu, Compute::F32)?;
    let positions = policy_positions(&mut exact, rules, COMPARED, 0);
    let mut agreements = Vec::new();
    for compute in [Compute::Bf16, Compute::Int8] {
        if let Ok(mut other) = Inference::new(network, Device::Cpu, compute) {
            agreements.push((compute, agreement(&mut exact, &mut other, &positions)));
        }
    }
    Ok(agreements)
}
