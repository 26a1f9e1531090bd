//! `tafl rules convert`: rulesets, positions and games from and to the notations of other programs.

mod game;
mod position;
mod ruleset;

pub(super) use game::{StoredGame, stored_games};

use crate::args::text_of_stdin;
use crate::output::print_out;
use crate::process::ExitCode;
use crate::subject::is_path;
use std::path::Path;
use tafl_store::{MOST_TEXT_BYTES, read_text, without_mark};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
What the other notation cannot express is refused; the error names the key or field and the reason.")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Convert the rules of a game: ruleset files, rules records of OpenTafl.
    Ruleset(ruleset::Args),
    /// Convert a position: our text, position records of OpenTafl, the FEN of TaflZero.
    Position(position::Args),
    /// Convert games to lines of aagenielsen.dk or lists of turns.
    Game(game::Args),
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let converted = match &args.what {
        What::Ruleset(args) => ruleset::convert(args)?,
        What::Position(args) => position::convert(args)? + "\n",
        What::Game(args) => game::convert(args)?,
    };
    print_out(&converted)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the text of a file, or as [`text_of_argument`].
fn text_of_file_or_argument(argument: &str) -> anyhow::Result<String> {
    match is_path(argument) {
        true => Ok(read_text(Path::new(argument), MOST_TEXT_BYTES)?),
        false => text_of_argument(argument),
    }
}

/// Returns the text of an argument, or standard input for `-`.
fn text_of_argument(argument: &str) -> anyhow::Result<String> {
    if argument == "-" {
        return text_of_stdin();
    }
    Ok(without_mark(argument.to_owned()))
}
