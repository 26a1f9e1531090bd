//! Positions as anyone may describe them, and their text.

use crate::hash::zobrist;
use crate::{BoardShape, Piece, Position, Ruleset, Side, Square, UnknownName};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// A description of a board that may break the rules; [`crate::Rules::position`] makes a playable one of it.
///
/// As text it is the ranks, the highest first, the side to move, the square of a pending chain or `-`, and the piece moves
/// since the last capture: `1t5/7/7/3K3/7/7/7 attackers - 0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

/// In which order a position text lists the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankOrder {
    /// As a board is drawn: rank 11 first. Ruleset files, FENs of other engines.
    HighestFirst,
    /// Rank 1 first. `OpenTafl` start strings.
    LowestFirst,
}

/// Far above every game's length and far below where counting on would overflow.
const MAX_CAPTURELESS: u32 = 1_000_000_000;

/// A position that cannot be read or played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The board is not 7x7, 9x9 or 11x11.
    #[error("{_0} ranks; a board has 7, 9 or 11{}", too_many(*_0))]
    Size(usize),
    /// A rank has too few or too many squares.
    #[error("rank {rank} has {found} squares instead of {expected}")]
    RankLength {
        /// The rank, from 1.
        rank: usize,
        /// How many squares the text gives it.
        found: usize,
        /// How many it must have.
        expected: usize,
    },
    /// A character is not a piece.
    #[error("{letter:?} in rank {rank} is neither a piece (t, c, T, N, K) nor a number")]
    Letter {
        /// The character.
        letter: char,
        /// The rank, from 1.
        rank: usize,
    },
    /// The description has another number of squares than its board.
    #[error("{found} squares described on a board of {expected}")]
    Squares {
        /// The number described.
        found: usize,
        /// The number of the board.
        expected: usize,
    },
    /// There must be one king.
    #[error("{0} kings on the board instead of one")]
    Kings(usize),
    /// The king stands where he has won.
    #[error("the king is on {0}, where he has already won")]
    KingOnGoal(Square),
    /// A piece other than the king stands on the throne or a corner.
    #[error("{} on {square}, which is reserved for the king", .piece.letter())]
    Restricted {
        /// The piece.
        piece: Piece,
        /// Where it stands.
        square: Square,
    },
    /// A knight or a commander in a ruleset without ranks.
    #[error("{} on {square}, but `ranks` is false", .piece.letter())]
    NoRanks {
        /// The piece.
        piece: Piece,
        /// Where it stands.
        square: Square,
    },
    /// The square of the chain holds no piece of the side to move that captures, nothing was captured by the last
    /// piece move, or chains do not exist.
    #[error("no chain can be pending on {0}")]
    Chain(Square),
    /// More piece moves since the last capture than any game has.
    #[error("{0} piece moves since the last capture; at most {MAX_CAPTURELESS}")]
    Captureless(u32),
    /// A position for another board.
    #[error("a board of {found}x{found}, but the ruleset has {expected}x{expected}")]
    OtherSize {
        /// The size given.
        found: u8,
        /// The size of the ruleset's board.
        expected: u8,
    },
    /// A text that is not the ranks, the side to move, the square of a chain and the moves since the last capture.
    #[error("{0:?} is not a position (such as `1t5/7/7/3K3/7/7/7 attackers - 0`)")]
    Text(String),
    /// The side to move is not one of two words.
    #[error(transparent)]
    Side(#[from] UnknownName),
}

/// Returns why a board of so many ranks is none, where that is not plain.
const fn too_many(ranks: usize) -> &'static str {
    match ranks {
        0..=11 => "",
        _ => {
            " (the squares of a larger one do not fit the sets of 128 bits that the rules compute with)"
        }
    }
}

impl Setup {
    /// Reads the ranks of a position, separated by slashes; attackers to move, nothing captured before.
    ///
    /// A slash at either end is allowed. Numbers count empty squares.
    ///
    /// # Errors
    /// If the text describes no board; names the rank.
    pub fn from_text(text: &str, order: RankOrder) -> Result<Self, SetupError> {
        let text = text.strip_prefix('/').unwrap_or(text);
        let text = text.strip_suffix('/').unwrap_or(text);
        let mut ranks: Vec<&str> = text.split('/').take(13).collect();
        let size = u8::try_from(ranks.len()).ok().and_then(BoardShape::new);
        let shape = size.ok_or_else(|| SetupError::Size(text.split('/').count()))?;
        if order == RankOrder::HighestFirst {
            ranks.reverse();
        }
        let mut pieces = Vec::with_capacity(shape.squares());
        for (index, rank) in ranks.into_iter().enumerate() {
            pieces.extend(read_rank(rank, index + 1, shape.size().into())?);
        }
        Ok(Self {
            shape,
            pieces,
            side: Side::Attacker,
            chain: None,
            captureless: 0,
        })
    }

    /// Returns the ranks of the position, separated by slashes.
    #[must_use]
    pub fn to_text(&self, order: RankOrder) -> String {
        let mut ranks: Vec<String> = self
            .pieces
            .chunks(self.shape.size().into())
            .map(write_rank)
            .collect();
        if order == RankOrder::HighestFirst {
            ranks.reverse();
        }
        ranks.join("/")
    }

    /// Returns the same board with another side to move.
    #[must_use]
    pub fn with_side(mut self, side: Side) -> Self {
        self.side = side;
        self
    }

    /// Returns the description of a position.
    #[must_use]
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
        let restricted = corners.with(self.shape.throne());
        let mut kings = 0;
        for (square, piece) in self.placed() {
            match piece {
                Piece::King if goals.contains(square) => {
                    return Err(SetupError::KingOnGoal(square));
                }
                Piece::King => kings += 1,
                _ if restricted.contains(square) => {
                    return Err(SetupError::Restricted { piece, square });
                }
                Piece::Knight | Piece::Commander if !ruleset.ranks.is_on() => {
                    return Err(SetupError::NoRanks { piece, square });
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
            && self.pieces[self.shape.index(square)].is_some_and(|piece| {
                piece.side() == self.side && (piece != Piece::King || ruleset.king_armed.is_on())
            })
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
        let board = Self::from_text(ranks, RankOrder::HighestFirst)?;
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

impl TryFrom<String> for Setup {
    type Error = SetupError;

    fn try_from(text: String) -> Result<Self, SetupError> {
        text.parse()
    }
}

impl From<Setup> for String {
    fn from(setup: Setup) -> Self {
        setup.to_string()
    }
}

/// Reads the ranks of a position, the highest first.
pub(crate) fn ranks<'de, D: Deserializer<'de>>(text: D) -> Result<Setup, D::Error> {
    let text = String::deserialize(text)?;
    Setup::from_text(&text, RankOrder::HighestFirst).map_err(D::Error::custom)
}

fn read_rank(text: &str, rank: usize, size: usize) -> Result<Vec<Option<Piece>>, SetupError> {
    let mut squares = Vec::with_capacity(size);
    let mut chars = text.chars().peekable();
    while let Some(letter) = chars.next() {
        if let Some(mut empty) = letter.to_digit(10) {
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                empty = empty.saturating_mul(10).saturating_add(digit);
                chars.next();
            }
            let empty = (empty as usize).min(100);
            squares.resize(squares.len() + empty, None);
        } else {
            let piece = Piece::from_letter(letter).ok_or(SetupError::Letter { letter, rank })?;
            squares.push(Some(piece));
        }
        if squares.len() > size {
            break;
        }
    }
    if squares.len() != size {
        return Err(SetupError::RankLength {
            rank,
            found: squares.len(),
            expected: size,
        });
    }
    Ok(squares)
}

fn write_rank(squares: &[Option<Piece>]) -> String {
    let runs = squares.chunk_by(|one, next| one.is_none() && next.is_none());
    let write = |run: &[Option<Piece>]| match run[0] {
        Some(piece) => piece.letter().to_string(),
        None => run.len().to_string(),
    };
    runs.map(write).collect()
}
