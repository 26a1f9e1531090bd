//! Prints evaluations per second on one core: `speed BLOCKS CHANNELS [SECONDS]`.
#![expect(clippy::print_stdout, reason = "a program")]

use tafl_network::{Compute, Device, Inference, Network, NetworkConfig, NetworkError};
use tafl_rules::BoardShape;

fn main() -> Result<(), NetworkError> {
    tafl_network::tune_allocator();
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    let (blocks, channels) =
        (numbers.first().copied().unwrap_or(4), numbers.get(1).copied().unwrap_or(48));
    let seconds = f64::from(numbers.get(2).copied().unwrap_or(2));
    let shape = BoardShape::new(11).expect("11 is a board size");
    let config = NetworkConfig { blocks, channels, value_channels: 16, value_hidden: 64 };
    let network = Network::new(config, shape, 1);
    println!("{blocks}x{channels}: {} parameters", network.parameter_count());
    for compute in [Compute::F32, Compute::Bf16] {
        let mut inference = Inference::new(&network, Device::Cpu, compute)?;
        for batch in [16, 64, 128] {
            let rate = inference.raw_forward(batch, seconds)?;
            println!("{compute} batch {batch}: {rate:.0} evaluations/s");
        }
    }
    Ok(())
}
