//! `tafl run workers`: who plays for a run.

use crate::args::store_kind;
use crate::process::ExitCode;
use crate::progress::seconds;
use crate::text::table;
use anyhow::{Context, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tafl_store::{checkpoints, lock_folder};
use tafl_training::{RUN_CONFIG, WorkerReport, load_for_games, others, purge, put_aside, workers};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shards, games and samples are those that have arrived. The run takes them into account at once, and
lists what it learned from with each checkpoint; what it put aside when it looked last is named with
the reason. A worker that said nothing for a minute is silent: it was killed, cannot be reached, or
its clock is behind. Where several of one name are at work, games/h are of all together, checkpoint
and program of the one that spoke last. `train` is the run itself.")]
pub(crate) struct Args {
    /// Folder of a run, such as data/runs/quickstart.
    #[arg(value_name = "RUN")]
    folder: PathBuf,
    /// Leave the shards of a worker out from now on, those that were learned from included; a
    /// trainer at work does so within seconds. To take it back, remove the name from
    /// purged-workers.txt in the run's folder and resume the run.
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "")]
    purge: Option<String>,
}

/// Shards put aside that are named one by one.
const MOST_NAMED: usize = 10;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    store_kind(&args.folder)?;
    if let Some(name) = &args.purge {
        let known = workers(&args.folder)?;
        ensure!(
            !name.is_empty(),
            "--purge: which worker? there are: {}",
            others(&known)
        );
        purge(&args.folder, name).context("--purge")?;
    }
    let known = workers(&args.folder)?;
    if !known.is_empty() {
        print!("{}", table_of(&known));
    }
    if let Some(remark) = remark(&args.folder, known.is_empty()) {
        println!("{remark}");
    }
    let aside = put_aside(&args.folder)?;
    for reason in aside.values().take(MOST_NAMED) {
        println!("put aside: {reason}");
    }
    if aside.len() > MOST_NAMED {
        println!("put aside: {} more", aside.len() - MOST_NAMED);
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns why no workers are known, and that nobody trains a run that is to go on.
fn remark(run: &Path, is_empty: bool) -> Option<&'static str> {
    let config = load_for_games(&run.join(RUN_CONFIG), &[]).ok();
    let training_loop = config.map(|it| it.config.training_loop);
    let last = checkpoints(run).unwrap_or_default().pop();
    let goes_on = training_loop.as_ref().is_some_and(|it| {
        it.asynchronous.is_some() && last.is_none_or(|(last, _)| last < it.generations)
    });
    match training_loop {
        Some(it) if is_empty && it.asynchronous.is_none() => {
            Some("no workers: the run is synchronous and plays its games itself")
        }
        _ if goes_on && lock_folder(run, "run").is_ok() => Some(match is_empty {
            true => "no workers yet; training: nobody at work (the run's lock is free)",
            false => "training: nobody at work (the run's lock is free)",
        }),
        _ => is_empty.then_some("no workers yet"),
    }
}

/// Returns a table of workers by name.
pub(crate) fn table_of(workers: &BTreeMap<String, WorkerReport>) -> String {
    let rows = workers.iter().map(|(name, worker)| row(name, worker));
    let head = "worker | state | checkpoint | >games/h | >shards | >games | >samples | >learned from | >put aside | program";
    table::of(head, rows)
}

fn row(name: &str, worker: &WorkerReport) -> Vec<String> {
    let time = |age: f64| seconds(Duration::from_secs_f64(age.abs()));
    let state = match (worker.state(), &worker.status) {
        (state @ "silent", Some((_, age))) => format!("{state} for {}", time(*age)),
        (state @ "clock ahead", Some((_, age))) => format!("{state} by {}", time(*age)),
        (state, _) if worker.at_work > 1 => format!("{state}, {} of this name", worker.at_work),
        (state, _) => state.to_owned(),
    };
    let state = match worker.purged_shards {
        shards if shards > 0 && !worker.is_purged => format!("{state}, shards purged: {shards}"),
        _ => state,
    };
    let of = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let status = worker.status.as_ref().map(|(status, _)| status);
    vec![
        name.to_owned(),
        state,
        of(status.map(|it| it.checkpoint.clone())),
        of(worker.games_per_hour().map(|it| format!("{it:.0}"))),
        (worker.shards + worker.waiting_shards).to_string(),
        (worker.games + worker.waiting.games).to_string(),
        (worker.samples + worker.waiting.samples).to_string(),
        worker.samples.to_string(),
        match worker.put_aside {
            0 => String::new(),
            shards => shards.to_string(),
        },
        of(status.map(|it| it.program.clone())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_in_the_folder_of_a_purged_worker_are_told() {
        let mut worker = WorkerReport::default();
        worker.purged_shards = 2;
        assert_eq!(row("ann", &worker)[1], "unknown, shards purged: 2");
        worker.is_purged = true;
        assert_eq!(row("ann", &worker)[1], "purged");
    }

    #[test]
    fn a_table_without_workers_or_trainer_says_why() {
        let run = tempfile::tempdir().expect("a folder");
        let said = |config: &str, is_empty| {
            std::fs::write(run.path().join(RUN_CONFIG), config).expect("written");
            remark(run.path(), is_empty).unwrap_or_default()
        };
        let asynchronous = "[loop.asynchronous]";
        assert!(said("seed = 1", true).contains("is synchronous"));
        assert!(said(asynchronous, true).starts_with("no workers yet; training: nobody"));
        assert!(said(asynchronous, false).starts_with("training: nobody"));
        let _trains = lock_folder(run.path(), "run").expect("nobody's");
        assert_eq!(said(asynchronous, false), "");
        assert_eq!(said(asynchronous, true), "no workers yet");
    }
}
