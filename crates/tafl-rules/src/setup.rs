//! Positions as anyone may describe them.

use crate::board::MAX_CAPTURELESS;
use crate::hash::zobrist;
use crate::{Board, BoardShape, Piece, Position, RankOrder, Ruleset, SetupError, Side, Square};
use serde::{Deserialize, Serialize};

/// A description of a board that may break the rules; [`crate::Rules::position`] makes a playable one of it.
///
/// As text it is the ranks, the highest first, the side to move, the square of a pending chain or `-`, and the piece moves
/// since the last capture: `1t5/7/7/3K3/7/7/7 attackers - 0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[must_use]
pub struct Setup {
    /// The board.
    pub shape: BoardShape,
    /// What stands on each square, by [`BoardShape::index`].
    pub pieces: Vec<Option<Piece>>,
    /// The side to move.
    pub side: Side,
    /// The square of the piece that may go on, inside a chain.
    pub chain: Option<Square>,
    /// Piece moves since the last capture.
    pub captureless: u32,
}

impl Board {
    /// Returns the description of a position with this side to move, nothing captured before.
    pub fn with_side(self, side: Side) -> Setup {
        Setup {
            shape: self.shape,
            pieces: self.pieces,
            side,
            chain: None,
            captureless: 0,
        }
    }
}

impl Setup {
    /// Reads a board as [`Board::from_text`] does; attackers to move, nothing captured before.
    ///
    /// # Errors
    /// If the text describes no board; names the rank.
    pub fn from_text(text: &str, order: RankOrder) -> Result<Self, SetupError> {
        Ok(Board::from_text(text, order)?.with_side(Side::Attacker))
    }

    /// Returns the ranks of the position, separated by slashes.
    pub fn to_text(&self, order: RankOrder) -> String {
        self.board().to_text(order)
    }

    /// Returns the board alone.
    pub fn board(&self) -> Board {
        Board {
            shape: self.shape,
            pieces: self.pieces.clone(),
        }
    }

    /// Returns the same board with another side to move.
    pub fn with_side(mut self, side: Side) -> Self {
        self.side = side;
        self
    }

    /// Returns the description of a position.
    pub fn of(position: &Position, shape: BoardShape) -> Self {
        let squares = (0..shape.squares()).map(|index| shape.square(index));
        Self {
            shape,
            pieces: squares.map(|square| position.piece_at(square)).collect(),
            side: position.side,
            chain: position.chain(),
            captureless: position.captureless,
        }
    }

    /// Checks the board against a ruleset.
    ///
    /// # Errors
    /// Names the piece and the square.
    pub fn check(&self, ruleset: &Ruleset) -> Result<(), SetupError> {
        let (found, expected) = (self.pieces.len(), self.shape.squares());
        if found != expected {
            return Err(SetupError::Squares { found, expected });
        }
        let [corners, goals] = ruleset.escape.corners_and_goals(self.shape);
        let throne = ruleset.throne_of(self.shape);
        let may_stand = |piece: Piece, square| {
            !corners.contains(square)
                && (!throne.contains(square) || ruleset.may_stop_on_throne(piece.side()))
        };
        let mut kings = 0;
        for (square, piece) in self.placed() {
            match piece {
                Piece::King if goals.contains(square) => {
                    return Err(SetupError::KingOnGoal(square));
                }
                Piece::King => kings += 1,
                _ if !may_stand(piece, square) => {
                    return Err(SetupError::Restricted(piece, square));
                }
                Piece::Knight | Piece::Commander if !ruleset.ranks.is_on() => {
                    return Err(SetupError::NoRanks(piece, square));
                }
                _ => {}
            }
        }
        if kings != 1 {
            return Err(SetupError::Kings(kings));
        }
        if self.captureless > MAX_CAPTURELESS {
            return Err(SetupError::Captureless(self.captureless));
        }
        match self.chain {
            Some(square) if !self.may_chain(square, ruleset) => Err(SetupError::Chain(square)),
            _ => Ok(()),
        }
    }

    fn may_chain(&self, square: Square, ruleset: &Ruleset) -> bool {
        ruleset.chain != crate::Chain::None
            && self.captureless == 0
            && self.shape.contains(square)
            && self.pieces[self.shape.index(square)]
                .is_some_and(|piece| piece.side() == self.side && ruleset.is_armed(piece))
    }

    fn placed(&self) -> impl Iterator<Item = (Square, Piece)> {
        let pieces = self.pieces.iter().enumerate();
        pieces.filter_map(|(index, piece)| piece.map(|piece| (self.shape.square(index), piece)))
    }

    /// Returns the position, for a setup that [`Self::check`] accepts.
    pub(crate) fn place(&self) -> Position {
        let king = self.shape.throne();
        let mut position = Position::empty(king, self.side, self.captureless);
        position.set_chain(self.chain);
        for (square, piece) in self.placed() {
            let set = match piece.side() {
                Side::Attacker => &mut position.attackers,
                Side::Defender => &mut position.defenders,
            };
            *set = set.with(square);
            position.key ^= zobrist::piece(piece, square);
            match piece {
                Piece::Commander | Piece::Knight => position.ranked = position.ranked.with(square),
                Piece::King => position.king = square,
                _ => {}
            }
        }
        position
    }
}

impl std::fmt::Display for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ranks = self.to_text(RankOrder::HighestFirst);
        let chain = self.chain.map_or_else(|| "-".into(), |it| it.to_string());
        write!(f, "{ranks} {} {chain} {}", self.side, self.captureless)
    }
}

impl std::str::FromStr for Setup {
    type Err = SetupError;

    fn from_str(text: &str) -> Result<Self, SetupError> {
        let wrong = || SetupError::Text(text.chars().take(200).collect());
        let parts: Vec<&str> = text.split(' ').collect();
        let [ranks, side, chain, captureless] = parts[..] else {
            return Err(wrong());
        };
        let board = Board::try_from(ranks.to_owned())?.with_side(Side::Attacker);
        let chain = match chain {
            "-" => None,
            square => Some(square.parse().map_err(|_| wrong())?),
        };
        if chain.is_some_and(|square| !board.shape.contains(square)) {
            return Err(wrong());
        }
        Ok(Self {
            side: side.parse()?,
            chain,
            captureless: captureless.parse().map_err(|_| wrong())?,
            ..board
        })
    }
}

crate::serde_as_text!(Setup);
