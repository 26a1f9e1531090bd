//! A game: a position, what came before it as far as the rules ask, and its outcome.

use crate::{Move, Outcome, Ply, Position, Refusal, Repetition, Rules, Setup, SetupError, Side};
use std::ops::Range;
use std::sync::Arc;

/// A game in progress or finished, under one ruleset.
///
/// Cloning copies the keys of the positions so far. A search plays into one game and takes back with
/// [`Game::mark`] and [`Game::rewind`].
#[derive(Debug, Clone)]
pub struct Game {
    rules: Arc<Rules>,
    position: Position,
    /// Key of the position after each turn, the first one's in front.
    keys: Vec<u64>,
    /// The plies, in order; those of a turn follow each other.
    moves: Vec<Move>,
    outcome: Option<Outcome>,
}

/// A place in a game to which [`Game::rewind`] goes back.
#[derive(Debug, Clone, Copy)]
pub struct GameMark {
    position: Position,
    keys: usize,
    moves: usize,
    outcome: Option<Outcome>,
}

/// A move that the rules do not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// No such move is among the legal ones of the side to move; what is against it.
    #[error("{0} is not legal for the {1}: {2}")]
    NotLegal(Move, Side, Refusal),
    /// Nothing is legal once the game is over.
    #[error("{0} comes after the end of the game ({1})")]
    GameOver(Move, Outcome),
}

impl Game {
    /// Starts a game from the ruleset's start position.
    pub fn new(rules: Arc<Rules>) -> Self {
        let position = rules.start();
        Self::from_position(rules, position)
    }

    /// Starts a game from any position, which counts as its own first occurrence.
    ///
    /// It is judged only for "no legal move" (spec.md 7).
    pub fn from_position(rules: Arc<Rules>, position: Position) -> Self {
        let position = rules.kept_up(position);
        let is_stuck = !rules.has_legal_move(&position);
        let outcome = is_stuck.then(|| rules.no_move(position.side));
        Self {
            rules,
            position,
            keys: vec![position.key],
            moves: Vec::new(),
            outcome,
        }
    }

    /// Starts a game from a position as it is written, as [`Self::from_position`] does.
    ///
    /// # Errors
    /// If the position cannot be played under the rules.
    pub fn from_setup(rules: Arc<Rules>, setup: &Setup) -> Result<Self, SetupError> {
        let position = rules.position(setup)?;
        Ok(Self::from_position(rules, position))
    }

    /// Returns the rules.
    #[inline]
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Returns the position.
    #[inline]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the outcome, once the game is over.
    #[inline]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns the plies played since the game's first position.
    #[inline]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns how often the position has occurred, this time included; 1 inside a chain, and where the board ended the game.
    pub fn occurrences(&self) -> u32 {
        if self.keys.last() != Some(&self.position.key) {
            return 1;
        }
        1 + self.earlier_occurrences() as u32
    }

    /// Puts all legal moves into `moves`, in place of what was there; none when the game is over.
    pub fn legal_moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        if self.outcome.is_none() {
            self.rules.legal_moves(&self.position, moves);
        }
    }

    /// Returns all legal moves, as [`Self::legal_moves`] does.
    pub fn legal(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        moves
    }

    /// Plays a move after checking it.
    ///
    /// The ply tells ends on the board alone; [`Self::outcome`] also knows those by repetition, by a
    /// limit and for want of a move.
    ///
    /// # Errors
    /// If the game is over or the move is not legal; the game is unchanged then.
    pub fn play(&mut self, mv: Move) -> Result<Ply, IllegalMove> {
        if let Some(outcome) = self.outcome {
            return Err(IllegalMove::GameOver(mv, outcome));
        }
        if !self.rules.is_legal(&self.position, mv) {
            let refusal = self.rules.refusal(&self.position, mv);
            return Err(IllegalMove::NotLegal(mv, self.position.side, refusal));
        }
        Ok(self.play_unchecked(mv))
    }

    /// Plays a move that the caller knows to be legal, in a game that is not over.
    pub fn play_unchecked(&mut self, mv: Move) -> Ply {
        debug_assert!(self.outcome.is_none() && self.rules.is_legal(&self.position, mv));
        let ply = self.rules.play_unchecked(&mut self.position, mv);
        self.moves.push(mv);
        self.outcome = ply.outcome;
        if ply.outcome.is_none() && !self.position.is_in_chain() {
            self.keys.push(self.position.key);
            self.outcome = self.judge_turn();
        }
        ply
    }

    /// Makes room for that many more plies, so that playing them allocates nothing.
    pub fn reserve(&mut self, plies: usize) {
        self.keys.reserve_exact(plies);
        self.moves.reserve_exact(plies);
    }

    /// Returns the present place in the game.
    #[inline]
    pub fn mark(&self) -> GameMark {
        GameMark {
            position: self.position,
            keys: self.keys.len(),
            moves: self.moves.len(),
            outcome: self.outcome,
        }
    }

    /// Takes back every ply played since `mark` was made of this game.
    #[inline]
    pub fn rewind(&mut self, mark: &GameMark) {
        debug_assert!(mark.keys <= self.keys.len() && mark.moves <= self.moves.len());
        self.position = mark.position;
        self.keys.truncate(mark.keys);
        self.moves.truncate(mark.moves);
        self.outcome = mark.outcome;
    }

    /// Forgets the plies and positions that no rule will ask for, those before the last capture, but for the last ply.
    ///
    /// The game goes on as before, in memory for so many plies more; marks made earlier mean nothing any more.
    pub fn forget(&mut self, room: usize) {
        let keys = self.keys.len() - self.earlier_start();
        self.keys.drain(..self.keys.len() - keys);
        let moves = (keys - 1).max(1);
        self.moves.drain(..self.moves.len().saturating_sub(moves));
        self.keys.shrink_to(self.keys.len() + room);
        self.moves.shrink_to(self.moves.len() + room);
    }

    /// Judges what is judged between turns: repetition, captureless limit, no legal move.
    fn judge_turn(&self) -> Option<Outcome> {
        self.judge_repetition()
            .or_else(|| self.rules.captureless(&self.position))
            .or_else(|| {
                let stuck = !self.rules.has_legal_move(&self.position);
                stuck.then(|| self.rules.no_move(self.position.side))
            })
    }

    fn judge_repetition(&self) -> Option<Outcome> {
        let is_off = self.rules.ruleset().repetition == Repetition::Off;
        let needed = self.rules.ruleset().repetition_occurrence as usize - 1;
        if is_off || self.earlier_occurrences() < needed {
            return None;
        }
        let (last, window) = (self.keys.len() - 1, self.earlier_keys());
        let mut earlier = window
            .rev()
            .filter(|index| self.keys[*index] == self.keys[last]);
        let since = last - earlier.next()?;
        let cycle = &self.moves[self.moves.len() - since..];
        Some(self.rules.repetition(&self.position, cycle))
    }

    fn earlier_occurrences(&self) -> usize {
        let (last, window) = (self.keys.len() - 1, self.earlier_keys());
        let (key, earlier) = (self.keys[last], &self.keys[window]);
        earlier.iter().filter(|other| **other == key).count()
    }

    /// Returns where keys lie that could equal the position's: since the last capture, a cycle ago.
    ///
    /// Since the last capture every turn is one ply. The side to move is part of the key.
    fn earlier_keys(&self) -> Range<usize> {
        let start = self.earlier_start();
        start..start.max(self.keys.len().saturating_sub(LEAST_CYCLE))
    }

    /// Returns the keys that could equal the position's after one more ply that captures nothing, the last of them a cycle
    /// before it.
    pub(crate) fn keys_before_reply(&self) -> &[u64] {
        let last = self.keys.len();
        let start = last - (self.position.captureless as usize + 1).min(last);
        &self.keys[start..start.max((last + 1).saturating_sub(LEAST_CYCLE))]
    }

    fn earlier_start(&self) -> usize {
        let last = self.keys.len() - 1;
        last - (self.position.captureless as usize).min(last)
    }
}

/// Plies that the quickest return to a position takes: two there, two back.
const LEAST_CYCLE: usize = 4;
