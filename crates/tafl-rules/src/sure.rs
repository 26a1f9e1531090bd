//! Moves of which it is sure, without playing them, that nothing happens: most of those that a search for forced wins tries.

use crate::hash::zobrist;
use crate::{Bitboard, Direction, Game, Move, Position, Repetition, Rules, Side, Square};

/// Some of the legal moves of one position, told by the squares that they leave and reach.
///
/// Made by [`Game::quiet_moves`] and [`Game::sure_replies`]. A legal move outside may be no different: it must be played to
/// know. Empty under rules with ranks or chains, and those of spec.md 7.7 to 7.9.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct SureMoves {
    side: Side,
    king: Square,
    key: u64,
    /// The men that may move, and where to.
    men: [Bitboard; 2],
    /// Where the king may move to.
    king_to: Bitboard,
    repeated: Repeated,
}

/// Keys of positions that must not come again, the first ones of the list.
#[derive(Debug, Clone, Copy, Default)]
struct Repeated {
    keys: [u64; 8],
    len: usize,
}

impl SureMoves {
    /// Returns whether a legal move is one of them.
    #[inline]
    pub fn contains(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let is_in = if from == self.king {
            self.king_to.contains(to)
        } else {
            self.men[0].contains(from) && self.men[1].contains(to)
        };
        is_in && !mv.is_end() && (self.repeated.len == 0 || !self.repeats(from, to))
    }

    fn repeats(&self, from: Square, to: Square) -> bool {
        let piece = match self.side {
            Side::Attacker => crate::Piece::Attacker,
            Side::Defender if from == self.king => crate::Piece::King,
            Side::Defender => crate::Piece::Defender,
        };
        let moved = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
        let key = self.key ^ moved ^ zobrist::side(Side::Defender);
        self.repeated.keys[..self.repeated.len].contains(&key)
    }
}

impl Game {
    /// Returns moves that surely capture nothing, end nothing, and after which the side that made one could not decide the
    /// king's fate ([`Rules::king_fate_is_threatened`]) if it moved again.
    pub fn quiet_moves(&self) -> SureMoves {
        let (rules, position) = (self.rules(), self.position());
        let mut moves = self.uneventful();
        match position.side {
            _ if moves.men[1].is_empty() && moves.king_to.is_empty() => {}
            Side::Attacker if rules.king_squares(position).is_empty() => {
                // Only an attacker beside the king adds to the squares on which he may be taken.
                let [_, to] = &mut moves.men;
                *to = *to - rules.lines.beside(position.king);
            }
            Side::Attacker => moves.clear(),
            Side::Defender => rules.leave_quiet(position, &mut moves),
        }
        moves
    }

    /// Returns moves that surely capture nothing and end nothing, and what [`Rules::plies_to_decide_king`] says after each.
    pub fn sure_replies(&self) -> (SureMoves, Option<u16>) {
        let (rules, position) = (self.rules(), self.position());
        let mut moves = self.uneventful();
        moves.king_to = Bitboard::EMPTY;
        if moves.men[1].is_empty() {
            return (moves, None);
        }
        let way = rules.common_way(position);
        match (way, position.side) {
            // A man that stands in all ways of the threats may meet them.
            (Some(way), _) => moves.men[1] = moves.men[1] - way,
            (None, Side::Attacker) => {
                let others = position.occupied().without(position.king);
                moves.men[0] = moves.men[0] - rules.doors(position, others);
            }
            (None, Side::Defender) if rules.king_squares(&passed(position)).is_empty() => {}
            (None, Side::Defender) => moves.clear(),
        }
        (moves, way.map(|_| 1))
    }

    /// Returns moves that surely capture nothing and end nothing.
    fn uneventful(&self) -> SureMoves {
        let (rules, position) = (self.rules(), self.position());
        let mut moves = SureMoves {
            side: position.side,
            king: position.king,
            key: position.key,
            men: [
                position.pieces(position.side).without(position.king),
                Bitboard::EMPTY,
            ],
            king_to: Bitboard::EMPTY,
            repeated: Repeated::default(),
        };
        let is_plain = rules.is_plain;
        let limit = rules.ruleset().captureless_limit;
        let is_last = limit.is_some_and(|limit| position.captureless + 1 >= limit.get());
        if !is_plain || is_last || !rules.opponent_can_move(position) {
            return moves;
        }
        if rules.ruleset().repetition != Repetition::Off {
            match self.repeated() {
                Some(repeated) => moves.repeated = repeated,
                None => return moves,
            }
        }
        match position.side {
            Side::Attacker => moves.men[1] = rules.uneventful_to(position),
            Side::Defender => {
                if !rules.forts.contains(position.king) {
                    moves.men[1] = rules.uneventful_to(position);
                }
                moves.king_to = rules.uneventful_king_to(position);
            }
        }
        moves
    }

    /// Returns the keys of positions that occur for the third time if a quiet move leads there; nothing if they are too many.
    fn repeated(&self) -> Option<Repeated> {
        let mut repeated = Repeated::default();
        let keys = self.keys_before_reply();
        let mut seen = [0_u64; 16];
        // The same side has moved in every second one.
        let own = || keys.iter().rev().step_by(2);
        for key in own() {
            let place = &mut seen[(key >> 6) as usize % 16];
            let bit = 1 << (key & 63);
            let may_be_known = *place & bit != 0;
            *place |= bit;
            if may_be_known
                && !repeated.keys[..repeated.len].contains(key)
                && own().filter(|other| *other == key).count() >= 2
            {
                *repeated.keys.get_mut(repeated.len)? = *key;
                repeated.len += 1;
            }
        }
        Some(repeated)
    }
}

impl SureMoves {
    const fn clear(&mut self) {
        self.men[1] = Bitboard::EMPTY;
        self.king_to = Bitboard::EMPTY;
    }
}

impl Rules {
    /// Returns whether the opponent has a move after any that captures nothing.
    fn opponent_can_move(&self, position: &Position) -> bool {
        let men = position.pieces(position.side.opponent());
        let open = self.ways_of(position, false).landings - position.occupied();
        (men.neighbors() & open).count() >= 2
    }

    /// Returns where men may go who surely capture nothing and end nothing, but for what the past says.
    fn uneventful_to(&self, position: &Position) -> Bitboard {
        let enemy = position.pieces(position.side.opponent());
        let mut eventful = match position.side {
            Side::Attacker => self.king_squares(position),
            Side::Defender => Bitboard::EMPTY,
        };
        let anvils =
            self.armed(position.side, position) | self.hostile(position, position.side.opponent());
        for direction in Direction::ALL {
            eventful |= (anvils.step(direction) & enemy).step(direction);
        }
        eventful |= self.beside_rows(enemy);
        if position.side == Side::Attacker {
            match self.way_out(position) {
                Some(way) => eventful |= way,
                None => return Bitboard::EMPTY,
            }
        }
        self.board - eventful
    }

    /// Returns the same for the king.
    fn uneventful_king_to(&self, position: &Position) -> Bitboard {
        // The throne that he leaves may be hostile, so all that he may capture counts.
        self.board - position.attackers.neighbors() - self.goals - self.forts
    }

    /// Leaves those moves of the defenders after which the king has no way to a goal.
    fn leave_quiet(&self, position: &Position, moves: &mut SureMoves) {
        let others = position.occupied().without(position.king);
        let open = self.board - others;
        moves.king_to = moves.king_to - (self.goals - others).lines(open);
        if self.common_way(&passed(position)).is_some() {
            return moves.clear();
        }
        moves.men[0] = moves.men[0] - self.doors(position, others);
    }

    /// Returns the pieces that alone stand in a way of the king's to a goal; `others` are all but him.
    fn doors(&self, position: &Position, others: Bitboard) -> Bitboard {
        let mut doors = Bitboard::EMPTY;
        for direction in Direction::ALL {
            let Some(door) = self.lines.nearest(position.king, direction, others) else {
                continue;
            };
            let beyond = self.lines.open_ray(door, direction, others);
            if !(beyond.with(door) & self.goals).is_empty() {
                doors = doors.with(door);
            }
        }
        doors
    }

    /// Returns the squares that lie in every way by which the opponent could decide the king's fate if it were his turn;
    /// nothing where he has none.
    fn common_way(&self, position: &Position) -> Option<Bitboard> {
        let mut common: Option<Bitboard> = None;
        let mut add = |way: Bitboard| common = Some(common.map_or(way, |common| common & way));
        match position.side {
            Side::Attacker => {
                for direction in Direction::ALL {
                    let occupied = position.occupied();
                    let way = self.lines.open_ray(position.king, direction, occupied);
                    if !(way & self.goals).is_empty() {
                        add(way);
                    }
                }
            }
            Side::Defender => {
                let passed = passed(position);
                let squares = self.king_squares(&passed) - position.occupied();
                if squares.is_empty() {
                    return None;
                }
                let moves = self.moves(&passed);
                for mv in moves.arriving_in(squares) {
                    if self.decides_king(&passed, mv) {
                        let (from, to) = (mv.from(), mv.to());
                        add(self.lines.between(from, to, mv.direction()).with(to));
                    }
                }
            }
        }
        common
    }
}

/// Returns the position with the other side to move.
const fn passed(position: &Position) -> Position {
    let mut passed = *position;
    passed.side = position.side.opponent();
    passed
}
