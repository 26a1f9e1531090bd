//! `tafl report`: a run or a study as one page.

use crate::failure::hinted;
use crate::ladder;
use crate::rulesets;
use crate::stages;
use crate::standings::Resampling;
use crate::toml_file;
use anyhow::{Context, ensure};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tafl_dataset::write_atomically;
use tafl_report::{Page, RunSource};
use tafl_rules::Rules;

/// Arguments of `tafl report`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page holds everything that it shows, and needs no network. A run may still be going on.
For a run the numbers are also written as JSON, to summary.json beside report.html, or to FILE
with the ending .json; a study has its summary.json already. Everything else is Parquet:
metrics.parquet, games/, samples/ and arena/ in the run, games/ and samples/ in the study.")]
pub(crate) struct Args {
    /// Folder of a run, such as data/runs/quickstart, or of a study of `tafl balance`.
    #[arg(value_name = "RUN_OR_STUDY")]
    folder: PathBuf,
    /// Page to write; without it report.html in the folder.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Games that can be looked at ply by ply; some of every kind are taken.
    #[arg(long, value_name = "GAMES", default_value_t = 120, value_parser = clap::value_parser!(u32).range(0..=2000))]
    games: u32,
}

/// Times that pairs are drawn anew for the second intervals, as `tafl arena` does.
const RESAMPLES: u32 = 1000;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (page, summary) = match what(&args.folder)? {
        What::Run => of_run(args)?,
        What::Study => (of_study(args)?, None),
    };
    let output = match &args.output {
        Some(path) => path.clone(),
        None => args.folder.join("report.html"),
    };
    ensure!(
        !output.is_dir(),
        "--output {}: that is a folder",
        output.display()
    );
    let html = tafl_report::html(&page);
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
    Ok(ExitCode::SUCCESS)
}

enum What {
    Run,
    Study,
}

fn what(folder: &Path) -> anyhow::Result<What> {
    let has = |name: &str| folder.join(name).exists();
    let name = folder.display();
    ensure!(folder.is_dir(), "{name}: no such folder");
    match (
        has("manifest.json") || has("config.toml"),
        has("study.json"),
    ) {
        (true, _) => Ok(What::Run),
        (false, true) => Ok(What::Study),
        _ => Err(hinted(
            format!("{name}: neither a run (no manifest.json) nor a study (no study.json)"),
            "`tafl train` makes runs in data/runs/, `tafl balance` studies in data/balance/",
        )),
    }
}

fn of_run(args: &Args) -> anyhow::Result<(Page, Option<String>)> {
    let folder = &args.folder;
    let (rules, seed) = rules_of_run(folder)?;
    let matches = stages::matches_of(folder, &rules)
        .with_context(|| format!("reading the matches of {}", folder.display()))?;
    let resampling = Resampling {
        resamples: RESAMPLES,
        seed,
    };
    let standings = ladder::standings(&matches, &rules, resampling)?;
    let source = RunSource {
        folder,
        rules: &rules,
        standings: standings.map(serde_json::to_value).transpose()?,
        games: args.games as usize,
    };
    let report = tafl_report::report_run(&source)?;
    let summary = tafl_report::run_summary(&report);
    Ok((Page::Run(Box::new(report)), Some(summary)))
}

/// Returns the rulesets of a run and its seed, from its config, which may lack fields of this version.
fn rules_of_run(folder: &Path) -> anyhow::Result<(Vec<Arc<Rules>>, u64)> {
    let (table, source) = toml_file::open(&folder.join("config.toml"), &[])?;
    let names = table.get("rulesets").and_then(toml::Value::as_array);
    let names = names.ok_or_else(|| source.error("rulesets", "a list of names is needed"))?;
    let load = |name: &toml::Value| {
        let name = name.as_str();
        let name = name.ok_or_else(|| source.error("rulesets", "a list of names is needed"))?;
        rulesets::load_rules(name, folder)
            .map_err(|error| source.error("rulesets", &format!("{error:#}")))
    };
    let rules = names.iter().map(load).collect::<anyhow::Result<Vec<_>>>()?;
    let seed = table.get("seed").and_then(toml::Value::as_integer);
    Ok((rules, seed.unwrap_or(0) as u64))
}

fn of_study(args: &Args) -> anyhow::Result<Page> {
    let folder = &args.folder;
    let summary = tafl_report::read_study(folder)?;
    let mut rules = Vec::new();
    for ruleset in &summary.rulesets {
        let name = ruleset.file.as_deref().unwrap_or(&ruleset.name);
        let found = rulesets::load_rules(name, folder)?;
        let fingerprint = format!("{:016x}", found.ruleset().fingerprint());
        ensure!(
            fingerprint == ruleset.fingerprint,
            "{}: the study was played by other rules called {}",
            folder.join("summary.json").display(),
            ruleset.name
        );
        rules.push(found);
    }
    let report = tafl_report::report_study(folder, summary, &rules, args.games as usize)?;
    Ok(Page::Study(Box::new(report)))
}
