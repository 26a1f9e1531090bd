//! A position and the little history that the network sees.

use tafl_rules::{
    Bitboard, BoardShape, Game, Move, Piece, Position, Rules, Setup, SetupError, Side, Square,
    Symmetry,
};

/// All that an encoding may depend on, besides the ruleset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Squares of each kind of piece, in the order of [`Piece::ALL`].
    pub pieces: [Bitboard; 5],
    /// The side to move.
    pub side: Side,
    /// The piece that may go on capturing, inside a chain.
    pub chain: Option<Square>,
    /// How often the position has occurred, this time included; 1 inside a chain.
    pub occurrences: u32,
    /// Piece moves since the last capture.
    pub captureless: u32,
    /// The ply that led here, `None` in the first position of a game.
    pub last_move: Option<Move>,
    /// What weakens each side of the game, attackers first: the share of its plies that are random, in 1/255, and how
    /// many turns alpha-beta looks ahead that plays it. All 0 in games between networks without a handicap.
    pub weakness: [[u8; 2]; 2],
}

impl Facts {
    /// Returns the facts of a game's present position.
    pub fn of(game: &Game) -> Self {
        let position = game.position();
        Self {
            pieces: Piece::ALL.map(|kind| position.pieces_of_kind(kind)),
            side: position.side(),
            chain: position.chain(),
            occurrences: game.occurrences(),
            captureless: position.captureless(),
            last_move: game.moves().last().copied(),
            weakness: [[0; 2]; 2],
        }
    }

    /// Returns the facts as the board looks under a symmetry.
    pub fn under(&self, symmetry: Symmetry, shape: BoardShape) -> Self {
        Self {
            pieces: self.pieces.map(|squares| symmetry.bitboard(squares, shape)),
            chain: self.chain.map(|square| symmetry.square(square, shape)),
            last_move: self.last_move.map(|mv| symmetry.mv(mv, shape)),
            ..*self
        }
    }

    /// Returns the position, for its legal moves.
    ///
    /// Facts that lead to a position can be encoded and turned; others may panic there.
    ///
    /// # Errors
    /// If the facts are not a position of this ruleset, as those of a damaged file may be.
    pub fn position(&self, rules: &Rules) -> Result<Position, FactsError> {
        let shape = rules.shape();
        let mut pieces = vec![None; shape.squares()];
        for (kind, squares) in Piece::ALL.into_iter().zip(self.pieces) {
            for square in squares.squares() {
                if !shape.contains(square) {
                    return Err(FactsError::OffBoard(kind.letter()));
                }
                if pieces[shape.index(square)].replace(kind).is_some() {
                    return Err(FactsError::TwoPieces(square));
                }
            }
        }
        let off_board = |mv: &Move| !shape.contains(mv.from()) || !shape.contains(mv.to());
        if let Some(mv) = self.last_move.filter(off_board) {
            return Err(FactsError::LastMove(mv));
        }
        let (side, chain, captureless) = (self.side, self.chain, self.captureless);
        Ok(rules.position(&Setup {
            shape,
            pieces,
            side,
            chain,
            captureless,
        })?)
    }
}

/// Facts that do not make a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactsError {
    /// A piece is off the board.
    #[error("a piece {0:?} is off the board")]
    OffBoard(char),
    /// Two pieces share a square.
    #[error("two pieces on {0}")]
    TwoPieces(Square),
    /// The last move is off the board.
    #[error("the last move {0} is off the board")]
    LastMove(Move),
    /// The position breaks a rule of the ruleset.
    #[error(transparent)]
    Setup(#[from] SetupError),
}
