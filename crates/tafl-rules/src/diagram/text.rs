//! Drawings in characters.

use super::{Diagram, DiagramColor, Ground};
use crate::{Piece, Ruleset, Square};

pub(super) fn ascii(diagram: &Diagram<'_>) -> String {
    let size = diagram.rules.shape().size();
    let mut text = String::new();
    for square in diagram.squares() {
        if square.file() == 0 {
            text += &format!("{:>3} ", square.rank() + 1);
        }
        let letter = match (diagram.position.piece_at(square), diagram.ground(square)) {
            (Some(piece), _) => piece.letter(),
            (None, Ground::Throne) => '+',
            (None, Ground::Corner) => 'x',
            (None, Ground::Field | Ground::Edge) => '.',
        };
        text += &if diagram.is_of_last_move(square) {
            format!("[{letter}]")
        } else {
            format!(" {letter} ")
        };
        if square.file() + 1 == size {
            text.push('\n');
        }
    }
    text + "    " + &files(size) + "\n"
}

pub(super) fn unicode(diagram: &Diagram<'_>, color: DiagramColor) -> String {
    let size = diagram.rules.shape().size();
    let border = "─".repeat(3 * usize::from(size));
    let mut text = format!("    ╭{border}╮\n");
    for square in diagram.squares() {
        if square.file() == 0 {
            text += &format!("{:>3} │", square.rank() + 1);
        }
        let cell = cell(diagram, square);
        text += &match color {
            DiagramColor::Off => cell,
            DiagramColor::Ansi => format!("\x1b[{}m{cell}\x1b[0m", paint(diagram, square)),
        };
        if square.file() + 1 == size {
            text += "│\n";
        }
    }
    text + &format!("    ╰{border}╯\n     {}\n", files(size).trim_end())
}

fn files(size: u8) -> String {
    (0..size)
        .map(|file| format!(" {} ", char::from(b'a' + file)))
        .collect()
}

fn cell(diagram: &Diagram<'_>, square: Square) -> String {
    let sign = match (diagram.position.piece_at(square), diagram.ground(square)) {
        (Some(piece), _) => sign(piece),
        (None, _) if diagram.captured.contains(square) => '×',
        (None, Ground::Throne) => '╬',
        (None, Ground::Corner) => '╳',
        (None, Ground::Field | Ground::Edge) => '·',
    };
    if diagram.position.chain() == Some(square) {
        format!("{{{sign}}}")
    } else if diagram.is_of_last_move(square) {
        format!("[{sign}]")
    } else {
        format!(" {sign} ")
    }
}

/// Angular shapes for attackers; a ring and pieces of chess for defenders.
const fn sign(piece: Piece) -> char {
    match piece {
        Piece::Attacker => '◆',
        Piece::Commander => '▲',
        Piece::Defender => '○',
        Piece::Knight => '♞',
        Piece::King => '♚',
    }
}

pub(super) fn legend(ruleset: &Ruleset) -> String {
    let is_ranked = |piece: &Piece| matches!(piece, Piece::Commander | Piece::Knight);
    let pieces = Piece::ALL.into_iter();
    let present = pieces.filter(|piece| ruleset.ranks.is_on() || !is_ranked(piece));
    let names = present.map(|piece| format!("{} {}", sign(piece), piece.name()));
    names.collect::<Vec<_>>().join("   ")
}

/// Returns the parameters of the ANSI escape for one square: bold, foreground, background.
///
/// Orange and pale blue stay apart for color-blind people; the background is the board's own, so that the
/// drawing looks the same on dark and light terminals.
fn paint(diagram: &Diagram<'_>, square: Square) -> String {
    let foreground = match diagram.position.piece_at(square) {
        Some(Piece::Attacker) => "38;5;209",
        Some(Piece::Commander) => "1;38;5;215",
        Some(Piece::Defender) => "38;5;153",
        Some(Piece::Knight) => "1;38;5;159",
        Some(Piece::King) => "1;38;5;226",
        None if diagram.captured.contains(square) => "1;38;5;203",
        None if diagram.is_of_last_move(square) => "38;5;252",
        None => match diagram.ground(square) {
            Ground::Throne | Ground::Corner => "38;5;252",
            // A square with nothing to say has a faint dot.
            Ground::Field | Ground::Edge => "38;5;244",
        },
    };
    let background = match diagram.ground(square) {
        _ if diagram.is_of_last_move(square) => 58,
        Ground::Throne | Ground::Corner => 240,
        Ground::Edge => 238,
        Ground::Field => 235,
    };
    format!("{foreground};48;5;{background}")
}
