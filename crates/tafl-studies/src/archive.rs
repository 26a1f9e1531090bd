//! Archives of games between people: a JSON object a line.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::io::{BufRead, Read};
use tafl_arena::PeopleEnd;
use tafl_rules::Side;

/// The longest line of an archive, in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// Why an archive is not read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// A line is no game.
    #[error("line {line}: {reason}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is compressed.
    #[error("the file is compressed")]
    Compressed,
    /// No variant has enough games.
    #[error("no variant has {0} games that count")]
    TooFew(u64),
}

/// A finished game of an archive.
#[derive(Debug, Clone, Deserialize)]
pub struct ArchivedGame {
    /// The variant's number.
    #[serde(rename = "type")]
    pub number: u32,
    /// The moves as aagenielsen.dk writes them, separated by blanks; the last word may be `resigned` or `timeout`.
    pub moves: String,
    /// The side that won, nothing for a draw.
    #[serde(deserialize_with = "winner")]
    pub winner: Option<Side>,
    /// How it ended.
    #[serde(deserialize_with = "end")]
    pub end: PeopleEnd,
    /// The variant's name.
    pub name: Option<String>,
    /// Who attacked, as a number.
    pub attackers: Option<u32>,
    /// Who defended, as a number.
    pub defenders: Option<u32>,
    /// The attackers' rating.
    pub attackers_rating: Option<f64>,
    /// The defenders' rating.
    pub defenders_rating: Option<f64>,
    attackers_lost: Option<u32>,
    defenders_lost: Option<u32>,
}

fn winner<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Side>, D::Error> {
    match &*String::deserialize(from)? {
        "attackers" => Ok(Some(Side::Attacker)),
        "defenders" => Ok(Some(Side::Defender)),
        "draw" => Ok(None),
        word => Err(D::Error::custom(format!(
            "field `winner`: {word:?} is not attackers, defenders or draw"
        ))),
    }
}

fn end<'de, D: Deserializer<'de>>(from: D) -> Result<PeopleEnd, D::Error> {
    match &*String::deserialize(from)? {
        "played" => Ok(PeopleEnd::Played),
        "resigned" => Ok(PeopleEnd::Resigned),
        "timeout" => Ok(PeopleEnd::Timeout),
        word => Err(D::Error::custom(format!(
            "field `end`: {word:?} is not played, resigned or timeout"
        ))),
    }
}

impl ArchivedGame {
    /// Returns the game as a line of aagenielsen.dk.
    pub fn line(&self) -> String {
        let moves = self.moves.trim_end();
        let end = match self.end {
            PeopleEnd::Played => "",
            PeopleEnd::Resigned => "resigned",
            PeopleEnd::Timeout => "timeout",
        };
        let end = if moves.ends_with(end) { "" } else { end };
        let result = match self.winner {
            Some(Side::Attacker) => "Black",
            Some(Side::Defender) => "White",
            None => "Draw",
        };
        let lost = |pieces: Option<u32>| pieces.unwrap_or_default();
        let (by_attackers, by_defenders) = (lost(self.defenders_lost), lost(self.attackers_lost));
        format!("{moves} {end},{by_attackers},{by_defenders},{result}")
    }
}

/// Reads an archive and hands on each game with the number of its line, from 1. Empty lines and further fields are passed over.
///
/// # Errors
/// If a line is no game, or what takes them fails.
pub fn read_archive(
    mut archive: impl BufRead,
    mut take: impl FnMut(usize, ArchivedGame) -> Result<(), ArchiveError>,
) -> Result<(), ArchiveError> {
    let mut bytes = Vec::new();
    for line in 1.. {
        let fault = |reason: String| ArchiveError::Line { line, reason };
        bytes.clear();
        let mut rest = Read::take(&mut archive, LONGEST_LINE as u64 + 1);
        let read = rest.read_until(b'\n', &mut bytes);
        if read.map_err(|error| fault(error.to_string()))? == 0 {
            break;
        }
        if line == 1 && is_compressed(&bytes) {
            return Err(ArchiveError::Compressed);
        }
        if bytes.len() > LONGEST_LINE {
            return Err(fault(format!("longer than {LONGEST_LINE} bytes")));
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        if !text.trim_ascii().is_empty() {
            let game = serde_json::from_slice(text);
            take(line, game.map_err(|error| fault(reason(&error)))?)?;
        }
    }
    Ok(())
}

/// Returns whether bytes begin as files of xz, gzip, zstd or bzip2 do.
fn is_compressed(bytes: &[u8]) -> bool {
    let beginnings: [&[u8]; 4] = [b"\xfd7zXZ", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh"];
    beginnings.iter().any(|it| bytes.starts_with(it))
}

/// Returns an error of a line without the place, which would be that within the line.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}
