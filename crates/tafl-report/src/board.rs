//! Boards to draw on.

use serde::Serialize;
use tafl_rules::{Bitboard, Rules};

/// The empty board of a ruleset. Squares are numbered rank * size + file from a1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Board {
    /// The name of the ruleset.
    pub ruleset: String,
    /// Squares along a side.
    pub size: u8,
    /// The throne.
    pub throne: usize,
    /// Squares on which only the king may stop.
    pub restricted: Vec<usize>,
    /// Squares on which the king wins.
    pub goals: Vec<usize>,
}

impl Board {
    pub(crate) fn of(rules: &Rules) -> Self {
        let shape = rules.shape();
        let numbers = |squares: Bitboard| {
            squares
                .squares()
                .map(|square| shape.index(square))
                .collect()
        };
        Self {
            ruleset: rules.ruleset().name.clone(),
            size: shape.size(),
            throne: shape.index(shape.throne()),
            restricted: numbers(rules.restricted()),
            goals: numbers(rules.goals()),
        }
    }
}
