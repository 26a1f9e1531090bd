#![doc = include_str!("../README.md")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the one crate that prints"
)]

mod args;
mod commands;

mod asynchronous;
mod config;
mod gate;
mod rulesets;
mod spelling;
mod toml_file;

mod run;
mod spool;
mod stages;
mod worker;

mod baseline;
mod players;
mod seat;

mod balance;
mod board;
mod ladder;
mod progress;
mod standings;
mod table;
mod tournament;

mod failure;
mod process;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    process::prepare();
    let args = args::Cli::parse();
    process::guard(|| args.command.run())
}
