//! Evaluating the positions of a batch, which belong to no game in progress.

use super::{Inference, MAX_BATCH, evaluation, numbers, padded, squares_first};
use crate::NetworkError;
use tafl_samples::{Batch, PLANES};
use tafl_search::Evaluation;
use tch::{Device, Kind, TchError, Tensor};

impl Inference {
    /// Evaluates the positions of a batch; the logits of each are those of its legal moves, in their order.
    ///
    /// The numbers are those that the positions get in a search. It is meant for some thousands of positions: outputs
    /// are copied as a whole.
    ///
    /// # Errors
    /// If the batch is of another board, or libtorch fails.
    pub fn evaluate_batch(&mut self, batch: &Batch) -> Result<Vec<Evaluation>, NetworkError> {
        let architecture = self.architecture;
        let squares = architecture.squares();
        if batch.len > 0 && batch.squares != squares {
            return Err(NetworkError::Batch {
                len: batch.len,
                squares: batch.squares,
                expected: squares,
            });
        }
        let _guard = tch::no_grad_guard();
        let row = squares * PLANES;
        let mut evaluations = Vec::with_capacity(batch.len);
        for first in (0..batch.len).step_by(MAX_BATCH) {
            let end = batch.len.min(first + MAX_BATCH);
            let mut planes = batch.planes_f32[first * row..end * row].to_vec();
            planes.resize(padded(end - first) * row, 0.0);
            let input = self.input(&planes)?.f_to_kind(self.compute.kind())?;
            let heads = self.tower.forward(input)?;
            let heads = plain(&heads)?;
            let rows = numbers::<f32>(&heads)?.chunks_exact(architecture.head_row());
            for (position, row_of_heads) in (first..end).zip(rows) {
                let outputs = self.value_head.apply(row_of_heads);
                let legal = batch.legal.offsets[position]..batch.legal.offsets[position + 1];
                let legal = &batch.legal.indices[legal.start as usize..legal.end as usize];
                // The last output, which ends a chain, is the value head's.
                let logit = |&index: &u16| {
                    let place = architecture.policy_place(index.into());
                    row_of_heads.get(place).copied().unwrap_or(outputs[4])
                };
                evaluations.push(evaluation(legal.iter().map(logit).collect(), &outputs));
            }
        }
        Ok(evaluations)
    }
}

/// Returns planes as `[batch, size, size, planes]` numbers in main memory.
fn plain(planes: &Tensor) -> Result<Tensor, TchError> {
    squares_first(&planes.f_to_kind(Kind::Float)?.f_to(Device::Cpu)?)
}
