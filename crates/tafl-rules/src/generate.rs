//! Which moves are legal.

use crate::{Bitboard, Chain, Direction, Move, Piece, Position, Rules, Side, Square};

impl Rules {
    /// Appends the legal moves, ordered by from-square, direction, distance; `end` last.
    ///
    /// Knows nothing of the game's outcome: of a finished game it lists what would be legal.
    pub fn legal_moves(&self, position: &Position, moves: &mut Vec<Move>) {
        match position.chain {
            Some(piece) => self.chain_moves(position, piece, moves),
            None => {
                for from in position.pieces(position.side).squares() {
                    self.moves_from(position, from, &mut |mv| {
                        moves.push(mv);
                        true
                    });
                }
            }
        }
    }

    /// Returns whether a move is legal, decided without listing the others.
    #[must_use]
    pub fn is_legal(&self, position: &Position, mv: Move) -> bool {
        match position.chain {
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
    #[must_use]
    pub fn has_legal_move(&self, position: &Position) -> bool {
        position.chain.is_some() || self.has_displacement(position)
    }

    fn has_displacement(&self, position: &Position) -> bool {
        let own = position.pieces(position.side);
        let empty = self.board - position.occupied();
        // Most positions have a man with an ordinary empty square beside him.
        if !(own.neighbors() & empty & self.landings(false)).is_empty() {
            return true;
        }
        own.squares().any(|from| {
            let mut found = false;
            self.moves_from(position, from, &mut |_| {
                found = true;
                false
            });
            found
        })
    }

    /// Returns whether the piece that just captured can go on (spec.md 5.4).
    pub(crate) fn has_continuation(&self, position: &Position, piece: Square) -> bool {
        let mut found = false;
        self.moves_from(position, piece, &mut |mv| {
            found = self.continues(position, mv);
            !found
        });
        found
    }

    fn chain_moves(&self, position: &Position, piece: Square, moves: &mut Vec<Move>) {
        let before = moves.len();
        self.moves_from(position, piece, &mut |mv| {
            if self.continues(position, mv) {
                moves.push(mv);
            }
            true
        });
        // A chain without a continuation arises only in a described position; it can but end.
        if self.ruleset().chain == Chain::Optional || moves.len() == before {
            moves.push(Move::END);
        }
    }

    /// Returns whether a displacement goes on with a chain: it captures, or brings the king to his goal.
    fn continues(&self, position: &Position, mv: Move) -> bool {
        let mut after = *position;
        let ply = self.displace(&mut after, mv);
        !ply.captured.is_empty()
            || ply.king_captured
            || (mv.from() == position.king && self.goals.contains(mv.to()))
    }

    /// Calls `found` with each slide and jump of one piece until it returns false.
    fn moves_from(&self, position: &Position, from: Square, found: &mut dyn FnMut(Move) -> bool) {
        let is_king = from == position.king;
        let landings = self.landings(is_king);
        let occupied = position.occupied();
        for direction in Direction::ALL {
            let mut distance = 1;
            while let Some(to) = direction.leap(from, distance, self.shape()) {
                if occupied.contains(to) {
                    break;
                }
                if landings.contains(to) && !found(Move::between(from, to)) {
                    return;
                }
                distance += 1;
            }
            if distance == 1
                && let Some(to) = self.jump(position, from, direction)
                && !found(Move::between(from, to))
            {
                return;
            }
        }
    }

    /// Returns where a piece lands that leaps in a direction, if it may (spec.md 5.2).
    fn jump(&self, position: &Position, from: Square, direction: Direction) -> Option<Square> {
        if !self.ruleset().ranks.is_on() {
            return None;
        }
        let over = direction.step(from, self.shape())?;
        let to = direction.leap(from, 2, self.shape())?;
        self.is_jump(position, from, over, to).then_some(to)
    }

    fn is_jump(&self, position: &Position, from: Square, over: Square, to: Square) -> bool {
        let is_king = from == position.king;
        let jumps = is_king || position.ranked.contains(from);
        let soldiers = position.pieces(position.side.opponent()) - position.ranked;
        let restricted = self.restricted.contains(from) || self.restricted.contains(to);
        jumps
            && soldiers.contains(over)
            && over != position.king
            && !position.occupied().contains(to)
            && self.landings(is_king).contains(to)
            && (!is_king || restricted)
    }

    /// Returns whether a slide or a jump of the side to move is possible, chains aside.
    fn is_displacement(&self, position: &Position, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let on_board = self.board.contains(from) && self.board.contains(to);
        if !on_board || !position.pieces(position.side).contains(from) {
            return false;
        }
        let between: Bitboard = (1..mv.distance())
            .filter_map(|distance| mv.direction().leap(from, distance, self.shape()))
            .collect();
        let landing = self.landings(from == position.king).contains(to);
        let slide = landing && (position.occupied() & between.with(to)).is_empty();
        slide
            || (mv.distance() == 2
                && self.ruleset().ranks.is_on()
                && between
                    .first()
                    .is_some_and(|over| self.is_jump(position, from, over, to)))
    }
}

impl Position {
    /// Returns the kind of the piece of the side to move on a square known to hold one.
    pub(crate) fn own_piece(&self, square: Square) -> Piece {
        let ranked = self.ranked.contains(square);
        match self.side {
            Side::Attacker if ranked => Piece::Commander,
            Side::Attacker => Piece::Attacker,
            Side::Defender if square == self.king => Piece::King,
            Side::Defender if ranked => Piece::Knight,
            Side::Defender => Piece::Defender,
        }
    }
}
