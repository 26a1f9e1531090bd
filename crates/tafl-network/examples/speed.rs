//! Prints evaluations and training samples per second: `speed BLOCKS CHANNELS [SECONDS]`.
#![expect(clippy::print_stdout, reason = "a program")]

use std::time::Instant;
use tafl_network::{
    Compute, Device, Inference, Network, NetworkConfig, NetworkError, Trainer, TrainerConfig,
};
use tafl_rules::BoardShape;
use tafl_samples::{AuxiliaryTargets, Batch, LegalMoves, PLANES, PolicyTargets};

const TRAINED_BATCH: usize = 256;
const LEGAL_MOVES: usize = 80;

fn main() -> Result<(), NetworkError> {
    tafl_network::tune_allocator();
    let numbers: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse().ok())
        .collect();
    let number = |i: usize, default: u32| numbers.get(i).copied().unwrap_or(default);
    let (blocks, channels) = (number(0, 4), number(1, 48));
    let seconds = f64::from(number(2, 2));
    let shape = BoardShape::new(11).expect("11 is a board size");
    let config = NetworkConfig {
        blocks,
        channels,
        ..NetworkConfig::default()
    };
    let network = Network::new(config, shape, 1);
    println!(
        "{blocks}x{channels}: {} parameters",
        network.parameter_count()
    );
    for compute in [Compute::F32, Compute::Bf16] {
        let mut inference = match Inference::new(&network, Device::Cpu, compute) {
            Ok(inference) => inference,
            Err(error) => {
                println!("{compute}: {error}");
                continue;
            }
        };
        for batch in [16, 64, 128] {
            let rate = inference.raw_forward(batch, seconds)?;
            println!("{compute} batch {batch}: {rate:.0} evaluations/s on one core");
        }
        for threads in [1, 2] {
            let rate = training_rate(&network, compute, threads, seconds)?;
            println!("{compute} {threads} threads: {rate:.0} training samples/s");
        }
    }
    Ok(())
}

fn training_rate(
    network: &Network,
    compute: Compute,
    threads: u32,
    seconds: f64,
) -> Result<f64, NetworkError> {
    let config = TrainerConfig {
        shards: 4,
        threads,
        ..TrainerConfig::default()
    };
    let batch = made_up_batch(network.architecture().squares());
    let mut trainer = Trainer::new(network, config, Device::Cpu, compute)?;
    trainer.step(&batch, 1e-3)?;
    let (start, mut steps) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < seconds {
        trainer.step(&batch, 1e-3)?;
        steps += 1;
    }
    Ok(f64::from(steps) * TRAINED_BATCH as f64 / start.elapsed().as_secs_f64())
}

fn made_up_batch(squares: usize) -> Batch {
    let offsets = |each: usize| (0..=TRAINED_BATCH).map(|i| (i * each) as u32).collect();
    let indices = |each: usize| {
        (0..TRAINED_BATCH * each)
            .map(|i| (i % each * 60) as u16)
            .collect()
    };
    Batch {
        len: TRAINED_BATCH,
        squares,
        planes_f32: (0..TRAINED_BATCH * squares * PLANES)
            .map(|i| (i % 7 / 6) as f32)
            .collect(),
        policy: PolicyTargets {
            offsets: offsets(1),
            indices: indices(1),
            probabilities: vec![1.0; TRAINED_BATCH],
        },
        legal: LegalMoves {
            offsets: offsets(LEGAL_MOVES),
            indices: indices(LEGAL_MOVES),
        },
        wdl: vec![[1.0, 0.0, 0.0]; TRAINED_BATCH],
        moves_left: vec![40.0; TRAINED_BATCH],
        weight: vec![1.0; TRAINED_BATCH],
        moves_left_weight: vec![1.0; TRAINED_BATCH],
        auxiliary: AuxiliaryTargets::default(),
    }
}
