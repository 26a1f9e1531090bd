//! `tafl report`: a run or a study as one page.

use crate::process;
use anyhow::ensure;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tafl_dataset::{StoreKind, write_atomically};
use tafl_report::{Page, RunSource, RunWorker};
use tafl_studies::{Resampling, run_standings};
use tafl_training::{
    WORKER, WorkerReport, WorkerStatus, checkpoints, fingerprint, hinted, load, load_rules, workers,
};

/// Arguments of `tafl report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page is self-contained and works offline. The run may still be in progress.
For a run the numbers are also written as JSON, to summary.json beside report.html, or to FILE
with the extension .json; a study already has its summary.json. Everything else is Parquet:
metrics.parquet, games/, samples/ and arena/ in the run, games/ and samples/ in the study.")]
pub(crate) struct Args {
    /// Folder of a run, such as data/runs/quickstart, or of a study of `tafl balance`.
    #[arg(value_name = "RUN_OR_STUDY")]
    folder: PathBuf,
    /// Page to write; default: report.html in the folder.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Games in the viewer, sampled from every kind of ending.
    #[arg(long, value_name = "GAMES", default_value_t = 120, value_parser = clap::value_parser!(u32).range(0..=2000))]
    games: u32,
    /// Write the page of a run anew every so many seconds until the run has its last checkpoint; an open page follows.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60", value_parser = clap::value_parser!(u32).range(5..=86_400))]
    watch: Option<u32>,
}

/// Bootstrap resamples for the second intervals, as in `tafl arena`.
const RESAMPLES: u32 = 1000;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some(seconds) = args.watch else {
        write(args, None)?;
        return Ok(ExitCode::SUCCESS);
    };
    ensure!(
        what(&args.folder)? == StoreKind::Run,
        "--watch: only runs go on"
    );
    process::end_on_interrupt("the page stays as it is".to_owned())?;
    loop {
        let config = load(&args.folder.join("config.toml"), &[])?.config;
        let last = checkpoints(&args.folder).last().copied().unwrap_or(0);
        let has_ended = last >= config.training_loop.generations;
        write(args, (!has_ended).then_some(seconds))?;
        if has_ended {
            println!("The run has its last checkpoint.");
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(Duration::from_secs(seconds.into()));
    }
}

/// Writes the page, which loads itself again every `refresh` seconds, and the summary of a run.
fn write(args: &Args, refresh: Option<u32>) -> anyhow::Result<()> {
    let (page, summary) = match what(&args.folder)? {
        StoreKind::Study => (of_study(args)?, None),
        _ => of_run(args)?,
    };
    let output = match &args.output {
        Some(path) => path.clone(),
        None => args.folder.join("report.html"),
    };
    ensure!(
        !output.is_dir(),
        "--output {} is a folder",
        output.display()
    );
    let html = tafl_report::html(&page, refresh);
    write_atomically(&output, html.as_bytes())?;
    println!("{}, {:.1} MB", output.display(), html.len() as f64 / 1e6);
    if let Some(summary) = summary {
        let path = match &args.output {
            Some(path) => path.with_extension("json"),
            None => args.folder.join("summary.json"),
        };
        write_atomically(&path, summary.as_bytes())?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Returns what a folder is: a run or a study.
fn what(folder: &Path) -> anyhow::Result<StoreKind> {
    let name = folder.display();
    ensure!(folder.is_dir(), "{name}: no such folder");
    match StoreKind::of_folder(folder)? {
        Some(kind @ (StoreKind::Run | StoreKind::Study)) => Ok(kind),
        // A run whose manifest is missing is told so, by the name of the file.
        None if folder.join("config.toml").is_file() => Ok(StoreKind::Run),
        _ => Err(hinted(
            format!("{name}: neither a run nor a study"),
            "`tafl train` makes runs in data/runs/, `tafl balance` studies in data/balance/",
        )),
    }
}

fn of_run(args: &Args) -> anyhow::Result<(Page, Option<String>)> {
    let folder = &args.folder;
    let loaded = load(&folder.join("config.toml"), &[])?;
    let rules = loaded.rules;
    let resampling = Resampling {
        resamples: RESAMPLES,
        seed: loaded.config.seed,
    };
    let standings = run_standings(folder, &rules, resampling)?;
    let source = RunSource {
        folder,
        rules: &rules,
        standings: standings.map(serde_json::to_value).transpose()?,
        workers: workers_of(folder)?,
        games: args.games as usize,
    };
    let report = tafl_report::report_run(&source)?;
    for reason in &report.left_out {
        eprintln!("left out: {reason}");
    }
    let summary = tafl_report::run_summary(&report);
    Ok((Page::Run(Box::new(report)), Some(summary)))
}

/// Returns who played for a run, if others than its own process did.
fn workers_of(run: &Path) -> anyhow::Result<Vec<RunWorker>> {
    let workers = workers(run)?;
    if workers.keys().all(|name| name == WORKER) {
        return Ok(Vec::new());
    }
    let row = |(name, worker): (String, WorkerReport)| {
        let state = worker.state().to_owned();
        let status = worker.status.map(|(status, _)| status);
        RunWorker {
            name,
            state,
            checkpoint: status.as_ref().map(|status| status.checkpoint.clone()),
            games_per_hour: status.as_ref().map(WorkerStatus::games_per_hour),
            games: worker.games,
            samples: worker.samples,
            program: status.map(|status| status.program),
        }
    };
    Ok(workers.into_iter().map(row).collect())
}

fn of_study(args: &Args) -> anyhow::Result<Page> {
    let folder = &args.folder;
    let summary = tafl_report::read_study(folder)?;
    let mut rules = Vec::new();
    for ruleset in &summary.rulesets {
        let name = ruleset.file.as_deref().unwrap_or(&ruleset.name);
        let found = load_rules(name, folder)?;
        ensure!(
            fingerprint(&found) == ruleset.fingerprint,
            "{}: the study used another ruleset named {}",
            folder.join("summary.json").display(),
            ruleset.name
        );
        rules.push(found);
    }
    let report = tafl_report::report_study(folder, summary, &rules, args.games as usize)?;
    Ok(Page::Study(Box::new(report)))
}
