//! Plies as UCI and HTP write them.

use tafl_rules::{Move, Square, TurnText};

/// A text that is neither a ply nor a turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a move (such as a4a7, or end)")]
pub struct MoveError(String);

impl MoveError {
    pub(crate) fn new(text: &str) -> Self {
        Self(shortened(text))
    }
}

/// Returns so much of a text as an error may show.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Returns a ply as UCI writes it: the two squares, or `end` for the end of a chain.
///
/// ```
/// # use tafl_engine::{read_ply, write_ply};
/// assert_eq!(write_ply("a10-a11".parse()?), "a10a11");
/// assert_eq!(read_ply("a10a11")?, "a10-a11".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_ply(mv: Move) -> String {
    if mv.is_end() {
        return "end".to_owned();
    }
    format!("{}{}", mv.from(), mv.to())
}

/// Reads a ply: two squares without anything between, `a4-a7`, `end`, or `0000` for `end`.
///
/// # Errors
/// If it is something else, or the squares are not on one line.
pub fn read_ply(text: &str) -> Result<Move, MoveError> {
    let squares = || {
        let mut letters = text.char_indices().skip(1);
        let (second, _) = letters.find(|(_, letter)| letter.is_ascii_lowercase())?;
        let (from, to) = text.split_at(second);
        Move::new(square(from)?, square(to)?)
    };
    let mv = match text {
        "end" | "0000" => Some(Move::END),
        _ if text.contains('-') => text.parse().ok(),
        _ => squares(),
    };
    mv.ok_or_else(|| MoveError::new(text))
}

/// Reads a word of a list of moves: a ply, or a whole turn in our own notation (`d5-f5xe5-f8`).
pub(crate) fn read_turn(word: &str) -> Result<Vec<Move>, MoveError> {
    if let Ok(mv) = read_ply(word) {
        return Ok(vec![mv]);
    }
    let turn = word.parse::<TurnText>().map_err(|_| MoveError::new(word))?;
    Ok(turn.plies.into_iter().map(|(mv, _)| mv).collect())
}

/// Reads a square, in small or capital letters.
pub(crate) fn square(text: &str) -> Option<Square> {
    text.to_ascii_lowercase().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_are_read_back() {
        for text in ["a1a2", "a10a9", "k11a11", "end"] {
            assert_eq!(write_ply(read_ply(text).expect("a move")), text);
        }
        assert!(read_ply("0000").expect("a move").is_end());
        assert_eq!(read_ply("d4-d7"), read_ply("d4d7"));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "a", "a1", "a1a", "a1b2", "a1a1", "a12a3", "é1a2", "aéa2", "a1a2q", "-", "a0a1",
        ] {
            assert!(read_ply(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_turn_is_a_ply_or_a_chain() {
        let plies = |text| read_turn(text).expect("a turn").len();
        assert_eq!(plies("d5f5"), 1);
        assert_eq!(plies("d5-f5xe5-f8xf7-end"), 3);
        assert!(read_turn("d5-f5-g9").is_err());
    }
}
