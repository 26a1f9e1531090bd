//! A set of squares.

use crate::Square;

/// A set of squares, one bit each at [`Square::grid_index`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(pub u128);

const FULL: u128 = (1 << 121) - 1;
const FILE_A: u128 = {
    let mut mask = 0;
    let mut rank = 0;
    while rank < 11 {
        mask |= 1 << (rank * 11);
        rank += 1;
    }
    mask
};

impl Bitboard {
    /// The set without a square.
    pub const EMPTY: Self = Self(0);

    /// Returns whether the set holds a square.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.grid_index() & 1 != 0
    }

    /// Returns the set and one more square.
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square.grid_index())
    }

    /// Returns the set without a square.
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square.grid_index()))
    }

    /// Returns whether no square is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns how many squares are in the set.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the square with the lowest number.
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_grid_index(self.0.trailing_zeros() as u8))
        }
    }

    /// Returns every square one step up, down, right or left of one in the set, within the grid.
    #[must_use]
    pub const fn neighbors(self) -> Self {
        let up_down = self.0 << 11 | self.0 >> 11;
        let right = self.0 << 1 & !FILE_A;
        let left = (self.0 & !FILE_A) >> 1;
        Self((up_down | right | left) & FULL)
    }

    /// Returns what is reached from the set in orthogonal steps within `passable`, the set included.
    #[must_use]
    pub const fn flood(self, passable: Self) -> Self {
        let mut reached = self.0;
        loop {
            let next = reached | Self(reached).neighbors().0 & passable.0;
            if next == reached {
                return Self(reached);
            }
            reached = next;
        }
    }

    /// Iterates over the squares by rising number.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let square = rest.first()?;
            rest.0 &= rest.0 - 1;
            Some(square)
        })
    }
}

impl std::ops::BitOr for Bitboard {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitAnd for Bitboard {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl std::ops::BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl std::ops::Sub for Bitboard {
    type Output = Self;
    /// The squares of the first set that are not in the second.
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}
