//! `tafl rules`: shows and converts rulesets, and checks them against games and states from elsewhere.

mod check;
mod convert;
mod fit;
mod replay;
mod show;

use crate::board::Style;
use crate::process::ExitCode;
use std::collections::{BTreeMap, BTreeSet};
use tafl_rules::{Diagram, Game};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the rulesets that come with the program, and how they differ.
    List(show::ListArgs),
    /// Show one ruleset field by field, and its start position.
    Show(show::Args),
    /// Replay recorded games; every move must be legal and every capture as recorded.
    Replay(replay::Args),
    /// Find the fields of a ruleset under which recorded games replay.
    Fit(fit::Args),
    /// Compare recorded states with the rules: legal moves, captures, status, reason.
    Check(check::Args),
    /// Convert rulesets, positions and games from and to the notations of other programs.
    Convert(convert::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.command {
        Command::List(args) => show::list(args),
        Command::Show(args) => show::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Check(args) => check::run(args),
        Command::Convert(args) => convert::run(args),
    }
}

/// The rulesets by which games were played: their names, with the fingerprints of each.
#[derive(Debug, Default)]
struct PlayedBy(BTreeMap<String, BTreeSet<u64>>);

impl PlayedBy {
    fn add(&mut self, name: &str, fingerprint: u64) {
        let versions = self.0.entry(name.to_owned()).or_default();
        versions.insert(fingerprint);
    }

    fn are_several(&self) -> bool {
        self.0.values().map(BTreeSet::len).sum::<usize>() > 1
    }

    /// Returns their names, with how many share one.
    fn names(&self) -> String {
        let names = self.0.iter().map(|(name, versions)| match versions.len() {
            1 => name.clone(),
            count => format!("{name} ({count} rulesets of that name)"),
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

/// The exit code of a check that found a disagreement.
const DISAGREES: u8 = 1;

/// Returns the board of a game, and whose turn it is or how the game ended.
fn board_of(game: &Game) -> String {
    let last = game.moves().last().copied();
    let diagram = Diagram::new(game.rules(), game.position()).with_last_move(last);
    let board = Style::of_stdout().draw(&diagram);
    let side = game.position().side();
    match (game.outcome(), game.position().chain()) {
        (Some(outcome), _) => format!("{board}    the game is over: {outcome}\n"),
        (None, Some(square)) => format!("{board}    {side} may go on with {square}\n"),
        (None, None) => format!("{board}    {side} to move\n"),
    }
}
