//! `tafl workers`: who plays for a run.

use crate::progress::seconds;
use crate::table;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tafl_training::{WorkerReport, WorkerState, purge, workers};

/// Arguments of `tafl workers`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Games and samples are those that the run has learned from. A worker that said nothing for a minute
is silent: it was killed, cannot be reached, or its clock differs. `train` is the run's own.")]
pub(crate) struct Args {
    /// Folder of a run, such as data/runs/quickstart.
    #[arg(value_name = "RUN")]
    folder: PathBuf,
    /// Leave the shards of a worker out from now on, those that were learned from included; a
    /// trainer at work does so within seconds. To take it back, remove the name from
    /// purged-workers.txt in the run's folder and resume the run.
    #[arg(long, value_name = "NAME")]
    purge: Option<String>,
}

/// Seconds without a word after which a worker counts as silent.
const SILENT: f64 = 60.0;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(name) = &args.purge {
        purge(&args.folder, name)?;
    }
    let workers = workers(&args.folder)?;
    let rows = workers.iter().map(|(name, worker)| row(name, worker));
    let head = "worker | state | checkpoint | >games/h | >shards | >games | >samples | program";
    print!("{}", table::of(head, rows));
    Ok(ExitCode::SUCCESS)
}

fn row(name: &str, worker: &WorkerReport) -> Vec<String> {
    let (status, age) = worker.status.clone().unzip();
    let state = match (&status, age) {
        _ if worker.is_purged => "purged".to_owned(),
        (Some(status), _) if status.state == WorkerState::Ended => "ended".to_owned(),
        (Some(_), Some(age)) if age > SILENT => {
            format!("silent for {}", seconds(Duration::from_secs_f64(age)))
        }
        (Some(status), _) if status.state == WorkerState::Resting => "resting".to_owned(),
        (Some(_), _) => "playing".to_owned(),
        (None, _) => "unknown".to_owned(),
    };
    let of = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let status = status.as_ref();
    vec![
        name.to_owned(),
        state,
        of(status.map(|it| it.checkpoint.clone())),
        of(status.map(|it| format!("{:.0}", it.games_per_hour()))),
        worker.shards.to_string(),
        worker.games.to_string(),
        worker.samples.to_string(),
        of(status.map(|it| it.program.clone())),
    ]
}
