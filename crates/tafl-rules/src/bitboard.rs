//! A set of squares.

use crate::{Direction, Square};

/// A set of squares, one bit each at [`Square::grid_index`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[must_use]
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

const FILE_K: u128 = FILE_A << 10;

impl Bitboard {
    /// The set without a square.
    pub const EMPTY: Self = Self(0);

    /// Returns whether the set holds a square.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.grid_index() & 1 != 0
    }

    /// Returns the set and one more square.
    #[inline]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square.grid_index())
    }

    /// Returns the set without a square.
    #[inline]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square.grid_index()))
    }

    /// Returns whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns how many squares are in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the square with the lowest number.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_grid_index(self.0.trailing_zeros() as u8))
        }
    }

    /// Returns the square with the highest number.
    #[inline]
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(Square::from_grid_index(127 - self.0.leading_zeros() as u8))
        }
    }

    /// Returns every square one step up, down, right or left of one in the set, within the grid.
    #[inline]
    pub const fn neighbors(self) -> Self {
        let up_down = self.0 << 11 | self.0 >> 11;
        let right = self.0 << 1 & !FILE_A;
        let left = (self.0 & !FILE_A) >> 1;
        Self((up_down | right | left) & FULL)
    }

    /// Returns every square one step in a direction from one in the set, within the grid.
    pub const fn step(self, direction: Direction) -> Self {
        Self(match direction {
            Direction::Up => self.0 << 11 & FULL,
            Direction::Right => self.0 << 1 & !FILE_A & FULL,
            Direction::Down => self.0 >> 11,
            Direction::Left => self.0 >> 1 & !FILE_K,
        })
    }

    /// Returns what is reached from the set in orthogonal steps within `passable`, the set included.
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

    /// Returns the squares of `open` that pieces on these squares reach by sliding in a direction.
    ///
    /// The pieces stand outside `open`, which lies on one board. Each square is reached by one piece at most.
    pub const fn slides(self, direction: Direction, open: Self) -> Self {
        match direction {
            Direction::Up => Self(self.spread_up::<11>(open.0)),
            Direction::Right => Self(self.slides_right(open.0)),
            Direction::Down => Self(self.spread_down::<11>(open.0)),
            Direction::Left => Self(self.spread_down::<1>(open.0 & !FILE_K)),
        }
    }

    /// Returns the squares of `open` that are seen from the set along ranks and files, as far as `open` goes without a
    /// gap; the set may lie within `open`, which lies on one board.
    #[inline]
    pub const fn lines(self, open: Self) -> Self {
        let open = open.0;
        let vertical = self.spread_up::<11>(open) | self.spread_down::<11>(open);
        // The carry of `slides_right` would stop at pieces within `open`.
        let right = self.spread_up::<1>(open & !FILE_A);
        Self(vertical | self.spread_down::<1>(open & !FILE_K) | right)
    }

    const fn slides_right(self, open: u128) -> u128 {
        // A carry that starts beside a piece runs through the open squares up to the next blocker.
        let open = open & !FILE_A;
        let first = self.0 << 1 & open;
        open & !(open + first)
    }

    /// Returns the open squares that are reached in steps of `STEP` bits upwards, doubling the reach with each line
    /// (Kogge and Stone 1973).
    const fn spread_up<const STEP: u32>(self, open: u128) -> u128 {
        let reached = self.0 << STEP & open;
        let reached = reached | reached << STEP & open;
        let open = open & open << STEP;
        let reached = reached | reached << (2 * STEP) & open;
        let open = open & open << (2 * STEP);
        let reached = reached | reached << (4 * STEP) & open;
        let open = open & open << (4 * STEP);
        reached | reached << (8 * STEP) & open
    }

    /// The same downwards.
    const fn spread_down<const STEP: u32>(self, open: u128) -> u128 {
        let reached = self.0 >> STEP & open;
        let reached = reached | reached >> STEP & open;
        let open = open & open >> STEP;
        let reached = reached | reached >> (2 * STEP) & open;
        let open = open & open >> (2 * STEP);
        let reached = reached | reached >> (4 * STEP) & open;
        let open = open & open >> (4 * STEP);
        reached | reached >> (8 * STEP) & open
    }

    /// Returns the square with the `index`-th lowest number, counted from 0.
    pub(crate) const fn nth(self, index: u32) -> Option<Square> {
        let low = self.0 as u64;
        let in_low = low.count_ones();
        let (mut half, mut skip, offset) = if index < in_low {
            (low, index, 0)
        } else {
            ((self.0 >> 64) as u64, index - in_low, 64)
        };
        while skip > 0 {
            half &= half.wrapping_sub(1);
            skip -= 1;
        }
        if half == 0 {
            None
        } else {
            Some(Square::from_grid_index(
                offset + half.trailing_zeros() as u8,
            ))
        }
    }

    /// Removes the square with the lowest number and returns it.
    pub(crate) const fn take_first(&mut self) -> Option<Square> {
        let first = self.first();
        self.0 &= self.0.wrapping_sub(1);
        first
    }

    /// Iterates over the squares by rising number.
    #[inline]
    pub fn squares(self) -> impl Iterator<Item = Square> {
        let mut rest = self;
        std::iter::from_fn(move || rest.take_first())
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
