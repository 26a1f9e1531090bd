//! What a step says besides planes, reward and ends.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What `VecEnv.step` says besides.
#[pyclass(frozen, module = "taflforge")]
pub(crate) struct StepInfo {
    pub(crate) mask: Py<PyAny>,
    pub(crate) mover: Py<PyArray1<u8>>,
    pub(crate) side: Py<PyArray1<u8>>,
    pub(crate) reasons: Vec<(usize, &'static str)>,
    pub(crate) final_obs: Py<PyAny>,
}

#[pymethods]
impl StepInfo {
    /// The legal actions now.
    #[getter]
    fn mask(&self, py: Python<'_>) -> Py<PyAny> {
        self.mask.clone_ref(py)
    }

    /// The side that made the step: 0 attackers, 1 defenders; `reward` is its own.
    #[getter]
    fn mover(&self, py: Python<'_>) -> Py<PyArray1<u8>> {
        self.mover.clone_ref(py)
    }

    /// The side to move now.
    #[getter]
    fn side(&self, py: Python<'_>) -> Py<PyArray1<u8>> {
        self.side.clone_ref(py)
    }

    /// Why each game ended that did, by its index.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let reasons = PyDict::new(py);
        for (index, reason) in &self.reasons {
            reasons.set_item(index, reason)?;
        }
        Ok(reasons)
    }

    /// The last positions of the games that ended.
    #[getter]
    fn final_obs(&self, py: Python<'_>) -> Py<PyAny> {
        self.final_obs.clone_ref(py)
    }
}
