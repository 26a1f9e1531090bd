//! Lines of HTP, read.

use super::play::{read_role, read_squares};
use crate::notation::{shortened, square};
use std::time::Duration;
use strum::{EnumString, VariantNames};
use tafl_rules::{Move, Side, Square};

/// What hnefatafl-copenhagen 6.4 calls the version of the protocol.
pub(super) const PROTOCOL_VERSION: &str = "1-beta";

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    BoardSize(u8),
    FirstMove(Side),
    IsKnown(&'a str),
    /// A ply, or nothing of a side that resigns.
    Play(Side, Option<Move>),
    PlayTo(Side, Square),
    Ruleset(Option<&'a str>),
    /// Time of each side, and what is added after each turn; nothing for play without clocks.
    TimeSettings(Option<(Duration, Duration)>),
    Plain(Plain),
}

/// A command that is one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Plain {
    FinalStatus,
    GenerateMove,
    ListCommands,
    Name,
    PlayFrom,
    PlayUndo,
    ProtocolVersion,
    Quit,
    ShowBoard,
    ShowBoardOpenTafl,
    Version,
}

/// Commands that take words, and which; `ruleset` is our own.
const WITH_WORDS: [(&str, &str); 7] = [
    ("board_size", "7, 9 or 11"),
    ("first_move", "ROLE"),
    ("known_command", "COMMAND"),
    ("play", "ROLE FROM TO, ROLE end or ROLE resigns"),
    ("play_to", "ROLE FROM"),
    ("ruleset", "NAME, or nothing"),
    ("time_settings", "un-timed, or fischer MINUTES ADD_SECONDS"),
];

/// Returns the names of all commands, sorted.
pub(super) fn commands() -> Vec<&'static str> {
    let with_words = WITH_WORDS.iter().map(|(name, _)| *name);
    let mut names: Vec<_> = with_words.chain(Plain::VARIANTS.iter().copied()).collect();
    names.sort_unstable();
    names
}

/// The longest time that a clock may show, in minutes: a year.
const MOST_MINUTES: u64 = 525_600;

impl<'a> Command<'a> {
    /// Returns whether it asks for something of the present game or its rules, or changes it.
    pub(super) const fn is_of_the_game(&self) -> bool {
        match self {
            Self::FirstMove(_) | Self::Play(..) | Self::PlayTo(..) | Self::Ruleset(None) => true,
            Self::Plain(plain) => matches!(
                plain,
                Plain::FinalStatus
                    | Plain::GenerateMove
                    | Plain::PlayFrom
                    | Plain::PlayUndo
                    | Plain::ShowBoard
                    | Plain::ShowBoardOpenTafl
            ),
            _ => false,
        }
    }

    /// Reads a line without its comment; nothing of an empty one.
    pub(super) fn read(line: &'a str) -> Result<Option<Self>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&first, rest)) = words.split_first() else {
            return Ok(None);
        };
        let Some((_, usage)) = WITH_WORDS.iter().find(|(name, _)| *name == first) else {
            let plain: Result<Plain, _> = first.parse();
            let plain =
                plain.map_err(|_| format!("unrecognized command: {:?}", shortened(first)))?;
            if rest.is_empty() {
                return Ok(Some(Self::Plain(plain)));
            }
            return Err(format!("{first} takes no arguments"));
        };
        let command = Self::with_words(first, rest);
        let command = command.ok_or_else(|| {
            let wrong = no_square(first, rest).map_or_else(String::new, |word| {
                format!("{:?} is no square; ", shortened(word))
            });
            format!("{wrong}expected: {first} {usage}")
        })?;
        Ok(Some(command))
    }

    /// Reads a command that takes words.
    fn with_words(first: &str, words: &[&'a str]) -> Option<Self> {
        Some(match (first, words) {
            ("board_size", [size]) => Self::BoardSize(size.parse().ok()?),
            ("first_move", [role]) => Self::FirstMove(read_role(role)?),
            ("known_command", [name]) => Self::IsKnown(name),
            ("play", [role, rest @ ..]) => Self::Play(read_role(role)?, read_squares(rest)?),
            ("play_to", [role, from]) => Self::PlayTo(read_role(role)?, square(from)?),
            ("ruleset", []) => Self::Ruleset(None),
            ("ruleset", [name]) => Self::Ruleset(Some(name)),
            ("time_settings", words) => Self::TimeSettings(read_time(words)?),
            _ => return None,
        })
    }
}

/// Returns the first word of a ply that should be a square and is none.
fn no_square<'a>(first: &str, words: &[&'a str]) -> Option<&'a str> {
    let squares = match (first, words) {
        ("play", [_, squares @ ..]) if squares.len() == 2 => squares,
        ("play_to", [_, squares @ ..]) if squares.len() == 1 => squares,
        _ => return None,
    };
    squares.iter().copied().find(|it| square(it).is_none())
}

fn read_time(words: &[&str]) -> Option<Option<(Duration, Duration)>> {
    match words {
        // hnefatafl-copenhagen writes un-timed play as `un-timed _ _`.
        ["un-timed"] | ["un-timed", "_", "_"] => Some(None),
        ["fischer", minutes, seconds] => {
            let within = |text: &str, most: u64| text.parse().ok().filter(|&n: &u64| n <= most);
            let minutes = within(minutes, MOST_MINUTES).filter(|&n| n > 0)?;
            let seconds = within(seconds, 60 * MOST_MINUTES)?;
            let left = Duration::from_secs(60 * minutes);
            Some(Some((left, Duration::from_secs(seconds))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Command<'_> {
        Command::read(line).expect("sound").expect("a command")
    }

    #[test]
    fn lines_are_read() {
        let mv = "a4-a7".parse().expect("a move");
        assert_eq!(
            read("play A A4 a7"),
            Command::Play(Side::Attacker, Some(mv))
        );
        assert_eq!(
            read("play d end"),
            Command::Play(Side::Defender, Some(Move::END))
        );
        assert_eq!(
            read("play defender resigns _"),
            Command::Play(Side::Defender, None)
        );
        let fischer = Some((Duration::from_secs(900), Duration::from_secs(10)));
        assert_eq!(
            read("time_settings fischer 15 10"),
            Command::TimeSettings(fischer)
        );
        assert_eq!(read("time_settings un-timed"), Command::TimeSettings(None));
        assert_eq!(read("ruleset brandubh"), Command::Ruleset(Some("brandubh")));
        assert_eq!(Command::read("  "), Ok(None));
    }

    #[test]
    fn every_command_in_the_list_is_known_and_no_other() {
        for name in commands() {
            let fault = Command::read(name).err().unwrap_or_default();
            assert!(!fault.starts_with("unrecognized"), "{name}");
        }
        let fault = |line| Command::read(line).expect_err("it is wrong");
        assert_eq!(fault("hello"), "unrecognized command: \"hello\"");
        assert_eq!(fault("name it"), "name takes no arguments");
        assert!(fault("play x a1 a2").starts_with("expected: play ROLE FROM TO"));
        let square = "\"z9\" is no square; expected: play";
        for line in ["play attacker z9 a1", "play a a1 z9", "play_to a z9"] {
            assert!(fault(line).starts_with(square), "{line}");
        }
        assert!(fault("board_size x").starts_with("expected: board_size"));
        assert!(fault("time_settings fischer 0 1").starts_with("expected: time_settings"));
    }
}
