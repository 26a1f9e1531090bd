//! Plies with variations: `f4-i4 (f4-h4 d1-d3) d1-c1`, as in PGN.

use crate::EngineError;
use tafl_rules::{Bitboard, Move, TurnText};

/// A ply of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// The number of the ply that it follows, from 1; 0 is the first position.
    pub(super) after: usize,
    pub(super) mv: Move,
    /// What it captures, if the text says so.
    pub(super) captured: Bitboard,
    /// How many variations it is in.
    pub(super) depth: usize,
}

/// Returns plies that follow each other.
pub(super) fn in_a_row(plies: impl Iterator<Item = (Move, Bitboard)>) -> Vec<Written> {
    let numbered = (0..).zip(plies);
    let written = numbered.map(|(after, (mv, captured))| Written {
        after,
        mv,
        captured,
        depth: 0,
    });
    written.collect()
}

/// Reads turns; a variation in parentheses replaces the ply before it. Numbers such as `12.` are passed over.
pub(super) fn read_moves(text: &str) -> Result<Vec<Written>, EngineError> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut plies: Vec<Written> = Vec::new();
    let mut last = 0;
    let mut outer = Vec::new();
    let mut number = 0;
    for word in spaced.split_whitespace() {
        match word {
            "(" if last == 0 => return Err(wrong("a variation stands before the first ply")),
            "(" => {
                outer.push(last);
                last = plies[last - 1].after;
            }
            ")" => {
                let before = outer.pop();
                last = before.ok_or_else(|| wrong("`)` has no `(` before it"))?;
            }
            "timeout" => {}
            _ if is_number(word) => {}
            _ => {
                number += 1;
                let turn = word.parse::<TurnText>();
                let turn = turn.map_err(EngineError::about(&format!("Word {number}")))?;
                for (mv, captured) in turn.plies {
                    plies.push(Written {
                        after: last,
                        mv,
                        captured,
                        depth: outer.len(),
                    });
                    last = plies.len();
                }
            }
        }
    }
    if outer.is_empty() {
        Ok(plies)
    } else {
        Err(wrong("a variation is not closed by `)`"))
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches('.');
    digits.len() < word.len() && digits.bytes().all(|it| it.is_ascii_digit())
}

fn wrong(what: &str) -> EngineError {
    EngineError::about("The text cannot be read")(what)
}
