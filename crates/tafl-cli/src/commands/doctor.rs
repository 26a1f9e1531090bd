//! `tafl doctor`: what this machine offers.

use crate::args::DataFolder;
use crate::failure::in_words;
use crate::nets::{named_or_shipped, rules_for};
use crate::process::ExitCode;
use tafl_network::{Agreement, Doctor, LIBTORCH_VERSION, Network, NetworkError};
use tafl_training::{load_network, quickstart};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Speed is measured, and formats are compared, with the network of data/nets that learned
Copenhagen, on positions of games that its policy plays; where there is none, with an untrained one
of the size in configs/quickstart.toml."
)]
pub(crate) struct Args {
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = rules_for(None, None)?.rules;
    let (network, name) = match named_or_shipped(None, &args.data.path, &rules) {
        Ok(folder) => (
            load_network(&folder, &rules)?.0,
            folder.display().to_string(),
        ),
        Err(_) => {
            let config = quickstart()?.network;
            let network = Network::new(config, rules.shape(), 0);
            (network, "untrained".to_owned())
        }
    };
    print(&tafl_network::doctor(&network, &rules), &network, &name);
    Ok(ExitCode::SUCCESS)
}

fn print(doctor: &Doctor, network: &Network, name: &str) {
    let line = |name: &str, text: String| println!("{name:<12} {text}");
    line("tafl", env!("CARGO_PKG_VERSION").to_owned());
    let folder = doctor.libtorch_folder.as_ref();
    let folder = folder.map_or("an unknown folder".to_owned(), |path| {
        path.display().to_string()
    });
    let libtorch = match cfg!(feature = "libtorch") {
        true => format!("{LIBTORCH_VERSION} from {folder}"),
        false => "none: this program computes in Rust".to_owned(),
    };
    line("libtorch", libtorch);
    line(
        "cuda",
        match &doctor.cuda {
            Ok(devices) => format!("{devices} devices"),
            Err(reason) => format!("none: {}", in_words(reason)),
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
    let size = network.architecture().network;
    let size = format!("{} blocks of {} channels", size.blocks, size.channels);
    line("", format!("on one core, batches of 64, {size}: {name}"));
    for (compute, agreement) in &doctor.agreements {
        line("", format!("{compute} against f32: {}", agrees(agreement)));
    }
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

fn agrees(agreement: &Agreement) -> String {
    format!(
        "same best move in {:.1} % of {} positions, policy divergence {:.4}, value error {:.3}",
        100.0 * agreement.same_move,
        agreement.positions,
        agreement.divergence,
        agreement.value_error
    )
}
