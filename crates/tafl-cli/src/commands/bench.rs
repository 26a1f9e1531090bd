//! `tafl bench`: speed, and a signature of the behavior.

pub(super) mod rules;
mod search;
mod selfplay;
mod signature;
mod train;

use crate::process::ExitCode;
use clap::Subcommand;
use serde_json::Value;
use std::time::{Duration, Instant};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(super) what: What,
}

#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Print two numbers that change if the rules or the search behave differently.
    ///
    /// Data goes to stdout and does not depend on time or threads; how long it took goes to stderr.
    Signature,
    /// Measure the rules: perft leaves per second, and plies of random games per second.
    Rules(rules::Args),
    /// Measure the search alone: visits per second with a trivial evaluator.
    Search(search::Args),
    /// Measure the speed of self-play, also relative to the network's, and where the time goes.
    Selfplay(selfplay::Args),
    /// Measure the speed of training and of reading samples.
    Train(train::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Signature => print_signature(),
        What::Rules(args) => rules::run(args),
        What::Search(args) => search::run(args),
        What::Selfplay(args) => selfplay::run(args),
        What::Train(args) => train::run(args),
    }
}

fn print_signature() -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let rules = signature::of_rules()?;
    let rules_time = started.elapsed();
    let search = signature::of_search()?;
    println!("rules  {rules:016x}\nsearch {search:016x}");
    let search_time = started.elapsed() - rules_time;
    eprintln!("rules in {rules_time:.2?}, search in {search_time:.2?}");
    Ok(ExitCode::SUCCESS)
}

/// What was measured.
struct Speed {
    /// On what, as a line for people.
    title: String,
    /// The same as fields of JSON.
    about: Value,
    rows: Vec<Row>,
}

/// A number as JSON names it, with its text for people.
type Row = (&'static str, f64, fn(f64) -> String);

impl Speed {
    /// Prints the numbers, as a JSON object or as text.
    fn show(mut self, as_json: bool) -> ExitCode {
        if as_json {
            for (name, number, _) in self.rows {
                match name.split_once('.') {
                    Some((section, field)) => self.about[section][field] = number.into(),
                    None => self.about[name] = number.into(),
                }
            }
            println!("{}", self.about);
        } else {
            println!("{}", self.title);
            for (name, number, text) in self.rows {
                let name = name
                    .replace("_per_", "/")
                    .replace('_', " ")
                    .replace('.', ": ");
                println!("{name:<22}{:>12}", text(number));
            }
        }
        ExitCode::SUCCESS
    }
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

fn thousandths(value: f64) -> String {
    format!("{value:.3}")
}

fn percent(value: f64) -> String {
    format!("{value:.1} %")
}

/// Returns the processor time that this process took, all threads together, from `/proc`.
fn processor_time() -> Option<Duration> {
    // Linux counts in hundredths of a second whatever its clock (proc(5), `USER_HZ`).
    const TICK: Duration = Duration::from_millis(10);
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name may hold blanks; behind it, user and system time are the 12th and 13th field.
    let fields = text.rsplit_once(')')?.1;
    let mut ticks = fields.split_whitespace().skip(11).take(2);
    let mut next = || ticks.next()?.parse::<u32>().ok();
    Some(TICK * (next()? + next()?))
}

/// Reads a number of seconds, 0.1 to 3,600: less measures nothing.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    let is_in = (0.1..=3_600.0).contains(&seconds);
    is_in
        .then_some(seconds)
        .ok_or_else(|| "not from 0.1 to 3600".to_owned())
}
