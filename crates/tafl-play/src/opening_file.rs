//! Openings as text: one a line, its turns one after the other.

use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Move, Rules, TurnText};

/// A line of a file of openings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct OpeningError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: OpeningReason,
}

/// What is wrong with an opening.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpeningReason {
    /// A word is no move.
    #[error(transparent)]
    NotAMove(#[from] tafl_rules::ParseTurnError),
    /// A move is not legal.
    #[error("turn {turn}: {reason}")]
    Illegal {
        /// The turn, from 1.
        turn: usize,
        /// What the rules say.
        reason: tafl_rules::IllegalMove,
    },
    /// The captures are others than those written.
    #[error("turn {turn}: {text} captures {captured}")]
    OtherCaptures {
        /// The turn, from 1.
        turn: usize,
        /// The turn as written.
        text: String,
        /// What it captures under these rules.
        captured: String,
    },
    /// Nothing is left to play.
    #[error("the game is over: {0}")]
    Over(tafl_rules::Outcome),
    /// It leads to the same position as an earlier one.
    #[error("the same position as on line {0}")]
    Repeated(usize),
}

/// Reads openings, one a line: turns parted by spaces, from the ruleset's start position.
///
/// A turn is written `d1-d3`, with captures `d1-d3xd4`, a chain `e2-c2xb2-c5xc6`. Captures need not
/// be written; those that are must be right. Empty lines and what follows `#` are left out.
///
/// # Errors
/// For the first line that is no opening under these rules; names the line and the turn.
pub fn read_openings(text: &str, rules: &Arc<Rules>) -> Result<Vec<Vec<Move>>, OpeningError> {
    let mut openings = Vec::new();
    let mut seen: Vec<(u64, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let turns = line.split('#').next().unwrap_or_default().trim();
        if turns.is_empty() {
            continue;
        }
        let line = index + 1;
        let refused = |reason| OpeningError { line, reason };
        let game = read_opening(turns, rules).map_err(refused)?;
        let key = game.position().key();
        if let Some((_, earlier)) = seen.iter().find(|(other, _)| *other == key) {
            return Err(refused(OpeningReason::Repeated(*earlier)));
        }
        seen.push((key, line));
        openings.push(game.moves().to_vec());
    }
    Ok(openings)
}

fn read_opening(turns: &str, rules: &Arc<Rules>) -> Result<Game, OpeningReason> {
    let mut game = Game::new(rules.clone());
    for (index, text) in turns.split_whitespace().enumerate() {
        let turn = index + 1;
        for (mv, written) in text.parse::<TurnText>()?.plies {
            let ply = game
                .play(mv)
                .map_err(|reason| OpeningReason::Illegal { turn, reason })?;
            if !written.is_empty() && written != ply.captured {
                return Err(OpeningReason::OtherCaptures {
                    turn,
                    text: text.to_owned(),
                    captured: squares(ply.captured),
                });
            }
        }
    }
    match game.outcome() {
        Some(outcome) => Err(OpeningReason::Over(outcome)),
        None => Ok(game),
    }
}

fn squares(squares: Bitboard) -> String {
    let names: Vec<String> = squares.squares().map(|square| square.to_string()).collect();
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

/// Returns an opening as a line that [`read_openings`] reads.
///
/// # Panics
/// If a move is not legal.
#[must_use]
pub fn write_opening(moves: &[Move], rules: &Arc<Rules>) -> String {
    let mut game = Game::new(rules.clone());
    let mut turns: Vec<TurnText> = Vec::new();
    for &mv in moves {
        let within_chain = game.position().chain().is_some();
        let captured = game.play(mv).expect("an opening is legal").captured;
        match turns.last_mut().filter(|_| within_chain) {
            Some(turn) => turn.plies.push((mv, captured)),
            None => turns.push(TurnText {
                plies: vec![(mv, captured)],
            }),
        }
    }
    let words: Vec<String> = turns.iter().map(ToString::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openings;

    fn brandubh() -> Arc<Rules> {
        Rules::preset("brandubh").unwrap()
    }

    fn error(text: &str) -> String {
        read_openings(text, &brandubh()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_back_under_every_ruleset() {
        for name in tafl_rules::PRESET_NAMES.into_iter().chain(["brandubh"]) {
            let rules = Rules::preset(name).unwrap();
            let drawn = openings(&rules, 20, 8, 1);
            let lines: Vec<String> = drawn
                .iter()
                .map(|moves| write_opening(moves, &rules))
                .collect();
            let text = format!("# drawn\n\n{}  # the last\n", lines.join("\n"));
            assert_eq!(read_openings(&text, &rules).unwrap(), drawn, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert!(
            error("# x\nd7-e7 hello").starts_with("line 2: \"hello\" is not a move"),
            "{}",
            error("# x\nd7-e7 hello")
        );
        let illegal = error("d6-e6\nd6-e6 d5-d9");
        assert!(illegal.starts_with("line 2: "), "{illegal}");
        let captures = error("d6-e6xa1");
        assert_eq!(captures, "line 1: turn 1: d6-e6xa1 captures nothing");
        assert_eq!(
            error("d6-e6\nd6-e6"),
            "line 2: the same position as on line 1"
        );
    }

    #[test]
    fn an_empty_file_has_no_openings() {
        assert_eq!(read_openings("# nothing\n", &brandubh()), Ok(Vec::new()));
    }
}
