//! `tafl config`: run configs, checked, shown, explained and compared.

mod check;
mod diff;
mod explain;

use crate::args::ConfigSource;
use crate::config::{self, schema};
use clap::Subcommand;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `tafl config`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check run configs and ruleset files: every field, every number, the rulesets.
    Check {
        /// Files, or folders whose .toml files are checked.
        #[arg(required = true)]
        configs: Vec<PathBuf>,
    },
    /// Print a run config as it would be used, after changes by --set.
    Show(ConfigSource),
    /// Say what a field means, what it may hold, what others use, and what it is in the configs.
    Explain(explain::Args),
    /// Compare two run configs field by field; the exit code is 1 if they differ.
    Diff(diff::Args),
    /// Print the JSON schema by which editors complete and check files.
    Schema {
        /// Of which files.
        #[arg(value_enum, default_value = "run")]
        kind: schema::Kind,
    },
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Check { configs } => return check::run(configs),
        Command::Show(source) => {
            let loaded = config::load(source.path(), &source.changes)?;
            print!("{}", toml::to_string(&loaded.config)?);
        }
        Command::Explain(args) => explain::run(args)?,
        Command::Diff(args) => return diff::run(args),
        Command::Schema { kind } => {
            println!("{}", serde_json::to_string_pretty(&schema::schema(*kind))?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
