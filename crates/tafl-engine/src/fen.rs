//! Positions in the FEN of `TaflZero`, with what our rulesets have beyond it.
//!
//! `RANKS LAST SIDE CLOCK PLIES CHAIN` as in [`tafl_rules::notation::taflzero`]; beyond it `c` is a commander, `n` the
//! knight, and the sixth field the square of the piece whose chain is pending, or `-`. The letters of our own
//! position texts (`t`, `T`, `N`, `K`) are read too. All but RANKS and SIDE may be left out.

use std::fmt::Write;
use tafl_rules::{Piece, RankOrder, Setup, SetupError, Side, Square};

/// A text that describes no position; names the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The board cannot be read.
    #[error("field `ranks`: {0}")]
    Ranks(#[from] SetupError),
    /// Another field is not what it must be.
    #[error("field `{field}`: {text:?} is not {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// What the text gives, at most 40 characters of it.
        text: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Words follow the last field.
    #[error("more than 6 fields (ranks, last, side, clock, plies, chain)")]
    TooMany,
}

/// Reads a position; the squares and counts that only [`tafl_rules::Game`] could know are checked and left aside.
///
/// # Errors
/// Names the field. Whether a ruleset allows the position is not asked.
pub fn read_fen(text: &str) -> Result<Setup, FenError> {
    let mut words = text.split_whitespace();
    let ranks = words.next().unwrap_or_default();
    let mut setup = Setup::from_text(&translated(ranks), RankOrder::HighestFirst)?;
    let mut word = words.next().unwrap_or_default();
    if side(word).is_none() {
        square_or_none("last", word)?;
        word = words.next().unwrap_or_default();
    }
    setup.side = side(word).ok_or_else(|| bad("side", word, "`a` or `d`"))?;
    setup.captureless = count("clock", words.next())?;
    count("plies", words.next())?;
    setup.chain = words
        .next()
        .map_or(Ok(None), |word| square_or_none("chain", word))?;
    match words.next() {
        Some(_) => Err(FenError::TooMany),
        None => Ok(setup),
    }
}

/// Returns the position as [`read_fen`] reads it; the sixth field only where a chain is pending.
#[must_use]
pub fn write_fen(setup: &Setup, plies: usize) -> String {
    let letters = setup.to_text(RankOrder::HighestFirst);
    let letter = |letter| match Piece::from_letter(letter) {
        Some(Piece::Attacker) => 'a',
        Some(Piece::Defender) => 'd',
        _ => letter.to_ascii_lowercase(),
    };
    let mut text: String = letters.chars().map(letter).collect();
    let side = match setup.side {
        Side::Attacker => 'a',
        Side::Defender => 'd',
    };
    // Writing to a text cannot fail.
    let _ = write!(text, " - {side} {} {plies}", setup.captureless);
    if let Some(square) = setup.chain {
        let _ = write!(text, " {square}");
    }
    text
}

fn translated(ranks: &str) -> String {
    let letter = |letter| match letter {
        'a' => 't',
        'd' => 'T',
        'k' => 'K',
        'n' => 'N',
        other => other,
    };
    ranks.chars().map(letter).collect()
}

fn side(word: &str) -> Option<Side> {
    match word {
        "a" | "attackers" => Some(Side::Attacker),
        "d" | "defenders" => Some(Side::Defender),
        _ => None,
    }
}

fn square_or_none(field: &'static str, word: &str) -> Result<Option<Square>, FenError> {
    if word == "-" {
        return Ok(None);
    }
    let square = word
        .parse()
        .map_err(|_| bad(field, word, "a square or `-`"))?;
    Ok(Some(square))
}

fn count(field: &'static str, word: Option<&str>) -> Result<u32, FenError> {
    word.map_or(Ok(0), |word| {
        word.parse()
            .map_err(|_| bad(field, word, "a number of plies"))
    })
}

fn bad(field: &'static str, text: &str, expected: &'static str) -> FenError {
    FenError::Field {
        field,
        text: text.chars().take(40).collect(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::notation::taflzero::Fen;
    use tafl_rules::{PRESET_NAMES, Rules, SMALL_BOARD_NAMES};

    #[test]
    fn start_positions_of_all_rulesets_are_read_back() {
        for name in PRESET_NAMES.iter().chain(&SMALL_BOARD_NAMES) {
            let rules = Rules::preset(name).expect("a preset");
            let setup = Setup::of(&rules.start(), rules.shape());
            assert_eq!(read_fen(&write_fen(&setup, 7)), Ok(setup.clone()), "{name}");
            let own = format!("{} attackers", setup.to_text(RankOrder::HighestFirst));
            assert_eq!(read_fen(&own), Ok(setup), "{name}");
        }
    }

    #[test]
    fn where_taflzero_has_words_they_are_the_same() {
        let text = "3aaa3/4a4/4d4/a3d3a/aaddkddaa/a3d3a/4d4/4a4/3aaa3 e8 d 5 11";
        let fen: Fen = text.parse().expect("a FEN");
        assert_eq!(read_fen(text), Ok(fen.setup.clone()));
        assert_eq!(write_fen(&fen.setup, 11), text.replace("e8", "-"));
    }

    #[test]
    fn a_pending_chain_is_read_back() {
        let mut setup = read_fen("2ac3/7/3n3/3k3/7/7/7 - a 0 9").expect("a position");
        setup.chain = Some("d7".parse().expect("a square"));
        let text = write_fen(&setup, 9);
        assert_eq!(text, "2ac3/7/3n3/3k3/7/7/7 - a 0 9 d7");
        assert_eq!(read_fen(&text), Ok(setup));
    }

    #[test]
    fn faults_name_their_field() {
        let fault = |text: &str| read_fen(text).expect_err("it is none").to_string();
        assert!(fault("").starts_with("field `ranks`"));
        assert!(fault("3x3/7/7/3k3/7/7/7 a").starts_with("field `ranks`"));
        let board = "3a3/7/7/3k3/7/7/7";
        assert!(fault(board).starts_with("field `last`"), "{}", fault(board));
        assert!(fault(&format!("{board} - x")).starts_with("field `side`"));
        assert!(fault(&format!("{board} - a -1")).starts_with("field `clock`"));
        assert!(fault(&format!("{board} - a 0 x")).starts_with("field `plies`"));
        assert!(fault(&format!("{board} - a 0 0 z1")).starts_with("field `chain`"));
        assert!(fault(&format!("{board} - a 0 0 - -")).starts_with("more than 6"));
    }
}
