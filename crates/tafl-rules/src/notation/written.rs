//! A game as a text tells it, or why the text is none.

use super::aagenielsen::{RecordedGame, RecordedGameError};
use super::own::OwnRules;
use super::words::{Words, WordsError};

/// A game of a text; nothing in it is checked against any rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenGame {
    /// The ruleset that the text names: in a tag, a line, a column, a comment or a heading, also one that is not known.
    pub ruleset: Option<String>,
    /// The rules that stand above the game.
    pub own: Option<OwnRules>,
    /// The first position that the text gives, in our own text.
    pub position: Option<String>,
    /// The plies, those of variations included.
    pub words: Words,
    /// How many pieces each side captured, where the text counts them.
    pub captures: Option<[u32; 2]>,
}

/// A text that is no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrittenGameError {
    /// A line of fields.
    #[error(transparent)]
    Line(#[from] RecordedGameError),
    /// A list of turns.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// A line without a move that is no title.
    #[error("{0}; behind a `#` such a line is a comment")]
    Title(WordsError),
    /// A game with tags; which one, and what is wrong.
    #[error("this is a {0}: {1}")]
    Tagged(&'static str, WordsError),
    /// A tag that stands twice, with two values.
    #[error("two tags `{0}` of one game differ")]
    Tags(&'static str),
    /// It may be several games; at which line another may begin.
    #[error(
        "it is not clear whether line {0} goes on with the game or begins another: number the turns, or put a line `---` between games and nothing between turns of one"
    )]
    Border(usize),
    /// A line that may say in other words than are known how a game ended, or its rules.
    #[error(
        "how a game ended is said below its turns by White (or defenders), Black (or attackers) or Draw, a side with `won`, or the one that lost with `resigned` or `timeout`, rules are said above them by a line `ruleset: NAME`; not by {0:?}, which is a comment only behind a `#`"
    )]
    End(String),
    /// A tag that says in other words than are known how a game ended; its key and its value.
    #[error(
        "tag `{0}`: {1:?} does not say which side won, and nothing else does; White (or defenders), Black (or attackers) or Draw in a tag `Result` says it"
    )]
    EndTag(String, String),
    /// A line by which White attack, where a color tells who won.
    #[error(
        "by {0:?} White are the attackers, but here Black attack and White defend: let `attackers` and `defenders` tell who won"
    )]
    Colors(String),
    /// A line below the last game that says something of games below it.
    #[error("{0:?} holds for games below it, and there is none")]
    NoGame(String),
    /// The names of the columns do not fit: a name, or what is missing.
    #[error("the line that names the columns: {0}")]
    Columns(String),
    /// A format that is not read.
    #[error(
        "this is {0}; read are lines of aagenielsen.dk, lists of turns, PGN with squares such as `h1h3`, OpenTafl's .otg and this program's Parquet"
    )]
    Unread(&'static str),
}

impl WrittenGame {
    /// Returns a game without plies under the rules of a text, which has their name, the fields of a file or a record.
    pub fn under(rules: &str) -> Self {
        let mut game = Self::default();
        let rules = rules.to_owned();
        match () {
            () if rules.starts_with('{') => game.own = Some(OwnRules::Fields(rules)),
            () if rules.contains("dim:") => game.own = Some(OwnRules::Record(rules)),
            () => game.ruleset = Some(rules),
        }
        game
    }

    /// Returns whether the text says under which rules it was played.
    pub const fn has_rules(&self) -> bool {
        self.ruleset.is_some() || self.own.is_some()
    }

    /// Returns the main line.
    pub fn recorded(&self) -> RecordedGame {
        RecordedGame {
            captures: self.captures,
            ..RecordedGame::of_words(&self.words)
        }
    }
}
