//! What a step says besides planes, reward and ends.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What `VecEnv.step` says besides. Arrays have one entry a game.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct StepInfo {
    /// The legal actions now, as `VecEnv.mask`.
    #[pyo3(get)]
    pub(crate) mask: Py<PyAny>,
    /// The side that made the step: 0 attackers, 1 defenders; `reward` is its own.
    #[pyo3(get)]
    pub(crate) mover: Py<PyAny>,
    /// The side to move now, after a reset where the game was over.
    #[pyo3(get)]
    pub(crate) side: Py<PyAny>,
    pub(crate) reasons: Vec<(usize, &'static str)>,
    /// The last positions of the games that ended, in the order of `numpy.flatnonzero(done)`, [ended, planes, size, size].
    #[pyo3(get)]
    pub(crate) final_obs: Py<PyAny>,
}

#[pymethods]
impl StepInfo {
    /// Why each game ended that did, by its index; "capped" if it reached `max_plies`.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reasons = PyDict::new(py);
        for (index, reason) in &self.reasons {
            reasons.set_item(index, reason)?;
        }
        Ok(reasons)
    }
}
