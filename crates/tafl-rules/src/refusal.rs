//! Why a move is not legal, for the person who wanted to play it.

use crate::rules::KING;
use crate::text::listed;
use crate::{Bitboard, Chain, Move, Position, Rules, Side, Square};

/// Why a move is not legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A chain goes on from this square; its piece moves, or the chain is ended, if it may be.
    #[error("the piece on {0} goes on{end}", end = or_end(*.1))]
    InChain(Square, bool),
    /// The chain's piece may only capture, or end the chain, if it may be ended.
    #[error("the piece on {0} goes on only with a capture{end}", end = or_end(*.1))]
    NoCapture(Square, bool),
    /// Only the king may stop there.
    #[error("only the king may stop on {0}")]
    KingOnly(Square),
    /// Only the king and his men may stop there.
    #[error("only defenders may stop on {0}")]
    DefendersOnly(Square),
    /// Nobody may stop there.
    #[error("nobody may stop on {0}")]
    NobodyStops(Square),
    /// The piece may not pass over that square.
    #[error("the piece may not pass over {0}")]
    NoPassing(Square),
    /// The board, of so many ranks and files, has no such square.
    #[error("{0} is off a board of {1}x{1}")]
    OffBoard(Square, u8),
    /// No chain is in progress, so none can be ended.
    #[error("no chain is in progress")]
    NoChain,
    /// The side to move has no piece there.
    #[error("there is no piece on {0}")]
    NoPiece(Square),
    /// The other side's piece is there.
    #[error("the piece on {0} is the other side's")]
    OtherSide(Square),
    /// The piece's target is taken.
    #[error("{0} is not free")]
    Occupied(Square),
    /// A piece on this square is in the way.
    #[error("the piece on {0} is in the way")]
    InTheWay(Square),
    /// The piece is shut in.
    #[error("the piece cannot move")]
    Nowhere,
    /// The piece may go to these squares only.
    #[error("the piece may go to {}", listed(_0.squares()))]
    Elsewhere(Bitboard),
}

const fn or_end(may_end: bool) -> &'static str {
    if may_end {
        ", or `end` ends its chain"
    } else {
        ""
    }
}

impl Rules {
    /// Returns why a move that is not legal is none.
    pub(crate) fn refusal(&self, position: &Position, mv: Move) -> Refusal {
        let shape = self.shape();
        let is_off = |square: &Square| !mv.is_end() && !shape.contains(*square);
        if let Some(square) = [mv.from(), mv.to()].into_iter().find(is_off) {
            return Refusal::OffBoard(square, shape.size());
        }
        if let Some(square) = position.chain() {
            let may_end = self.ruleset().chain == Chain::Optional;
            return if !mv.is_end() && mv.from() == square {
                Refusal::NoCapture(square, may_end)
            } else {
                Refusal::InChain(square, may_end)
            };
        }
        if mv.is_end() {
            return Refusal::NoChain;
        }
        let (from, to) = (mv.from(), mv.to());
        let occupied = position.occupied();
        if !occupied.contains(from) {
            return Refusal::NoPiece(from);
        }
        if !position.pieces(position.side).contains(from) {
            return Refusal::OtherSide(from);
        }
        if occupied.contains(to) {
            return Refusal::Occupied(to);
        }
        let between = self.lines.between(from, to, mv.direction()) & occupied;
        if let Some(square) = between.first() {
            return Refusal::InTheWay(square);
        }
        let is_straight = from.file() == to.file() || from.rank() == to.rank();
        if is_straight {
            let ways = self.ways_of(position, position.king() == from);
            if !ways.landings.contains(to) {
                return match [KING, Side::Defender.index()].map(|it| self.ways[it].landings) {
                    [king, _] if !king.contains(to) => Refusal::NobodyStops(to),
                    [_, defenders] if defenders.contains(to) => Refusal::DefendersOnly(to),
                    _ => Refusal::KingOnly(to),
                };
            }
            let way = self.lines.between(from, to, mv.direction());
            if let Some(square) = (way & ways.closed).first() {
                return Refusal::NoPassing(square);
            }
        }
        let mut legal = Vec::new();
        self.legal_moves(position, &mut legal);
        let own = legal.iter().filter(|legal| legal.from() == from);
        match own.map(|legal| legal.to()).collect() {
            Bitboard::EMPTY => Refusal::Nowhere,
            targets => Refusal::Elsewhere(targets),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Chain, Game, IllegalMove, Rules, Ruleset};
    use std::sync::Arc;

    fn refused(game: &Game, mv: &str) -> String {
        match game.clone().play(mv.parse().expect("a move")) {
            Err(IllegalMove::NotLegal(_, _, refusal)) => refusal.to_string(),
            other => panic!("{mv}: {other:?}"),
        }
    }

    #[test]
    fn a_refusal_says_why() {
        let mut game = Game::new(Rules::preset("brandubh").expect("a preset"));
        assert_eq!(refused(&game, "e5-e6"), "there is no piece on e5");
        assert_eq!(
            refused(&game, "e4-e5"),
            "the piece on e4 is the other side's"
        );
        assert_eq!(refused(&game, "d6-d5"), "d5 is not free");
        assert_eq!(refused(&game, "end"), "no chain is in progress");
        assert_eq!(refused(&game, "d6-d4"), "d4 is not free");
        assert_eq!(refused(&game, "f4-f9"), "f9 is off a board of 7x7");
        assert_eq!(refused(&game, "k4-k7"), "k4 is off a board of 7x7");
        assert_eq!(refused(&game, "d7-a7"), "only the king may stop on a7");
        for mv in ["d6-f6", "c4-c6"] {
            game.play(mv.parse().expect("a move")).expect("legal");
        }
        assert_eq!(refused(&game, "f6-a6"), "the piece on c6 is in the way");
    }

    #[test]
    fn a_chain_goes_on_with_its_piece() {
        let ruleset = crate::preset("berserk-2024").expect("a preset");
        for (chain, or_end) in [
            (Chain::Optional, ", or `end` ends its chain"),
            (Chain::Forced, ""),
        ] {
            let ruleset = Ruleset {
                chain,
                ..ruleset.clone()
            };
            refused_in_chain(Rules::new(ruleset).expect("rules"), or_end);
        }
    }

    fn refused_in_chain(rules: Arc<Rules>, or_end: &str) {
        let mut game = Game::new(rules);
        // The first capture that can be followed by another one, of random games.
        let mut moves = Vec::new();
        for ply in 0..10_000_usize {
            if let Some(square) = game.position().chain() {
                let words = format!("the piece on {square} goes on{or_end}");
                assert_eq!(refused(&game, "a1-a2"), words);
                game.legal_moves(&mut moves);
                let steps = (b'a'..=b'k')
                    .map(|file| format!("{square}-{}{}", file as char, square.rank() + 1));
                let quiet = steps
                    .filter(|step| !step.ends_with(&format!("-{square}")))
                    .find(|step| moves.iter().all(|legal| legal.to_string() != *step));
                let words = format!("the piece on {square} goes on only with a capture{or_end}");
                assert_eq!(refused(&game, &quiet.expect("a step")), words);
                return;
            }
            game.legal_moves(&mut moves);
            match moves.len() {
                0 => game = Game::new(game.rules().clone()),
                count => _ = game.play_unchecked(moves[(ply * 7919) % count]),
            }
        }
        panic!("no chain in 10,000 plies");
    }
}
