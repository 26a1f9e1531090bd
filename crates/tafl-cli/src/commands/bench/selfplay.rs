//! `tafl bench selfplay`: speed of self-play relative to the network's, and where the time goes.

mod speed;

use super::{percent, print_line, show, whole};
use crate::args::ConfigSource;
use speed::{SelfplaySpeed, selfplay_speed};
use std::path::PathBuf;
use std::process::ExitCode;
use tafl_network::Device;

/// Arguments of `tafl bench selfplay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measured in one run, because machines are shared: the network's forward pass alone, then self-play,
then the forward pass again, with the same batch, precision and workers. `utilization` is the
evaluations/s of self-play divided by those of the forward pass alone; cache hits are not counted.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Checkpoint that plays; default: an untrained network.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Device instead of the config's: cpu, cuda or cuda:1.
    #[arg(long)]
    device: Option<Device>,
    /// Seconds of self-play to measure, after a warm-up of a fifth of that.
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let checkpoint = args.checkpoint.as_deref();
    let speed = selfplay_speed(&args.source.load()?, checkpoint, args.device, args.time)?;
    show(&speed, args.json, print)
}

fn print(speed: &SelfplaySpeed) {
    println!(
        "{} in {} on {}, {} workers, batches of {}, {} visits",
        speed.network, speed.precision, speed.device, speed.workers, speed.batch, speed.visits
    );
    print_line("raw evaluations/s", whole(speed.raw_evaluations_per_s));
    print_line("evaluations/s", whole(speed.evaluations_per_s));
    print_line("utilization", format!("{:.3}", speed.utilization));
    print_line("visits/s", whole(speed.visits_per_s));
    print_line("positions/s", format!("{:.1}", speed.positions_per_s));
    print_line("plies/s", format!("{:.1}", speed.plies_per_s));
    print_line("games/h", whole(speed.games_per_h));
    print_line("batch fill", percent(100.0 * speed.batch_fill));
    print_line("cache hits", percent(100.0 * speed.cache_hit_rate));
    let phases = &speed.phases;
    println!("where the workers' time went:");
    for (name, share) in [
        ("forward", phases.forward),
        ("encode", phases.encode),
        ("read", phases.read),
        ("rules", phases.rules),
        ("expand", phases.expand),
        ("back up", phases.back_up),
        ("select and the rest", phases.select),
    ] {
        print_line(&format!("  {name}"), percent(share));
    }
}
