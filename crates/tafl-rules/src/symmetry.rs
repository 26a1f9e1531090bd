//! The eight symmetries of the square.

use crate::{Bitboard, BoardShape, Move, Square};

/// One of the eight rotations and reflections of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// All eight; the first is the identity.
    pub const ALL: [Self; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// Returns the symmetry that leads back.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // Transposing after two different flips swaps the flips; every other symmetry is its own inverse.
        match self.0 {
            5 => Self(6),
            6 => Self(5),
            same => Self(same),
        }
    }

    /// Returns where a square goes: files flipped (bit 0), ranks flipped (bit 1), then transposed (bit 2).
    pub fn square(self, square: Square, shape: BoardShape) -> Square {
        let last = shape.size() - 1;
        let flip = |bit: u8, at: u8| if self.0 & bit == 0 { at } else { last - at };
        let (file, rank) = (flip(1, square.file()), flip(2, square.rank()));
        if self.0 & 4 == 0 {
            Square::new(file, rank)
        } else {
            Square::new(rank, file)
        }
    }

    /// Returns where a move goes; the end of a chain stays.
    pub fn mv(self, mv: Move, shape: BoardShape) -> Move {
        if mv.is_end() {
            return mv;
        }
        Move::between(self.square(mv.from(), shape), self.square(mv.to(), shape))
    }

    /// Returns where a set of squares goes.
    pub fn bitboard(self, squares: Bitboard, shape: BoardShape) -> Bitboard {
        squares
            .squares()
            .map(|square| self.square(square, shape))
            .collect()
    }
}
