//! Boards as texts: what stands on each square.

use crate::{BoardShape, Piece, Square, UnknownName};
use serde::{Deserialize, Serialize};

/// A board with pieces on it, which may break the rules; in files its ranks, the highest first, separated by slashes or each on a
/// line, or between slashes the lowest first, as `OpenTafl` writes them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Board {
    /// Its shape.
    pub shape: BoardShape,
    /// What stands on each square, by [`BoardShape::index`].
    pub pieces: Vec<Option<Piece>>,
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
pub(crate) const MAX_CAPTURELESS: u32 = 1_000_000_000;

/// A position that cannot be read or played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The board is not 7x7, 9x9 or 11x11.
    #[error("{_0} rank{}; a board has 7, 9 or 11{}", if *_0 == 1 { "" } else { "s" }, too_many(*_0))]
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
    /// A character in a rank, counted from 1, is not a piece.
    #[error("{0:?} in rank {1} is neither a piece (t, c, T, N, K) nor a number")]
    Letter(char, usize),
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
    #[error("{name} on {1}, which is reserved for the king", name = .0.name())]
    Restricted(Piece, Square),
    /// A knight or a commander in a ruleset without ranks.
    #[error("{name} on {1}, but `ranks` is false", name = .0.name())]
    NoRanks(Piece, Square),
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

impl Board {
    /// Reads ranks separated by slashes; one at either end is allowed. Numbers count empty squares.
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
        Ok(Self { shape, pieces })
    }

    /// Returns the ranks, separated by slashes.
    pub fn to_text(&self, order: RankOrder) -> String {
        let ranks = self.pieces.chunks(self.shape.size().into());
        let mut ranks: Vec<String> = ranks.map(write_rank).collect();
        if order == RankOrder::HighestFirst {
            ranks.reverse();
        }
        ranks.join("/")
    }
}

impl TryFrom<String> for Board {
    type Error = SetupError;

    fn try_from(text: String) -> Result<Self, SetupError> {
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        let text = lines.join("/");
        let order = match text.starts_with('/') {
            true => RankOrder::LowestFirst,
            false => RankOrder::HighestFirst,
        };
        Self::from_text(&text, order)
    }
}

impl From<Board> for String {
    fn from(board: Board) -> Self {
        board.to_text(RankOrder::HighestFirst)
    }
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
            let piece = Piece::from_letter(letter).ok_or(SetupError::Letter(letter, rank))?;
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
