//! Players without a network, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A baseline: `random`, `greedy`, `rollouts:VISITS` or `alphabeta:DEPTH`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("examples" = ["random", "greedy", "rollouts:1000", "alphabeta:3"]))]
pub(crate) enum Baseline {
    /// Any legal move.
    Random,
    /// Wins if it can, keeps the opponent from winning, captures.
    Greedy,
    /// Searches with random games as evaluations, so many visits a move.
    Rollouts(u32),
    /// Looks so many turns ahead.
    AlphaBeta(u32),
}

/// A text that names no baseline.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no baseline (random, greedy, rollouts:VISITS, alphabeta:DEPTH)")]
pub(crate) struct UnknownBaseline(String);

/// Turns beyond which no game would end in a lifetime.
pub(crate) const MOST_DEPTH: u32 = 12;

/// Visits of `rollouts` without a number.
const ROLLOUT_VISITS: u32 = 100;

impl std::str::FromStr for Baseline {
    type Err = UnknownBaseline;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownBaseline(text.chars().take(80).collect());
        match text.split_once(':') {
            None if text == "random" => Ok(Self::Random),
            None if text == "greedy" => Ok(Self::Greedy),
            None if text == "rollouts" => Ok(Self::Rollouts(ROLLOUT_VISITS)),
            Some(("alphabeta", depth)) => match depth.parse() {
                Ok(depth) if (1..=MOST_DEPTH).contains(&depth) => Ok(Self::AlphaBeta(depth)),
                _ => Err(unknown()),
            },
            Some(("rollouts", visits)) => match visits.parse() {
                Ok(visits) if (1..=1_000_000).contains(&visits) => Ok(Self::Rollouts(visits)),
                _ => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Rollouts(visits) => write!(f, "rollouts:{visits}"),
            Self::AlphaBeta(depth) => write!(f, "alphabeta:{depth}"),
        }
    }
}

impl TryFrom<String> for Baseline {
    type Error = UnknownBaseline;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Baseline> for String {
    fn from(baseline: Baseline) -> Self {
        baseline.to_string()
    }
}
