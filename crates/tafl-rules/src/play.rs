//! What a move does: displacement, captures, and what is judged after every ply.

use crate::hash::zobrist;
use crate::{
    Bitboard, Chain, Direction, EndReason, KingCapture, Move, Outcome, Piece, Position, Rules,
    Side, Square, Switch,
};
use std::ops::ControlFlow;

/// What one ply did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ply {
    /// The squares of the captured pieces; the king's own is never among them.
    pub captured: Bitboard,
    /// The outcome, if the ply ended the game on the board (king, encirclement, fort).
    pub outcome: Option<Outcome>,
}

/// What a displacement did, before anything else is judged.
pub(crate) struct Displacement {
    pub(crate) captured: Bitboard,
    pub(crate) jumped: bool,
    pub(crate) king_captured: bool,
}

/// The displacement that just ended, as the capture rules see it.
struct Arrival {
    piece: Piece,
    from: Square,
    to: Square,
    jumped: bool,
}

impl Rules {
    /// Plays a legal move and judges the board (spec.md 2.7), but nothing that needs the game's past.
    ///
    /// The side to move changes unless the game ends or a chain is pending. [`crate::Game`] judges
    /// repetition, limits and missing moves as well.
    pub fn play_unchecked(&self, position: &mut Position, mv: Move) -> Ply {
        if mv.is_end() {
            position.set_chain(None);
            pass_turn(position);
            return Ply {
                captured: Bitboard::EMPTY,
                outcome: None,
            };
        }
        let done = self.displace(position, mv);
        position.enclosed = self.is_enclosed_after(position, mv.to(), &done);
        let outcome = self.judge_board(position, done.king_captured);
        position.set_chain(None);
        if outcome.is_none() {
            let may_go_on = self.ruleset().chain != Chain::None && !done.captured.is_empty();
            if may_go_on && self.has_continuation(position, mv.to()) {
                position.set_chain(Some(mv.to()));
            } else {
                pass_turn(position);
            }
        }
        Ply {
            captured: done.captured,
            outcome,
        }
    }

    /// Returns the first of some legal moves that takes the king or brings him to his goal.
    ///
    /// Other wins (a fort, an encirclement, an opponent without moves) are not looked for.
    pub fn king_deciding_move(&self, position: &Position, moves: &[Move]) -> Option<usize> {
        let targets = self.king_squares(position) - position.occupied();
        if targets.is_empty() {
            return None;
        }
        let decides = |mv: &Move| targets.contains(mv.to()) && self.decides_king(position, *mv);
        moves.iter().position(decides)
    }

    /// Returns the plies, 1 without a chain, in which the side to move can take the king, or bring him to his goal,
    /// before the opponent moves.
    ///
    /// Like [`Self::king_deciding_move`] it looks for no other wins, and it knows nothing of the game's past.
    pub fn plies_to_decide_king(&self, position: &Position) -> Option<u16> {
        let squares = self.king_squares(position);
        if squares.is_empty() {
            return None;
        }
        let targets = squares - position.occupied();
        let chains = self.ruleset().chain != Chain::None;
        let mut shortest: Option<u16> = None;
        let mut look = |mv: Move| {
            if targets.contains(mv.to()) && self.decides_king(position, mv) {
                shortest = Some(1);
                return ControlFlow::Break(());
            }
            if chains && !mv.is_end() && self.continues(position, mv) {
                let mut after = *position;
                self.play_unchecked(&mut after, mv);
                let goes_on = after.is_in_chain();
                let rest = goes_on.then(|| self.plies_to_decide_king(&after)).flatten();
                let known = shortest.unwrap_or(u16::MAX);
                shortest = rest.map(|rest| known.min(rest + 1)).or(shortest);
            }
            ControlFlow::Continue(())
        };
        // A chain is one piece's, and home goes the king alone.
        let _ = match position.side {
            Side::Attacker if !chains => {
                let moves = self.moves(position);
                moves.arriving_in(targets).try_for_each(look)
            }
            Side::Attacker => self.visit_moves(position, look),
            Side::Defender if position.is_in_chain() => self.visit_moves(position, look),
            Side::Defender => self.visit_piece(position, position.king, &mut look),
        };
        shortest
    }

    /// Returns whether the side that is not to move could decide the king's fate if it were its turn.
    pub fn king_fate_is_threatened(&self, position: &Position) -> bool {
        let mut passed = *position;
        passed.side = position.side.opponent();
        passed.set_chain(None);
        self.plies_to_decide_king(&passed).is_some()
    }

    /// Returns the squares from which the king may be taken, empty or not, or on which he is home.
    ///
    /// A chain does not add to them: only attackers, corners and the throne stand against the king. But it may empty
    /// them, even the one that its piece comes from.
    pub(crate) fn king_squares(&self, position: &Position) -> Bitboard {
        if position.side == Side::Defender {
            return self.goals;
        }
        let king = Bitboard::EMPTY.with(position.king);
        let around = self.lines.beside(position.king);
        let anywhere = self.ruleset().king_capture == KingCapture::TwoSides;
        let open = around - position.attackers - (self.restricted - king);
        let mut squares = match open.count() {
            _ if anywhere || !self.may_be_surrounded(around) => Bitboard::EMPTY,
            0 => around,
            1 => open,
            _ => Bitboard::EMPTY,
        };
        if self.may_be_pinned(position.king) {
            let by_four = self.ruleset().king_capture.is_by_four();
            let ranked = if by_four { position.ranked } else { self.board };
            let holders = position.attackers & ranked | self.once_hostile(position);
            for direction in Direction::ALL {
                let holder = (king.step(direction)) & holders;
                if !holder.is_empty() {
                    squares |= king.step(direction.opposite());
                }
            }
        }
        squares & around
    }

    /// Returns whether a legal move to one of those squares takes the king or brings him home.
    pub(crate) fn decides_king(&self, position: &Position, mv: Move) -> bool {
        !mv.is_end()
            && match position.side {
                Side::Attacker => self.displace(&mut { *position }, mv).king_captured,
                Side::Defender => mv.from() == position.king,
            }
    }

    /// Moves a piece and removes what it captures; the side to move stays.
    pub(crate) fn displace(&self, position: &mut Position, mv: Move) -> Displacement {
        let (from, to) = (mv.from(), mv.to());
        let piece = position.piece_of(position.side, from);
        let arrival = Arrival {
            piece,
            from,
            to,
            jumped: self.has_ranks && self.is_leap(position, mv),
        };
        position.relocate(piece, from, to);
        let captured = self.captures(position, &arrival);
        if captured.is_empty() {
            position.captureless += 1;
        } else {
            position.remove(captured);
            position.captureless = 0;
        }
        let king_captured =
            position.side == Side::Attacker && self.king_is_captured(position, &arrival);
        Displacement {
            captured,
            jumped: arrival.jumped,
            king_captured,
        }
    }

    fn is_leap(&self, position: &Position, mv: Move) -> bool {
        let between = self.lines.between(mv.from(), mv.to(), mv.direction());
        !(between & position.occupied()).is_empty()
    }

    /// Returns every piece that the arrival captures.
    fn captures(&self, position: &Position, arrival: &Arrival) -> Bitboard {
        let mut captured = Bitboard::EMPTY;
        if arrival.piece == Piece::King && !self.king_is_armed {
            return captured;
        }
        let enemy = position.pieces(position.side.opponent());
        if arrival.jumped && arrival.piece == Piece::Knight {
            let direction = Move::between(arrival.from, arrival.to).direction();
            captured |= self.lines.between(arrival.from, arrival.to, direction);
        }
        let beside = self.lines.beside(arrival.to) & enemy;
        if !beside.is_empty() {
            captured |= self.custodial(position, arrival, beside);
            if self.ruleset().shieldwall.is_on() && !arrival.jumped {
                if self.edges.contains(arrival.to) {
                    captured |= self.shieldwall(position, arrival.to);
                }
                if !self.ruleset().shieldwall_by_end.is_on() {
                    captured |= self.faced_rows(position, arrival.to, beside & self.edges);
                }
            }
        }
        match position.side {
            Side::Attacker => captured.without(position.king),
            Side::Defender => captured,
        }
    }

    /// Returns those of the enemies beside the mover that stand before a friend or a hostile square (spec.md 2.2).
    fn custodial(&self, position: &Position, arrival: &Arrival, beside: Bitboard) -> Bitboard {
        let mut anvils = self.armed(position.side, position);
        if !arrival.jumped || arrival.piece == Piece::Knight || self.ruleset().jump_hostile.is_on()
        {
            anvils |= self.hostile(position, position.side.opponent());
        }
        // A square two away has one neighbor beside the mover: the one between them.
        (anvils & self.lines.two_away(arrival.to)).neighbors() & beside
    }

    /// Returns where a piece must arrive to capture a row of those enemies (spec.md 4.1, 7.10).
    pub(crate) fn beside_rows(&self, enemies: Bitboard) -> Bitboard {
        let ruleset = self.ruleset();
        let ends = enemies.neighbors() & self.edges;
        match (ruleset.shieldwall, ruleset.shieldwall_by_end) {
            (Switch::Off, _) => Bitboard::EMPTY,
            (Switch::On, Switch::On) => ends,
            (Switch::On, Switch::Off) => ends | (enemies & self.edges).neighbors(),
        }
    }

    /// Returns the rows on an edge that a piece arriving at `to` closes (spec.md 4.1).
    fn shieldwall(&self, position: &Position, to: Square) -> Bitboard {
        Direction::ALL
            .into_iter()
            .filter(|inward| inward.opposite().step(to, self.shape()).is_none())
            .flat_map(|inward| {
                inward
                    .across()
                    .map(|direction| self.row(position, to, direction, inward))
            })
            .fold(Bitboard::EMPTY, |all, row| all | row)
    }

    /// Returns the row that begins beside `to` on one edge, if it is closed and every piece is faced.
    fn row(
        &self,
        position: &Position,
        to: Square,
        along: Direction,
        inward: Direction,
    ) -> Bitboard {
        let row = self.closed_row(position, to, along, inward);
        row.filter(|row| row.count() >= 2)
            .unwrap_or(Bitboard::EMPTY)
    }

    /// Returns the enemies that follow `from` on one edge, if every one is faced and the last stands before an end.
    fn closed_row(
        &self,
        position: &Position,
        from: Square,
        along: Direction,
        inward: Direction,
    ) -> Option<Bitboard> {
        let own = self.armed(position.side, position);
        let side = position.side.opponent();
        let closing = own | (self.corners & self.hostile(position, side));
        let mut row = Bitboard::EMPTY;
        let mut next = along.step(from, self.shape());
        while let Some(square) = next.filter(|it| position.pieces(side).contains(*it)) {
            let front = inward.step(square, self.shape());
            if !front.is_some_and(|front| own.contains(front)) {
                return None;
            }
            row = row.with(square);
            next = along.step(square, self.shape());
        }
        next.filter(|end| closing.contains(*end)).map(|_| row)
    }

    /// Returns the closed rows of which one of those enemies on an edge, beside `to`, stands in front of it (spec.md 7.10).
    fn faced_rows(&self, position: &Position, to: Square, enemies: Bitboard) -> Bitboard {
        let rows = Direction::ALL.into_iter().filter_map(|inward| {
            let enemy = inward.opposite().step(to, self.shape())?;
            let is_in_row =
                enemies.contains(enemy) && inward.opposite().step(enemy, self.shape()).is_none();
            let [left, right] = is_in_row.then_some(inward.across())?;
            let row = self.closed_row(position, enemy, left, inward)?
                | self.closed_row(position, enemy, right, inward)?;
            (!row.is_empty()).then_some(row.with(enemy))
        });
        rows.fold(Bitboard::EMPTY, |all, row| all | row)
    }

    /// Returns whether an attacker's arrival captures the king (spec.md 2.5, 5.5).
    fn king_is_captured(&self, position: &Position, arrival: &Arrival) -> bool {
        let around = self.lines.beside(position.king);
        if !around.contains(arrival.to) {
            return false;
        }
        if self.ruleset().king_capture == KingCapture::TwoSides {
            return self.king_is_pinned(position, arrival);
        }
        let open = around - position.attackers - (self.restricted - position.defenders);
        open.is_empty() && self.may_be_surrounded(around)
            || (self.may_be_pinned(position.king) && self.king_is_pinned(position, arrival))
    }

    /// Returns whether attackers on all those squares, the ones beside the king, capture him.
    fn may_be_surrounded(&self, around: Bitboard) -> bool {
        around.count() == 4 || self.ruleset().king_capture == KingCapture::FourSidesThreeOnEdge
    }

    /// Returns whether two attackers in a line, of some kind, capture a king there.
    fn may_be_pinned(&self, king: Square) -> bool {
        match self.ruleset().king_capture {
            KingCapture::TwoSides => true,
            KingCapture::TwoSidesOffThrone => !self.throne.contains(king),
            _ => !self.throne_area.contains(king),
        }
    }

    /// Returns whether the king is taken between two sides of a line.
    fn king_is_pinned(&self, position: &Position, arrival: &Arrival) -> bool {
        let direction = Direction::ALL
            .into_iter()
            .find(|d| d.step(arrival.to, self.shape()) == Some(position.king));
        let Some(opposite) = direction.and_then(|d| d.step(position.king, self.shape())) else {
            return false;
        };
        let hostile = self.once_hostile(position) - (self.throne & position.defenders);
        let against_square =
            hostile.contains(opposite) && (!arrival.jumped || self.ruleset().jump_hostile.is_on());
        if !self.ruleset().king_capture.is_by_four() {
            return position.attackers.contains(opposite) || against_square;
        }
        let commanders = position.attackers & position.ranked;
        arrival.piece == Piece::Commander && (commanders.contains(opposite) || against_square)
    }

    /// Judges the board after a ply: king captured, king escaped, encirclement, fort, in this order.
    fn judge_board(&self, position: &Position, king_captured: bool) -> Option<Outcome> {
        let reason = match position.side {
            Side::Attacker if king_captured => EndReason::KingCaptured,
            Side::Attacker if position.enclosed => EndReason::Encirclement,
            Side::Defender if self.goals.contains(position.king) => EndReason::KingEscaped,
            Side::Defender if self.has_fort(position) => EndReason::Fort,
            _ => return None,
        };
        Some(Outcome {
            winner: Some(position.side),
            reason,
        })
    }
}

fn pass_turn(position: &mut Position) {
    position.side = position.side.opponent();
    position.key ^= zobrist::side(Side::Defender);
}

impl Position {
    fn relocate(&mut self, piece: Piece, from: Square, to: Square) {
        let set = match piece.side() {
            Side::Attacker => &mut self.attackers,
            Side::Defender => &mut self.defenders,
        };
        *set = set.without(from).with(to);
        match piece {
            Piece::Commander | Piece::Knight => self.ranked = self.ranked.without(from).with(to),
            Piece::King => self.king = to,
            Piece::Attacker | Piece::Defender => {}
        }
        self.key ^= zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
    }

    fn remove(&mut self, captured: Bitboard) {
        let mut rest = captured;
        while let Some(square) = rest.take_first() {
            let piece = self
                .piece_at(square)
                .expect("a captured square holds a piece");
            self.key ^= zobrist::piece(piece, square);
        }
        self.attackers = self.attackers - captured;
        self.defenders = self.defenders - captured;
        self.ranked = self.ranked - captured;
    }

    /// Returns the position before a displacement that captured nothing and passed the turn.
    pub(crate) fn before_quiet(&self, mv: Move) -> Self {
        let mut before = *self;
        pass_turn(&mut before);
        let piece = before.piece_of(before.side, mv.to());
        before.relocate(piece, mv.to(), mv.from());
        before.captureless -= 1;
        before
    }
}
