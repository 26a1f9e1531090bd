//! How a game ended.

use crate::Side;
use serde::{Deserialize, Serialize};

/// Why a game ended by the rules (spec.md 2.9). A game cut by a harness has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The king was captured.
    KingCaptured,
    /// The king reached a corner (or an edge, where edges are the goal).
    KingEscaped,
    /// The attackers surrounded the king and all his men.
    Encirclement,
    /// The defenders built an edge fort.
    Fort,
    /// The side to move had no legal move.
    NoMove,
    /// A position occurred for the third time.
    Repetition,
    /// Too many plies without a capture.
    Captureless,
    /// Neither side could end the game, decided by a captureless limit.
    Unfinishable,
}

impl EndReason {
    /// All reasons, in the order of spec.md.
    pub const ALL: [Self; 8] = [
        Self::KingCaptured,
        Self::KingEscaped,
        Self::Encirclement,
        Self::Fort,
        Self::NoMove,
        Self::Repetition,
        Self::Captureless,
        Self::Unfinishable,
    ];

    /// Returns the word of files and reports, such as `king-captured`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::KingCaptured => "king-captured",
            Self::KingEscaped => "king-escaped",
            Self::Encirclement => "encirclement",
            Self::Fort => "fort",
            Self::NoMove => "no-move",
            Self::Repetition => "repetition",
            Self::Captureless => "captureless",
            Self::Unfinishable => "unfinishable",
        }
    }
}

impl std::fmt::Display for EndReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for EndReason {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|reason| reason.name() == text);
        found.ok_or_else(|| UnknownName::new("a reason", text))
    }
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
    #[must_use]
    pub fn new(what: &'static str, word: &str) -> Self {
        Self {
            what,
            word: word.chars().take(40).collect(),
        }
    }
}

/// The result of a finished game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The side that won, `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game ended.
    pub reason: EndReason,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.winner {
            Some(side) => write!(f, "{side} win ({})", self.reason),
            None => write!(f, "draw ({})", self.reason),
        }
    }
}
