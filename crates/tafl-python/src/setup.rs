//! Positions in the three alphabets for boards.

use crate::argument::wrong;
use pyo3::prelude::*;
use std::sync::Arc;
use tafl_rules::notation::opentafl;
use tafl_rules::notation::taflzero::{Fen, FenError};
use tafl_rules::{Game, Rules, Setup, SetupError};

/// Reads a board: ours, a UCI FEN, or an `OpenTafl` record. A board alone begins with the side that moves first.
pub(crate) fn read(text: &str, rules: &Rules) -> PyResult<Setup> {
    if text.contains(':') || text.trim().starts_with('/') {
        let setup = opentafl::read_position(text);
        return setup.map_err(|error| wrong("board", error));
    }
    Fen::read_under(text, rules).map_err(|error| match error {
        // All else that a text has is a field of a FEN.
        FenError::Ranks(error) => wrong("board", error),
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
