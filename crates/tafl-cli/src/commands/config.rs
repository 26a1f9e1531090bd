//! `tafl config`: run configs, checked, shown, explained and compared.

mod check;
mod diff;
mod explain;

use crate::args::ConfigSource;
use clap::Subcommand;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tafl_config::{Config, Field};
use tafl_studies::{FIVE_RULESETS, StudyConfig};
use tafl_training::{RulesetDocument, RunConfig, SHIPPED, ruleset_names, ruleset_text};
use toml::Table;

/// Arguments of `tafl config`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check all fields of run configs, studies and ruleset files.
    Check {
        /// Files, or folders whose .toml files are checked.
        #[arg(required = true)]
        configs: Vec<PathBuf>,
    },
    /// Print all fields of a run config, with defaults and changes by --set.
    Show(ConfigSource),
    /// Show a field's meaning, range and default, and the values that others use.
    Explain(explain::Args),
    /// Compare two run configs field by field; the exit code is 1 if they differ.
    Diff(diff::Args),
    /// Print the JSON schema that editors use to complete and check files.
    Schema {
        /// Kind of file.
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
    fn of(table: &Table) -> Self {
        let has = |names: [&str; 3]| names.iter().any(|name| table.contains_key(*name));
        if has(["players", "openings", "statistics"]) {
            Self::Balance
        } else if has(["base", "start", "king_capture"]) {
            Self::Ruleset
        } else {
            Self::Run
        }
    }

    /// Returns the section that the fields of other files than run configs are in where they are explained.
    const fn section(self) -> &'static str {
        match self {
            Self::Run => "",
            Self::Ruleset => "ruleset",
            Self::Balance => "balance",
        }
    }

    /// Returns the kind of the files that have a field.
    fn of_field(field: &Field) -> Self {
        let section = field.path.split('.').next();
        let mut others = [Self::Ruleset, Self::Balance].into_iter();
        let found = others.find(|kind| Some(kind.section()) == section);
        found.unwrap_or(Self::Run)
    }

    fn fields(self) -> Vec<Field> {
        let fields = match self {
            Self::Run => tafl_config::fields::<RunConfig>(),
            Self::Ruleset => tafl_config::fields::<RulesetDocument>(),
            Self::Balance => tafl_config::fields::<StudyConfig>(),
        };
        let fields = fields.into_iter();
        fields.map(|field| field.within(self.section())).collect()
    }

    /// Returns the files of this kind that come with the program, each with its name.
    fn shipped(self) -> Vec<(&'static str, &'static str)> {
        let ruleset = |name| Some((name, tafl_rules::preset_source(name)?));
        match self {
            Self::Run => SHIPPED.to_vec(),
            Self::Ruleset => ruleset_names().into_iter().filter_map(ruleset).collect(),
            Self::Balance => vec![("five-rulesets", FIVE_RULESETS)],
        }
    }

    /// Returns the fields of a file that was read, with the defaults (of a ruleset: the base's values) of those that it
    /// does not give, as far as the file is sound.
    fn with_defaults(self, path: &Path, text: &str, given: Table) -> Table {
        fn whole<T: Config + Serialize>(path: &Path, text: &str) -> anyhow::Result<Table> {
            let document = tafl_config::read_text::<T>(path, text, &[])?;
            Ok(tafl_config::table(&document.config)?)
        }
        let ruleset = || -> anyhow::Result<Table> {
            let document = tafl_config::read_text::<RulesetDocument>(path, text, &[])?;
            Ok(ruleset_text(&document.config.resolve(path)?)?.parse()?)
        };
        let table = match self {
            Self::Run => whole::<RunConfig>(path, text),
            Self::Ruleset => ruleset(),
            Self::Balance => whole::<StudyConfig>(path, text),
        };
        let table = table.unwrap_or(given);
        match self.section() {
            "" => table,
            section => Table::from_iter([(section.to_owned(), table.into())]),
        }
    }

    /// Returns the JSON schema (draft 7, which editors know) of such files.
    fn schema(self) -> serde_json::Value {
        let (mut schema, name) = match self {
            Self::Run => (tafl_config::schema::<RunConfig>(), "run config"),
            Self::Ruleset => (tafl_config::schema::<RulesetDocument>(), "ruleset"),
            Self::Balance => (tafl_config::schema::<StudyConfig>(), "balance study"),
        };
        schema["title"] = format!("Taflforge {name}").into();
        schema
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Check { configs } => return check::run(configs),
        Command::Show(source) => {
            print!("{}", tafl_config::show(&source.load()?.config)?);
        }
        Command::Explain(args) => explain::run(args)?,
        Command::Diff(args) => return diff::run(args),
        Command::Schema { kind } => {
            println!("{}", serde_json::to_string_pretty(&kind.schema())?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
