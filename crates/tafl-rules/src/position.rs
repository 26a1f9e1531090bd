//! A position: the board, the side to move, and the counts that the rules need.

use crate::hash::zobrist;
use crate::{Bitboard, Piece, Side, Square};

/// Pieces, side to move, pending chain and captureless count; 64 bytes, cheap to copy.
///
/// Made by [`crate::Rules::start`] or [`crate::Rules::position`], and to be played under those rules
/// only; [`crate::Game::from_position`] takes one from anywhere. How often it occurred before is
/// known to [`crate::Game`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub(crate) attackers: Bitboard,
    pub(crate) defenders: Bitboard,
    pub(crate) ranked: Bitboard,
    pub(crate) key: u64,
    pub(crate) captureless: u32,
    pub(crate) king: Square,
    pub(crate) side: Side,
    chain: u8,
    /// Whether the attackers surround the king and all defenders, kept up where the ruleset judges it.
    pub(crate) enclosed: bool,
}

/// Stands for "no chain is pending" among the numbers of squares.
const NO_CHAIN: u8 = u8::MAX;

impl Position {
    /// Returns a board with nothing on it, to be filled; the king's square is yet to be set.
    pub(crate) fn empty(king: Square, side: Side, captureless: u32) -> Self {
        Self {
            attackers: Bitboard::EMPTY,
            defenders: Bitboard::EMPTY,
            ranked: Bitboard::EMPTY,
            key: zobrist::side(side),
            captureless,
            king,
            side,
            chain: NO_CHAIN,
            enclosed: false,
        }
    }

    /// Returns the squares of one side's pieces, the king's included.
    #[inline]
    pub const fn pieces(&self, side: Side) -> Bitboard {
        match side {
            Side::Attacker => self.attackers,
            Side::Defender => self.defenders,
        }
    }

    /// Returns the squares of one kind of piece.
    #[inline]
    pub fn pieces_of_kind(&self, kind: Piece) -> Bitboard {
        let king = Bitboard::EMPTY.with(self.king);
        match kind {
            Piece::Attacker => self.attackers - self.ranked,
            Piece::Commander => self.attackers & self.ranked,
            Piece::Defender => self.defenders - self.ranked - king,
            Piece::Knight => self.defenders & self.ranked,
            Piece::King => king,
        }
    }

    /// Returns every occupied square.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.attackers | self.defenders
    }

    /// Returns what stands on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let owner = |side: &Side| self.pieces(*side).contains(square);
        let side = Side::ALL.into_iter().find(owner)?;
        Some(self.piece_of(side, square))
    }

    /// Returns the kind of a side's piece on a square known to hold one.
    pub(crate) fn piece_of(&self, side: Side, square: Square) -> Piece {
        let ranked = self.ranked.contains(square);
        match side {
            Side::Attacker if ranked => Piece::Commander,
            Side::Attacker => Piece::Attacker,
            Side::Defender if square == self.king => Piece::King,
            Side::Defender if ranked => Piece::Knight,
            Side::Defender => Piece::Defender,
        }
    }

    /// Returns the king's square (the one he was captured on, after the game).
    #[inline]
    pub const fn king(&self) -> Square {
        self.king
    }

    /// Returns the side whose ply is next.
    #[inline]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Returns the square of the piece that may go on capturing, inside a chain.
    #[inline]
    pub const fn chain(&self) -> Option<Square> {
        if self.chain == NO_CHAIN {
            None
        } else {
            Some(Square::from_grid_index(self.chain))
        }
    }

    pub(crate) const fn is_in_chain(&self) -> bool {
        self.chain != NO_CHAIN
    }

    pub(crate) const fn set_chain(&mut self, square: Option<Square>) {
        self.chain = match square {
            Some(square) => square.grid_index() as u8,
            None => NO_CHAIN,
        };
    }

    /// Returns the number of piece moves since the last capture.
    #[inline]
    pub const fn captureless(&self) -> u32 {
        self.captureless
    }

    /// Returns the Zobrist key of the pieces by kind and the side to move.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the key as computed from nothing; equals [`Self::key`] always.
    pub fn recomputed_key(&self) -> u64 {
        let placed = self.occupied().squares();
        let pieces = placed
            .filter_map(|square| Some(zobrist::piece(self.piece_at(square)?, square)))
            .fold(0, std::ops::BitXor::bitxor);
        pieces ^ zobrist::side(self.side)
    }
}
