//! The part of a network in 8 bits that libtorch does not compute: stem and heads.

use super::{Inference, numbers, padded, squares_first};
use crate::NetworkError;
use crate::times::per_second;
use crate::tower::Ends;
use ndarray::{ArrayView2, ArrayView3, ArrayViewMut3};
use tafl_forward::{StemPlanes, evaluation, facts};
use tafl_samples::PLANES;
use tafl_search::{Evaluation, Leaf};
use tch::Tensor;

impl Inference {
    /// Takes the planes of leaves.
    pub(super) fn encode_for_stem(&mut self, leaves: &[Leaf<'_>]) {
        for (leaf, planes) in leaves.iter().zip(self.stem_planes(leaves.len())) {
            planes.encode(&facts(leaf), leaf.game.rules());
        }
    }

    /// Takes planes in f32, `[batch, squares, planes]`.
    pub(super) fn read_for_stem(&mut self, numbers: &[f32]) {
        let size = self.architecture.size();
        let positions = numbers.chunks_exact(size * size * PLANES);
        for (numbers, planes) in positions.clone().zip(self.stem_planes(positions.len())) {
            let shape = (size, size, PLANES);
            planes.read(ArrayView3::from_shape(shape, numbers).expect("as many numbers"));
        }
    }

    /// Returns memory for the planes of some positions.
    fn stem_planes(&mut self, positions: usize) -> &mut [StemPlanes] {
        let size = self.architecture.size();
        let planes = || StemPlanes::new(size);
        self.stem_planes.resize_with(positions, planes);
        &mut self.stem_planes
    }

    /// Computes what the heads read of the positions whose planes were taken last, `[batch, squares, planes]`.
    pub(super) fn forward_from_stem(&mut self) -> Result<Tensor, NetworkError> {
        let Some(Ends { stem, .. }) = self.tower.ends() else {
            return Err(no_ends());
        };
        let (squares, outputs) = (self.architecture.squares(), stem.outputs());
        let shape = (padded(self.stem_planes.len()), squares, outputs);
        self.stemmed.clear();
        self.stemmed.resize(shape.0 * squares * outputs, 0);
        let stemmed = ArrayViewMut3::from_shape(shape, &mut self.stemmed);
        let mut stemmed = stemmed.expect("as many numbers");
        for (planes, stemmed) in self.stem_planes.iter().zip(stemmed.outer_iter_mut()) {
            stem.apply(planes, stemmed);
        }
        let read = self.tower.forward(self.input(&self.stemmed, outputs)?)?;
        Ok(squares_first(&read)?)
    }

    /// Computes the heads of what they read: the logits of `outputs` for each position, and the values.
    pub(super) fn finish_at_heads(
        &mut self,
        read: &Tensor,
        outputs: impl ExactSizeIterator<Item = impl Iterator<Item = usize>>,
        evaluations: &mut Vec<Evaluation>,
    ) -> Result<(), NetworkError> {
        let Some(Ends { heads, .. }) = self.tower.ends() else {
            return Err(no_ends());
        };
        let shape @ (squares, planes) = heads.reads();
        let rows = numbers::<u8>(read)?.chunks_exact(squares * planes);
        for (outputs, row) in outputs.zip(rows) {
            let row = ArrayView2::from_shape(shape, row).expect("as many numbers");
            let mut logits = self.spare.pop().unwrap_or_default();
            logits.clear();
            let values = heads.apply(row, outputs, &mut logits);
            evaluations.push(evaluation(logits, &values));
        }
        Ok(())
    }

    /// Returns the largest number that the heads read of planes in f32.
    pub(crate) fn largest_read_of(&mut self, planes: &[f32]) -> Result<f64, NetworkError> {
        self.read_for_stem(planes);
        let read = self.forward_from_stem()?;
        Ok(read.f_max()?.f_double_value(&[])?)
    }

    /// Returns evaluations per second of planes in f32, as those of [`Self::raw_forward`]; no logits are asked for.
    pub(super) fn time_between_ends(
        &mut self,
        planes: &[f32],
        seconds: f64,
    ) -> Result<f64, NetworkError> {
        self.read_for_stem(planes);
        let positions = self.stem_planes.len();
        let mut evaluations = Vec::new();
        per_second(positions, seconds, || {
            let read = self.forward_from_stem()?;
            evaluations.clear();
            let none = (0..positions).map(|_| std::iter::empty());
            self.finish_at_heads(&read, none, &mut evaluations)
        })
    }
}

fn no_ends() -> NetworkError {
    NetworkError::Torch("all is computed by libtorch".to_owned())
}
