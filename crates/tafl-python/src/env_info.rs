//! What a step says besides planes, reward and ends.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What `VecEnv.step` says besides.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct StepInfo {
    /// The legal actions now.
    #[pyo3(get)]
    pub(crate) mask: Py<PyAny>,
    /// The side that made the step: 0 attackers, 1 defenders; `reward` is its own.
    #[pyo3(get)]
    pub(crate) mover: Py<PyAny>,
    /// The side to move now.
    #[pyo3(get)]
    pub(crate) side: Py<PyAny>,
    pub(crate) reasons: Vec<(usize, &'static str)>,
    /// The last positions of the games that ended.
    #[pyo3(get)]
    pub(crate) final_obs: Py<PyAny>,
}

#[pymethods]
impl StepInfo {
    /// Why each game ended that did, by its index.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reasons = PyDict::new(py);
        for (index, reason) in &self.reasons {
            reasons.set_item(index, reason)?;
        }
        Ok(reasons)
    }
}
