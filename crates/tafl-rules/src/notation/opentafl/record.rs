//! A record cut into keys and values, and the values that stand for keys left out.

use super::RecordError;
use crate::text::short;
use crate::{Bitboard, Board, BoardShape, RankOrder, Side, Square};
use std::collections::BTreeMap;

/// The letters of pieces in `OpenTafl`'s order.
pub(super) const EVERYBODY: &str = "tcnkmgTCNKMG";

/// Returns the value that a key of `OpenTafl` 0.4.8 has when it is left out; nothing of an unknown one.
///
/// `dim` must be given, and one of `start` and `starti`.
fn left_out(key: &str) -> Option<&'static str> {
    Some(match key {
        "dim" | "afor" | "dfor" | "start" | "starti" => "",
        "name" => "Unknown_Tafl",
        "surf" | "atkf" | "ka" | "swf" => "y",
        "kj" | "mj" | "gj" | "sw" | "efe" | "linc" | "ber" => "n",
        "esc" | "nj" => "c",
        "tfr" => "d",
        "ks" => "s",
        "cj" => "j",
        "spd" => "-1",
        "cor" | "cen" => "default",
        "corp" | "cors" | "cens" => "K",
        "cenh" | "dforh" => "tcnkmg",
        "aforh" | "dfors" => "TCNKMG",
        "corh" | "cenhe" | "cenp" | "aforp" | "dforp" | "afors" | "corre" | "cenre" | "aforre"
        | "dforre" => EVERYBODY,
        _ => return None,
    })
}

/// What a word means in a ruleset, or why no ruleset can represent it.
pub(super) type Meaning<T> = Result<T, &'static str>;

/// The keys and values of a record; each key known and given at most once.
#[derive(Debug)]
pub(super) struct Record<'a> {
    given: BTreeMap<&'a str, &'a str>,
}

impl<'a> Record<'a> {
    /// Cuts `key:value` words separated by white space, in any order.
    pub(super) fn read(text: &'a str) -> Result<Self, RecordError> {
        let mut given = BTreeMap::new();
        for word in text.split_whitespace() {
            let (key, value) = word
                .split_once(':')
                .ok_or_else(|| RecordError::NoKey(short(word)))?;
            if left_out(key).is_none() {
                return Err(RecordError::UnknownKey(short(key)));
            }
            if given.insert(key, value).is_some() {
                return Err(RecordError::Repeated(short(key)));
            }
        }
        Ok(Self { given })
    }

    pub(super) fn given(&self, key: &'static str) -> Option<&'a str> {
        self.given.get(key).copied()
    }

    /// Returns the value of a key: that given, or that of a key left out.
    pub(super) fn value(&self, key: &'static str) -> &'a str {
        let left_out = || left_out(key).expect("the reader asks for known keys");
        self.given(key).unwrap_or_else(left_out)
    }

    /// Returns the error for a value that `OpenTafl` knows and no ruleset can represent.
    pub(super) fn refuse(&self, key: &'static str, reason: &'static str) -> RecordError {
        let problem = match self.given(key) {
            Some(value) => format!(": {:?} cannot be represented: {reason}", short(value)),
            None => format!(
                " is missing, so it is {:?}, which cannot be represented: {reason}",
                self.value(key)
            ),
        };
        RecordError::Value(key, problem)
    }

    /// Refuses the value of a key unless a condition holds.
    pub(super) fn require(
        &self,
        key: &'static str,
        condition: bool,
        reason: &'static str,
    ) -> Result<(), RecordError> {
        condition
            .then_some(())
            .ok_or_else(|| self.refuse(key, reason))
    }

    pub(super) fn bad_value(&self, key: &'static str, expected: &str) -> RecordError {
        let problem = format!(": {:?} is not {expected}", short(self.value(key)));
        RecordError::Value(key, problem)
    }

    /// Returns what one of a few words means.
    pub(super) fn one_of<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&'static str, Meaning<T>)],
    ) -> Result<T, RecordError> {
        let value = self.value(key);
        match words.iter().find(|(word, _)| *word == value) {
            Some((_, Ok(meaning))) => Ok(*meaning),
            Some((_, Err(reason))) => Err(self.refuse(key, reason)),
            None => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(self.bad_value(key, &format!("one of {}", words.join(", "))))
            }
        }
    }

    pub(super) fn yes(&self, key: &'static str) -> Result<bool, RecordError> {
        self.one_of(key, &[("y", Ok(true)), ("n", Ok(false))])
    }

    /// Returns the letters of a list of pieces.
    pub(super) fn pieces(&self, key: &'static str) -> Result<&'a str, RecordError> {
        let value = self.value(key);
        if value.chars().all(|letter| EVERYBODY.contains(letter)) {
            Ok(value)
        } else {
            Err(self.bad_value(key, &format!("made of the letters {EVERYBODY}")))
        }
    }

    /// Returns the squares of a list in which each may be followed by a comma.
    pub(super) fn squares(
        &self,
        key: &'static str,
        shape: BoardShape,
        default: Bitboard,
    ) -> Result<Bitboard, RecordError> {
        let value = self.value(key);
        if value == "default" {
            return Ok(default);
        }
        let names = value.split(',').filter(|name| !name.is_empty());
        let squares = names.map(|name| name.parse().ok().filter(|s: &Square| shape.contains(*s)));
        let squares: Option<Bitboard> = squares.collect();
        let expected = "squares of the board, each with a comma";
        squares.ok_or_else(|| self.bad_value(key, expected))
    }

    pub(super) fn start(&self) -> Result<Board, RecordError> {
        let (key, text, order) = match (self.given("start"), self.given("starti")) {
            (Some(text), None) => ("start", text, RankOrder::LowestFirst),
            (None, Some(text)) => ("starti", text, RankOrder::HighestFirst),
            (Some(_), Some(_)) => return Err(RecordError::TwoStarts),
            (None, None) => return Err(RecordError::Missing("start")),
        };
        Board::from_text(text, order).map_err(|error| RecordError::Start(key, error))
    }

    pub(super) fn side(&self) -> Result<Side, RecordError> {
        self.one_of(
            "atkf",
            &[("y", Ok(Side::Attacker)), ("n", Ok(Side::Defender))],
        )
    }

    pub(super) fn start_key(&self) -> &'static str {
        match self.given("starti") {
            Some(_) => "starti",
            None => "start",
        }
    }
}
