//! Evaluating the positions of a batch, which belong to no game in progress.

use super::{Inference, MAX_BATCH, padded};
use crate::NetworkError;
use tafl_samples::{Batch, PLANES};
use tafl_search::Evaluation;
use tch::{Device, Kind};

impl Inference {
    /// Evaluates the positions of a batch; the logits of each are those of its legal moves, in their order.
    ///
    /// The numbers are those that the positions get in a search. It is meant for some thousands of positions: outputs
    /// are copied as a whole.
    ///
    /// # Errors
    /// If the batch is of another board, or libtorch fails.
    pub fn evaluate_batch(&mut self, batch: &Batch) -> Result<Vec<Evaluation>, NetworkError> {
        let squares = self.architecture.squares();
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
            let input = self.input_of(&planes)?;
            let heads = self.tower.forward(input)?;
            let heads = heads.f_to_kind(Kind::Float)?.f_to(Device::Cpu)?;
            let legal = batch.legal.offsets[first..=end].windows(2);
            let legal = legal.map(|span| &batch.legal.indices[span[0] as usize..span[1] as usize]);
            let outputs = legal.map(|moves| moves.iter().map(|&index| usize::from(index)));
            self.read::<f32>(&heads, outputs, &mut evaluations)?;
        }
        Ok(evaluations)
    }
}
