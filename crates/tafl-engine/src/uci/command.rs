//! Lines of UCI, read.

use crate::Limits;
use crate::setup::EngineSetup;
use std::time::Duration;
use strum::{Display, EnumString, VariantArray};

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Uci,
    IsReady,
    NewGame,
    SetOption(Setting, &'a str),
    Position(Start<'a>, Vec<&'a str>),
    Go(Limits),
    Stop,
    Board,
    Result,
    Quit,
}

/// Where a game begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start<'a> {
    Ruleset,
    Fen(std::borrow::Cow<'a, str>),
}

/// A value that can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(ascii_case_insensitive)]
pub(super) enum Setting {
    Ruleset,
    Variant,
    #[strum(serialize = "MultiPV")]
    MultiPv,
    Hash,
}

impl Setting {
    /// Returns the least and the greatest number.
    const fn range(self) -> [usize; 2] {
        match self {
            Self::MultiPv => [1, 1000],
            _ => [16, 65_536],
        }
    }

    /// Returns the line that reports it.
    pub(super) fn declaration(self, setup: &EngineSetup) -> String {
        let [low, high] = self.range();
        let kind = match self {
            Self::Ruleset => combo(&setup.rules.ruleset().name, &setup.ruleset_names()),
            Self::Variant => {
                let names = super::VARIANTS.map(|row| row.0);
                combo(names[0], &names)
            }
            Self::MultiPv => format!("spin default 1 min {low} max {high}"),
            Self::Hash => format!("spin default {} min {low} max {high}", super::USUAL_MEMORY),
        };
        format!("option name {self} type {kind}")
    }

    /// Reads a number in the option's range.
    pub(super) fn number(self, value: &str) -> Result<usize, String> {
        let [low, high] = self.range();
        let number = value.parse().ok().filter(|n| (low..=high).contains(n));
        number
            .ok_or_else(|| format!("option {self}: {value:?} is not a number from {low} to {high}"))
    }
}

fn combo(default: &str, values: &[&str]) -> String {
    let values: String = values.iter().map(|value| format!(" var {value}")).collect();
    format!("combo default {default}{values}")
}

impl<'a> Command<'a> {
    /// Reads a line; nothing of an empty one.
    pub(super) fn read(line: &'a str) -> Result<Option<Self>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&first, rest)) = words.split_first() else {
            return Ok(None);
        };
        let plain = |command| {
            if rest.is_empty() {
                Ok(command)
            } else {
                Err(format!("`{first}` takes no arguments"))
            }
        };
        let command = match first {
            "uci" => plain(Self::Uci),
            "isready" => plain(Self::IsReady),
            "ucinewgame" => plain(Self::NewGame),
            "stop" => plain(Self::Stop),
            "board" | "d" => plain(Self::Board),
            "result" => plain(Self::Result),
            "quit" => plain(Self::Quit),
            "setoption" => read_option(rest, line),
            "position" => read_position(rest),
            "go" => read_limits(rest).map(Self::Go),
            _ => Err(format!("unknown command {:?}", shortened(first))),
        };
        command.map(Some)
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

fn read_option<'a>(words: &[&'a str], line: &'a str) -> Result<Command<'a>, String> {
    let ["name", name, "value", value, ..] = words else {
        return Err("setoption: expected `setoption name NAME value VALUE`".to_owned());
    };
    let option: Result<Setting, _> = name.parse();
    let option = option.map_err(|_| format!("setoption: no option {:?}", shortened(name)))?;
    // A path may hold spaces: the value is all the rest of the line.
    let start = value.as_ptr().addr() - line.as_ptr().addr();
    Ok(Command::SetOption(option, line[start..].trim_end()))
}

fn read_position<'a>(words: &[&'a str]) -> Result<Command<'a>, String> {
    let cut = words.iter().position(|&word| word == "moves");
    let (start, moves) = match cut {
        Some(index) => (&words[..index], words[index + 1..].to_vec()),
        None => (words, Vec::new()),
    };
    let start = match start {
        ["startpos"] => Start::Ruleset,
        ["fen", fen @ ..] if !fen.is_empty() => Start::Fen(fen.join(" ").into()),
        _ => {
            let usage = "position: expected `startpos` or `fen FEN`, then `moves MOVE ...`";
            return Err(usage.to_owned());
        }
    };
    Ok(Command::Position(start, moves))
}

fn read_limits(words: &[&str]) -> Result<Limits, String> {
    let mut limits = Limits::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut number = |least: u32| {
            let text = words.next().copied().unwrap_or_default();
            let number = text.parse().ok().filter(|&number: &u32| number >= least);
            number.ok_or_else(|| {
                let (text, most) = (shortened(text), u32::MAX);
                format!("go {word}: {text:?} is not a number from {least} to {most}")
            })
        };
        match word {
            "nodes" => limits.nodes = Some(number(1)?),
            "movetime" => limits.movetime = Some(Duration::from_millis(number(1)?.into())),
            "depth" => limits.depth = Some(number(1)? as usize),
            "infinite" => limits.infinite = true,
            _ => {
                let word = shortened(word);
                let known = "nodes, movetime, depth, infinite";
                return Err(format!("go: {word:?} is not one of {known}"));
            }
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Command<'_> {
        Command::read(line).expect("sound").expect("a command")
    }

    #[test]
    fn lines_are_read_whatever_the_space_between_their_words() {
        assert_eq!(read("  isready\t"), Command::IsReady);
        let limits = Limits {
            nodes: Some(100),
            movetime: Some(Duration::from_millis(5)),
            ..Limits::default()
        };
        assert_eq!(read("go nodes 100  movetime 5"), Command::Go(limits));
        assert_eq!(read("go"), Command::Go(Limits::default()));
        let start = Start::Fen("7/7 - a".into());
        let moves = vec!["a1a2", "end"];
        assert_eq!(
            read("position fen 7/7 -  a moves a1a2 end"),
            Command::Position(start, moves)
        );
        let path = "setoption name ruleset value my rules/one.toml ";
        assert_eq!(
            read(path),
            Command::SetOption(Setting::Ruleset, "my rules/one.toml")
        );
        assert_eq!(Command::read(" "), Ok(None));
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let fault = |line| Command::read(line).expect_err("it is wrong");
        assert_eq!(fault("hello"), "unknown command \"hello\"");
        assert_eq!(fault("stop now"), "`stop` takes no arguments");
        assert!(fault("go nodes").starts_with("go nodes: \"\" is not a number from 1"));
        assert!(fault("go nodes 0").contains("\"0\" is not a number"));
        assert!(fault("go movetime -3").contains("\"-3\" is not a number"));
        assert!(fault("go wtime 3").starts_with("go: \"wtime\" is not one of"));
        assert!(fault("position moves a1a2").starts_with("position: expected"));
        assert!(fault("position fen").starts_with("position: expected"));
        assert!(fault("setoption name Threads value 2").contains("no option \"Threads\""));
        assert!(fault("setoption MultiPV 3").starts_with("setoption: expected"));
    }
}
