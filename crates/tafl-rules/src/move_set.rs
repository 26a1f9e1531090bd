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
    /// Where slides end, by direction; each square is reached by one piece.
    slides: [Bitboard; 4],
    /// Where jumps end, by direction.
    jumps: [Bitboard; 4],
    /// Whether a chain may be stopped.
    may_end: bool,
}

impl Rules {
    /// Returns the legal moves as a set, which knows their number at once.
    ///
    /// Like [`Self::legal_moves`] it knows nothing of the game's outcome.
    #[must_use]
    pub fn moves(&self, position: &Position) -> MoveSet {
        if position.is_in_chain() {
            return self.chain_set(position);
        }
        let own = position.pieces(position.side);
        let occupied = position.occupied();
        let open = self.board - occupied;
        let king = Bitboard::EMPTY.with(position.king) & own;
        let (men, landings) = (own - king, self.landings(false));
        let mut slides = Direction::ALL.map(|direction| men.slides(direction, open) & landings);
        if !king.is_empty() {
            for (reached, direction) in slides.iter_mut().zip(Direction::ALL) {
                *reached |= self.lines.open_ray(position.king, direction, occupied);
            }
        }
        MoveSet {
            lines: self.lines,
            occupied,
            slides,
            jumps: self.jump_sets(position, open),
            may_end: false,
        }
    }

    /// Returns where pieces of the side to move land that leap, by direction (spec.md 5.2).
    fn jump_sets(&self, position: &Position, open: Bitboard) -> [Bitboard; 4] {
        if !self.has_ranks {
            return [Bitboard::EMPTY; 4];
        }
        let own = position.pieces(position.side);
        let over = self.leapable(position);
        let king = Bitboard::EMPTY.with(position.king) & own;
        let ranked = position.ranked & own;
        Direction::ALL.map(|direction| {
            let land = |jumpers: Bitboard| (jumpers.step(direction) & over).step(direction) & open;
            // The king leaps only from a restricted square or to one.
            let home = land(king & self.restricted);
            let out = land(king - self.restricted) & self.restricted;
            land(ranked) & self.landings(false) | home | out
        })
    }

    fn chain_set(&self, position: &Position) -> MoveSet {
        let mut set = MoveSet {
            lines: self.lines,
            occupied: position.occupied(),
            slides: [Bitboard::EMPTY; 4],
            jumps: [Bitboard::EMPTY; 4],
            may_end: false,
        };
        let listed = self.visit_moves(position, |mv| {
            set.insert(mv);
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(listed.is_continue());
        set
    }
}

impl MoveSet {
    fn insert(&mut self, mv: Move) {
        if mv.is_end() {
            self.may_end = true;
            return;
        }
        let direction = mv.direction();
        let over = self.lines.between(mv.from(), mv.to(), direction) & self.occupied;
        let sets = if over.is_empty() {
            &mut self.slides
        } else {
            &mut self.jumps
        };
        let set = &mut sets[direction as usize];
        *set = set.with(mv.to());
    }

    /// Returns the number of moves.
    #[must_use]
    pub fn len(&self) -> usize {
        let squares = |sets: &[Bitboard; 4]| sets.iter().map(|set| set.count()).sum::<u32>();
        (squares(&self.slides) + squares(&self.jumps) + u32::from(self.may_end)) as usize
    }

    /// Returns whether there is no move.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one move by its number in the set's own order, below [`Self::len`].
    #[must_use]
    pub fn nth(&self, index: usize) -> Option<Move> {
        let mut rest = u32::try_from(index).ok()?;
        for (sets, is_jump) in [(&self.slides, false), (&self.jumps, true)] {
            for (set, direction) in sets.iter().zip(Direction::ALL) {
                let count = set.count();
                if rest < count {
                    let to = set.nth(rest)?;
                    return self.arriving(to, direction, is_jump);
                }
                rest -= count;
            }
        }
        (rest == 0 && self.may_end).then_some(Move::END)
    }

    /// Iterates over the moves in the set's own order.
    pub fn iter(&self) -> impl Iterator<Item = Move> {
        let sets = |sets: &[Bitboard; 4], is_jump| {
            let sets = *sets;
            (0..4).flat_map(move |index| {
                sets[index]
                    .squares()
                    .map(move |to| (to, Direction::ALL[index], is_jump))
            })
        };
        sets(&self.slides, false)
            .chain(sets(&self.jumps, true))
            .filter_map(|(to, direction, is_jump)| self.arriving(to, direction, is_jump))
            .chain(self.may_end.then_some(Move::END))
    }

    /// Returns the move that ends on `to`: by the nearest piece behind, or by the one behind that.
    fn arriving(&self, to: Square, direction: Direction, is_jump: bool) -> Option<Move> {
        let back = direction.opposite();
        let nearest = self.lines.nearest(to, back, self.occupied)?;
        let from = if is_jump {
            self.lines.nearest(nearest, back, self.occupied)?
        } else {
            nearest
        };
        Some(Move::between(from, to))
    }
}
