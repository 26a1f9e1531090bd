//! Games as aagenielsen.dk writes them: algebraic turns, and lines of four fields.
//!
//! The fields of a line are the plies, the pieces that the attackers captured, those that the
//! defenders captured, and the result: `h1-h3 f8-i8 ... e2-c2xb2,3,9,White`. White are the defenders,
//! Black the attackers. `timeout` may end the plies. A chain is one word, as in [`TurnText`].

use crate::text::listed;
use crate::{
    Bitboard, Disagreement, EndReason, Game, IllegalMove, Move, Outcome, ParseTurnError, Rules,
    Side, TurnText,
};
use std::sync::Arc;

/// One game as recorded; nothing in it is checked against any rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedGame {
    /// The turns, in order.
    pub turns: Vec<TurnText>,
    /// Whether the player to move ran out of time.
    pub timeout: bool,
    /// How many pieces each side captured, by [`Side::index`].
    ///
    /// The site counts a piece twice that was captured custodially and by shieldwall at once.
    pub captures: [u32; 2],
    /// The result.
    pub result: RecordedResult,
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
    const ALL: [Self; 4] = [
        Self::Won(Side::Defender),
        Self::Won(Side::Attacker),
        Self::Draw,
        Self::Ongoing,
    ];

    fn of(outcome: Option<Outcome>) -> Self {
        outcome.map_or(Self::Ongoing, |outcome| {
            outcome.winner.map_or(Self::Draw, Self::Won)
        })
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
    /// A word of the plies, counted from 1, is not a move.
    #[error("field `plies`: number {0}: {1}")]
    Turn(usize, ParseTurnError),
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
    /// Reads the fields of a line; those after the fourth are left aside.
    ///
    /// # Errors
    /// Names the field.
    pub fn read(fields: &[&str]) -> Result<Self, RecordedGameError> {
        let [plies, by_attackers, by_defenders, result, ..] = fields else {
            return Err(RecordedGameError::Fields(fields.len()));
        };
        let result = read_result(result)?;
        let (turns, timeout) = Self::read_turns(plies)?;
        Ok(Self {
            turns,
            timeout,
            captures: [
                read_captures(Side::Attacker, by_attackers)?,
                read_captures(Side::Defender, by_defenders)?,
            ],
            result,
        })
    }

    /// Reads turns separated by spaces, and whether `timeout` ends them.
    ///
    /// # Errors
    /// Names the first word that is not a move.
    pub fn read_turns(text: &str) -> Result<(Vec<TurnText>, bool), RecordedGameError> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let timeout = words.pop_if(|word| *word == "timeout").is_some();
        let turns = (1..).zip(words).map(|(number, word)| {
            let turn = word.parse();
            turn.map_err(|error| RecordedGameError::Turn(number, error))
        });
        Ok((turns.collect::<Result<_, _>>()?, timeout))
    }

    /// Replays the game and returns how it ended on the board, if it did.
    ///
    /// # Errors
    /// If a move is not legal or captures other pieces than recorded, or the board tells another result.
    pub fn replay(&self, rules: &Arc<Rules>) -> Result<Option<EndReason>, Disagreement> {
        let mut game = Game::new(rules.clone());
        for (number, (mv, captured)) in (1..).zip(self.plies()) {
            let before = game.mark();
            let ply = game
                .play(mv)
                .map_err(|error| Disagreement::new(&game, format!("ply {number}: {error}")))?;
            if ply.captured != captured {
                let [found, recorded] = [ply.captured, captured].map(|it| listed(it.squares()));
                game.rewind(&before);
                let text = format!("ply {number}: {mv} captures {found}; recorded is {recorded}");
                return Err(Disagreement::new(&game, text));
            }
        }
        let Some(outcome) = game.outcome() else {
            return Ok(None);
        };
        if RecordedResult::of(Some(outcome)) == self.result {
            return Ok(Some(outcome.reason));
        }
        let recorded = match self.result {
            RecordedResult::Won(side) => format!("{side} win"),
            RecordedResult::Draw => "a draw".to_owned(),
            RecordedResult::Ongoing => "no result".to_owned(),
        };
        let text = format!("the board says {outcome}; recorded is {recorded}");
        Err(Disagreement::new(&game, text))
    }

    /// Returns the record of a game that began from its ruleset's start position.
    ///
    /// A piece captured in two ways at once counts once.
    ///
    /// # Errors
    /// If the game began from another position.
    pub fn of_game(game: &Game) -> Result<Self, RecordedGameError> {
        let mut replayed = Game::new(game.rules().clone());
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
            timeout: false,
            captures,
            result: RecordedResult::of(game.outcome()),
        })
    }

    /// Returns the fields of the line.
    #[must_use]
    pub fn to_fields(&self) -> [String; 4] {
        let [by_attackers, by_defenders] = self.captures;
        [
            self.turns_text(),
            by_attackers.to_string(),
            by_defenders.to_string(),
            self.result.to_string(),
        ]
    }

    /// Returns the first field: the turns, and `timeout` if it ended the game.
    #[must_use]
    pub fn turns_text(&self) -> String {
        let turns = self.turns.iter().map(ToString::to_string);
        let words = turns.chain(self.timeout.then(|| "timeout".to_owned()));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Iterates over the plies of all turns, each with the squares that it captured.
    pub fn plies(&self) -> impl Iterator<Item = (Move, Bitboard)> {
        self.turns
            .iter()
            .flat_map(|turn| turn.plies.iter().copied())
    }
}

fn read_result(text: &str) -> Result<RecordedResult, RecordedGameError> {
    let text = text.trim();
    let found = RecordedResult::ALL.into_iter().find(|r| r.word() == text);
    found.ok_or_else(|| RecordedGameError::Result(text.chars().take(40).collect()))
}

fn read_captures(by: Side, text: &str) -> Result<u32, RecordedGameError> {
    let text = text.trim();
    let bad = |_| RecordedGameError::Captures(by, text.chars().take(40).collect());
    text.parse().map_err(bad)
}
