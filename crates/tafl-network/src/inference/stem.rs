//! What the stem reads in 8 bits: of a batch, only the planes that hold anything. The others add exactly nothing.

use super::{Inference, padded};
use crate::NetworkError;
use crate::quantized::StemPlane;
use tafl_forward::facts;
use tafl_rules::Bitboard;
use tafl_samples::{MARKED_PLANES, PLANES, Plane, plane_sets};
use tafl_search::Leaf;
use tch::Tensor;

/// The planes of a position: those that differ from square to square, and the numbers of the others.
pub(super) type PlaneSets = ([Bitboard; MARKED_PLANES], [f32; PLANES]);

impl Inference {
    /// Writes the planes of a batch, filled up to a number of rows that the tower is ready for.
    pub(super) fn encode_stem(
        &mut self,
        leaves: &[Leaf<'_>],
        numbers: &mut Vec<StemPlane>,
    ) -> Result<(), NetworkError> {
        self.sets.clear();
        let sets = leaves.iter();
        self.sets
            .extend(sets.map(|leaf| plane_sets(&facts(leaf), leaf.game.rules())));
        let needed = self.sets.iter().map(needed).fold(0, |all, one| all | one);
        let planes = self.tower.read_planes(needed)?;
        let (squares, shape) = (self.architecture.squares(), self.heads.shape);
        numbers.clear();
        numbers.resize(
            padded(leaves.len()) * squares * planes.len(),
            StemPlane::ZERO,
        );
        let positions = numbers.chunks_exact_mut(squares * planes.len());
        for ((sets, constants), numbers) in self.sets.iter().zip(positions) {
            for (number, &plane) in numbers.iter_mut().zip(planes) {
                *number = Plane::nearest(constants[plane]);
            }
            let mut done = planes.len();
            while done < numbers.len() {
                let next = done.min(numbers.len() - done);
                numbers.copy_within(..next, done);
                done += next;
            }
            for (column, &plane) in planes.iter().enumerate() {
                for square in sets.get(plane).into_iter().flat_map(|set| set.squares()) {
                    numbers[shape.index(square) * planes.len() + column] = StemPlane::ONE;
                }
            }
        }
        Ok(())
    }

    /// Returns planes in f32, `[batch, squares, planes]`, as the stem reads them.
    pub(super) fn stem_of(&mut self, planes: &[f32]) -> Result<Tensor, NetworkError> {
        let (squares, _) = planes.as_chunks::<PLANES>();
        let mut needed = 0;
        for square in squares {
            let bits = square.iter().enumerate();
            needed |= bits.fold(0, |bits, (plane, it)| bits | u64::from(*it != 0.0) << plane);
        }
        let read = self.tower.read_planes(needed)?;
        let numbers = squares
            .iter()
            .flat_map(|square| read.iter().map(|&plane| Plane::nearest(square[plane])));
        let numbers: Vec<StemPlane> = numbers.collect();
        let count = read.len();
        Ok(self.input(&numbers, count)?)
    }
}

/// Returns the planes that hold anything but 0, a bit for each.
fn needed((sets, constants): &PlaneSets) -> u64 {
    let marked = sets.iter().map(|set| !set.is_empty());
    let filled = constants.iter().map(|it| *it != 0.0);
    let bits = |all: &mut dyn Iterator<Item = bool>| {
        all.enumerate()
            .fold(0, |bits, (plane, is_on)| bits | u64::from(is_on) << plane)
    };
    bits(&mut { marked }) | bits(&mut { filled })
}
