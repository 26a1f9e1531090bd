//! The command line: one variant for each subcommand.

use crate::commands;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Trains, measures and plays Hnefatafl agents.
#[derive(Debug, Parser)]
#[command(name = "tafl", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn from self-play: samples, training and matches, generation after generation.
    Train(commands::train::Args),
    /// Play games of one checkpoint against itself and store their samples.
    Selfplay(commands::selfplay::Args),
    /// Play matches: two players, or all checkpoints of a run.
    Arena(commands::arena::Args),
    /// Play in the terminal against a checkpoint or a baseline.
    Play(commands::play::Args),
    /// Show, check, replay and convert rules.
    Rules(commands::rules::Args),
    /// Count the positions that can be reached in a number of plies.
    Perft(commands::perft::Args),
    /// Check run configs, or show them resolved.
    Config(commands::config::Args),
    /// Measure speed, and print a signature of the behavior.
    Bench(commands::bench::Args),
    /// Say what this machine offers: libtorch, devices, cores, precision.
    Doctor(commands::doctor::Args),
}

/// Where runs are kept.
#[derive(Debug, clap::Args)]
pub(crate) struct DataFolder {
    /// Folder that holds `runs/`.
    #[arg(
        long = "data",
        value_name = "DIR",
        env = "TAFL_DATA",
        default_value = "data",
        hide_env = true
    )]
    pub(crate) path: PathBuf,
}

/// A run config and changes to it.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigSource {
    /// Run config, such as configs/quickstart.toml.
    pub(crate) config: PathBuf,
    /// Change one field of the config, such as `search.visits=32`.
    #[arg(long = "set", value_name = "FIELD=VALUE")]
    pub(crate) changes: Vec<String>,
}

impl Command {
    pub(crate) fn run(&self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Train(args) => commands::train::run(args),
            Self::Selfplay(args) => commands::selfplay::run(args),
            Self::Arena(args) => commands::arena::run(args),
            Self::Play(args) => commands::play::run(args),
            Self::Rules(args) => commands::rules::run(args),
            Self::Perft(args) => commands::perft::run(args),
            Self::Config(args) => commands::config::run(args),
            Self::Bench(args) => commands::bench::run(args),
            Self::Doctor(args) => commands::doctor::run(args),
        }
    }
}
