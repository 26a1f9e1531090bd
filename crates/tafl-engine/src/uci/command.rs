//! Lines of UCI, read.

use super::go::Go;
use crate::notation::shortened;
use crate::setup::EngineSetup;
use strum::{Display, EnumString, VariantArray};

/// What a line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Uci,
    IsReady,
    NewGame,
    SetOption(Setting, &'a str),
    Position(Start<'a>, Vec<&'a str>),
    Go(Go<'a>),
    PonderHit,
    Stop,
    Board,
    Result,
    Quit,
    /// It changes nothing here.
    PassedOver,
}

/// Where a game begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Start<'a> {
    Ruleset,
    Fen(std::borrow::Cow<'a, str>),
    /// The line names none.
    Unread,
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
    Ponder,
}

impl Setting {
    /// Returns the least and the greatest number.
    const fn range(self) -> [usize; 2] {
        match self {
            Self::MultiPv => [1, 1000],
            _ => [16, 65_536],
        }
    }

    /// Returns the line that reports it; nothing where it has no values.
    pub(super) fn declaration(self, setup: &EngineSetup) -> Option<String> {
        let [low, high] = self.range();
        let rulesets = setup.offers().map(|rules| &*rules.ruleset().name);
        let kind = match self {
            Self::Ruleset => combo(rulesets)?,
            Self::Variant => combo(rulesets.filter_map(super::taflzero_variant))?,
            Self::MultiPv => format!("spin default 1 min {low} max {high}"),
            Self::Hash => format!("spin default {} min {low} max {high}", super::USUAL_MEMORY),
            Self::Ponder => "check default false".to_owned(),
        };
        Some(format!("option name {self} type {kind}"))
    }

    /// Reads a number in the option's range.
    pub(super) fn number(self, value: &str) -> Result<usize, String> {
        let [low, high] = self.range();
        let number = value.parse().ok().filter(|n| (low..=high).contains(n));
        number
            .ok_or_else(|| format!("option {self}: {value:?} is not a number from {low} to {high}"))
    }
}

/// Returns a choice of values, of which the first is in force.
fn combo<'a>(values: impl Iterator<Item = &'a str>) -> Option<String> {
    let values: Vec<&str> = values.collect();
    let default = values.first()?;
    Some(format!(
        "combo default {default} var {}",
        values.join(" var ")
    ))
}

impl<'a> Command<'a> {
    /// Reads a line from its first word that is a command; nothing of an empty one.
    pub(super) fn read(line: &'a str) -> Result<Option<Self>, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = words.first() else {
            return Ok(None);
        };
        let commands = (0..words.len()).map(|from| Self::of(&words[from..], line));
        let unknown = || Err(format!("unknown command {:?}", shortened(first)));
        commands.flatten().next().unwrap_or_else(unknown).map(Some)
    }

    /// Reads words of which the first is a command; words after one that takes none are passed over.
    fn of(words: &[&'a str], line: &'a str) -> Option<Result<Self, String>> {
        let (first, rest) = words.split_first()?;
        Some(Ok(match *first {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "ponderhit" => Self::PonderHit,
            "stop" => Self::Stop,
            "board" | "d" => Self::Board,
            "result" => Self::Result,
            "quit" => Self::Quit,
            "debug" | "register" => Self::PassedOver,
            "go" => Self::Go(Go::read(rest)),
            "setoption" => return Some(read_option(rest, line)),
            "position" => read_position(rest),
            _ => return None,
        }))
    }
}

fn read_option<'a>(words: &[&'a str], line: &'a str) -> Result<Command<'a>, String> {
    let mut parts = words.splitn(2, |&word| word == "value");
    let (Some(["name", name @ ..]), value) = (parts.next(), parts.next().unwrap_or_default())
    else {
        return Err("setoption: expected `setoption name NAME value VALUE`".to_owned());
    };
    let name = name.join(" ");
    let option: Result<Setting, _> = name.parse();
    let option = option.map_err(|_| format!("setoption: no option {:?}", shortened(&name)))?;
    let value = value.first();
    let value = value.ok_or_else(|| format!("option {option}: it has no value in this line"))?;
    // A path may hold spaces: the value is all the rest of the line.
    let start = value.as_ptr().addr() - line.as_ptr().addr();
    Ok(Command::SetOption(option, line[start..].trim_end()))
}

fn read_position<'a>(words: &[&'a str]) -> Command<'a> {
    let cut = words.iter().position(|&word| word == "moves");
    let (start, moves) = match cut {
        Some(index) => (&words[..index], words[index + 1..].to_vec()),
        None => (words, Vec::new()),
    };
    let start = match start {
        ["startpos"] => Start::Ruleset,
        ["fen", fen @ ..] if !fen.is_empty() => Start::Fen(fen.join(" ").into()),
        _ => Start::Unread,
    };
    Command::Position(start, moves)
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
    fn unknown_words_are_passed_over() {
        assert_eq!(read("please stop now"), Command::Stop);
        assert_eq!(read("isready 1"), Command::IsReady);
        assert_eq!(read("debug on"), Command::PassedOver);
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let fault = |line| Command::read(line).expect_err("it is wrong");
        assert_eq!(fault("hello world"), "unknown command \"hello\"");
        assert!(fault("setoption name Threads value 2").contains("no option \"Threads\""));
        assert!(fault("setoption MultiPV 3").starts_with("setoption: expected"));
        assert_eq!(
            fault("setoption name Clear Hash"),
            "setoption: no option \"Clear Hash\""
        );
    }
}
