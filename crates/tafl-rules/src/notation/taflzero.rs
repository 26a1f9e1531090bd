//! The FEN of `TaflZero`, an engine for 11x11 and 9x9 boards: `RANKS LAST SIDE CLOCK PLIES`.
//!
//! The ranks stand highest first, `a` for attackers, `d` for defenders, `k` for the king; numbers count
//! empty squares. LAST is the square on which the last move ended, or `-`; SIDE is `a` or `d`, the one
//! to move; CLOCK counts the plies since the last capture, PLIES those since the game began. LAST may
//! be left out (`-`), and so may PLIES, or CLOCK and PLIES (0). There is no place for earlier
//! positions, knights, commanders, or a chain. (Read from taflzero 0.3.0.)

use crate::{BoardShape, Piece, RankOrder, Setup, SetupError, Side, Square};

/// A position and what `TaflZero` notes beside it.
///
/// ```
/// use tafl_rules::notation::taflzero::Fen;
///
/// let fen: Fen = "3aaa3/4a4/4d4/a3d3a/aaddkddaa/a3d3a/4d4/4a4/3aaa3 e8 d 5 11".parse()?;
/// assert_eq!((fen.setup.side.name(), fen.setup.captureless), ("defenders", 5));
/// assert_eq!((fen.last_to, fen.plies), (Some("e8".parse()?), 11));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fen {
    /// The board, the side to move, and the plies since the last capture.
    pub setup: Setup,
    /// Where the last move ended; `TaflZero` looks there for what that move brought about.
    pub last_to: Option<Square>,
    /// The plies since the game began.
    pub plies: u32,
}

/// A text that is no FEN, or a position that has none; names the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The board cannot be read.
    #[error("field `ranks`: {0}")]
    Ranks(#[from] SetupError),
    /// A character stands for no piece.
    #[error("field `ranks`: {letter:?} in rank {rank} is no piece (a, d, k) and no number")]
    Letter {
        /// The character.
        letter: char,
        /// The rank, from 1.
        rank: usize,
    },
    /// The side to move is missing.
    #[error("field `side` is missing (`a` or `d`)")]
    MissingSide,
    /// A field is not what it must be.
    #[error("field `{field}`: {text:?} is not {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// What the text gives, at most 40 characters of it.
        text: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Words follow the last field.
    #[error("more than 5 fields (ranks, last, side, clock, plies)")]
    TooMany,
    /// A piece that `TaflZero` does not know.
    #[error("field `ranks`: no letter for {} on {square} (TaflZero has soldiers and a king only)", .piece.letter())]
    Piece {
        /// The piece.
        piece: Piece,
        /// Where it stands.
        square: Square,
    },
    /// A chain is pending.
    #[error("field `chain`: no place for the chain pending on {0}")]
    Chain(Square),
}

impl Fen {
    /// Returns the position with no last move and no plies before it.
    #[must_use]
    pub const fn of(setup: Setup) -> Self {
        Self {
            setup,
            last_to: None,
            plies: 0,
        }
    }

    /// Returns the text, with all five fields.
    ///
    /// # Errors
    /// If the position has a knight, a commander or a pending chain, or `last_to` lies elsewhere.
    pub fn to_text(&self) -> Result<String, FenError> {
        if let Some(square) = self.setup.chain {
            return Err(FenError::Chain(square));
        }
        for (index, piece) in self.setup.pieces.iter().enumerate() {
            if let Some(piece @ (Piece::Knight | Piece::Commander)) = *piece {
                let square = self.setup.shape.square(index);
                return Err(FenError::Piece { piece, square });
            }
        }
        let last = match self.last_to {
            Some(square) if !self.setup.shape.contains(square) => {
                return Err(bad_field("last", &square.to_string(), LAST));
            }
            Some(square) => square.to_string(),
            None => "-".to_owned(),
        };
        let ranks = self.setup.to_text(RankOrder::HighestFirst);
        let ranks = ranks.replace('t', "a").replace('T', "d").replace('K', "k");
        let side = match self.setup.side {
            Side::Attacker => 'a',
            Side::Defender => 'd',
        };
        let (clock, plies) = (self.setup.captureless, self.plies);
        Ok(format!("{ranks} {last} {side} {clock} {plies}"))
    }
}

const LAST: &str = "a square of the board or `-`";

impl std::str::FromStr for Fen {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_whitespace();
        let mut setup = read_ranks(words.next().unwrap_or_default())?;
        let mut word = words.next().ok_or(FenError::MissingSide)?;
        let mut last_to = None;
        if read_side(word).is_none() {
            last_to = read_last(word, &setup)?;
            word = words.next().ok_or(FenError::MissingSide)?;
        }
        setup.side = read_side(word).ok_or_else(|| bad_field("side", word, "`a` or `d`"))?;
        setup.captureless = read_count("clock", words.next())?;
        let plies = read_count("plies", words.next())?;
        match words.next() {
            Some(_) => Err(FenError::TooMany),
            None => Ok(Self {
                setup,
                last_to,
                plies,
            }),
        }
    }
}

fn read_ranks(text: &str) -> Result<Setup, FenError> {
    let ranks = text.split('/').count();
    if u8::try_from(ranks).ok().and_then(BoardShape::new).is_none() {
        return Err(SetupError::Size(ranks).into());
    }
    // Slashes at both ends, as in position records, because there the outermost ones are left aside.
    let mut translated = "/".to_owned();
    for (above, rank) in text.split('/').enumerate() {
        for letter in rank.chars() {
            translated.push(match letter {
                'a' => Piece::Attacker.letter(),
                'd' => Piece::Defender.letter(),
                'k' => Piece::King.letter(),
                '0'..='9' => letter,
                _ => {
                    let rank = ranks - above;
                    return Err(FenError::Letter { letter, rank });
                }
            });
        }
        translated.push('/');
    }
    Ok(Setup::from_text(&translated, RankOrder::HighestFirst)?)
}

fn read_side(word: &str) -> Option<Side> {
    match word {
        "a" => Some(Side::Attacker),
        "d" => Some(Side::Defender),
        _ => None,
    }
}

fn read_last(word: &str, setup: &Setup) -> Result<Option<Square>, FenError> {
    if word == "-" {
        return Ok(None);
    }
    let square = word.parse().ok();
    match square.filter(|square| setup.shape.contains(*square)) {
        Some(square) => Ok(Some(square)),
        None => Err(bad_field("last", word, LAST)),
    }
}

fn read_count(field: &'static str, word: Option<&str>) -> Result<u32, FenError> {
    word.map_or(Ok(0), |word| {
        let number = word.parse();
        number.map_err(|_| bad_field(field, word, "a number of plies"))
    })
}

fn bad_field(field: &'static str, text: &str, expected: &'static str) -> FenError {
    FenError::Field {
        field,
        text: text.chars().take(40).collect(),
        expected,
    }
}
