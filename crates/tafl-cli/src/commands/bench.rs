//! `tafl bench`: speed, and a signature of the behavior.

mod rules;
mod signature;

use clap::Subcommand;
use std::process::ExitCode;

/// Arguments of `tafl bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print two numbers, one for the rules and one for the search, that change when they behave differently.
    ///
    /// Data goes to stdout and does not depend on time or threads; how long it took goes to stderr.
    Signature,
    /// Measure the rules: leaves of the game tree and plies of random play a second.
    Rules(rules::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Signature => signature::run(),
        What::Rules(args) => rules::run(args),
    }
}
