//! Plies as HTP writes them: `play attacker a4 a7`.

use crate::notation::{MoveError, square};
use tafl_rules::{Move, Side};

/// Returns the word for a side.
pub(super) const fn role(side: Side) -> &'static str {
    match side {
        Side::Attacker => "attacker",
        Side::Defender => "defender",
    }
}

/// Reads the word for a side, in any case.
pub(super) fn read_role(word: &str) -> Option<Side> {
    match word.to_ascii_lowercase().as_str() {
        "a" | "attacker" => Some(Side::Attacker),
        "d" | "defender" => Some(Side::Defender),
        _ => None,
    }
}

/// Returns a ply; `play attacker end` ends a chain.
pub(crate) fn write_play(side: Side, mv: Move) -> String {
    let role = role(side);
    if mv.is_end() {
        return format!("play {role} end");
    }
    format!("play {role} {} {}", mv.from(), mv.to())
}

/// Reads the answer to `generate_move`, whatever follows the ply; nothing where a side resigns.
pub(crate) fn read_play(answer: &str) -> Result<Option<(Side, Move)>, MoveError> {
    let error = || MoveError::new(answer);
    // hnefatafl-copenhagen adds `, score: ...`.
    let play = answer.split(',').next().unwrap_or_default();
    let words: Vec<&str> = play.split_whitespace().collect();
    match words[..] {
        ["play", role, ref rest @ ..] => {
            let side = read_role(role).ok_or_else(error)?;
            let mv = read_squares(rest).ok_or_else(error)?;
            Ok(mv.map(|mv| (side, mv)))
        }
        _ => Err(error()),
    }
}

/// Reads what follows the role: two squares, `end`, or `resigns`; nothing for the last.
pub(super) fn read_squares(words: &[&str]) -> Option<Option<Move>> {
    match words {
        ["resign" | "resigns"] | ["resign" | "resigns", "_"] => Some(None),
        ["end"] | ["end", "_"] => Some(Some(Move::END)),
        [from, to] => Move::new(square(from)?, square(to)?).map(Some),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_with_what_other_engines_add() {
        let read = |text| {
            read_play(text)
                .expect("an answer")
                .map(|(side, mv)| write_play(side, mv))
        };
        let long = "play defender F8 f9, score: 19996, delay milliseconds: 3159, loops: 0";
        assert_eq!(read(long).as_deref(), Some("play defender f8 f9"));
        assert_eq!(read("play a end").as_deref(), Some("play attacker end"));
        assert_eq!(read("play attacker resigns _, score: -inf"), None);
        for nonsense in [
            "",
            "play",
            "play x a1 a2",
            "play a a1",
            "play a a1 b2",
            "a1 a2",
        ] {
            assert!(read_play(nonsense).is_err(), "{nonsense}");
        }
    }
}
