//! Arguments from Python; what is wrong with one is an error with its name.

use pyo3::exceptions::{PyFileNotFoundError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyType};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use tafl_rules::{BoardShape, Game, Move, PolicyIndex, TurnText};

/// Returns the error of an argument that has the right type and a wrong value.
pub(crate) fn wrong(argument: &str, reason: impl Display) -> PyErr {
    PyValueError::new_err(format!("{argument}: {reason}"))
}

/// Returns the error of an argument of another type than the one that is wanted.
pub(crate) fn wrong_type(argument: &str, wanted: &str, found: &Bound<'_, PyAny>) -> PyErr {
    if let Ok(found) = found.cast::<PyType>() {
        let name = found
            .name()
            .map_or_else(|_| String::new(), |it| it.to_string());
        return PyTypeError::new_err(format!(
            "{argument}: {wanted} is wanted, not the type {name}"
        ));
    }
    let name = found.get_type().name();
    let name = name.map_or_else(|_| "something else".to_owned(), |it| it.to_string());
    // Of an array its type says little.
    let of_array = |what| {
        found
            .getattr(what)
            .map(|it: Bound<'_, PyAny>| it.to_string())
    };
    let more = match (of_array("dtype"), of_array("shape")) {
        (Ok(dtype), Ok(shape)) => format!(" of {dtype} of shape {shape}"),
        _ => String::new(),
    };
    PyTypeError::new_err(format!("{argument}: {wanted} is wanted, not {name}{more}"))
}

/// Returns a whole number within a range; of Python's, or of numpy's.
pub(crate) fn number(
    value: &Bound<'_, PyAny>,
    argument: &str,
    range: RangeInclusive<u64>,
) -> PyResult<u64> {
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(argument, "a whole number", value));
    }
    match value.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            Err(wrong_type(argument, "a whole number", value))
        }
        _ => {
            let (least, most) = (range.start(), range.end());
            let reason = format!("{value} is not a number from {least} to {most}");
            Err(wrong(argument, reason))
        }
    }
}

/// Returns a whole number, or the usual one where none is given.
pub(crate) fn number_or(
    value: Option<&Bound<'_, PyAny>>,
    argument: &str,
    range: RangeInclusive<u64>,
    usual: u64,
) -> PyResult<u64> {
    value.map_or(Ok(usual), |value| number(value, argument, range))
}

/// The seeds that Python's numbers may be.
pub(crate) const SEEDS: RangeInclusive<u64> = 0..=u64::MAX;

/// Returns a text.
pub(crate) fn text(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        return Err(wrong_type(argument, "a text", value));
    };
    let text = text.to_str().map_err(|error| wrong(argument, error))?;
    Ok(text.to_owned())
}

/// Returns a truth value; of Python's, or of numpy's.
pub(crate) fn truth(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<bool> {
    let truth = value.extract::<bool>();
    truth.map_err(|_| wrong_type(argument, "True or False", value))
}

/// Checks that a game goes on.
pub(crate) fn not_over(game: &Game, argument: &str) -> PyResult<()> {
    match game.outcome() {
        Some(outcome) => Err(wrong(argument, format!("it is over: {outcome}"))),
        None => Ok(()),
    }
}

/// Returns the place of a word among those that may be given.
pub(crate) fn choice<T: Copy>(
    value: &Bound<'_, PyAny>,
    argument: &str,
    words: &[(&str, T)],
) -> PyResult<T> {
    if !value.is_instance_of::<PyString>() {
        let known: Vec<String> = words
            .iter()
            .map(|(known, _)| format!("{known:?}"))
            .collect();
        return Err(wrong_type(argument, &known.join(" or "), value));
    }
    let word = text(value, argument)?;
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        wrong(
            argument,
            format!("{} is none of {}", quoted(&word), known.join(", ")),
        )
    })
}

/// Returns a text in quotes, as errors have it: its first 40 characters.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}

/// Returns a path, which may be given as text.
pub(crate) fn path(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<PathBuf> {
    let path = value.extract::<PathBuf>();
    path.map_err(|_| wrong_type(argument, "a path", value))
}

/// Returns the path of a file or folder that is there.
pub(crate) fn existing(path: PathBuf, argument: &str) -> PyResult<PathBuf> {
    if path.exists() {
        return Ok(path);
    }
    let reason = format!("{argument}: {} does not exist", path.display());
    Err(PyFileNotFoundError::new_err(reason))
}

/// Returns the move that a number or a text stands for on a board.
pub(crate) fn mv(value: &Bound<'_, PyAny>, argument: &str, shape: BoardShape) -> PyResult<Move> {
    mv_or_off(value, argument, shape)?.map_err(|reason| wrong(argument, reason))
}

/// Returns the same, or why it is off the board.
fn mv_or_off(
    value: &Bound<'_, PyAny>,
    argument: &str,
    shape: BoardShape,
) -> PyResult<Result<Move, String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(Ok(named_move(&text(value, argument)?, argument, shape)?));
    }
    let last = shape.policy_len() as u64 - 1;
    let number = match value.extract::<u16>() {
        Ok(number) if u64::from(number) <= last && !value.is_instance_of::<PyBool>() => number,
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
            return Err(wrong_type(argument, "a text or a number", value));
        }
        _ => self::number(value, argument, 0..=last)? as u16,
    };
    Ok(numbered_move(number, shape))
}

/// Returns the move that an action's number stands for, or why there is none.
pub(crate) fn numbered_move(number: u16, shape: BoardShape) -> Result<Move, String> {
    let mv = Move::from_policy_index(PolicyIndex(number), shape);
    mv.ok_or_else(|| format!("{number} leads off the board"))
}

/// Returns the move that a text such as `d1-d3` stands for, as people type it; what it says of captures is not looked at.
pub(crate) fn named_move(text: &str, argument: &str, shape: BoardShape) -> PyResult<Move> {
    let turn = typed(text, argument, shape)?;
    let turn = turn.map_err(|reason| wrong(argument, reason))?;
    match &turn.plies[..] {
        [(mv, _)] => Ok(*mv),
        plies => {
            let reason = format!("{turn} has {} plies, a move has one", plies.len());
            Err(wrong(argument, reason))
        }
    }
}

/// Returns the turn that a text such as `d5-f5xe5-f8` stands for, as people type it, or why it is off the board.
fn typed(text: &str, argument: &str, shape: BoardShape) -> PyResult<Result<TurnText, String>> {
    let turn = TurnText::of_typed(text).map_err(|error| wrong(argument, error))?;
    let mut off = turn.plies.iter().map(|(mv, _)| on_board(*mv, shape));
    Ok(match off.find_map(Result::err) {
        Some(reason) => Err(reason),
        None => Ok(turn),
    })
}

/// What may be played: a move by its number, or a turn by its text.
pub(crate) enum Playable {
    Move(Move),
    Turn(TurnText),
}

impl Playable {
    /// Reads what may be played, or why it is off the board.
    pub(crate) fn read(
        value: &Bound<'_, PyAny>,
        argument: &str,
        shape: BoardShape,
    ) -> PyResult<Result<Self, String>> {
        if value.is_instance_of::<PyString>() {
            let turn = typed(&text(value, argument)?, argument, shape)?;
            return Ok(turn.map(Self::Turn));
        }
        Ok(mv_or_off(value, argument, shape)?.map(Self::Move))
    }
}

fn on_board(mv: Move, shape: BoardShape) -> Result<Move, String> {
    if shape.contains(mv.from()) && shape.contains(mv.to()) {
        return Ok(mv);
    }
    let size = shape.size();
    Err(format!("{mv} is off a board of {size}x{size}"))
}
