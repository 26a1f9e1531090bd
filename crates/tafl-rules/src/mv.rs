//! Moves and their place among the policy outputs.

use crate::square::GRID;
use crate::text::short;
use crate::{BoardShape, Direction, Square};
use serde::{Deserialize, Serialize};

/// One ply: a displacement along a line, or the end of a capture chain.
///
/// A jump is the displacement by two in its direction; whether a move is one depends on the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Move {
    from: Square,
    to: Square,
}

impl Move {
    /// Ends a capture chain; a ply of its own by the side that made the chain.
    pub const END: Self = Self {
        from: Square::new(0, 0),
        to: Square::new(0, 0),
    };

    /// Returns the move between two different squares of one file or one rank.
    pub const fn new(from: Square, to: Square) -> Option<Self> {
        let one_line = from.file() == to.file() || from.rank() == to.rank();
        if one_line && from.grid_index() != to.grid_index() {
            Some(Self { from, to })
        } else {
            None
        }
    }

    pub(crate) const fn between(from: Square, to: Square) -> Self {
        Self { from, to }
    }

    /// Returns whether this is [`Self::END`].
    #[inline]
    pub const fn is_end(self) -> bool {
        self.from.grid_index() == self.to.grid_index()
    }

    /// Returns the square that is left; meaningless for [`Self::END`].
    #[inline]
    pub const fn from(self) -> Square {
        self.from
    }

    /// Returns the square that is reached; meaningless for [`Self::END`].
    #[inline]
    pub const fn to(self) -> Square {
        self.to
    }

    /// Returns the number of squares moved, at least 1; 0 for [`Self::END`].
    #[inline]
    pub const fn distance(self) -> u8 {
        self.from.file().abs_diff(self.to.file()) + self.from.rank().abs_diff(self.to.rank())
    }

    /// Returns the direction of the displacement; meaningless for [`Self::END`].
    #[inline]
    pub const fn direction(self) -> Direction {
        if self.from.file() == self.to.file() {
            if self.to.rank() > self.from.rank() {
                Direction::Up
            } else {
                Direction::Down
            }
        } else if self.to.file() > self.from.file() {
            Direction::Right
        } else {
            Direction::Left
        }
    }

    /// Returns the number of the policy output that stands for this move on a board.
    ///
    /// `from * 4 * (size - 1) + direction * (size - 1) + distance - 1`, the last one for the end of a chain.
    #[inline]
    pub const fn policy_index(self, shape: BoardShape) -> PolicyIndex {
        if self.is_end() {
            return PolicyIndex(shape.policy_len() as u16 - 1);
        }
        // On the grid, steps along a file are longer than any along a rank.
        let (from, to) = (self.from.grid_index(), self.to.grid_index());
        let grid = GRID as usize;
        let (direction, distance) = match (to > from, from.abs_diff(to)) {
            (true, steps) if steps >= grid => (Direction::Up, steps / grid),
            (true, steps) => (Direction::Right, steps),
            (false, steps) if steps >= grid => (Direction::Down, steps / grid),
            (false, steps) => (Direction::Left, steps),
        };
        let distances = shape.size() as usize - 1;
        let lines = shape.index(self.from) * 4 + direction as usize;
        PolicyIndex((lines * distances + distance - 1) as u16)
    }

    /// Returns the move that a policy output stands for, if its target is on the board.
    pub fn from_policy_index(index: PolicyIndex, shape: BoardShape) -> Option<Self> {
        let index = usize::from(index.0);
        if index + 1 >= shape.policy_len() {
            return (index + 1 == shape.policy_len()).then_some(Self::END);
        }
        let distances = shape.size() as usize - 1;
        let (line, distance) = (index / distances, index % distances + 1);
        let from = shape.square(line / 4);
        let to = Direction::ALL[line % 4].leap(from, distance as u8, shape)?;
        Some(Self { from, to })
    }
}

impl std::fmt::Display for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_end() {
            f.write_str("end")
        } else {
            write!(f, "{}-{}", self.from, self.to)
        }
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// A text that is not a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a move (such as f6-f9xf8)")]
pub struct ParseTurnError(pub String);

impl std::str::FromStr for Move {
    type Err = ParseTurnError;

    /// Reads `f6-f9` or `end`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "end" {
            return Ok(Self::END);
        }
        let squares = || {
            let (from, to) = text.split_once('-')?;
            Self::new(from.parse().ok()?, to.parse().ok()?)
        };
        squares().ok_or_else(|| ParseTurnError(short(text)))
    }
}

crate::serde_as_text!(Move);

/// The number of a policy output, below [`BoardShape::policy_len`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyIndex(pub u16);
