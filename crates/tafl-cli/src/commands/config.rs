//! `tafl config`: run configs, checked, shown, explained and compared.

mod check;
mod diff;
mod explain;
mod versions;

use crate::args::ConfigSource;
use clap::Subcommand;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;
use std::process::ExitCode;
use tafl_studies::ConfigKind;

/// Arguments of `tafl config`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check all fields of run configs, sweeps, studies and ruleset files.
    Check {
        /// Files, or folders whose .toml files are checked.
        #[arg(required = true)]
        configs: Vec<PathBuf>,
    },
    /// Print all fields of a run config, with defaults and changes by --set.
    Show(ConfigSource),
    /// Show a field's meaning, range and default, and the values that others use.
    Explain(explain::Args),
    /// Compare run configs, or those of runs, field by field; the exit code is 1 if they differ.
    Diff(diff::Args),
    /// Print what must be the same on all machines that work on one run, as JSON: the versions of the program, the
    /// network's input, samples, checkpoints and libtorch, and a fingerprint of each ruleset.
    Versions(ConfigSource),
    /// Print the JSON schema that editors use to complete and check files.
    Schema {
        /// Kind of file.
        #[arg(value_parser = kinds(), default_value = "run")]
        kind: ConfigKind,
    },
}

fn kinds() -> impl TypedValueParser<Value = ConfigKind> {
    let values = ConfigKind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.about()));
    let kind = |name: String| ConfigKind::ALL.into_iter().find(|kind| kind.name() == name);
    PossibleValuesParser::new(values).try_map(move |name| kind(name).ok_or("no kind"))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Check { configs } => return check::run(configs),
        Command::Show(source) => {
            print!("{}", tafl_config::show(&source.load()?.config)?);
        }
        Command::Versions(source) => versions::print(&source.load()?)?,
        Command::Explain(args) => explain::run(args)?,
        Command::Diff(args) => return diff::run(args),
        Command::Schema { kind } => {
            println!("{}", serde_json::to_string_pretty(&kind.schema())?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
