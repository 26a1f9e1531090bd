//! `OpenTafl` notation: rules records and position records.
//!
//! A rules record is `key:value` words, here in any order: `dim:11 name:Copenhagen atkf:y tfr:i sw:s
//! efe:y start:/3ttttt3/.../`. `start:` lists rank 1 first, `starti:` the highest rank. A key left out
//! has `OpenTafl`'s default. Pieces that do not stand on the start board, and squares that the board
//! does not have, are not asked for. What the keys become is said at [`read_ruleset`]; it was read from
//! the notation's specification and the sources of `OpenTafl` 0.4.8. The notation leaves details open in
//! which `OpenTafl`'s own play differs from spec.md: forts, and how commanders capture.

mod record;
mod rules;
mod squares;

pub use rules::{approximate, read_ruleset, write_ruleset};

use crate::{Piece, RankOrder, RulesetError, Setup, SetupError, Side};
use record::Record;

/// A record that cannot be read, or a ruleset or position that cannot be written as one; names the key or the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A word has no colon.
    #[error("{0:?} is not a key with its value (such as dim:11)")]
    NoKey(String),
    /// `OpenTafl` notation has no such key.
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    /// A key stands twice in the record.
    #[error("key `{0}` is given twice")]
    Repeated(String),
    /// A key without default is left out.
    #[error("key `{0}` is missing")]
    Missing(&'static str),
    /// Two start positions.
    #[error("key `starti`: `start` is given too")]
    TwoStarts,
    /// A value, given or by default, that the key cannot have or no ruleset can represent; what is wrong with it.
    #[error("key `{0}`{1}")]
    Value(&'static str, String),
    /// The start position, `start` or `starti`, cannot be read or played.
    #[error("key `{0}`: {1}")]
    Start(&'static str, SetupError),
    /// Fields of the ruleset or the position with values that no key can represent, and what the notation can represent.
    #[error("{}", fields(_0))]
    NoWords(Vec<(&'static str, &'static str)>),
    /// The ruleset to be written cannot be played.
    #[error("field `{}`: {_0}", _0.field())]
    Ruleset(#[from] RulesetError),
}

fn fields(unsaid: &[(&str, &str)]) -> String {
    let said = unsaid
        .iter()
        .map(|(field, reason)| format!("field `{field}`: {reason}"));
    said.collect::<Vec<_>>().join("; ")
}

/// Reads a position: a position record alone, with rank 1 first and the attackers to move, or a rules
/// record, of which `start` or `starti` gives the board and `atkf` the side to move.
///
/// `OpenTafl` itself hands positions on as rules records. Their other keys are not looked at. What the engines of HTP call
/// `OpenTafl`'s board, with `A`, `D` and `K`, has the highest rank first ([`write_capitals`]).
///
/// # Errors
/// Names the key.
///
/// # Examples
/// ```
/// use tafl_rules::{RankOrder, Side, notation::opentafl};
///
/// let setup = opentafl::read_position("atkf:n starti:/3t3/7/7/3K3/7/7/7/")?;
/// assert_eq!(setup.to_text(RankOrder::HighestFirst), "3t3/7/7/3K3/7/7/7");
/// assert_eq!(setup.side, Side::Defender);
/// # Ok::<(), opentafl::RecordError>(())
/// ```
pub fn read_position(text: &str) -> Result<Setup, RecordError> {
    let text = text.trim();
    if text.starts_with('/') {
        let setup = match text.contains(['A', 'D']) {
            true => Setup::from_text(&of_capitals(text), RankOrder::HighestFirst),
            false => Setup::from_text(text, RankOrder::LowestFirst),
        };
        return setup.map_err(|error| RecordError::Start("start", error));
    }
    let record = Record::read(text)?;
    Ok(record.start()?.with_side(record.side()?))
}

/// Returns a board as `show_board_open_tafl` of HTP has it, the highest rank first: `A`, `D` and `K`, and in Berserk `C` and `N`.
pub fn write_capitals(setup: &Setup) -> String {
    let letter = |letter| match Piece::from_letter(letter) {
        Some(Piece::Attacker) => 'A',
        Some(Piece::Defender) => 'D',
        _ => letter.to_ascii_uppercase(),
    };
    let ranks = setup.to_text(RankOrder::HighestFirst);
    format!("/{}/", ranks.chars().map(letter).collect::<String>())
}

/// Returns such a board in our own letters.
fn of_capitals(text: &str) -> String {
    let letter = |letter| match letter {
        'A' => Piece::Attacker.letter(),
        'C' => Piece::Commander.letter(),
        'D' => Piece::Defender.letter(),
        other => other,
    };
    text.chars().map(letter).collect()
}

/// Returns a position as `atkf` and `start` (lowest rank first) or `starti` (highest first).
///
/// The plies since the last capture have no place in it.
///
/// # Errors
/// If a chain is pending.
pub fn write_position(setup: &Setup, order: RankOrder) -> Result<String, RecordError> {
    if setup.chain.is_some() {
        let reason = "a position record has no place for a pending chain";
        return Err(RecordError::NoWords(vec![("chain", reason)]));
    }
    let first = match setup.side {
        Side::Attacker => "y",
        Side::Defender => "n",
    };
    let key = match order {
        RankOrder::LowestFirst => "start",
        RankOrder::HighestFirst => "starti",
    };
    Ok(format!("atkf:{first} {key}:/{}/", setup.to_text(order)))
}
