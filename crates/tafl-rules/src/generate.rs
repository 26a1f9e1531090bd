//! Which moves are legal.

use crate::lines::LONGEST;
use crate::rules::Rules;
use crate::{Bitboard, Chain, Direction, Move, Position, Square};
use std::ops::ControlFlow;

/// What ends the lines of a piece.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// The squares before which it stops.
    pub(crate) blockers: Bitboard,
    /// The square that it passes over but may not stop on, if there is one.
    pub(crate) crossed: Bitboard,
    /// Whether it may leap where it cannot slide.
    pub(crate) may_jump: bool,
}

impl Rules {
    /// Appends the legal moves, ordered by from-square, direction, distance; `end` last.
    ///
    /// Knows nothing of the game's outcome: of a finished game it lists what would be legal.
    /// [`Self::moves`] counts and draws moves faster.
    pub fn legal_moves(&self, position: &Position, moves: &mut Vec<Move>) {
        if !self.has_ranks && !position.is_in_chain() {
            self.list_slides(position, moves);
            return;
        }
        let listed = self.visit_moves(position, |mv| {
            moves.push(mv);
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(listed.is_continue());
    }

    /// Appends the slides of the side to move, line by line.
    fn list_slides(&self, position: &Position, moves: &mut Vec<Move>) {
        let own = position.pieces(position.side);
        let occupied = position.occupied();
        let mut len = moves.len();
        // Lines are copied as long as they may be; what is too much is overwritten by the next one, or cut in the end. In each
        // direction one piece at most reaches a square.
        let most = 4 * (self.board - occupied).count() as usize + LONGEST;
        moves.resize(len + most, Move::END);
        for from in own.squares() {
            let way = self.way(position, from);
            for direction in Direction::ALL {
                let mut steps = usize::from(self.lines.open_steps(from, direction, way.blockers));
                let line = self.lines.moves(from, direction);
                let copy = &mut moves[len..len + LONGEST];
                copy.copy_from_slice(line);
                if !(self.lines.ray(from, direction) & way.crossed).is_empty() {
                    let throne = line.iter().position(|mv| way.crossed.contains(mv.to()));
                    if let Some(throne) = throne.filter(|throne| *throne < steps) {
                        copy.copy_within(throne + 1..steps, throne);
                        steps -= 1;
                    }
                }
                len += steps;
            }
        }
        moves.truncate(len);
    }

    /// Returns what ends the lines of a piece of the side to move.
    #[inline]
    pub(crate) fn way(&self, position: &Position, from: Square) -> Way {
        let is_king = from == position.king;
        let occupied = position.occupied();
        let ways = self.ways_of(position, is_king);
        let mut blockers = occupied | ways.closed;
        if let Some(limits) = &self.limits {
            blockers |= limits.beyond(from, is_king);
        }
        Way {
            blockers,
            crossed: ways.crossed - occupied,
            may_jump: self.has_ranks && (is_king || position.ranked.contains(from)),
        }
    }

    /// Calls `visit` with each legal move, in the order of [`Self::legal_moves`], until it breaks.
    #[inline]
    pub(crate) fn visit_moves<B>(
        &self,
        position: &Position,
        mut visit: impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match position.chain() {
            Some(piece) => self.visit_chain(position, piece, visit),
            None => {
                let mut rest = position.pieces(position.side);
                while let Some(from) = rest.take_first() {
                    self.visit_piece(position, from, &mut visit)?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Returns whether a move is legal, decided without listing the others.
    pub fn is_legal(&self, position: &Position, mv: Move) -> bool {
        match position.chain() {
            Some(piece) if mv.is_end() => {
                self.ruleset().chain == Chain::Optional || !self.has_continuation(position, piece)
            }
            Some(piece) => {
                mv.from() == piece
                    && self.is_displacement(position, mv)
                    && self.continues(position, mv)
            }
            None => !mv.is_end() && self.is_displacement(position, mv),
        }
    }

    /// Returns whether the side to move has a legal move.
    pub fn has_legal_move(&self, position: &Position) -> bool {
        if position.is_in_chain() {
            return true;
        }
        let own = position.pieces(position.side);
        let empty = self.board - position.occupied();
        // Most positions have a man with an ordinary empty square beside him.
        let landings = self.ways_of(position, false).landings;
        !(own.neighbors() & empty & landings).is_empty()
            || self.visit_moves(position, ControlFlow::Break).is_break()
    }

    /// Returns whether the piece that just captured can go on (spec.md 5.4).
    pub(crate) fn has_continuation(&self, position: &Position, piece: Square) -> bool {
        let mut goes_on = |mv| {
            if self.continues(position, mv) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        self.visit_piece(position, piece, &mut goes_on).is_break()
    }

    fn visit_chain<B>(
        &self,
        position: &Position,
        piece: Square,
        mut visit: impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut can_go_on = false;
        self.visit_piece(position, piece, &mut |mv| {
            if !self.continues(position, mv) {
                return ControlFlow::Continue(());
            }
            can_go_on = true;
            visit(mv)
        })?;
        // A chain without a continuation arises only in a described position; it can but end.
        if self.ruleset().chain == Chain::Optional || !can_go_on {
            visit(Move::END)?;
        }
        ControlFlow::Continue(())
    }

    /// Returns whether a displacement goes on with a chain: it captures, or brings the king to his goal.
    pub(crate) fn continues(&self, position: &Position, mv: Move) -> bool {
        if mv.from() == position.king && self.goals.contains(mv.to()) {
            return true;
        }
        // Captures other than a knight's leap need an enemy beside the landing.
        let enemy = position.pieces(position.side.opponent());
        if (self.lines.beside(mv.to()) & enemy).is_empty() && !position.ranked.contains(mv.from()) {
            return false;
        }
        let mut after = *position;
        let ply = self.displace(&mut after, mv);
        !ply.captured.is_empty() || ply.king_captured
    }

    /// Calls `visit` with each slide and jump of one piece until it breaks.
    #[inline]
    pub(crate) fn visit_piece<B>(
        &self,
        position: &Position,
        from: Square,
        visit: &mut impl FnMut(Move) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Way {
            blockers,
            crossed,
            may_jump,
        } = self.way(position, from);
        for direction in Direction::ALL {
            let steps = self.lines.open_steps(from, direction, blockers);
            if steps == 0 {
                if may_jump && let Some(to) = self.jump(position, from, direction) {
                    visit(Move::between(from, to))?;
                }
                continue;
            }
            let crosses = !(self.lines.ray(from, direction) & crossed).is_empty();
            let mut to = from;
            for _ in 0..steps {
                to = to.next(direction);
                if !(crosses && crossed.contains(to)) {
                    visit(Move::between(from, to))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Returns where a piece lands that leaps in a direction, if it may (spec.md 5.2).
    pub(crate) fn jump(
        &self,
        position: &Position,
        from: Square,
        direction: Direction,
    ) -> Option<Square> {
        let over = direction.step(from, self.shape())?;
        let to = direction.step(over, self.shape())?;
        self.is_jump(position, from, over, to).then_some(to)
    }

    fn is_jump(&self, position: &Position, from: Square, over: Square, to: Square) -> bool {
        let is_king = from == position.king;
        let jumps = is_king || position.ranked.contains(from);
        let restricted = self.restricted.contains(from) || self.restricted.contains(to);
        jumps
            && self.leapable(position).contains(over)
            && !position.occupied().contains(to)
            && self.ways_of(position, is_king).landings.contains(to)
            && (!is_king || restricted)
    }

    /// Returns the pieces that may be leapt over: the soldiers of the side that is not to move.
    pub(crate) fn leapable(&self, position: &Position) -> Bitboard {
        let enemy = position.pieces(position.side.opponent());
        (enemy - position.ranked).without(position.king)
    }

    /// Returns whether a slide or a jump of the side to move is possible, chains aside.
    fn is_displacement(&self, position: &Position, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let on_board = self.board.contains(from) && self.board.contains(to);
        if !on_board || !position.pieces(position.side).contains(from) {
            return false;
        }
        let between = self.lines.between(from, to, mv.direction());
        let landings = self.ways_of(position, from == position.king).landings;
        let blockers = self.way(position, from).blockers;
        let slide = landings.contains(to) && (blockers & between.with(to)).is_empty();
        slide
            || (self.has_ranks
                && between.count() == 1
                && between
                    .first()
                    .is_some_and(|over| self.is_jump(position, from, over, to)))
    }
}
