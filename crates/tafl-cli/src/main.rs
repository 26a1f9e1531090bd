#![doc = include_str!("../README.md")]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the one crate that prints"
)]

mod args;
mod command_line;
mod commands;

mod engines;
mod search_args;

mod board;
mod observer;
mod output;
mod progress;

mod failure;
mod process;

use std::process::ExitCode;

fn main() -> ExitCode {
    process::prepare();
    process::guard(|| command_line::parse(std::env::args_os())?.run())
}
