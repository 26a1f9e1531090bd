//! Evaluators that are functions of Python.

use crate::planes::{planes_len, write_planes};
use numpy::{PyArray2, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use tafl_samples::PLANES;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl, UniformEvaluator};

/// A function from planes to logits and values. What it raised, or what is wrong with its answer, is kept.
pub(crate) struct Asked<'a, 'py> {
    pub(crate) function: &'a Bound<'py, PyAny>,
    pub(crate) error: Option<PyErr>,
}

impl Asked<'_, '_> {
    fn ask(&self, leaves: &[Leaf<'_>]) -> PyResult<Vec<Evaluation>> {
        let py = self.function.py();
        let Some(first) = leaves.first() else {
            return Ok(Vec::new());
        };
        let shape = first.game.rules().shape();
        let size = usize::from(shape.size());
        let planes = PyArray4::<f32>::zeros(py, [leaves.len(), PLANES, size, size], false);
        let mut written = planes.try_readwrite()?;
        let rows = written.as_slice_mut()?.chunks_exact_mut(planes_len(shape));
        for (leaf, row) in leaves.iter().zip(rows) {
            write_planes(leaf.game, row);
        }
        drop(written);
        let checked = py.import("taflforge._evaluated")?.getattr("evaluated")?;
        let said = checked.call1((self.function, planes, shape.policy_len()))?;
        let logits = said.get_item(0)?.cast_into::<PyArray2<f32>>()?;
        let wdl = said.get_item(1)?.cast_into::<PyArray2<f32>>()?;
        let (logits, wdl) = (logits.try_readonly()?, wdl.try_readonly()?);
        let (logits, wdl) = (logits.as_array(), wdl.as_array());
        let evaluation = |(row, leaf): (usize, &Leaf<'_>)| Evaluation {
            logits: (leaf.moves.iter())
                .map(|mv| logits[[row, usize::from(mv.policy_index(shape).0)]])
                .collect(),
            wdl: MoverWdl {
                win: wdl[[row, 0]],
                draw: wdl[[row, 1]],
                loss: wdl[[row, 2]],
            },
            moves_left: 0.0,
        };
        Ok(leaves.iter().enumerate().map(evaluation).collect())
    }
}

impl Evaluator for Asked<'_, '_> {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        match self.ask(leaves) {
            Ok(said) => *evaluations = said,
            Err(error) => {
                self.error = Some(error);
                UniformEvaluator.evaluate(leaves, evaluations);
            }
        }
    }
}
