//! Positions in the three alphabets for boards.

use crate::argument::wrong;
use pyo3::prelude::*;
use std::sync::Arc;
use tafl_rules::notation::taflzero::{Beside, Fen, FenError};
use tafl_rules::{Game, Rules, Setup, SetupError};

/// Reads a board: ours, a UCI FEN, or an `OpenTafl` record; with what is said beside it.
pub(crate) fn read(text: &str, rules: &Rules, beside: Beside) -> PyResult<Setup> {
    Fen::read_beside(text, rules, beside).map_err(|error| match error {
        // All else that a text has is a field of a FEN.
        FenError::Ranks(error) => wrong("board", error),
        FenError::Record(error) => wrong("board", error),
        FenError::Contradiction { field, said, given } => {
            wrong(field, format!("the text says {said}, not {given}"))
        }
        error => wrong("board", error),
    })
}

/// Returns a game from the position that a setup describes.
pub(crate) fn game(rules: Arc<Rules>, setup: &Setup) -> PyResult<Game> {
    Game::from_setup(rules, setup).map_err(|error| match error {
        SetupError::Chain(_) => wrong("chain", error),
        SetupError::Captureless(_) => wrong("captureless", error),
        _ => wrong("board", error),
    })
}
