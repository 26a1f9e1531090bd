//! `tafl rules`: shows and converts rulesets, and checks them against games and states from elsewhere.

mod check;
mod convert;
mod fit;
mod replay;
mod show;

use crate::board::Style;
use crate::process::ExitCode;
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
