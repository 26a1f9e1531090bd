//! The two sides and their pieces.

use serde::{Deserialize, Serialize};

/// One of the two sides; they are not alike, so values and results always name theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The besiegers, who move first in most games.
    #[serde(rename = "attackers")]
    Attacker,
    /// The king and his men.
    #[serde(rename = "defenders")]
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
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attacker => "attackers",
            Self::Defender => "defenders",
        }
    }

    /// Returns 0 for the attackers and 1 for the defenders, for arrays with one entry a side.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Side {
    type Err = crate::UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "attackers" | "a" => Ok(Self::Attacker),
            "defenders" | "d" => Ok(Self::Defender),
            _ => Err(crate::UnknownName::new(
                "a side: attackers or defenders",
                text,
            )),
        }
    }
}

/// A kind of piece. The letters are those of spec.md 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    #[must_use]
    pub const fn side(self) -> Side {
        match self {
            Self::Attacker | Self::Commander => Side::Attacker,
            Self::Defender | Self::Knight | Self::King => Side::Defender,
        }
    }

    /// Returns the word of drawings, such as `attacker`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Attacker => "attacker",
            Self::Commander => "commander",
            Self::Defender => "defender",
            Self::Knight => "knight",
            Self::King => "king",
        }
    }

    /// Returns the letter of position texts.
    #[must_use]
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
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter)
    }
}
