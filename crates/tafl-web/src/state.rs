//! A game as the page draws it, ply by ply.

use crate::EngineError;
use crate::ruleset::rules_of;
use crate::why::why;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Bitboard, Game, Move, Position, RankOrder, Rules, Setup, Side, TurnText};

/// A game: its rules, its first position where that is not the ruleset's, and its plies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameText {
    /// A preset's name, or the fields of a file.
    pub(crate) ruleset: Value,
    /// A position: ranks, side to move, plies since the last capture, and what else a FEN says.
    #[serde(default)]
    pub(crate) start: Option<String>,
    /// Plies, such as `f6-f9` or `end`.
    #[serde(default)]
    pub(crate) moves: Vec<String>,
}

/// A position of a game, and the ply that led there. Squares are numbered rank * size + file from a1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct State {
    /// Ranks separated by slashes, the highest first.
    board: String,
    /// The side to move.
    side: Side,
    /// The square of the piece that may go on capturing.
    chain: Option<usize>,
    /// The ply with its captures, such as `f6-f9xf8`; empty in the first position.
    text: String,
    from: Option<usize>,
    to: Option<usize>,
    /// Who played the ply.
    mover: Option<Side>,
    /// Whether the ply goes on with a chain.
    chained: bool,
    /// Squares and letters of the pieces that it captured.
    captured: Vec<(usize, char)>,
    /// Legal moves, separated by spaces.
    legal: String,
    winner: Option<Side>,
    /// Why the game is over; empty while it is not.
    reason: &'static str,
    /// How often the position has occurred.
    occurrences: u32,
    /// The position as text, to be read again.
    position: String,
}

impl GameText {
    /// Returns the game before its first ply.
    pub(crate) fn first(&self) -> Result<Game, EngineError> {
        let start = self.start.as_ref().map(|it| it.parse::<Fen>());
        let start = start.transpose().map_err(|error| {
            let given = self.start.as_deref().unwrap_or_default();
            match given.contains('/') {
                true => EngineError::about(NO_POSITION)(error),
                false => EngineError::about(NO_POSITION)(
                    "a position is its ranks with `/` between them, then the side to move, as in `3t3/7/7/3K3/7/7/7 attackers`",
                ),
            }
        })?;
        game_from(rules_of(&self.ruleset)?, start.map(|it| it.setup).as_ref())
    }

    /// Returns the game after its plies.
    pub(crate) fn game(&self) -> Result<Game, EngineError> {
        let mut game = self.first()?;
        for (number, text) in (1..).zip(&self.moves) {
            let _ = play(&mut game, number, text)?;
        }
        Ok(game)
    }

    /// Returns why the last ply captured what it did.
    pub(crate) fn why(&self) -> Result<Vec<String>, EngineError> {
        let mut game = self.first()?;
        let mut last = None;
        for (number, text) in (1..).zip(&self.moves) {
            let before = *game.position();
            last = Some((before, play(&mut game, number, text)?));
        }
        Ok(last.map_or_else(Vec::new, |(before, (mv, captured))| {
            why(&game, &before, mv, captured)
        }))
    }

    /// Returns the positions after `from` plies and after each one that follows.
    pub(crate) fn states(&self, from: usize) -> Result<Vec<State>, EngineError> {
        let mut game = self.first()?;
        let mut states = Vec::new();
        if from == 0 {
            states.push(State::first(&game));
        }
        for (number, text) in (1..).zip(&self.moves) {
            let before = *game.position();
            let played = play(&mut game, number, text)?;
            if number >= from {
                states.push(State::after(&game, &before, played));
            }
        }
        Ok(states)
    }
}

/// What is said of a position that is none.
const NO_POSITION: &str = "The position cannot be played";

/// Returns a game from a position, or from its ruleset's start.
pub(crate) fn game_from(rules: Arc<Rules>, setup: Option<&Setup>) -> Result<Game, EngineError> {
    let Some(setup) = setup else {
        return Ok(Game::new(rules));
    };
    Game::from_setup(rules, setup).map_err(EngineError::about(NO_POSITION))
}

fn play(game: &mut Game, number: usize, text: &str) -> Result<(Move, Bitboard), EngineError> {
    let words = format!("Ply {number}");
    let mv: Move = text.parse().map_err(EngineError::about(&words))?;
    let ply = game.play(mv).map_err(EngineError::about(&words))?;
    Ok((mv, ply.captured))
}

impl State {
    /// Returns the first position of a game.
    pub(crate) fn first(game: &Game) -> Self {
        let (shape, position) = (game.rules().shape(), game.position());
        let setup = Setup::of(position, shape);
        let legal = game.legal();
        let legal: Vec<String> = legal.iter().map(Move::to_string).collect();
        let outcome = game.outcome();
        Self {
            board: setup.to_text(RankOrder::HighestFirst),
            side: position.side(),
            chain: position.chain().map(|square| shape.index(square)),
            text: String::new(),
            from: None,
            to: None,
            mover: None,
            chained: false,
            captured: Vec::new(),
            legal: legal.join(" "),
            winner: outcome.and_then(|outcome| outcome.winner),
            reason: outcome.map_or("", |outcome| outcome.reason.name()),
            occurrences: game.occurrences(),
            position: Fen::of(setup).to_taflforge(),
        }
    }

    /// Returns the position of a game after a ply with what it captured; `before` is the one before it.
    pub(crate) fn after(game: &Game, before: &Position, (mv, captured): (Move, Bitboard)) -> Self {
        let shape = game.rules().shape();
        let place = |square| (!mv.is_end()).then(|| shape.index(square));
        let turn = TurnText {
            plies: vec![(mv, captured)],
        };
        let taken = captured.squares().filter_map(|square| {
            let piece = before.piece_at(square)?;
            Some((shape.index(square), piece.letter()))
        });
        Self {
            text: turn.to_string(),
            from: place(mv.from()),
            to: place(mv.to()),
            mover: Some(before.side()),
            chained: before.chain().is_some(),
            captured: taken.collect(),
            ..Self::first(game)
        }
    }
}
