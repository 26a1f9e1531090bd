//! Opponents without a network.

use crate::argument::{SEEDS, not_over, number_or, text, wrong};
use crate::game;
use crate::threads::on_a_thread;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::sync::atomic::{AtomicU64, Ordering};
use tafl_play::SoloPlayer;
use tafl_samples::{Baseline, derive_seed};

/// An opponent without a network: "random", "greedy", "alphabeta:DEPTH" (turns) or "rollouts:VISITS".
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct Player {
    baseline: Baseline,
    seed: u64,
    /// Moves chosen so far, so that equal positions may get different moves.
    chosen: AtomicU64,
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (name, seed = None), text_signature = "(name, seed=0)")]
    fn new(name: &Bound<'_, PyAny>, seed: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let baseline = text(name, "name")?.parse::<Baseline>();
        Ok(Self {
            baseline: baseline.map_err(|error| wrong("name", error))?,
            seed: number_or(seed, "seed", SEEDS, 0)?,
            chosen: AtomicU64::new(0),
        })
    }

    /// Its name, with its strength.
    #[getter]
    fn name(&self) -> String {
        self.baseline.to_string()
    }

    /// Returns a legal move of a game that is not over. After Ctrl-C a thread goes on to look for it.
    fn choose(&self, py: Python<'_>, game: &Bound<'_, PyAny>) -> PyResult<String> {
        let game = game::argument(game, "game")?;
        not_over(&game, "game")?;
        let number = self.chosen.fetch_add(1, Ordering::Relaxed);
        let seed = derive_seed(self.seed, &[number]);
        let baseline = self.baseline;
        let choose = move || {
            let player = tafl_play::Player::baseline(baseline);
            let solo = SoloPlayer::new(player, seed).map_err(|error| error.to_string());
            let chosen = solo?.choose_at(&game, 0.0);
            chosen.map_err(|error| format!("{error:?}"))
        };
        // Others take less time than a thread.
        let chosen = match baseline.strength() {
            Some(3..) => on_a_thread(py, choose)?,
            _ => py.detach(choose),
        };
        Ok(chosen.map_err(|error| wrong("game", error))?.to_string())
    }

    /// Returns the arguments that make it anew, and how many moves it has chosen.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, u64), u64) {
        let this = slf.get();
        let chosen = this.chosen.load(Ordering::Relaxed);
        (slf.get_type(), (this.name(), this.seed), chosen)
    }

    fn __setstate__(&self, chosen: u64) {
        self.chosen.store(chosen, Ordering::Relaxed);
    }

    fn __repr__(&self) -> String {
        format!("<Player {}>", self.baseline)
    }
}
