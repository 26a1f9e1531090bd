//! The size of a board and the numbering of its squares.

use crate::{Bitboard, Direction, Square};

/// The size of a square board: 7, 9 or 11.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardShape {
    size: u8,
}

impl BoardShape {
    /// Returns the shape with `size` files and ranks, if it is 7, 9 or 11.
    pub const fn new(size: u8) -> Option<Self> {
        if matches!(size, 7 | 9 | 11) {
            Some(Self { size })
        } else {
            None
        }
    }

    /// Returns the number of files, which is the number of ranks.
    #[inline]
    pub const fn size(self) -> u8 {
        self.size
    }

    /// Returns the number of squares: 49, 81 or 121.
    #[inline]
    pub const fn squares(self) -> usize {
        self.size as usize * self.size as usize
    }

    /// Returns the number of policy outputs: squares * 4 directions * (size - 1) distances, and one
    /// for ending a chain. 4,841 on 11x11.
    #[inline]
    pub const fn policy_len(self) -> usize {
        self.squares() * 4 * (self.size as usize - 1) + 1
    }

    /// Returns whether a square is on the board.
    pub const fn contains(self, square: Square) -> bool {
        square.file() < self.size && square.rank() < self.size
    }

    /// Returns a square's number on this board: rank * size + file.
    #[inline]
    pub const fn index(self, square: Square) -> usize {
        square.rank() as usize * self.size as usize + square.file() as usize
    }

    /// Returns the square with a number on this board; the inverse of [`Self::index`].
    ///
    /// # Panics
    /// If the board has no such square.
    pub const fn square(self, index: usize) -> Square {
        assert!(index < self.squares(), "the index is on the board");
        Square::new(
            (index % self.size as usize) as u8,
            (index / self.size as usize) as u8,
        )
    }

    /// Returns the set of all squares.
    pub fn board(self) -> Bitboard {
        (0..self.squares())
            .map(|index| self.square(index))
            .collect()
    }

    /// Returns the set of squares on the four edges, corners included.
    pub fn edges(self) -> Bitboard {
        let last = self.size - 1;
        self.board()
            .squares()
            .filter(|s| s.file() == 0 || s.rank() == 0 || s.file() == last || s.rank() == last)
            .collect()
    }

    /// Returns the set of the four corner squares.
    pub fn corners(self) -> Bitboard {
        let last = self.size - 1;
        [(0, 0), (0, last), (last, 0), (last, last)]
            .map(|(file, rank)| Square::new(file, rank))
            .into_iter()
            .collect()
    }

    /// Returns the square in the middle.
    pub const fn throne(self) -> Square {
        Square::new(self.size / 2, self.size / 2)
    }
}

impl Direction {
    /// Returns the square one step away, if it is on the board.
    pub const fn step(self, from: Square, shape: BoardShape) -> Option<Square> {
        self.leap(from, 1, shape)
    }

    /// Returns the two directions at right angles to it.
    pub(crate) const fn across(self) -> [Self; 2] {
        match self {
            Self::Up | Self::Down => [Self::Left, Self::Right],
            Self::Left | Self::Right => [Self::Up, Self::Down],
        }
    }

    /// Returns the square `distance` steps away, if it is on the board.
    pub const fn leap(self, from: Square, distance: u8, shape: BoardShape) -> Option<Square> {
        let (file, rank) = (from.file(), from.rank());
        let last = shape.size() - 1;
        match self {
            Self::Up if rank + distance <= last => Some(Square::new(file, rank + distance)),
            Self::Right if file + distance <= last => Some(Square::new(file + distance, rank)),
            Self::Down if rank >= distance => Some(Square::new(file, rank - distance)),
            Self::Left if file >= distance => Some(Square::new(file - distance, rank)),
            _ => None,
        }
    }
}
