//! The legal moves of a position as sets of squares: counted and drawn without being listed.

use crate::lines::Lines;
use crate::rules::Rules;
use crate::{Bitboard, Direction, Move, Position, Square};
use std::ops::ControlFlow;

/// All legal moves of one position, by the direction in which they arrive.
///
/// Made by [`Rules::moves`]. Nothing is allocated. Its order is its own, not that of
/// [`Rules::legal_moves`].
///
/// ```
/// let rules = tafl_rules::Rules::preset("copenhagen").expect("a preset");
/// let moves = rules.moves(&rules.start());
/// assert_eq!(moves.len(), 116);
/// assert_eq!(moves.iter().count(), 116);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MoveSet {
    lines: &'static Lines,
    occupied: Bitboard,
    /// Where moves end: the slides by direction, each square reached by one piece, then the jumps.
    ends: [Bitboard; 8],
    /// How many moves each of those sets holds.
    counts: [u8; 8],
    /// Whether a chain may be stopped.
    may_end: bool,
}

impl Rules {
    /// Returns the legal moves as a set, which knows their number at once.
    ///
    /// Like [`Self::legal_moves`] it knows nothing of the game's outcome.
    pub fn moves(&self, position: &Position) -> MoveSet {
        if position.is_in_chain() || self.limits.is_some() {
            return self.listed_set(position);
        }
        let own = position.pieces(position.side);
        let occupied = position.occupied();
        let open = self.board - occupied;
        let king = Bitboard::EMPTY.with(position.king) & own;
        let (men, ways) = (own - king, self.ways_of(position, false));
        let mut ends = [Bitboard::EMPTY; 8];
        for direction in Direction::ALL {
            ends[direction as usize] = men.slides(direction, open - ways.closed) & ways.landings;
        }
        if !king.is_empty() {
            let ways = self.ways_of(position, true);
            for direction in Direction::ALL {
                let blockers = occupied | ways.closed;
                let reached = self.lines.open_ray(position.king, direction, blockers);
                ends[direction as usize] |= reached & ways.landings;
            }
        }
        if self.has_ranks {
            self.add_jumps(position, open, &mut ends);
        }
        MoveSet::new(self.lines, occupied, ends)
    }

    /// Adds where pieces of the side to move land that leap (spec.md 5.2).
    fn add_jumps(&self, position: &Position, open: Bitboard, ends: &mut [Bitboard; 8]) {
        let own = position.pieces(position.side);
        let over = self.leapable(position);
        let king = Bitboard::EMPTY.with(position.king) & own;
        let ranked = position.ranked & own;
        for direction in Direction::ALL {
            let land = |jumpers: Bitboard| (jumpers.step(direction) & over).step(direction) & open;
            // The king leaps only from a restricted square or to one.
            let home = land(king & self.restricted);
            let out = land(king - self.restricted) & self.restricted;
            let king_landed = (home | out) & self.ways_of(position, true).landings;
            let landed = land(ranked) & self.ways_of(position, false).landings;
            ends[4 + direction as usize] = landed | king_landed;
        }
    }

    fn listed_set(&self, position: &Position) -> MoveSet {
        let occupied = position.occupied();
        let (mut ends, mut may_end) = ([Bitboard::EMPTY; 8], false);
        let listed = self.visit_moves(position, |mv| {
            if mv.is_end() {
                may_end = true;
            } else {
                let direction = mv.direction();
                let between = self.lines.between(mv.from(), mv.to(), direction);
                let is_jump = !(between & occupied).is_empty();
                let set = &mut ends[direction as usize + 4 * usize::from(is_jump)];
                *set = set.with(mv.to());
            }
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(listed.is_continue());
        MoveSet {
            may_end,
            ..MoveSet::new(self.lines, occupied, ends)
        }
    }
}

impl MoveSet {
    fn new(lines: &'static Lines, occupied: Bitboard, ends: [Bitboard; 8]) -> Self {
        let mut counts = [0; 8];
        for (count, set) in counts.iter_mut().zip(&ends) {
            *count = set.count() as u8;
        }
        Self {
            lines,
            occupied,
            ends,
            counts,
            may_end: false,
        }
    }

    /// Returns the number of moves.
    pub fn len(&self) -> usize {
        let displacements: usize = self.counts.iter().map(|count| usize::from(*count)).sum();
        displacements + usize::from(self.may_end)
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one move by its number in the set's own order, below [`Self::len`].
    pub fn nth(&self, index: usize) -> Option<Move> {
        let mut rest = index;
        for (set, count) in self.counts.into_iter().map(usize::from).enumerate() {
            if rest < count {
                let to = self.ends[set].nth(rest as u32)?;
                return self.arriving(to, set);
            }
            rest -= count;
        }
        (rest == 0 && self.may_end).then_some(Move::END)
    }

    /// Iterates over the moves in the set's own order.
    pub fn iter(&self) -> impl Iterator<Item = Move> {
        (0..8)
            .flat_map(|set| self.ends[set].squares().map(move |to| (to, set)))
            .filter_map(|(to, set)| self.arriving(to, set))
            .chain(self.may_end.then_some(Move::END))
    }

    /// Iterates over the displacements that end on one of some squares.
    pub(crate) fn arriving_in(&self, squares: Bitboard) -> impl Iterator<Item = Move> {
        (0..8)
            .flat_map(move |set| {
                (self.ends[set] & squares)
                    .squares()
                    .map(move |to| (to, set))
            })
            .filter_map(|(to, set)| self.arriving(to, set))
    }

    /// Returns the move of a set that ends on `to`: by the nearest piece behind, or, leaping, the one behind that.
    fn arriving(&self, to: Square, set: usize) -> Option<Move> {
        let back = Direction::ALL[set % 4].opposite();
        let nearest = self.lines.nearest(to, back, self.occupied)?;
        let from = match set {
            0..4 => nearest,
            _ => self.lines.nearest(nearest, back, self.occupied)?,
        };
        Some(Move::between(from, to))
    }
}
