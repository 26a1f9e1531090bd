//! What matches need: openings as `tafl arena` draws them, and its Elo difference.

use crate::argument::{SEEDS, number, number_or, wrong, wrong_type};
use crate::rules::rules_or_usual;
use crate::threads::on_a_thread;
use pyo3::prelude::*;
use tafl_arena::PairCounts;
use tafl_play::MatchConfig;
use tafl_rules::Move;
use tafl_samples::derive_seed;

/// Returns the openings that `tafl arena` draws with this seed: the moves of each, from the ruleset's start.
///
/// All legal moves are equally likely. An opening is drawn again if the game is over, a win is near or its position was
/// seen; where there are no more, fewer are returned, and where there is none, the start alone.
#[pyfunction]
#[pyo3(signature = (ruleset = None, count = None, plies = None, seed = None), text_signature = "(ruleset='copenhagen', count=40, plies=4, seed=1)")]
pub(crate) fn openings(
    py: Python<'_>,
    ruleset: Option<&Bound<'_, PyAny>>,
    count: Option<&Bound<'_, PyAny>>,
    plies: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Vec<String>>> {
    let usual = MatchConfig::default();
    let rules = rules_or_usual(ruleset)?;
    let count = number_or(count, "count", 1..=100_000, usual.openings.into())? as u32;
    let plies = number_or(plies, "plies", 0..=1_000, usual.opening_plies.into())? as u32;
    // The seed of a tournament's openings in `tafl arena`.
    let seed = derive_seed(number_or(seed, "seed", SEEDS, 1)?, &[0]);
    let draw = move || tafl_play::distinct_openings(&rules, count, plies, seed);
    let drawn = on_a_thread(py, draw)?;
    Ok(drawn
        .into_iter()
        .map(|moves| moves.iter().map(Move::to_string).collect())
        .collect())
}

/// Returns the Elo difference, first player less second, and the ends of its 95 % interval, from pairs of games.
///
/// `pairs`: how many pairs gave the first player 0, 1/2, 1, 3/2 and 2 points. To these half a lost and half a won pair are
/// added; the interval is that of the Beta distribution with the mean and variance of the score's Dirichlet posterior.
#[pyfunction]
#[pyo3(signature = (pairs))]
pub(crate) fn elo(pairs: &Bound<'_, PyAny>) -> PyResult<(f64, f64, f64)> {
    let Ok(given) = pairs.try_iter() else {
        return Err(wrong_type("pairs", "a list of five counts", pairs));
    };
    let count = |count: PyResult<Bound<'_, PyAny>>| number(&count?, "pairs", 0..=u32::MAX.into());
    let counts = given.map(count).collect::<PyResult<Vec<u64>>>()?;
    let counts: [u64; 5] = counts
        .try_into()
        .map_err(|counts: Vec<u64>| wrong("pairs", format!("{} counts, not 5", counts.len())))?;
    let elo = PairCounts(counts).elo();
    Ok((elo.value, elo.low, elo.high))
}
