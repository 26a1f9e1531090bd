//! The FEN of `TaflZero`, an engine for 11x11 and 9x9 boards, with what our rulesets have beyond it, and our own text.
//!
//! `RANKS LAST SIDE CLOCK PLIES CHAIN`. The ranks stand highest first, `a` for attackers, `d` for defenders, `k` for the
//! king; numbers count empty squares. LAST is the square on which the last move ended, or `-`; SIDE is `a` or `d`, the
//! one to move; CLOCK counts the plies since the last capture, PLIES those since the game began. (Read from taflzero
//! 0.3.0.) Beyond it `c` is a commander, `n` the knight, and CHAIN the square of the piece whose chain is pending, or
//! `-`. There is no place for earlier positions.
//!
//! A text that begins with a slash, or has a colon, is a record of `OpenTafl`. The letters of our own position texts (`t`,
//! `T`, `N`, `K`) and `attackers` and `defenders` are read too, and the texts of [`Setup`]. All but the ranks may be left
//! out: `-`, attackers, 0, 0, `-`.

use super::opentafl::{self, RecordError};
use crate::text::short;
use crate::{Piece, RankOrder, Rules, Setup, SetupError, Side, Square};

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
    /// The board, the side to move, the plies since the last capture, and a pending chain.
    pub setup: Setup,
    /// Where the last move ended; `TaflZero` looks there for what that move brought about.
    pub last_to: Option<Square>,
    /// The plies since the game began.
    pub plies: u32,
}

/// What is said of a position beside its text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside {
    /// The side to move.
    pub side: Option<Side>,
    /// The square of a pending chain.
    pub chain: Option<Square>,
    /// The plies since the last capture.
    pub captureless: Option<u32>,
}

/// A text that is not a FEN, or a position that `TaflZero` does not know; names the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The board cannot be read.
    #[error("field `ranks`: {}", in_letters_of_fen(_0))]
    Ranks(#[from] SetupError),
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
    /// A position record of `OpenTafl`, whose ranks stand the other way round.
    #[error("field `ranks`: {_0}")]
    Record(#[from] RecordError),
    /// Words follow the last field.
    #[error("more than 6 fields (ranks, last, side, clock, plies, chain)")]
    TooMany,
    /// Something else is said beside the text.
    #[error("field `{field}`: the text says {said}, not {given}")]
    Contradiction {
        /// What both are about.
        field: &'static str,
        /// What the text says.
        said: String,
        /// What is said beside it.
        given: String,
    },
    /// A piece that `TaflZero` does not know.
    #[error("field `ranks`: no letter for the {name} on {1} (TaflZero has soldiers and a king only)", name = .0.name())]
    Piece(Piece, Square),
    /// A chain is pending.
    #[error("field `chain`: cannot represent the chain pending on {0}")]
    Chain(Square),
}

fn in_letters_of_fen(error: &SetupError) -> String {
    match error {
        SetupError::Letter(letter, rank) => {
            format!(
                "{letter:?} in rank {rank} is neither a piece (a or t, c, d or T, n or N, k or K) nor a number"
            )
        }
        other => other.to_string(),
    }
}

impl Fen {
    /// Returns the position with no last move and no plies before it.
    pub const fn of(setup: Setup) -> Self {
        Self {
            setup,
            last_to: None,
            plies: 0,
        }
    }

    /// Reads a position under rules, by which one begins whose text leaves the side to move out.
    ///
    /// # Errors
    /// If the text is no position; whether it can be played under the rules is not asked.
    pub fn read_under(text: &str, rules: &Rules) -> Result<Setup, FenError> {
        Self::read_beside(text, rules, Beside::default())
    }

    /// Reads the same with what is said beside the text.
    ///
    /// # Errors
    /// As [`Self::read_under`], and if the text itself says otherwise.
    pub fn read_beside(text: &str, rules: &Rules, beside: Beside) -> Result<Setup, FenError> {
        let mut setup = text.parse::<Self>()?.setup;
        let text = text.trim_start_matches('\u{feff}').trim();
        let says = |is_it: fn(&str) -> bool| text.split_whitespace().skip(1).any(is_it);
        let says_side = text.contains(':')
            || says(|word| matches!(word, "a" | "attackers" | "d" | "defenders"));
        let says_clock = says(|word| word.parse::<u32>().is_ok());
        let side = agreed("side", says_side.then_some(setup.side), beside.side)?;
        setup.side = match side {
            Some(side) => side,
            None if text.starts_with('/') => setup.side,
            None => rules.ruleset().moves_first,
        };
        setup.chain = agreed("chain", setup.chain, beside.chain)?;
        let said = says_clock.then_some(setup.captureless);
        setup.captureless = agreed("captureless", said, beside.captureless)?.unwrap_or(0);
        Ok(setup)
    }

    /// Returns our own text: the ranks, the side to move, the plies since the last capture where there are any, and the
    /// square of a pending chain. The last move and the plies of the game are left out.
    pub fn to_taflforge(&self) -> String {
        let setup = &self.setup;
        let ranks = setup.to_text(RankOrder::HighestFirst);
        match (setup.captureless, setup.chain) {
            (plies, Some(square)) => format!("{ranks} {} {plies} 0 {square}", setup.side),
            (0, None) => format!("{ranks} {}", setup.side),
            (plies, None) => format!("{ranks} {} {plies}", setup.side),
        }
    }

    /// Returns the five fields that `TaflZero` reads.
    ///
    /// # Errors
    /// If the position has a knight, a commander or a pending chain, or `last_to` lies elsewhere.
    pub fn to_taflzero(&self) -> Result<String, FenError> {
        if let Some(square) = self.setup.chain {
            return Err(FenError::Chain(square));
        }
        for (index, piece) in self.setup.pieces.iter().enumerate() {
            if let Some(piece @ (Piece::Knight | Piece::Commander)) = *piece {
                let square = self.setup.shape.square(index);
                return Err(FenError::Piece(piece, square));
            }
        }
        match self.last_to {
            Some(square) if !self.setup.shape.contains(square) => {
                Err(bad_field("last", &square.to_string(), SQUARE))
            }
            _ => Ok(self.to_string()),
        }
    }
}

/// Writes five fields, and the sixth where a chain is pending.
impl std::fmt::Display for Fen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ranks = self.setup.to_text(RankOrder::HighestFirst);
        let ranks = ranks.replace('t', "a").replace('T', "d");
        let last = self.last_to.map_or("-".to_owned(), |to| to.to_string());
        let side = match self.setup.side {
            Side::Attacker => 'a',
            Side::Defender => 'd',
        };
        let (clock, plies) = (self.setup.captureless, self.plies);
        let ranks = ranks.to_ascii_lowercase();
        write!(f, "{ranks} {last} {side} {clock} {plies}")?;
        self.setup
            .chain
            .map_or(Ok(()), |square| write!(f, " {square}"))
    }
}

const SQUARE: &str = "a square of the board or `-`";

impl std::str::FromStr for Fen {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.starts_with('/') || text.contains(':') {
            return Ok(Self::of(opentafl::read_position(text)?));
        }
        let mut words = text.split_whitespace().peekable();
        let letter = |letter| match letter {
            'a' => Piece::Attacker.letter(),
            'd' => Piece::Defender.letter(),
            'k' => Piece::King.letter(),
            'n' => Piece::Knight.letter(),
            other => other,
        };
        let ranks = words.next().unwrap_or_default();
        let ranks: String = ranks.chars().map(letter).collect();
        let mut setup = Setup::from_text(&ranks, RankOrder::HighestFirst)?;
        let is_last = |word: &&str| *word == "-" || word.parse::<Square>().is_ok();
        let last_to = read_square("last", words.next_if(is_last), &setup)?;
        setup.side = match words.next() {
            None | Some("a" | "attackers") => Side::Attacker,
            Some("d" | "defenders") => Side::Defender,
            Some(word) => {
                return Err(bad_field(
                    "side",
                    word,
                    "`attackers` (`a`) or `defenders` (`d`)",
                ));
            }
        };
        // `Setup` writes the chain before the clock, and no plies.
        let chain = words.next_if(is_last);
        let is_setup = chain.is_some();
        setup.captureless = read_count("clock", words.next())?;
        let plies = match is_setup {
            true => 0,
            false => read_count("plies", words.next())?,
        };
        let chain = chain.or_else(|| words.next().filter(|_| !is_setup));
        setup.chain = read_square("chain", chain, &setup)?;
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

/// Returns what a text says, or what is said beside it.
fn agreed<T: Copy + PartialEq + std::fmt::Display>(
    field: &'static str,
    said: Option<T>,
    given: Option<T>,
) -> Result<Option<T>, FenError> {
    match (said, given) {
        (Some(said), Some(given)) if said != given => Err(FenError::Contradiction {
            field,
            said: said.to_string(),
            given: given.to_string(),
        }),
        _ => Ok(said.or(given)),
    }
}

fn read_square(
    field: &'static str,
    word: Option<&str>,
    setup: &Setup,
) -> Result<Option<Square>, FenError> {
    let Some(word) = word.filter(|word| *word != "-") else {
        return Ok(None);
    };
    let square = word.parse().ok();
    match square.filter(|square| setup.shape.contains(*square)) {
        Some(square) => Ok(Some(square)),
        None => Err(bad_field(field, word, SQUARE)),
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
        text: short(text),
        expected,
    }
}
