#![doc = include_str!("../README.md")]

mod argument;
mod asked;
mod batch;
mod buffers;
mod env;
mod env_info;
mod game;
mod matches;
mod net;
mod numbers;
mod planes;
mod played;
mod player;
mod ply;
mod record;
mod rules;
mod samples;
mod search;
mod setup;
mod slots;
mod texts;
mod threads;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tafl_rules::known_names;

/// The compiled part of the package `taflforge`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PLANES", PyTuple::new(py, tafl_samples::plane_names())?)?;
    module.add(
        "RULESETS",
        PyTuple::new(py, known_names().collect::<Vec<_>>())?,
    )?;
    module.add("NETS", PyTuple::new(py, net::names().collect::<Vec<_>>())?)?;
    module.add_function(wrap_pyfunction!(numbers::plane_meaning, module)?)?;
    module.add_function(wrap_pyfunction!(numbers::action, module)?)?;
    module.add_function(wrap_pyfunction!(numbers::r#move, module)?)?;
    module.add_function(wrap_pyfunction!(net::load_net, module)?)?;
    module.add_function(wrap_pyfunction!(matches::openings, module)?)?;
    module.add_function(wrap_pyfunction!(matches::elo, module)?)?;
    module.add_function(wrap_pyfunction!(record::games, module)?)?;
    module.add_function(wrap_pyfunction!(samples::samples, module)?)?;
    module.add_class::<rules::Rules>()?;
    module.add_class::<ply::Ply>()?;
    module.add_class::<game::Game>()?;
    module.add_class::<env::VecEnv>()?;
    module.add_class::<env_info::StepInfo>()?;
    module.add_class::<net::Net>()?;
    module.add_class::<search::Search>()?;
    module.add_class::<player::Player>()?;
    module.add_class::<record::Record>()?;
    module.add_class::<record::RecordedPly>()?;
    Ok(())
}
