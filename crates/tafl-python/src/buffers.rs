//! The arrays of an environment, which its calls write over.

use crate::batch::PartDone;
use crate::planes::{MaskKind, planes_len};
use ndarray::{Dimension, Ix1, Ix2, Ix4};
use numpy::{Element, PyArray, PyArray1, PyArray2, dtype};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// All arrays of an environment.
pub(crate) struct Buffers {
    pub(crate) planes: Planes,
    pub(crate) mask: Mask,
    pub(crate) reward: Held<f32, Ix1>,
    pub(crate) done: Held<bool, Ix1>,
    pub(crate) mover: Held<u8, Ix1>,
    pub(crate) side: Held<u8, Ix1>,
    pub(crate) sampled: Held<u16, Ix1>,
}

/// Planes, `[games, PLANES, size, size]`.
pub(crate) enum Planes {
    None,
    Bytes(Held<u8, Ix4>),
    Floats(Held<f32, Ix4>),
}

/// The legal actions.
pub(crate) enum Mask {
    None,
    /// Bytes, and the same as the caller sees them.
    Fixed(Py<PyArray2<u8>>, Py<PyAny>),
    /// Numbers of actions, made anew by each call.
    Csr,
}

/// An array, and a view of it that callers see: what they do to the view's shape or type changes nothing here, and numpy refuses
/// to resize memory that belongs to no array.
pub(crate) struct Held<T: Element, D: Dimension> {
    pub(crate) own: Py<PyArray<T, D>>,
    seen: Py<PyAny>,
}

impl<T: Element, D: Dimension> Held<T, D> {
    /// Makes an array of zeros; `MemoryError` where it is too large.
    fn zeros<'py>(py: Python<'py>, shape: impl IntoPyObject<'py>, len: usize) -> PyResult<Self> {
        let memory = py
            .get_type::<PyByteArray>()
            .call1((len * size_of::<T>(),))?;
        let flat = (py.import("numpy")?).call_method1("frombuffer", (memory, dtype::<T>(py)))?;
        let own = flat.call_method1("reshape", (shape,))?;
        let seen = own.call_method0("view")?.unbind();
        let own = own.cast_into::<PyArray<T, D>>()?.unbind();
        Ok(Self { own, seen })
    }

    /// Returns the array as callers see it.
    pub(crate) fn array(&self, py: Python<'_>) -> Py<PyAny> {
        self.seen.clone_ref(py)
    }
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
        let len = games * planes_len(shape);
        let planes = match bytes {
            None => Planes::None,
            Some(true) => Planes::Bytes(Held::zeros(py, dims, len)?),
            Some(false) => Planes::Floats(Held::zeros(py, dims, len)?),
        };
        Ok(Self {
            planes,
            mask: Mask::new(py, games, shape, mask)?,
            reward: Held::zeros(py, games, games)?,
            done: Held::zeros(py, games, games)?,
            mover: Held::zeros(py, games, games)?,
            side: Held::zeros(py, games, games)?,
            sampled: Held::zeros(py, games, games)?,
        })
    }
}

impl Planes {
    /// Returns the array, or None.
    pub(crate) fn array(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Self::None => py.None(),
            Self::Bytes(planes) => planes.array(py),
            Self::Floats(planes) => planes.array(py),
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
        let len = kind.len(shape);
        let bytes = Held::<u8, Ix2>::zeros(py, (games, len), games * len)?;
        let seen = match kind {
            MaskKind::Bool => bytes.own.call_method1(py, "view", ("bool",))?,
            _ => bytes.array(py),
        };
        Ok(Self::Fixed(bytes.own, seen))
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
