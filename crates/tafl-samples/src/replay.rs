//! A stored game, played again by the rules.

use crate::{Ending, EndingReason, GameRecord, PlyRecord, RecordError};
use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Rules};

/// A stored game on its way from its first position to its end.
#[derive(Debug)]
pub struct Replay<'a> {
    record: &'a GameRecord,
    game: Game,
    ply: usize,
}

impl<'a> Replay<'a> {
    /// Begins at the first position.
    ///
    /// # Errors
    /// If the record is of other rules, whatever they are called, or its first position cannot be played.
    pub fn new(record: &'a GameRecord, rules: &Arc<Rules>) -> Result<Self, RecordError> {
        let (game_id, ruleset) = (record.game_id, rules.ruleset());
        if record.ruleset_fingerprint != ruleset.fingerprint() {
            return Err(RecordError::OtherRuleset {
                game_id,
                recorded: record.ruleset.clone(),
                given: ruleset.name.clone(),
            });
        }
        let position = rules.position(&record.start);
        let position = position.map_err(|reason| RecordError::Start { game_id, reason })?;
        Ok(Self {
            record,
            game: Game::from_position(Arc::clone(rules), position),
            ply: 0,
        })
    }

    /// Returns the game before the ply that is played next.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the ply that is played next; nothing after the last one.
    pub fn next(&self) -> Option<&'a PlyRecord> {
        self.record.plies.get(self.ply)
    }

    /// Plays a ply, as [`Self::next`] returned it; returns what it captured.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn play(&mut self, ply: &PlyRecord) -> Result<Bitboard, RecordError> {
        let played = self.game.play(ply.mv);
        let played = played.map_err(|reason| RecordError::IllegalMove {
            game_id: self.record.game_id,
            ply: self.ply,
            reason,
        })?;
        self.ply += 1;
        Ok(played.captured)
    }

    /// Returns the game after its last ply.
    ///
    /// # Errors
    /// If it did not end as recorded.
    pub fn end(self) -> Result<Game, RecordError> {
        let (recorded, replayed) = (self.record.ending, self.game.outcome().map(Ending::from));
        let is_off_board = matches!(
            recorded.reason,
            EndingReason::Adjudicated | EndingReason::Forfeit(_)
        );
        let is_right = match replayed {
            None if is_off_board => recorded.winner.is_some(),
            None if recorded.reason == EndingReason::OtherRules => true,
            None => recorded == Ending::CAPPED,
            Some(ending) => recorded == ending,
        };
        if is_right {
            return Ok(self.game);
        }
        let text = |ending: Ending| ending.to_string();
        Err(RecordError::OtherEnding {
            game_id: self.record.game_id,
            recorded,
            replayed: replayed.map_or_else(|| "a game in progress".into(), text),
        })
    }
}
