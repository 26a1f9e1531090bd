//! The command line: one subcommand, one file.

mod train;

mod analyze;
pub(crate) mod arena;
mod balance;
mod bench;
mod config;
mod doctor;
mod engine;
mod export;
mod perft;
mod play;
mod prune;
mod report;
mod rules;
mod selfplay;
mod sweep;
mod verify;
mod web;
mod workers;

use crate::process::{self, ExitCode};
use clap::{Parser, Subcommand};

/// Trains, measures and plays Hnefatafl agents.
#[derive(Debug, Parser)]
#[command(name = "tafl", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum Command {
    /// Train an agent: self-play, training and matches, generation by generation.
    Train(train::Args),
    /// Train variants of a config with several seeds, and compare them.
    Sweep(sweep::Args),
    /// Look after the folder of a run: check its files, free disk, show its workers.
    #[command(subcommand)]
    Run(RunCommand),
    /// Play self-play games with a checkpoint and store their samples.
    Selfplay(selfplay::Args),
    /// Play matches between players, or between checkpoints of a run, and rate them.
    Arena(Box<arena::Args>),
    /// Measure how balanced rulesets are, by games of players against themselves.
    Balance(balance::Args),
    /// Play in the terminal against a checkpoint or a baseline.
    Play(play::Args),
    /// Evaluate a position, or every position of a game, with a network.
    Analyze(analyze::Args),
    /// Run as an engine for other programs: UCI or the Hnefatafl Text Protocol.
    Engine(engine::Args),
    /// Show, check, replay and convert rules.
    Rules(rules::Args),
    /// Count the positions that can be reached in a number of plies.
    Perft(perft::Args),
    /// Check, explain, compare and show configs.
    Config(config::Args),
    /// Measure speed, and print a signature of the behavior.
    Bench(bench::Args),
    /// Write a checkpoint's network for other programs: ONNX, PyTorch, safetensors, TorchScript, TaflZero.
    Export(export::Args),
    /// Write one HTML page about a run, several runs, a study or a tournament: curves, ratings, games.
    Report(report::Args),
    /// Write one HTML page to play and analyze in a browser, with networks in it.
    Web(web::Args),
    /// Show libtorch, devices, cores and precision on this machine.
    Doctor(doctor::Args),
    /// The same as `run verify`.
    #[command(hide = true)]
    Verify(verify::Args),
    /// The same as `run prune`.
    #[command(hide = true)]
    Prune(prune::Args),
    /// The same as `run workers`.
    #[command(hide = true)]
    Workers(workers::Args),
}

/// What to do with the folder of a run.
#[derive(Debug, Subcommand)]
enum RunCommand {
    /// Check that the files of a run, a tournament or a study are those that were written.
    Verify(verify::Args),
    /// Remove what a run or a study no longer needs, to free disk.
    Prune(prune::Args),
    /// Show who plays for a run, or leave out the games of a worker.
    Workers(workers::Args),
}

impl Cli {
    /// Runs the subcommand; one that needs networks `BY_ITSELF`, or as the program with libtorch.
    pub(crate) fn run<const BY_ITSELF: bool>(&self) -> anyhow::Result<ExitCode> {
        match &self.command {
            Command::Rules(args) => rules::run(args),
            Command::Perft(args) => perft::run(args),
            Command::Bench(bench::Args {
                what: bench::What::Rules(args),
            }) => bench::rules::run(args),
            Command::Config(args) => config::run(args),
            Command::Report(args) => report::run(args),
            Command::Run(RunCommand::Verify(args)) | Command::Verify(args) => verify::run(args),
            Command::Run(RunCommand::Prune(args)) | Command::Prune(args) => prune::run(args),
            Command::Run(RunCommand::Workers(args)) | Command::Workers(args) => workers::run(args),
            // What is called above must not refer to libtorch; tests/cli/alone.rs looks whether the linker found that it does.
            _ if !BY_ITSELF => Err(process::become_tafl_torch()),
            Command::Train(_) | Command::Sweep(_) | Command::Selfplay(_)
                if !cfg!(feature = "libtorch") =>
            {
                Err(tafl_network::NetworkError::NoLibtorch("training").into())
            }
            Command::Train(args) => train::run(args),
            Command::Sweep(args) => sweep::run(args),
            Command::Selfplay(args) => selfplay::run(args),
            Command::Arena(args) => arena::run(args),
            Command::Balance(args) => balance::run(args),
            Command::Play(args) => play::run(args),
            Command::Analyze(args) => analyze::run(args),
            Command::Engine(args) => engine::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Export(args) => export::run(args),
            Command::Web(args) => web::run(args),
            Command::Doctor(args) => doctor::run(args),
        }
    }
}
