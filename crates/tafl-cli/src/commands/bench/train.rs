//! `tafl bench train`: how fast the trainer learns, and whether the samples reach it fast enough.

mod speed;

use super::{print_line, show, whole};
use crate::args::ConfigSource;
use speed::{TrainSpeed, train_speed};
use std::path::PathBuf;
use std::process::ExitCode;
use tafl_network::Device;

/// Arguments of `tafl bench train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Measured in one run, in turns, as machines are shared. `trainer` is forward, backward and optimizer
on ready batches; `read` is drawn rows of Parquet files to samples, `encode` samples to batches on
one core; `pipeline` is drawn rows to batches on all cores, as in a run; `loop` is the trainer with
the next batches made meanwhile. `samples/cpu s` counts the CPU time of all threads, which other
programs disturb less. `supply` is `pipeline` / `trainer`; `hidden` is `loop` / `trainer`.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Folder of a run, or of a worker's shards, to read samples from; default: play games with equal priors.
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// Device instead of the config's: cpu, cuda or cuda:1.
    #[arg(long)]
    device: Option<Device>,
    /// Minimum seconds for each of the five measurements.
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print a JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let samples = args.samples.as_deref();
    let speed = train_speed(&args.source.load()?, samples, args.device, args.time)?;
    show(&speed, args.json, print)
}

fn print(speed: &TrainSpeed) {
    println!(
        "{} in {} on {}, batches of {} in {} shards on {} threads, {} samples",
        speed.network,
        speed.precision,
        speed.device,
        speed.batch,
        speed.shards,
        speed.threads,
        speed.samples
    );
    print_line("trainer samples/s", whole(speed.trainer_samples_per_s));
    let per_cpu_s = speed.trainer_samples_per_cpu_s.map(whole);
    print_line("trainer samples/cpu s", per_cpu_s.unwrap_or_default());
    print_line("read samples/s", whole(speed.read_samples_per_s));
    print_line("encode samples/s", whole(speed.encode_samples_per_s));
    print_line("pipeline samples/s", whole(speed.pipeline_samples_per_s));
    print_line("loop samples/s", whole(speed.loop_samples_per_s));
    print_line("supply", format!("{:.1}", speed.supply));
    print_line("hidden", format!("{:.3}", speed.hidden));
}
