//! The arrays of an environment, which its calls write over.

use crate::batch::PartDone;
use crate::planes::MaskKind;
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArray4, dtype, ndarray::Dimension};
use pyo3::prelude::*;
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// All arrays of an environment.
pub(crate) struct Buffers {
    pub(crate) planes: Planes,
    pub(crate) mask: Mask,
    pub(crate) reward: Py<PyArray1<f32>>,
    pub(crate) done: Py<PyArray1<bool>>,
    pub(crate) mover: Py<PyArray1<u8>>,
    pub(crate) side: Py<PyArray1<u8>>,
    pub(crate) sampled: Py<PyArray1<u16>>,
}

/// Planes, `[games, PLANES, size, size]`.
pub(crate) enum Planes {
    None,
    Bytes(Py<PyArray4<u8>>),
    Floats(Py<PyArray4<f32>>),
}

/// The legal actions.
pub(crate) enum Mask {
    None,
    /// Bytes, and the same as the caller sees them.
    Fixed(Py<PyArray2<u8>>, Py<PyAny>),
    /// Numbers of actions, made anew by each call.
    Csr,
}

/// Makes an array as numpy does, which raises `MemoryError` where it is too large.
fn zeros<'py, T: Element, D: Dimension>(
    py: Python<'py>,
    shape: impl IntoPyObject<'py>,
) -> PyResult<Py<PyArray<T, D>>> {
    let made = py
        .import("numpy")?
        .call_method1("zeros", (shape, dtype::<T>(py)))?;
    Ok(made.cast_into::<PyArray<T, D>>()?.unbind())
}

impl Buffers {
    /// Makes the arrays for some games; with planes in bytes, or in floats, and a mask.
    pub(crate) fn new(
        py: Python<'_>,
        games: usize,
        shape: BoardShape,
        (bytes, mask): (Option<bool>, Option<MaskKind>),
    ) -> PyResult<Self> {
        let size = usize::from(shape.size());
        let dims = (games, PLANES, size, size);
        let planes = match bytes {
            None => Planes::None,
            Some(true) => Planes::Bytes(zeros(py, dims)?),
            Some(false) => Planes::Floats(zeros(py, dims)?),
        };
        Ok(Self {
            planes,
            mask: Mask::new(py, games, shape, mask)?,
            reward: zeros(py, games)?,
            done: zeros(py, games)?,
            mover: zeros(py, games)?,
            side: zeros(py, games)?,
            sampled: zeros(py, games)?,
        })
    }
}

impl Planes {
    /// Returns the array, or None.
    pub(crate) fn array(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Self::None => py.None(),
            Self::Bytes(planes) => planes.clone_ref(py).into_any(),
            Self::Floats(planes) => planes.clone_ref(py).into_any(),
        }
    }
}

impl Mask {
    fn new(
        py: Python<'_>,
        games: usize,
        shape: BoardShape,
        kind: Option<MaskKind>,
    ) -> PyResult<Self> {
        let Some(kind) = kind else {
            return Ok(Self::None);
        };
        if kind == MaskKind::Csr {
            return Ok(Self::Csr);
        }
        let bytes: Py<PyArray2<u8>> = zeros(py, (games, kind.len(shape)))?;
        let seen = match kind {
            MaskKind::Bool => bytes.call_method1(py, "view", ("bool",))?,
            _ => bytes.clone_ref(py).into_any(),
        };
        Ok(Self::Fixed(bytes, seen))
    }

    pub(crate) fn bytes<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyArray2<u8>>> {
        match self {
            Self::Fixed(bytes, _) => Some(bytes.bind(py)),
            Self::None | Self::Csr => None,
        }
    }

    /// Returns the legal actions as the caller sees them.
    pub(crate) fn told<T>(&self, py: Python<'_>, parts: &[PartDone<T>]) -> PyResult<Py<PyAny>> {
        match self {
            Self::None => Ok(py.None()),
            Self::Fixed(_, seen) => Ok(seen.clone_ref(py)),
            Self::Csr => {
                let mut starts = vec![0];
                for count in parts.iter().flat_map(|part| &part.counts) {
                    starts.push(starts[starts.len() - 1] + *count as i64);
                }
                let actions: Vec<u16> = parts.iter().flat_map(|it| &it.legal).copied().collect();
                let arrays = (
                    PyArray1::from_vec(py, starts),
                    PyArray1::from_vec(py, actions),
                );
                let csr = py.import("taflforge._tuples")?.getattr("Csr")?;
                Ok(csr.call1(arrays)?.unbind())
            }
        }
    }
}
