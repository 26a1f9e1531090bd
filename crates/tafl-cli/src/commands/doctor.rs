//! `tafl doctor`: what this machine offers.

use std::process::ExitCode;
use tafl_network::{Doctor, LIBTORCH_VERSION, Network, NetworkError};
use tafl_rules::BoardShape;

/// Arguments of `tafl doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Speed is measured with a network of the size in configs/quickstart.toml.")]
pub(crate) struct Args {}

/// Files (and ranks) of the board of the presets.
const BOARD: u8 = 11;

pub(crate) fn run(_: &Args) -> anyhow::Result<ExitCode> {
    let config = tafl_training::quickstart()?;
    let shape = BoardShape::new(BOARD).expect("there are boards of 11x11");
    let network = Network::new(config.network, shape, 0);
    print(&tafl_network::doctor(&network), &config.network);
    Ok(ExitCode::SUCCESS)
}

fn print(doctor: &Doctor, timed: &tafl_network::NetworkConfig) {
    let line = |name: &str, text: String| println!("{name:<12} {text}");
    line("tafl", env!("CARGO_PKG_VERSION").to_owned());
    let folder = doctor.libtorch_folder.as_ref();
    let folder = folder.map_or("an unknown folder".to_owned(), |path| {
        path.display().to_string()
    });
    line("libtorch", format!("{LIBTORCH_VERSION} from {folder}"));
    line(
        "cuda",
        match &doctor.cuda {
            Ok(devices) => format!("{devices} devices"),
            Err(reason) => format!("none: {reason}"),
        },
    );
    let processor = doctor.processor.as_deref().unwrap_or("unknown processor");
    line("cpu", format!("{} cores, {processor}", doctor.cores));
    let features = doctor
        .features
        .iter()
        .map(|(name, has)| format!("{name} {}", if *has { "yes" } else { "no" }));
    line("", features.collect::<Vec<_>>().join(", "));
    line(
        "precision",
        format!("auto uses {} on the cpu", doctor.precision),
    );
    for (compute, timing) in &doctor.timings {
        line("", format!("{:<4} {}", compute.to_string(), speed(timing)));
    }
    let size = format!("{} blocks of {} channels", timed.blocks, timed.channels);
    line("", format!("on one core, batches of 64, {size}"));
    if let Some(faster) = doctor.faster() {
        let advice =
            format!("{faster} was faster: measure again, then set precision = \"{faster}\"");
        line("", advice);
    }
}

fn speed(timing: &Result<f64, NetworkError>) -> String {
    match timing {
        Ok(evaluations) => format!("{evaluations:.0} evaluations/s"),
        Err(reason) => format!("fails: {reason}"),
    }
}
