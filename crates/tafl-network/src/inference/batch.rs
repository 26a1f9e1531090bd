//! Evaluating the positions of a batch, which belong to no game in progress.

use super::{Inference, MAX_BATCH, padded};
use crate::NetworkError;
use crate::tower::Tower;
use ndarray::s;
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
        if let Tower::InRust(net) = &mut self.tower {
            return net.evaluate_batch(batch);
        }
        let (len, size) = (batch.len(), self.architecture.size());
        if len > 0 && batch.size() != size {
            return Err(NetworkError::unfit(batch, size));
        }
        let _guard = tch::no_grad_guard();
        let mut evaluations = Vec::with_capacity(len);
        for first in (0..len).step_by(MAX_BATCH) {
            let end = len.min(first + MAX_BATCH);
            let rows = batch.planes.slice(s![first..end, .., .., ..]);
            let mut planes: Vec<f32> = rows.iter().copied().collect();
            planes.resize(padded(end - first) * size * size * PLANES, 0.0);
            let legal = (first..end).map(|sample| batch.legal.of(sample));
            let outputs = legal.map(|moves| moves.into_iter().map(|&index| usize::from(index)));
            if self.tower.ends().is_some() {
                self.read_for_stem(&planes);
                let read = self.forward_from_stem()?;
                self.finish_at_heads(&read, outputs, &mut evaluations)?;
                continue;
            }
            let heads = self.tower.forward(self.input_of(&planes)?)?;
            let heads = heads.f_to_kind(Kind::Float)?.f_to(Device::Cpu)?;
            self.read::<f32>(&heads, outputs, &mut evaluations)?;
        }
        Ok(evaluations)
    }
}
