//! `tafl report`: a run, several runs, a study or a tournament as one page.

use crate::args::store_kind;
use crate::hint::hinted;
use crate::output::{command, pasted, quoted, write_named};
use crate::process::{self, ExitCode};
use crate::text::{capped_text, one_sided_text};
use anyhow::{bail, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tafl_config::{Difference, display};
use tafl_report::{
    ComparedField, ComparedTournament, Comparison, Learning, Page, RunReport, RunWorker,
    TournamentReport,
};
use tafl_rules::BoardShape;
use tafl_store::{StoreKind, checkpoint_folder, checkpoints};
use tafl_studies::{Meetings, Resampling, TournamentFolder, ladder_standings};
use tafl_training::{
    OneSided, OutdatedMatches, RUN_CONFIG, RunConfig, WORKER, WorkerReport, card, files_of_matches,
    fingerprint, load, load_for_games, load_rules, readable_matches, told_ruleset, workers,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page is self-contained and works offline. The run may still be in progress.
For a run the numbers are also written as JSON, to summary.json beside report.html, or to FILE
with the extension .json; a study already has its summary.json. Everything else is Parquet:
metrics.parquet, games/ and arena/ in the run, games/ in the study.")]
pub(crate) struct Args {
    /// Folder of a run, such as data/runs/quickstart, of a study of `tafl balance`, or of a tournament of `tafl arena`;
    /// or two to six runs, to compare them.
    #[arg(value_name = "FOLDER", required = true, num_args = 1..=6)]
    folders: Vec<PathBuf>,
    /// Page to write; default: report.html in the folder, compare.html in the first of several.
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
    let [folder] = &args.folders[..] else {
        bail!("--watch is for one run");
    };
    ensure!(
        store_kind(folder)? == StoreKind::Run,
        "--watch: only runs go on"
    );
    process::end_on_interrupt("the page stays as it is".to_owned())?;
    loop {
        let config = load(&folder.join(RUN_CONFIG), &[])?.config;
        let last = checkpoints(folder)?.last().map_or(0, |(number, _)| *number);
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
    let (folder, games) = (&args.folders[0], args.games as usize);
    let mut name = "report.html";
    let (page, summary) = match (&args.folders[1..], store_kind(folder)?) {
        ([], StoreKind::Study) => (of_study(folder, games)?, None),
        ([], StoreKind::Tournament) => (of_tournament(folder, games)?, None),
        ([], StoreKind::Run) => of_run(folder, games)?,
        _ => {
            name = "compare.html";
            (of_runs(&args.folders)?, None)
        }
    };
    let output = args.output.clone().unwrap_or_else(|| folder.join(name));
    let is_summary = output.extension().is_some_and(|ending| ending == "json");
    ensure!(
        !is_summary,
        "--output {}: the page is HTML",
        output.display()
    );
    for board in page.boards() {
        let ruleset = &board.ruleset;
        let own = board.own_rules.iter();
        own.for_each(|rules| println!("ruleset {ruleset}: {rules}"));
    }
    let html = tafl_report::html(&page, refresh);
    write_named(&output, html.as_bytes())?;
    println!("{}, {:.1} MB", output.display(), html.len() as f64 / 1e6);
    if let Some(summary) = summary {
        let path = match &args.output {
            Some(path) => path.with_extension("json"),
            None => folder.join("summary.json"),
        };
        write_named(&path, summary.as_bytes())?;
        println!("{}", path.display());
    }
    Ok(())
}

fn of_run(folder: &Path, games: usize) -> anyhow::Result<(Page, Option<String>)> {
    let loaded = load_for_games(&folder.join(RUN_CONFIG), &[])?;
    let rules = loaded.rules;
    // Those that cannot be read are named with the other files.
    let files = files_of_matches(folder)?;
    let matches = readable_matches(&files, rules.listed());
    let resampling = resampling(loaded.config.seed);
    let standings = ladder_standings(&matches, rules.listed(), resampling)?;
    let report = tafl_report::report_run(folder, rules.listed(), rules.variants(), files, games)?;
    let outdated = OutdatedMatches::of(folder)?;
    let outdated = (outdated.count > 0).then(|| outdated.to_string());
    let report = RunReport {
        warnings: warnings(
            folder,
            &loaded.config,
            rules[0].shape(),
            report.learning.as_ref(),
        ),
        left_out: report.left_out.into_iter().chain(outdated).collect(),
        standings: standings.map(serde_json::to_value).transpose()?,
        workers: workers_of(folder)?,
        ..report
    };
    for reason in &report.left_out {
        eprintln!("left out: {reason}");
    }
    let summary = tafl_report::run_summary(&report);
    Ok((Page::Run(Box::new(report)), Some(summary)))
}

/// Returns why a run learned little in its last generations.
fn warnings(
    run: &Path,
    config: &RunConfig,
    shape: BoardShape,
    learning: Option<&Learning>,
) -> Vec<String> {
    let newest = checkpoints(run).unwrap_or_default().pop();
    let card = newest.and_then(|(_, folder)| card(&folder).ok());
    let high = card.and_then(|card| {
        let trained = card.provenance.history.last()?;
        config.high_loss(card.steps, &trained.losses, shape)
    });
    let last = |name: &str| {
        let curve = learning?.checkpoints.get(name)?;
        curve.points.last().map(|point| point.mean)
    };
    let capped = learning
        .is_some_and(is_all_capped)
        .then(|| capped_text(config.selfplay.max_plies));
    let samples = last("selfplay/samples").map(|samples| samples as u64);
    let large = samples.and_then(|samples| config.large_batch(samples));
    // Metrics that cannot be read are named with the other files.
    let one_sided = OneSided::of(run).ok().flatten();
    let one_sided = one_sided.as_ref().map(one_sided_text);
    let all = [high, capped, large, one_sided];
    all.into_iter().flatten().collect()
}

/// Games that say together whether any comes to its end: a checkpoint of an asynchronous run may have one.
const LEAST_GAMES: f64 = 10.0;

/// Returns whether none of the latest games came to its end.
fn is_all_capped(learning: &Learning) -> bool {
    let points = |name: &str| {
        let curve = learning.checkpoints.get(name);
        curve
            .into_iter()
            .flat_map(|curve| curve.points.iter().rev())
    };
    let played = points("selfplay/games").filter(|point| point.mean > 0.0);
    let rates = points("selfplay/capped_rate");
    let rates: BTreeMap<u32, f64> = rates.map(|it| (it.generation, it.mean)).collect();
    let mut games = 0.0;
    for point in played {
        if rates.get(&point.generation) != Some(&1.0) {
            return false;
        }
        games += point.mean;
        if games >= LEAST_GAMES {
            break;
        }
    }
    games > 0.0
}

/// Returns who played for a run, if others than its own process did.
fn workers_of(run: &Path) -> anyhow::Result<Vec<RunWorker>> {
    let workers = workers(run)?;
    if workers.keys().all(|name| name == WORKER) {
        return Ok(Vec::new());
    }
    let row = |(name, worker): (String, WorkerReport)| {
        let state = worker.state().to_owned();
        let games_per_hour = worker.games_per_hour();
        let status = worker.status.map(|(status, _)| status);
        RunWorker {
            name,
            state,
            checkpoint: status.as_ref().map(|status| status.checkpoint.clone()),
            games_per_hour,
            games: worker.games,
            samples: worker.samples,
            program: status.map(|status| status.program),
        }
    };
    Ok(workers.into_iter().map(row).collect())
}

const fn resampling(seed: u64) -> Resampling {
    Resampling {
        resamples: RESAMPLES,
        seed,
    }
}

fn of_tournament(folder: &Path, games: usize) -> anyhow::Result<Page> {
    let tournament = TournamentFolder::open(folder)?;
    let settings = &tournament.manifest.settings;
    let standings = tournament.standings(resampling(settings.seed))?;
    let (rules, files) = (&tournament.rules, tournament.files());
    let report = TournamentReport {
        settings: serde_json::to_value(settings)?,
        standings: standings.map(serde_json::to_value).transpose()?,
        ..tafl_report::report_tournament(folder, rules, files, games)?
    };
    Ok(Page::Tournament(Box::new(report)))
}

fn of_runs(folders: &[PathBuf]) -> anyhow::Result<Page> {
    let (mut runs, mut all, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for folder in folders {
        if store_kind(folder)? != StoreKind::Run {
            let error = format!("{}: not a run; only runs are compared", folder.display());
            return Err(hinted(
                error,
                "`tafl balance compare` sets two studies side by side",
            ));
        }
        let is_new = seen.insert(folder.canonicalize()?);
        ensure!(is_new, "{}: given twice", folder.display());
        let mut loaded = load_for_games(&folder.join(RUN_CONFIG), &[])?;
        // A path within the run does not say what a ruleset of one's own is.
        let told = loaded.rules.listed().iter().map(|it| told_ruleset(it));
        loaded.config.rulesets = told.collect();
        all.push(loaded);
        let last = checkpoints(folder)?.last().map_or(0, |(number, _)| *number);
        runs.push(tafl_report::compared_run(folder, last)?);
    }
    let configs: Vec<&RunConfig> = all.iter().map(|it| &it.config).collect();
    let differences = tafl_config::difference(&configs)?;
    let field = |Difference { field, values }: Difference| ComparedField {
        field,
        values: values.iter().map(|it| it.as_ref().map(display)).collect(),
    };
    let names: Vec<String> = runs
        .iter()
        .map(|run| run.info.settings.run.clone())
        .collect();
    let arena = folders[0].join("../../arena");
    let meetings = Meetings::of_runs(&arena, &names, resampling(configs[0].seed));
    for reason in &meetings.left_out {
        eprintln!("left out: {reason:#}");
    }
    let mut tournaments = Vec::new();
    for (folder, standings) in &meetings.found {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        tournaments.push(ComparedTournament {
            name: name.into_owned(),
            standings: serde_json::to_value(standings)?,
        });
    }
    let mut rulesets = configs[0].rulesets.iter().zip(&all[0].files);
    let common = rulesets.find(|(name, _)| configs.iter().all(|it| it.rulesets.contains(name)));
    let common = common.map(|(name, file)| match file {
        Some(file) => pasted(file),
        None => quoted(name),
    });
    let lasts = folders
        .iter()
        .zip(&runs)
        .map(|(folder, run)| pasted(&checkpoint_folder(folder, run.checkpoints)));
    let lasts = lasts.collect::<Vec<_>>().join(" ");
    Ok(Page::Runs(Box::new(Comparison {
        match_command: common
            .map(|ruleset| format!("{} arena {lasts} --ruleset {ruleset}", command())),
        differences: differences.into_iter().map(field).collect(),
        runs,
        tournaments,
    })))
}

fn of_study(folder: &Path, games: usize) -> anyhow::Result<Page> {
    if !folder.join("summary.json").exists() {
        return Err(hinted(
            format!("{}: the study is not finished", folder.display()),
            "the command that began it plays what is missing",
        ));
    }
    let summary = tafl_report::read_study(folder)?;
    let mut rules = Vec::new();
    for ruleset in &summary.study.rulesets {
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
    let report = tafl_report::report_study(folder, summary, &rules, games)?;
    Ok(Page::Study(Box::new(report)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_dataset::Metric;

    #[test]
    fn a_few_long_games_are_not_all_games() {
        let is_capped = |generations: &[(f64, f64)]| {
            let of_one = |(generation, (games, capped)): (u32, &(f64, f64))| {
                let values = [
                    ("selfplay/games", *games),
                    ("selfplay/capped_rate", *capped),
                ];
                values.map(|(name, value)| Metric {
                    generation,
                    step: generation.into(),
                    name: name.to_owned(),
                    value,
                    seconds: None,
                })
            };
            let metrics: Vec<Metric> = (0..).zip(generations).flat_map(of_one).collect();
            is_all_capped(&Learning::of_metrics(&metrics))
        };
        assert!(is_capped(&[(20.0, 0.5), (16.0, 1.0)]));
        assert!(is_capped(&[(4.0, 1.0)]));
        assert!(is_capped(&[
            (20.0, 0.5),
            (9.0, 1.0),
            (0.0, 0.0),
            (1.0, 1.0)
        ]));
        for rates in [&[(20.0, 0.5), (1.0, 1.0)][..], &[(16.0, 0.9)], &[]] {
            assert!(!is_capped(rates), "{rates:?}");
        }
    }
}
