//! `tafl rules convert position`.

use super::text_of_argument;
use tafl_rules::RankOrder;
use tafl_rules::notation::opentafl;
use tafl_rules::notation::taflzero::Fen;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tafl rules convert position --from opentafl --to taflzero '/3t3/7/7/3K3/7/7/7/'
  tafl rules convert position --from taflzero --to taflforge '3a3/7/7/3k3/7/7/7 - d 5 11'

Our own text is the ranks, the highest first, then the side to move (attackers, if left out) and the
plies since the last capture (0, if left out): `3t3/7/7/3K3/7/7/7 defenders 5`.
An OpenTafl record has no place for those plies; they are left out. Of a FEN, the square of the last
move and the plies since the game began are left out, and written as `-` and 0.")]
pub(super) struct Args {
    /// Notation of POSITION.
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: From,
    /// Notation to print.
    #[arg(long, value_enum, value_name = "NOTATION")]
    to: To,
    /// The position; `-` reads standard input.
    position: String,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum From {
    /// Ranks, side to move, plies since the last capture.
    Taflforge,
    /// A position record with rank 1 first, or a rules record with `start` or `starti`, and `atkf`.
    Opentafl,
    /// The FEN of TaflZero.
    Taflzero,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum To {
    /// Ranks, side to move, plies since the last capture.
    Taflforge,
    /// `atkf` and `start`: rank 1 first.
    Opentafl,
    /// `atkf` and `starti`: the highest rank first.
    OpentaflStarti,
    /// The FEN of TaflZero.
    Taflzero,
}

pub(super) fn convert(args: &Args) -> anyhow::Result<String> {
    let text = text_of_argument(&args.position)?;
    let setup = match args.from {
        From::Taflforge | From::Taflzero => text.parse::<Fen>()?.setup,
        From::Opentafl => opentafl::read_position(&text)?,
    };
    Ok(match args.to {
        To::Taflforge => Fen::of(setup).to_taflforge(),
        To::Opentafl => opentafl::write_position(&setup, RankOrder::LowestFirst)?,
        To::OpentaflStarti => opentafl::write_position(&setup, RankOrder::HighestFirst)?,
        To::Taflzero => Fen::of(setup).to_taflzero()?,
    })
}
