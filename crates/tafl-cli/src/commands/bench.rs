//! `tafl bench`: speed, and a signature of the behavior.

mod rules;
mod search;
mod selfplay;
mod signature;
mod train;

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
    /// Measure pure search: visits a second with an evaluator that costs next to nothing.
    Search(search::Args),
    /// Measure the speed of self-play, alone and relative to the network's, and where the time goes.
    Selfplay(selfplay::Args),
    /// Measure the speed of training and of reading samples.
    Train(train::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Signature => signature::run(),
        What::Rules(args) => rules::run(args),
        What::Search(args) => search::run(args),
        What::Selfplay(args) => selfplay::run(args),
        What::Train(args) => train::run(args),
    }
}

/// Reads a number of seconds, 0 to 3,600.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=3_600.0).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("not from 0 to 3600".to_owned())
    }
}
