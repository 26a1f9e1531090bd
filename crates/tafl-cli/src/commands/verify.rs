//! `tafl run verify`: whether the files of a folder are those that were written.

use crate::args::store_kind;
use crate::failure::one_line;
use crate::process::ExitCode;
use std::path::PathBuf;
use tafl_store::{StoreKind, Verified};
use tafl_studies::kept_rulesets;
use tafl_training::VerifiedRun;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every file that the manifest lists is compared with its size and SHA-256, a run's config.toml and
the files of every checkpoint and of its pool with their SHA-256, its rulesets with their
fingerprints; metrics.parquet is read. Exits with 1 if one is missing or differs.")]
pub(crate) struct Args {
    /// Folder of a run, a tournament or a study, such as data/runs/quickstart.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let folder = &args.folder;
    let kind = store_kind(folder)?;
    let Verified {
        files,
        pruned,
        gone,
        faults,
        rulesets,
    } = Verified::of(folder)?;
    let faults = faults.into_iter().map(|it| one_line(&it.into()));
    let mut faults: Vec<String> = faults.collect();
    let mut weights = 0;
    if kind == StoreKind::Run {
        let run = VerifiedRun::of(folder)?;
        weights = run.checkpoints;
        faults.extend(run.faults.iter().map(one_line));
    } else {
        let kept = rulesets
            .iter()
            .map(|(folder, all)| kept_rulesets(folder, all));
        faults.extend(kept.filter_map(Result::err).map(|it| one_line(&it)));
    }
    for fault in &faults {
        println!("{fault}");
    }
    let pruned = match pruned {
        0 => String::new(),
        pruned => format!(", {pruned} without their samples"),
    };
    let gone = match gone {
        0 => String::new(),
        gone => format!("; {gone} removed ones are not missed"),
    };
    let checked = format!("{files} files and {weights} checkpoints checked{pruned}{gone}");
    if faults.is_empty() {
        println!("{checked}: all are as they were written");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{checked}: {} missing or damaged", faults.len());
    Ok(ExitCode::FAILURE)
}
