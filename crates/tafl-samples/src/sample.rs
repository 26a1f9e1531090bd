//! One ply to learn from.

use crate::{Ending, Facts, GameRecord, ProvenResult, RecordError, Replay, SearchRecord};
use std::sync::Arc;
use tafl_rules::{Move, Rules, Side};

/// One position with what the search and the game say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name of the ruleset.
    pub ruleset: Arc<str>,
    /// The game's number within its generation.
    pub game_id: u64,
    /// Plies played in the game before this one, those of the opening included.
    pub ply: u32,
    /// The position.
    pub facts: Facts,
    /// The move played.
    pub played: Move,
    /// What its search found: the policy and, in part, the value to learn.
    pub search: SearchRecord,
    /// The result that the first search at or after this ply proved, if any did.
    pub proven_result: Option<ProvenResult>,
    /// How the game ended.
    pub ending: Ending,
    /// Plies from here to the end of the game, this one included, so at least 1.
    pub moves_left: u32,
    /// Pieces on the board when the game ended, by [`tafl_rules::Side::index`], the king included.
    pub final_pieces: [u32; 2],
    /// The first move of the other side's next turn; `None` if it has none.
    pub reply: Option<Move>,
}

/// A game, played again by the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// Its samples: the plies that a search chose, in order.
    pub samples: Vec<Sample>,
    /// The side of each ply; sides do not alternate inside a chain.
    pub sides: Vec<Side>,
    /// The position in which it ended or was cut.
    pub last: Facts,
}

/// Plays a game again and returns its samples.
///
/// # Errors
/// If the record is not a game under these rules: another ruleset, a start that cannot be played, a move that is not legal,
/// another ending; or if what a search found is not possible: a policy that is not a distribution over legal moves, numbers
/// beyond their range.
pub fn replayed(record: &GameRecord, rules: &Arc<Rules>) -> Result<Replayed, RecordError> {
    let ruleset: Arc<str> = record.ruleset.as_str().into();
    let weakness = record.weakness();
    let mut samples = Vec::with_capacity(record.plies.len());
    let mut sides = Vec::with_capacity(record.plies.len());
    let mut legal = Vec::new();
    let mut replay = Replay::new(record, rules)?;
    while let Some(played) = replay.next() {
        let (game, ply) = (replay.game(), sides.len());
        sides.push(game.position().side());
        if let Some(search) = &played.search {
            let facts = Facts {
                weakness,
                ..Facts::of(game)
            };
            game.legal_moves(&mut legal);
            let checked = search.check(facts.side, &legal);
            checked.map_err(|reason| RecordError::BadSearch {
                game_id: record.game_id,
                ply,
                reason,
            })?;
            samples.push(sample(record, &ruleset, ply, facts, search));
        }
        let _captured = replay.play(played)?;
    }
    let game = replay.end()?;
    let last = Facts::of(&game);
    let final_pieces = Side::ALL.map(|side| game.position().pieces(side).count());
    let replies = replies(record, &sides);
    for sample in &mut samples {
        sample.final_pieces = final_pieces;
        sample.reply = replies[sample.ply as usize];
    }
    pass_proofs_back(&mut samples);
    Ok(Replayed {
        samples,
        sides,
        last,
    })
}

/// Plays a game again and returns its samples, as [`replayed`] does.
///
/// # Errors
/// As [`replayed`].
pub fn samples_of(record: &GameRecord, rules: &Arc<Rules>) -> Result<Vec<Sample>, RecordError> {
    Ok(replayed(record, rules)?.samples)
}

/// Lets every sample of a game know the result that is proven at its ply, or first after it.
///
/// A search proves the result of a position as it came about, repetitions included, and the game went
/// through that position: so this is what the plies before it led to, however the game was ended later.
fn pass_proofs_back(samples: &mut [Sample]) {
    let mut proven = None;
    for sample in samples.iter_mut().rev() {
        if sample.search.proven {
            proven = ProvenResult::of_search(sample.facts.side, sample.search.wdl);
        }
        sample.proven_result = proven;
    }
}

/// Returns for each ply the first move of the other side's next turn; sides do not alternate inside a chain.
fn replies(record: &GameRecord, sides: &[Side]) -> Vec<Option<Move>> {
    let mut replies = vec![None; sides.len()];
    for ply in (1..sides.len()).rev() {
        replies[ply - 1] = if sides[ply] == sides[ply - 1] {
            replies[ply]
        } else {
            Some(record.plies[ply].mv)
        };
    }
    replies
}

fn sample(
    record: &GameRecord,
    ruleset: &Arc<str>,
    ply: usize,
    facts: Facts,
    search: &SearchRecord,
) -> Sample {
    Sample {
        ruleset: Arc::clone(ruleset),
        game_id: record.game_id,
        ply: ply as u32,
        facts,
        played: record.plies[ply].mv,
        search: search.clone(),
        proven_result: None,
        ending: record.ending,
        moves_left: (record.plies.len() - ply) as u32,
        final_pieces: [0; 2],
        reply: None,
    }
}
