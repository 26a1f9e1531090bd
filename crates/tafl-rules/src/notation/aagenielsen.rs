//! Games as aagenielsen.dk writes them: algebraic turns, and lines of four fields.
//!
//! The fields of a line are the plies, the pieces that the attackers captured, those that the
//! defenders captured, and the result: `h1-h3 f8-i8 ... e2-c2xb2,3,9,White`. White are the defenders,
//! Black the attackers. `timeout` or `resigned` may end the plies. A chain is one word, as in [`TurnText`]; the site's own
//! are several, or its first and last square with all that it captured.

use super::words::{OffBoard, Words, WordsError};
use crate::text::short;
use crate::{Bitboard, Game, IllegalMove, Move, Outcome, Side, TurnText};

/// One game as recorded; nothing in it is checked against any rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedGame {
    /// The turns, in order.
    pub turns: Vec<TurnText>,
    /// How many turns come first without a hyphen: old lines, which name no captures there.
    pub bare: usize,
    /// How the game ended away from the board, if a word says so.
    pub end: Option<OffBoard>,
    /// How many pieces each side captured, by [`Side::index`], where the text counts them.
    ///
    /// The site counts a piece twice that was captured custodially and by shieldwall at once.
    pub captures: Option<[u32; 2]>,
    /// The result.
    pub result: RecordedResult,
    /// `1-0` or `0-1` where there is no result else, which are no result either: programs do not agree on whose they are.
    pub score: Option<&'static str>,
}

/// How a recorded game ended, on the board or otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedResult {
    /// One side won.
    Won(Side),
    /// A draw.
    Draw,
    /// The game was not finished.
    Ongoing,
}

impl RecordedResult {
    pub(super) fn of(outcome: Option<Outcome>) -> Self {
        outcome.map_or(Self::Ongoing, |outcome| {
            outcome.winner.map_or(Self::Draw, Self::Won)
        })
    }

    /// Reads the word of a line, in capitals or not.
    pub(super) fn read(text: &str) -> Result<Self, RecordedGameError> {
        let text = text.trim();
        let bad = || RecordedGameError::Result(short(text));
        Self::of_word(text).ok_or_else(bad)
    }

    /// Returns the result that a word says; one for a side is that it won.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        match &*word.to_lowercase() {
            "white" | "defenders" | "defender" => Some(Self::Won(Side::Defender)),
            "black" | "attackers" | "attacker" => Some(Self::Won(Side::Attacker)),
            "draw" | "drawn" | "remis" | "1/2-1/2" | "½-½" | "0.5-0.5" => Some(Self::Draw),
            "ongoing" | "unfinished" | "*" => Some(Self::Ongoing),
            _ => None,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Won(Side::Defender) => "White",
            Self::Won(Side::Attacker) => "Black",
            Self::Draw => "Draw",
            Self::Ongoing => "Ongoing",
        }
    }
}

impl std::fmt::Display for RecordedResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// A line that records no game, or a game that has no line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordedGameError {
    /// A line has four fields.
    #[error("{0} fields instead of 4")]
    Fields(usize),
    /// The plies cannot be read.
    #[error("field `plies`: {0}")]
    Words(#[from] WordsError),
    /// The number of pieces that a side captured is not a number.
    #[error("field `captures by {0}`: {1:?} is not a number of pieces")]
    Captures(Side, String),
    /// The result is none of the four words.
    #[error("field `result`: {0:?} is not White, Black, Draw or Ongoing")]
    Result(String),
    /// The game began elsewhere; a line has no place for its first position.
    #[error("the game did not begin from the start position of its ruleset")]
    OtherStart,
}

impl RecordedGame {
    /// Returns the main line of a text that has no counts.
    pub(super) fn of_words(words: &Words) -> Self {
        Self {
            turns: words.turns(),
            bare: words.bare,
            end: words.end,
            captures: None,
            result: words.result.unwrap_or(RecordedResult::Ongoing),
            score: words.score.filter(|_| words.result.is_none()),
        }
    }

    /// Returns whether nothing is captured in a turn, counted from 0, where no capture is written.
    pub(super) fn is_strict(&self, turn: usize) -> bool {
        self.captures.is_some() && turn >= self.bare
    }

    /// Returns the record of a game that began from its ruleset's start position.
    ///
    /// A piece captured in two ways at once counts once.
    ///
    /// # Errors
    /// If the game began from another position.
    pub fn of_game(game: &Game) -> Result<Self, RecordedGameError> {
        Self::of_game_from(Game::new(game.rules().clone()), game)
    }

    /// Returns the record of a game that went on from `start`, which has no moves.
    ///
    /// # Errors
    /// If it did not.
    pub fn of_game_from(start: Game, game: &Game) -> Result<Self, RecordedGameError> {
        let mut replayed = start;
        let mut turns: Vec<TurnText> = Vec::new();
        let mut captures = [0; 2];
        for mv in game.moves() {
            let side = replayed.position().side();
            let goes_on = replayed.position().chain().is_some();
            let ply = replayed
                .play(*mv)
                .map_err(|_: IllegalMove| RecordedGameError::OtherStart)?;
            captures[side.index()] += ply.captured.count();
            match turns.last_mut().filter(|_| goes_on) {
                Some(turn) => turn.plies.push((*mv, ply.captured)),
                None => turns.push(TurnText {
                    plies: vec![(*mv, ply.captured)],
                }),
            }
        }
        if replayed.position() != game.position() {
            return Err(RecordedGameError::OtherStart);
        }
        Ok(Self {
            turns,
            bare: 0,
            end: None,
            captures: Some(captures),
            result: RecordedResult::of(game.outcome()),
            score: None,
        })
    }

    /// Returns the fields of the line; turns that name no captures stay without a hyphen.
    pub fn to_fields(&self) -> [String; 4] {
        let [by_attackers, by_defenders] = self.captures.unwrap_or_default();
        let text = self.turns_text();
        let words = text.split(' ').enumerate();
        let words = words.map(|(turn, word)| match turn < self.bare {
            true => word.replace('-', ""),
            false => word.to_owned(),
        });
        [
            words.collect::<Vec<_>>().join(" "),
            by_attackers.to_string(),
            by_defenders.to_string(),
            self.result.to_string(),
        ]
    }

    /// Returns the first field: the turns, and what ended the game away from the board.
    pub fn turns_text(&self) -> String {
        let turns = self.turns.iter().map(ToString::to_string);
        let ends = [self.end.map(OffBoard::word), self.score];
        let words = turns.chain(ends.into_iter().flatten().map(str::to_owned));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns how the game ended by the record, if it was not on the board: `game` is what its plies came to.
    pub fn ending(&self, game: &Game) -> Option<String> {
        if game.outcome().is_some() {
            return None;
        }
        let loser = match self.result {
            RecordedResult::Won(side) => side.opponent(),
            _ => game.position().side(),
        };
        match (self.end, self.result) {
            // It tells another loser than the turn may.
            (_, RecordedResult::Ongoing) if self.score.is_some() => self.score.map(|score| {
                format!("{score}, and programs do not agree whose win that is: White (defenders) or Black in its place tells it")
            }),
            // Whatever ended it, nobody won.
            (_, RecordedResult::Draw) => Some("a draw, as recorded".to_owned()),
            (Some(end), RecordedResult::Ongoing) if game.position().chain().is_some() => Some(format!(
                "{}, and whose turn it was is not clear: the capture before could go on, and no `end` stands behind it",
                end.word()
            )),
            (Some(OffBoard::Resigned), _) => Some(format!("{loser} resigned")),
            (Some(OffBoard::Timeout), _) => Some(format!("{loser} lost on time")),
            (None, RecordedResult::Won(side)) => Some(format!("{side} won, as recorded")),
            (None, RecordedResult::Ongoing) => None,
        }
    }

    /// Returns who won, on the board, by the record, or because the other side gave up or ran out of time: `game` is what the
    /// plies came to.
    pub fn winner(&self, game: &Game) -> Option<Side> {
        match (game.outcome(), self.result) {
            (Some(outcome), _) => outcome.winner,
            (None, RecordedResult::Won(side)) => Some(side),
            (None, RecordedResult::Ongoing) => {
                let is_clear = self.score.is_none() && game.position().chain().is_none();
                self.end
                    .filter(|_| is_clear)
                    .map(|_| game.position().side().opponent())
            }
            (None, RecordedResult::Draw) => None,
        }
    }

    /// Iterates over the plies of all turns, each with the squares that it captured.
    pub fn plies(&self) -> impl Iterator<Item = (Move, Bitboard)> {
        self.turns
            .iter()
            .flat_map(|turn| turn.plies.iter().copied())
    }
}

pub(super) fn read_captures(by: Side, text: &str) -> Result<u32, RecordedGameError> {
    let text = text.trim();
    let bad = |_| RecordedGameError::Captures(by, short(text));
    text.parse().map_err(bad)
}
