//! A position drawn for the terminal.

use std::io::IsTerminal;
use tafl_rules::{BoardShape, Escape, Move, Piece, Position, Rules, Square};

/// Whether a drawing may use color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Letters only.
    Plain,
    /// Letters, and ANSI colors that repeat what they say.
    Color,
}

impl Style {
    /// Returns color for a terminal whose user has not set `NO_COLOR`, plain for everything else.
    pub(crate) fn of_stdout() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        if wanted && std::io::stdout().is_terminal() {
            Self::Color
        } else {
            Self::Plain
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Color => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// Returns the board with coordinates, highest rank first; the last move's squares stand in brackets.
///
/// An empty throne is `+`, an empty corner that is a goal `x`.
pub(crate) fn draw(rules: &Rules, position: &Position, last: Option<Move>, style: Style) -> String {
    let shape = rules.shape();
    let size = shape.size();
    let mut text = String::new();
    for rank in (0..size).rev() {
        text.push_str(&format!("{:>3} ", rank + 1));
        for file in 0..size {
            text.push_str(&cell(rules, position, Square::new(file, rank), last, style));
        }
        text.push('\n');
    }
    text.push_str("    ");
    for file in 0..size {
        text.push_str(&format!(" {} ", char::from(b'a' + file)));
    }
    text.push('\n');
    text
}

fn cell(
    rules: &Rules,
    position: &Position,
    square: Square,
    last: Option<Move>,
    style: Style,
) -> String {
    let (letter, code) = match position.piece_at(square) {
        Some(piece) => (piece.letter(), color(piece)),
        None => (empty(rules, square), "2"),
    };
    let letter = style.paint(code, &letter.to_string());
    let touched = last.is_some_and(|mv| !mv.is_end() && (mv.from() == square || mv.to() == square));
    if touched {
        format!("[{letter}]")
    } else {
        format!(" {letter} ")
    }
}

fn color(piece: Piece) -> &'static str {
    match piece {
        Piece::Attacker => "31",
        Piece::Commander => "1;31",
        Piece::Defender => "36",
        Piece::Knight => "1;36",
        Piece::King => "1;33",
    }
}

fn empty(rules: &Rules, square: Square) -> char {
    let shape: BoardShape = rules.shape();
    if square == shape.throne() {
        '+'
    } else if rules.ruleset().escape == Escape::Corners && shape.corners().contains(square) {
        'x'
    } else {
        '.'
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{Game, preset};

    #[test]
    fn the_last_move_is_bracketed_and_goals_are_marked() {
        let rules = Rules::new(preset("brandubh").expect("a preset")).expect("playable");
        let mut game = Game::new(rules.clone());
        let mv = "d6-f6".parse().expect("a move");
        game.play(mv).expect("legal");
        let text = draw(&rules, game.position(), Some(mv), Style::Plain);
        assert_eq!(
            text,
            "  7  x  .  .  t  .  .  x 
  6  .  .  . [.] . [t] . 
  5  .  .  .  T  .  .  . 
  4  t  t  T  K  T  t  t 
  3  .  .  .  T  .  .  . 
  2  .  .  .  t  .  .  . 
  1  x  .  .  t  .  .  x 
     a  b  c  d  e  f  g \n"
        );
    }
}
