//! `tafl config`: run configs, checked, shown, explained and compared.

mod check;
mod diff;
mod explain;

use crate::args::{ConfigSource, variant_of};
use crate::process::ExitCode;
use clap::Subcommand;
use serde_json::{Map, json};
use std::path::PathBuf;
use tafl_dataset::SCHEMA_VERSION;
use tafl_network::{CHECKPOINT_FORMAT, LIBTORCH_VERSION};
use tafl_samples::ENCODING_VERSION;
use tafl_studies::ConfigKind;
use tafl_training::{Loaded, fingerprint};

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
        #[arg(value_parser = variant_of::<ConfigKind>(), default_value = "run")]
        kind: ConfigKind,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Check { configs } => return check::run(configs),
        Command::Show(source) => {
            print!("{}", tafl_config::show(&source.load()?.config)?);
        }
        Command::Versions(source) => print_versions(&source.load_for_games()?),
        Command::Explain(args) => explain::run(args)?,
        Command::Diff(args) => return diff::run(args),
        Command::Schema { kind } => {
            println!("{}", serde_json::to_string_pretty(&kind.schema())?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the versions of this program and the fingerprint of each ruleset of a config.
fn print_versions(loaded: &Loaded) {
    let rulesets = loaded.rules.iter();
    let rulesets = rulesets.map(|it| (it.ruleset().name.clone(), fingerprint(it).into()));
    let versions = json!({
        "tafl": env!("CARGO_PKG_VERSION"),
        "encoding": ENCODING_VERSION,
        "samples": SCHEMA_VERSION,
        "checkpoints": CHECKPOINT_FORMAT,
        "libtorch": LIBTORCH_VERSION,
        "rulesets": rulesets.collect::<Map<_, _>>(),
    });
    println!("{versions:#}");
}
