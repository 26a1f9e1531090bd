//! `tafl sweep`: which values of a field train the strongest network?

use crate::args::{DataFolder, changes, kind_of};
use crate::observer::Terminal;
use crate::output::{command, pasted, print_as, shown};
use crate::process::{self, ExitCode};
use crate::text::table_of_sweep;
use anyhow::{Context, ensure};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use tafl_config::Change;
use tafl_studies::{ConfigKind, StudiesError, Sweep, Vary};
use tafl_training::{Observer, RunConfig};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each variant is trained with each seed, one after the other, and its last checkpoint plays those of
the other variants with the same seed (of more than four variants, that of the first one), with the
[arena] section of the run config. The table gives the difference in Elo to the first variant: its
mean over seeds with a 95 % interval, so that the chance of training is part of it.

A run that fails, as one that diverges, leaves the others to go on; the exit code is then 2.

The folder holds runs/, arena/ and results.json; the same command continues where it was stopped.
`tafl report` compares its runs, and TensorBoard shows them with their fields (HParams):

  tafl sweep configs/brandubh-cpu.toml --vary search.visits=16,32,64 --seeds 3
  tafl sweep configs/sweeps/brandubh.toml")]
pub(crate) struct Args {
    /// Run config, with --vary; or a sweep config, which names its variants.
    config: PathBuf,
    /// A field and the values to try; of several fields every combination.
    #[arg(long, value_name = "FIELD=A,B,...", value_parser = vary_of)]
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
    let (kind, _) = kind_of(&args.config)?;
    let name = args.config.display();
    let sweep = if kind == ConfigKind::Sweep {
        ensure!(args.vary.is_empty(), "--vary: {name} names its variants");
        ensure!(
            args.seeds.is_none(),
            "--seeds: {name} names its seeds; use --set seeds=[1,2]"
        );
        Sweep::load(&args.config, &changes)?
    } else {
        ensure!(
            !args.vary.is_empty(),
            "--vary FIELD=A,B is needed with a run config"
        );
        let seeds = args.seeds.unwrap_or(SEEDS);
        Sweep::of_fields(&args.config, &changes, &args.vary, seeds).map_err(of_vary)?
    };
    let of_name = || args.data.path.join("sweeps").join(&sweep.name);
    let folder = args.folder.clone().unwrap_or_else(of_name);
    process::end_on_interrupt("the same command continues the sweep".to_owned())?;
    let (begun, count) = (Cell::new(0), sweep.variants.len() * sweep.seeds.len());
    let observer = |config: Option<&RunConfig>| -> Arc<dyn Observer> {
        let Some(config) = config else {
            return Arc::new(Terminal::default());
        };
        let training_loop = &config.training_loop;
        let side_by_side = training_loop.asynchronous.is_some();
        begun.set(begun.get() + 1);
        eprintln!("run {} of {count}: {}", begun.get(), config.name);
        Arc::new(Terminal::of_run(training_loop.generations, side_by_side))
    };
    let found = sweep.play(&folder, &observer)?;
    print_as(args.json, &found, table_of_sweep)?;
    let runs_folder = folder.join("runs");
    let run_of = |variant| runs_folder.join(sweep.run_name(variant, sweep.seeds[0]));
    let first = sweep.variants.iter().take(SHOWN_RUNS);
    let there = first.map(run_of).filter(|run| run.is_dir());
    let runs: Vec<String> = there.map(|run| pasted(&run)).collect();
    eprintln!(
        "sweep in {}\nlook at it  {} report {}",
        shown(&folder),
        command(),
        runs.join(" ")
    );
    if !found.left_out.is_empty() {
        let place = match kind {
            ConfigKind::Sweep => "the sweep config",
            _ => "--vary and --seeds",
        };
        eprintln!(
            "results.json leaves out {}, trained here before; the runs stay: name all in {place} to compare them too",
            found.left_out.join(", ")
        );
    }
    if found.failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let failed = found.failed.into_iter().map(|it| it.run).collect();
    let runs = count;
    Err(StudiesError::FailedRuns { failed, runs }.into())
}

/// Reads a field with its values, such as `search.visits=16,32,64`.
fn vary_of(text: &str) -> anyhow::Result<Vary> {
    let wanted = || format!("{text:?} is not FIELD=VALUE,VALUE such as search.visits=16,32");
    let (field, values) = text.split_once('=').with_context(wanted)?;
    let change = |value: &str| -> anyhow::Result<Change> {
        Ok(Change {
            given_by: "--vary".to_owned(),
            ..format!("{field}={}", value.trim()).parse()?
        })
    };
    let changes: Vec<Change> = split(values)
        .into_iter()
        .map(change)
        .collect::<Result<_, _>>()?;
    ensure!(changes.len() > 1, wanted());
    Ok(Vary(changes))
}

/// Puts the option before what is wrong with the fields.
fn of_vary(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(StudiesError::OwnField(field)) => {
            let option = format!("--vary {field}");
            error.context(option)
        }
        Some(StudiesError::Variants { .. }) => error.context("--vary"),
        _ => error,
    }
}

/// Splits a text at the commas outside of brackets and quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth, mut quote) = (Vec::new(), 0, 0_i32, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_split_outside_of_lists_and_quotes() {
        let of = |text: &str| -> Vec<String> {
            let Vary(changes) = vary_of(text).expect("fields");
            changes.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            of("search.visits=16, 32"),
            ["search.visits=16", "search.visits=32"]
        );
        assert_eq!(of("a.b=[1,2],[3]"), ["a.b=[1, 2]", "a.b=[3]"]);
        assert_eq!(of("a='x,y','z'"), ["a=\"x,y\"", "a=\"z\""]);
        for bad in ["search.visits", "search.visits=16", "=1,2", ""] {
            assert!(vary_of(bad).is_err(), "{bad}");
        }
    }
}
