//! What a ply did.

use pyo3::prelude::*;
use tafl_rules::{Bitboard, BoardShape, Move};

/// What a ply did.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Ply {
    pub(crate) mv: Move,
    pub(crate) shape: BoardShape,
    pub(crate) captured: Bitboard,
    /// Whether the game is over.
    #[pyo3(get)]
    pub(crate) ends: bool,
}

#[pymethods]
impl Ply {
    /// The move as text, such as "d1-d3".
    #[getter]
    fn r#move(&self) -> String {
        self.mv.to_string()
    }

    /// The number of the move.
    #[getter]
    fn action(&self) -> u16 {
        self.mv.policy_index(self.shape).0
    }

    /// Squares of the captured pieces, the king's not among them.
    #[getter]
    fn captured(&self) -> Vec<String> {
        let squares = self.captured.squares();
        squares.map(|square| square.to_string()).collect()
    }

    fn __repr__(&self) -> String {
        let taken: String = self
            .captured()
            .into_iter()
            .map(|it| format!("x{it}"))
            .collect();
        let ends = if self.ends { ", ends the game" } else { "" };
        format!("<Ply {}{taken}{ends}>", self.mv)
    }
}
