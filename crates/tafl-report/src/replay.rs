//! Games played again by the rules, so that captures and sides are exact.

use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Move, Piece, Rules, Side};
use tafl_samples::{Ending, EndingReason, GameRecord, RecordError};

/// One ply as the rules saw it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The side that moved; within a capture chain the same one again.
    pub(crate) side: Side,
    pub(crate) mv: Move,
    /// The kind of piece that moved; `None` where a chain was ended.
    pub(crate) piece: Option<Piece>,
    pub(crate) captured: Bitboard,
    /// Whether the ply continues or ends a capture chain.
    pub(crate) is_within_chain: bool,
}

/// Plays a stored game again and hands over every ply.
///
/// # Errors
/// If it is not a game under the rules: another ruleset, an illegal start or move, another ending.
pub(crate) fn replay(
    record: &GameRecord,
    rules: &Arc<Rules>,
    mut take: impl FnMut(Step),
) -> Result<(), RecordError> {
    let game_id = record.game_id;
    let ruleset = rules.ruleset();
    if record.ruleset_fingerprint != ruleset.fingerprint() {
        return Err(RecordError::OtherRuleset {
            game_id,
            recorded: record.ruleset.clone(),
            given: ruleset.name.clone(),
        });
    }
    let position = rules
        .position(&record.start)
        .map_err(|reason| RecordError::Start { game_id, reason })?;
    let mut game = Game::from_position(Arc::clone(rules), position);
    for (ply, played) in record.plies.iter().enumerate() {
        let (mv, position) = (played.mv, *game.position());
        let illegal = |reason| RecordError::IllegalMove {
            game_id,
            ply,
            reason,
        };
        let captured = game.play(mv).map_err(illegal)?.captured;
        take(Step {
            side: position.side(),
            mv,
            piece: (!mv.is_end())
                .then(|| position.piece_at(mv.from()))
                .flatten(),
            captured,
            is_within_chain: position.chain().is_some(),
        });
    }
    check_ending(record, &game)
}

fn check_ending(record: &GameRecord, game: &Game) -> Result<(), RecordError> {
    let replayed = game.outcome().map(Ending::from);
    let by_rule = matches!(record.ending.reason, EndingReason::Rule(_));
    if replayed == by_rule.then_some(record.ending) {
        return Ok(());
    }
    Err(RecordError::OtherEnding {
        game_id: record.game_id,
        recorded: record.ending,
        replayed: replayed.map_or_else(|| "nothing".to_owned(), |ending| ending.to_string()),
    })
}
