//! Positions packed for a device, on the thread of the worker that asks.

use super::lanes::Rows;
use crate::play::{Heads, Play};
use crate::{Network, NetworkError};
use ndarray::ArrayViewMut2;
use tafl_forward::facts;
use tafl_rules::Move;
use tafl_samples::{PLANES, encode_packed};
use tafl_search::Leaf;

/// Numbers behind those of the heads in each row: the logit of `end`, and 0.
pub(super) const ENDS: usize = 2;

/// What packs positions for a network.
pub(crate) struct Packer {
    /// Of the board.
    pub(super) size: usize,
    /// Numbers of the heads for one position.
    head_row: usize,
    /// [`Heads::policy_places`].
    policy_places: Vec<[usize; 2]>,
}

/// Positions without what they are borrowed from.
pub(crate) struct Packed {
    /// A bit for each plane that differs from square to square: `[positions, squares]`.
    pub(super) marks: Vec<i16>,
    /// The numbers of the other planes: `[positions, PLANES]`.
    pub(super) constants: Vec<f32>,
    /// Where the two numbers of each legal move's logit lie, in rows that are counted from the first of these.
    places: [Vec<i64>; 2],
    /// Legal moves of each position.
    pub(super) moves: Vec<usize>,
}

impl Rows for Packed {
    fn rows(&self) -> usize {
        self.moves.len()
    }
}

impl Packer {
    pub(crate) fn new(network: &Network) -> Result<Self, NetworkError> {
        Ok(Self::of(&Play::new(network)?.1))
    }

    pub(super) fn of(heads: &Heads) -> Self {
        Self {
            size: heads.shape.size().into(),
            head_row: heads.row(),
            policy_places: heads.policy_places(),
        }
    }

    pub(crate) fn pack(&self, leaves: &[Leaf<'_>]) -> Packed {
        let (size, squares) = (self.size, self.size * self.size);
        let mut marks = Vec::with_capacity(leaves.len() * squares);
        let mut constants = Vec::with_capacity(leaves.len() * PLANES);
        let mut own = vec![0_u16; squares];
        for leaf in leaves {
            own.fill(0);
            let view = ArrayViewMut2::from_shape((size, size), &mut own).expect("as many numbers");
            constants.extend(encode_packed(&facts(leaf), leaf.game.rules(), view));
            marks.extend(own.iter().map(|it| it.cast_signed()));
        }
        Packed {
            marks,
            constants,
            places: [0, 1].map(|part| self.legal_outputs(leaves, part)),
            moves: leaves.iter().map(|leaf| leaf.moves.len()).collect(),
        }
    }

    /// Returns where the first, or the second, number of each legal move's logit lies.
    ///
    /// The second one of `end` is the 0 behind the logit that the value head puts out.
    fn legal_outputs(&self, leaves: &[Leaf<'_>], part: usize) -> Vec<i64> {
        let end = self.head_row;
        let rows = leaves.iter().enumerate();
        let places = rows.flat_map(|(row, leaf)| {
            let shape = leaf.game.rules().shape();
            leaf.moves.iter().map(move |mv: &Move| {
                let index = usize::from(mv.policy_index(shape).0);
                let places = self.policy_places.get(index).copied();
                (row * (end + ENDS) + places.unwrap_or([end, end + 1])[part]) as i64
            })
        });
        places.collect()
    }

    /// Returns the places in the rows of all parts, one part behind the other: the first ones of all moves, then the
    /// second ones.
    pub(super) fn places(&self, parts: &[Packed]) -> Vec<i64> {
        let mut places = Vec::new();
        for which in [0, 1] {
            let mut begin = 0;
            for part in parts {
                places.extend(part.places[which].iter().map(|place| place + begin));
                begin += (part.rows() * (self.head_row + ENDS)) as i64;
            }
        }
        places
    }
}
