//! Planes and moves by name and number.

use crate::argument::{self, named_move, number, quoted, text, wrong};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tafl_rules::{BoardShape, Move};
use tafl_samples::PLANE_DOCS;

/// Returns what the numbers of a plane mean.
#[pyfunction]
pub(crate) fn plane_meaning(plane: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let name = text(plane, "plane")?;
    let found = PLANE_DOCS.iter().find(|doc| doc.name == name);
    let unknown = || wrong("plane", format!("there is no {}", quoted(&name)));
    let found = found.ok_or_else(unknown)?;
    Ok(found.meaning)
}

/// Returns the number of a move ("d1-d3", "end") on a board of 7, 9 or 11 files: a policy output.
#[pyfunction]
#[pyo3(signature = (r#move, size = None), text_signature = "(move, size=11)")]
pub(crate) fn action(r#move: &Bound<'_, PyAny>, size: Option<&Bound<'_, PyAny>>) -> PyResult<u16> {
    let mv = named_move(&text(r#move, "move")?, "move", shape(size)?)?;
    Ok(mv.policy_index(shape(size)?).0)
}

/// Returns the move of a number; the inverse of `action`. `ValueError` where it would leave the board.
#[pyfunction]
#[pyo3(signature = (action, size = None), text_signature = "(action, size=11)")]
pub(crate) fn r#move(
    action: &Bound<'_, PyAny>,
    size: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let shape = shape(size)?;
    let number = number(action, "action", 0..=shape.policy_len() as u64 - 1)?;
    let mv = argument::numbered_move(number as u16, shape);
    Ok(mv.map_err(|error| wrong("action", error))?.to_string())
}

/// Returns probabilities by moves; rounded ones, which f32 and files hold, are made to sum to 1.
pub(crate) fn policy<'py>(
    py: Python<'py>,
    shares: impl Iterator<Item = (Move, f64)> + Clone,
) -> PyResult<Bound<'py, PyDict>> {
    let sum: f64 = shares.clone().map(|(_, share)| share).sum();
    let policy = PyDict::new(py);
    for (mv, share) in shares {
        policy.set_item(mv.to_string(), if sum > 0.0 { share / sum } else { share })?;
    }
    Ok(policy)
}

fn shape(size: Option<&Bound<'_, PyAny>>) -> PyResult<BoardShape> {
    let number = argument::number_or(size, "size", 0..=u64::from(u8::MAX), 11)?;
    let shape = BoardShape::new(number as u8);
    shape.ok_or_else(|| wrong("size", format!("{number} is not 7, 9 or 11")))
}
