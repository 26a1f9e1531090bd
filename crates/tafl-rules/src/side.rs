//! The two sides and their pieces.

use crate::text::short;
use serde::{Deserialize, Serialize};

/// One of the two sides; they are not alike, so values and results always name theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(ascii_case_insensitive, parse_err_ty = UnknownName, parse_err_fn = unknown_side)]
pub enum Side {
    /// The besiegers, who move first in most games.
    #[serde(rename = "attackers")]
    #[strum(to_string = "attackers", serialize = "a", serialize = "black")]
    Attacker,
    /// The king and his men.
    #[serde(rename = "defenders")]
    #[strum(to_string = "defenders", serialize = "d", serialize = "white")]
    Defender,
}

impl Side {
    /// Both sides, in the order in which they are stored.
    pub const ALL: [Self; 2] = [Self::Attacker, Self::Defender];

    /// Returns the other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }

    /// Returns `attackers` or `defenders`, the words of files and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns 0 for the attackers and 1 for the defenders, for arrays with one entry a side.
    pub const fn index(self) -> usize {
        self as usize
    }
}

fn unknown_side(word: &str) -> UnknownName {
    UnknownName::new("a side: attackers (black) or defenders (white)", word)
}

/// A word that is none of the few expected ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not {what}")]
pub struct UnknownName {
    what: &'static str,
    word: String,
}

impl UnknownName {
    /// Returns the error for `word`, of which at most 40 characters are kept.
    pub fn new(what: &'static str, word: &str) -> Self {
        Self {
            what,
            word: short(word),
        }
    }
}

/// A kind of piece. The letters are those of spec.md 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Piece {
    /// `t`, an attacking soldier.
    Attacker,
    /// `c`, a commander of the attackers (Berserk).
    Commander,
    /// `T`, a defending soldier.
    Defender,
    /// `N`, the knight of the defenders (Berserk).
    Knight,
    /// `K`, the king.
    King,
}

impl Piece {
    /// All kinds, in the order in which they are stored and encoded.
    pub const ALL: [Self; 5] = [
        Self::Attacker,
        Self::Commander,
        Self::Defender,
        Self::Knight,
        Self::King,
    ];

    /// Returns the side that owns this kind of piece.
    pub const fn side(self) -> Side {
        match self {
            Self::Attacker | Self::Commander => Side::Attacker,
            Self::Defender | Self::Knight | Self::King => Side::Defender,
        }
    }

    /// Returns its word, such as `attacker`.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the letter of position texts.
    pub const fn letter(self) -> char {
        match self {
            Self::Attacker => 't',
            Self::Commander => 'c',
            Self::Defender => 'T',
            Self::Knight => 'N',
            Self::King => 'K',
        }
    }

    /// Returns the kind that a letter of a position text stands for.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_goes_by_the_names_that_records_have_for_it() {
        for (word, side) in [
            ("attackers", Side::Attacker),
            ("Black", Side::Attacker),
            ("defenders", Side::Defender),
            ("white", Side::Defender),
        ] {
            assert_eq!(word.parse::<Side>(), Ok(side), "{word}");
        }
        assert_eq!(Side::ALL.map(Side::name), ["attackers", "defenders"]);
        let error = "red".parse::<Side>().expect_err("none").to_string();
        assert!(error.contains("defenders (white)"), "{error}");
    }
}
