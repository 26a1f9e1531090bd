//! `tafl sweep`: which values of a field train the strongest network?

use crate::args::{DataFolder, changes};
use crate::observer::Terminal;
use crate::output::{command, print_as, shown};
use crate::process;
use crate::text::table_of_sweep;
use anyhow::{Context, ensure};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tafl_studies::{Sweep, Vary};
use tafl_training::{Observer, RunConfig};

/// Arguments of `tafl sweep`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each variant is trained with each seed, one after the other, and its last checkpoint plays those of
the other variants with the same seed (of more than four variants, that of the first one), with the
[arena] section of the run config. The table gives the difference in Elo to the first variant: its
mean over seeds with a 95 % interval, so that the chance of training is part of it.

The folder holds runs/, arena/ and results.json; the same command continues where it was stopped.
`tafl report` compares its runs, and TensorBoard shows them with their fields (HParams):

  tafl sweep configs/brandubh-cpu.toml --vary search.visits=16,32,64 --seeds 3
  tafl sweep configs/sweeps/brandubh.toml")]
pub(crate) struct Args {
    /// Run config, with --vary; or a sweep config, which names its variants.
    config: PathBuf,
    /// A field with the values that it gets; of several fields each value meets each.
    #[arg(long, value_name = "FIELD=A,B,...")]
    vary: Vec<Vary>,
    /// Runs of each variant, with seeds from the config's on; default: 3, or those of the sweep config.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: Option<u32>,
    /// Change a field of the run config for all variants, or of the sweep config.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    changes: Vec<String>,
    /// Folder of the sweep; default: a folder in `sweeps/` of the data folder, named after the config.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Print results.json instead of a table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataFolder,
}

/// Runs that one page compares, at most.
const SHOWN_RUNS: usize = 6;

/// Seeds where fields vary.
const SEEDS: u32 = 3;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let changes = changes(&args.changes)?;
    let is_sweep = has_variants(&args.config)?;
    let sweep = match is_sweep {
        true => {
            ensure!(
                args.vary.is_empty(),
                "--vary: {} names its variants",
                args.config.display()
            );
            ensure!(
                args.seeds.is_none(),
                "--seeds: {} names its seeds; use --set seeds=[1,2]",
                args.config.display()
            );
            Sweep::load(&args.config, &changes)?
        }
        false => {
            ensure!(
                !args.vary.is_empty(),
                "--vary FIELD=A,B is needed with a run config"
            );
            Sweep::of_fields(
                &args.config,
                &changes,
                &args.vary,
                args.seeds.unwrap_or(SEEDS),
            )?
        }
    };
    let of_name = || args.data.path.join("sweeps").join(&sweep.name);
    let folder = args.folder.clone().unwrap_or_else(of_name);
    process::end_on_interrupt("the same command continues the sweep".to_owned())?;
    let (begun, runs) = (Cell::new(0), sweep.variants.len() * sweep.seeds.len());
    let observer = |config: Option<&RunConfig>| -> Arc<dyn Observer> {
        let Some(config) = config else {
            return Arc::new(Terminal::default());
        };
        let training_loop = &config.training_loop;
        let side_by_side = training_loop.asynchronous.is_some();
        begun.set(begun.get() + 1);
        eprintln!("run {} of {runs}: {}", begun.get(), config.name);
        Arc::new(Terminal::of_run(training_loop.generations, side_by_side))
    };
    let found = sweep.play(&folder, &observer)?;
    print_as(args.json, &found, table_of_sweep)?;
    let runs = sweep.variants.iter().take(SHOWN_RUNS);
    let runs = runs.map(|it| shown(&folder.join("runs").join(sweep.run_name(it, sweep.seeds[0]))));
    let runs = runs.collect::<Vec<_>>().join(" ");
    eprintln!(
        "sweep in {}\nlook at it  {} report {runs}",
        shown(&folder),
        command()
    );
    Ok(ExitCode::SUCCESS)
}

/// Returns whether a file is a sweep config; what else is wrong with it is told when it is read.
fn has_variants(path: &Path) -> anyhow::Result<bool> {
    let text = tafl_config::text_of_file(path, tafl_config::MOST_CONFIG_BYTES);
    let text = text.with_context(|| path.display().to_string())?;
    let table = text.parse::<toml::Table>();
    Ok(table.is_ok_and(|table| table.contains_key("variants")))
}
