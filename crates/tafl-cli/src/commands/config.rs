//! `tafl config`: run configs, checked, shown, explained and compared.

mod check;
mod diff;
mod explain;

use crate::args::ConfigSource;
use clap::Subcommand;
use std::path::PathBuf;
use std::process::ExitCode;
use tafl_config::Field;
use tafl_studies::StudyConfig;
use tafl_training::{RulesetDocument, RunConfig, load};

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
    /// Print every field of a run config, defaults included, after changes by --set.
    Show(ConfigSource),
    /// Show what a field means, its range, its default and what others use.
    Explain(explain::Args),
    /// Compare two run configs field by field; the exit code is 1 if they differ.
    Diff(diff::Args),
    /// Print the JSON schema by which editors complete and check files.
    Schema {
        /// Of which files.
        #[arg(value_enum, default_value = "run")]
        kind: Kind,
    },
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// A run config.
    Run,
    /// A ruleset.
    Ruleset,
    /// A balance study.
    Balance,
}

impl Kind {
    /// Returns what a file is, by what only files of its kind have.
    fn of(table: &toml::Table) -> Self {
        let has = |names: [&str; 3]| names.iter().any(|name| table.contains_key(*name));
        if has(["players", "openings", "statistics"]) {
            Self::Balance
        } else if has(["base", "start", "king_capture"]) {
            Self::Ruleset
        } else {
            Self::Run
        }
    }

    fn fields(self) -> Vec<Field> {
        match self {
            Self::Run => tafl_config::fields::<RunConfig>(),
            Self::Ruleset => tafl_config::fields::<RulesetDocument>(),
            Self::Balance => tafl_config::fields::<StudyConfig>(),
        }
    }

    /// Returns the JSON schema (draft 7, which editors know) of such files.
    fn schema(self) -> serde_json::Value {
        let (mut schema, title) = match self {
            Self::Run => (tafl_config::schema::<RunConfig>(), "Taflforge run config"),
            Self::Ruleset => (
                tafl_config::schema::<RulesetDocument>(),
                "Taflforge ruleset",
            ),
            Self::Balance => (
                tafl_config::schema::<StudyConfig>(),
                "Taflforge balance study",
            ),
        };
        schema["title"] = title.into();
        schema
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Check { configs } => return check::run(configs),
        Command::Show(source) => {
            let loaded = load(source.path(), &source.changes)?;
            print!("{}", tafl_config::show(&loaded.config)?);
        }
        Command::Explain(args) => explain::run(args)?,
        Command::Diff(args) => return diff::run(args),
        Command::Schema { kind } => {
            println!("{}", serde_json::to_string_pretty(&kind.schema())?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
