//! Squares of a board of up to 11x11, and directions on it.

use serde::{Deserialize, Serialize};

/// A square: file a-k, rank 1-11.
///
/// Every board lies in the lower left of one 11x11 grid, so a square keeps its name, its number and
/// its bit whatever the board's size. Numbers for arrays of one board come from [`crate::BoardShape`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[must_use]
pub struct Square(u8);

/// Files (and ranks) of the grid in which every board lies.
pub(crate) const GRID: u8 = 11;

impl Square {
    /// Returns the square at a file and a rank, both counted from 0.
    ///
    /// # Panics
    /// If either is 11 or more.
    pub const fn new(file: u8, rank: u8) -> Self {
        assert!(file < GRID && rank < GRID, "file and rank lie below 11");
        Self(rank * GRID + file)
    }

    pub(crate) const fn from_grid_index(index: u8) -> Self {
        Self(index)
    }

    /// Returns the square one step away, known to lie on the grid.
    pub(crate) const fn next(self, direction: Direction) -> Self {
        Self(match direction {
            Direction::Up => self.0.wrapping_add(GRID),
            Direction::Right => self.0.wrapping_add(1),
            Direction::Down => self.0.wrapping_sub(GRID),
            Direction::Left => self.0.wrapping_sub(1),
        })
    }

    /// Returns the square's number in the 11x11 grid: rank * 11 + file, 0 to 120.
    #[inline]
    pub const fn grid_index(self) -> usize {
        self.0 as usize
    }

    /// Returns the file, 0 for a.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % GRID
    }

    /// Returns the rank, 0 for rank 1.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / GRID
    }
}

impl std::fmt::Display for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl std::fmt::Debug for Square {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// A text that is not the name of a square.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a square (a1 to k11)")]
pub struct ParseSquareError(pub String);

impl std::str::FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseSquareError(text.chars().take(20).collect());
        let bytes = text.as_bytes();
        let (&letter, digits) = bytes.split_first().ok_or_else(error)?;
        let plain = matches!(digits, [b'1'..=b'9'] | [b'1', b'0' | b'1']);
        if !(b'a'..b'a' + GRID).contains(&letter) || !plain {
            return Err(error());
        }
        let rank = digits
            .iter()
            .fold(0, |sum, digit| sum * 10 + (digit - b'0'));
        Ok(Self::new(letter - b'a', rank - 1))
    }
}

crate::serde_as_text!(Square);

/// A direction along a file or a rank, in the order of the policy outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Towards rank 11.
    Up,
    /// Towards file k.
    Right,
    /// Towards rank 1.
    Down,
    /// Towards file a.
    Left,
}

impl Direction {
    /// All directions, in the order of the policy outputs.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// Returns the opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
        }
    }
}
