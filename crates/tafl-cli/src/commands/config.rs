//! `tafl config`: run configs, checked and shown.

use crate::args::ConfigSource;
use crate::config;
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
    /// Check run configs: every field, every number, the rulesets.
    Check {
        /// Run configs.
        #[arg(required = true)]
        configs: Vec<PathBuf>,
    },
    /// Print a run config as it would be used, after changes by --set.
    Show(ConfigSource),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::Check { configs } => {
            for path in configs {
                let loaded = config::load(path, &[])?;
                println!("{}: {} is sound", path.display(), loaded.config.name);
            }
        }
        Command::Show(source) => {
            let loaded = config::load(&source.config, &source.changes)?;
            print!("{}", toml::to_string(&loaded.config)?);
        }
    }
    Ok(ExitCode::SUCCESS)
}
