//! How a game ended.

use crate::{Side, UnknownName};
use serde::{Deserialize, Serialize};

/// Why a game ended by the rules (spec.md 2.9). A game cut by a harness has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_reason)]
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
    /// A position occurred for the third time, or that which the ruleset says.
    Repetition,
    /// Too many plies without a capture.
    Captureless,
    /// Neither side could end the game, decided by a captureless limit.
    Unfinishable,
}

impl EndReason {
    /// Returns the word of files and reports, such as `king-captured`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

fn unknown_reason(word: &str) -> UnknownName {
    UnknownName::new("a reason", word)
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
