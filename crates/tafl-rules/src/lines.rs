//! Tables of what lies beside, around and along each square of a board.

use crate::square::GRID;
use crate::{Bitboard, BoardShape, Direction, Move, Square};

/// Squares of the grid.
pub(crate) const SQUARES: usize = GRID as usize * GRID as usize;

/// Squares that a line has beside the first one, at most.
pub(crate) const LONGEST: usize = GRID as usize - 1;

/// The tables of one size of board; squares that the board lacks have empty sets.
#[derive(Debug)]
pub(crate) struct Lines {
    /// The squares one step away.
    beside: [Bitboard; SQUARES],
    /// The squares two steps away on a line.
    two_away: [Bitboard; SQUARES],
    /// The eight squares around.
    around: [Bitboard; SQUARES],
    /// The squares from the next one to the edge, by direction.
    rays: [[Bitboard; SQUARES]; 4],
    /// How many those are.
    room: [[u8; SQUARES]; 4],
    /// The moves there, nearest first; what is left is filled up.
    moves: [[[Move; LONGEST]; SQUARES]; 4],
}

static LINES: [Lines; 3] = [
    Lines::of(BoardShape::new(7).expect("a size of board")),
    Lines::of(BoardShape::new(9).expect("a size of board")),
    Lines::of(BoardShape::new(11).expect("a size of board")),
];

impl Lines {
    pub(crate) fn of_shape(shape: BoardShape) -> &'static Self {
        &LINES[usize::from(shape.size() - 7) / 2]
    }

    const fn of(shape: BoardShape) -> Self {
        let empty = [Bitboard::EMPTY; SQUARES];
        let mut lines = Self {
            beside: empty,
            two_away: empty,
            around: empty,
            rays: [empty; 4],
            room: [[0; SQUARES]; 4],
            moves: [[[Move::END; LONGEST]; SQUARES]; 4],
        };
        let mut index = 0;
        while index < shape.squares() {
            lines.fill_in(shape.square(index), shape);
            index += 1;
        }
        lines
    }

    const fn fill_in(&mut self, square: Square, shape: BoardShape) {
        let place = square.grid_index();
        let mut direction = 0;
        while direction < 4 {
            let towards = Direction::ALL[direction];
            let sideways = Direction::ALL[(direction + 1) % 4];
            let mut distance = 1;
            while let Some(to) = towards.leap(square, distance, shape) {
                let ray = &mut self.rays[direction][place];
                *ray = ray.with(to);
                self.room[direction][place] = distance;
                self.moves[direction][place][distance as usize - 1] = Move::between(square, to);
                if distance == 1 {
                    self.beside[place] = self.beside[place].with(to);
                    self.around[place] = self.around[place].with(to);
                    if let Some(diagonal) = sideways.step(to, shape) {
                        self.around[place] = self.around[place].with(diagonal);
                    }
                }
                if distance == 2 {
                    self.two_away[place] = self.two_away[place].with(to);
                }
                distance += 1;
            }
            direction += 1;
        }
    }

    pub(crate) fn beside(&self, square: Square) -> Bitboard {
        self.beside[square.grid_index()]
    }

    pub(crate) fn two_away(&self, square: Square) -> Bitboard {
        self.two_away[square.grid_index()]
    }

    /// Returns the squares from the one after `square` to the edge.
    pub(crate) fn ray(&self, square: Square, direction: Direction) -> Bitboard {
        self.rays[direction as usize][square.grid_index()]
    }

    /// Returns the moves from `square` to those, nearest first; behind them there is filling.
    pub(crate) fn moves(&self, square: Square, direction: Direction) -> &[Move; LONGEST] {
        &self.moves[direction as usize][square.grid_index()]
    }

    /// Returns the squares strictly between `from` and `to`, which lies in `direction` from it.
    pub(crate) fn between(&self, from: Square, to: Square, direction: Direction) -> Bitboard {
        self.ray(from, direction) & self.ray(to, direction.opposite())
    }

    /// Returns the squares of a ray up to the first blocker, which is left out.
    pub(crate) fn open_ray(
        &self,
        square: Square,
        direction: Direction,
        blockers: Bitboard,
    ) -> Bitboard {
        let ray = self.ray(square, direction);
        let blocked = (ray & blockers).0;
        match direction {
            Direction::Up | Direction::Right => {
                // All bits below the lowest blocker; all bits when there is none.
                let below = (blocked & blocked.wrapping_neg()).wrapping_sub(1);
                Bitboard(ray.0 & below)
            }
            Direction::Down | Direction::Left => {
                let width = u128::BITS - blocked.leading_zeros();
                Bitboard(ray.0 & u128::MAX << width)
            }
        }
    }

    /// Returns how many steps lead from `square` to the last square before a blocker or the edge.
    pub(crate) fn open_steps(
        &self,
        square: Square,
        direction: Direction,
        blockers: Bitboard,
    ) -> u8 {
        let place = square.grid_index();
        let blocked = (self.ray(square, direction) & blockers).0;
        if blocked == 0 {
            return self.room[direction as usize][place];
        }
        let lowest = blocked.trailing_zeros() as u8;
        let highest = (u128::BITS - 1 - blocked.leading_zeros()) as u8;
        let steps = match direction {
            Direction::Up => (lowest - place as u8) / GRID,
            Direction::Right => lowest - place as u8,
            Direction::Down => (place as u8 - highest) / GRID,
            Direction::Left => place as u8 - highest,
        };
        steps - 1
    }

    /// Returns the nearest of `pieces` on a ray.
    pub(crate) fn nearest(
        &self,
        square: Square,
        direction: Direction,
        pieces: Bitboard,
    ) -> Option<Square> {
        let seen = self.ray(square, direction) & pieces;
        match direction {
            Direction::Up | Direction::Right => seen.first(),
            Direction::Down | Direction::Left => seen.last(),
        }
    }

    /// Returns whether blocking `square` could part the squares beside it that are not in `blockers`.
    ///
    /// What is off the board is open and hangs together. If this is false, whatever was joined
    /// through `square` is joined around it.
    pub(crate) fn parts(&self, square: Square, blockers: Bitboard) -> bool {
        let ring = (self.around[square.grid_index()] & blockers).0;
        // The three ranks of the ring come to lie at bits 0, 11 and 22.
        let lowest = square.grid_index() as u32 + (u128::BITS - 12);
        let bits = ring.rotate_right(lowest % u128::BITS) as u32;
        let index = bits & 7 | (bits >> 8) & 0o70 | (bits >> 16) & 0o700;
        PARTING[index as usize]
    }
}

/// For each pattern of blocked squares around one (three ranks of three bits): is an open neighbor cut off?
static PARTING: [bool; 512] = {
    // The ring in order, as bits of the pattern; even places lie beside the middle.
    let ring = [7, 8, 5, 2, 1, 0, 3, 6];
    let mut parting = [false; 512];
    let mut pattern = 0;
    while pattern < 512 {
        // Each run of open squares that holds one beside the middle is a part of its own.
        let mut parts = 0;
        let mut place = 0;
        while place < 8 {
            let blocked = pattern >> ring[place] & 1 != 0;
            let before = pattern >> ring[(place + 7) % 8] & 1 != 0;
            if before && !blocked {
                let mut end = place;
                let mut beside = false;
                while pattern >> ring[end % 8] & 1 == 0 {
                    beside = beside || end % 2 == 0;
                    end += 1;
                }
                parts += beside as u8;
            }
            place += 1;
        }
        parting[pattern] = parts > 1;
        pattern += 1;
    }
    parting
};
