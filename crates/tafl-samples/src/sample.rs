//! One ply to learn from.

use crate::{Ending, EndingReason, Facts, GameRecord, ProvenResult, RecordError, SearchRecord};
use std::sync::Arc;
use tafl_rules::{Bitboard, Game, Move, Rules, Side};

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
    /// The policy to learn: legal moves, each once, with probabilities that sum to 1.
    pub policy: Box<[(Move, f32)]>,
    /// Win, draw, loss for the side to move after the search.
    pub wdl: [f32; 3],
    /// Win, draw, loss for the side to move as the network gave it before the search.
    pub network_wdl: [f32; 3],
    /// Visits of the search.
    pub visits: u32,
    /// Whether the search proved the result, so that `wdl` is exact.
    pub proven: bool,
    /// The result that the first search at or after this ply proved, if any did.
    pub proven_result: Option<ProvenResult>,
    /// Kullback-Leibler divergence of the policy from the network's prior, in nats, at least 0; `None` where
    /// it was not recorded.
    pub prior_divergence: Option<f32>,
    /// The checkpoint that searched; `None` where it is unknown.
    pub checkpoint: Option<u32>,
    /// How the game ended.
    pub ending: Ending,
    /// Plies from here to the end of the game, this one included, so at least 1.
    pub moves_left: u32,
    /// Pieces on the board when the game ended, by [`tafl_rules::Side::index`], the king included.
    pub final_pieces: [u32; 2],
    /// Squares of each kind of piece when the game ended, in the order of [`tafl_rules::Piece::ALL`]; `None` where it
    /// was not stored.
    pub final_board: Option<Arc<[Bitboard; 5]>>,
    /// The first move of the other side's next turn; `None` if it has none, or it was not stored.
    pub reply: Option<Move>,
}

/// Replays a game and returns its samples: the plies that a search chose, in order.
///
/// # Errors
/// If the record is not a game under these rules: another ruleset, a start that cannot be played, a
/// move that is not legal, a policy that is not a distribution over legal moves, another ending.
pub fn samples_of(record: &GameRecord, rules: &Arc<Rules>) -> Result<Vec<Sample>, RecordError> {
    let game_id = record.game_id;
    check_ruleset(record, rules)?;
    let position = rules
        .position(&record.start)
        .map_err(|reason| RecordError::Start { game_id, reason })?;
    let mut game = Game::from_position(Arc::clone(rules), position);
    let ruleset: Arc<str> = record.ruleset.as_str().into();
    let weakness = record.weakness();
    let mut samples = Vec::with_capacity(record.plies.len());
    let mut sides = Vec::with_capacity(record.plies.len());
    let mut legal = Vec::new();
    for (ply, played) in record.plies.iter().enumerate() {
        let facts = Facts {
            weakness,
            ..Facts::of(&game)
        };
        sides.push(facts.side);
        if let Some(search) = &played.search {
            game.legal_moves(&mut legal);
            let checked = check_policy(&search.policy, &legal);
            let checked = checked.and_then(|()| check_search(search, facts.side));
            checked.map_err(|reason| RecordError::BadSearch {
                game_id,
                ply,
                reason,
            })?;
            samples.push(sample(record, &ruleset, ply, facts, search));
        }
        let illegal = |reason| RecordError::IllegalMove {
            game_id,
            ply,
            reason,
        };
        game.play(played.mv).map_err(illegal)?;
    }
    check_ending(record, &game)?;
    let final_pieces = Side::ALL.map(|side| game.position().pieces(side).count());
    let final_board = Arc::new(Facts::of(&game).pieces);
    let replies = replies(record, &sides);
    for sample in &mut samples {
        sample.final_pieces = final_pieces;
        sample.final_board = Some(Arc::clone(&final_board));
        sample.reply = replies[sample.ply as usize];
    }
    pass_proofs_back(&mut samples);
    Ok(samples)
}

/// Lets every sample of a game know the result that is proven at its ply, or first after it.
///
/// A search proves the result of a position as it came about, repetitions included, and the game went
/// through that position: so this is what the plies before it led to, however the game was ended later.
fn pass_proofs_back(samples: &mut [Sample]) {
    let mut proven = None;
    for sample in samples.iter_mut().rev() {
        if sample.proven {
            proven = ProvenResult::of_search(sample.facts.side, sample.wdl);
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
        policy: search.policy.as_slice().into(),
        wdl: search.wdl,
        network_wdl: search.network_wdl,
        visits: search.visits,
        proven: search.proven,
        proven_result: None,
        prior_divergence: Some(search.prior_divergence),
        checkpoint: search.checkpoint,
        ending: record.ending,
        moves_left: (record.plies.len() - ply) as u32,
        final_pieces: [0; 2],
        final_board: None,
        reply: None,
    }
}

fn check_ruleset(record: &GameRecord, rules: &Rules) -> Result<(), RecordError> {
    let ruleset = rules.ruleset();
    if record.ruleset == ruleset.name && record.ruleset_fingerprint == ruleset.fingerprint() {
        return Ok(());
    }
    Err(RecordError::OtherRuleset {
        game_id: record.game_id,
        recorded: record.ruleset.clone(),
        given: ruleset.name.clone(),
    })
}

fn check_policy(policy: &[(Move, f32)], legal: &[Move]) -> Result<(), String> {
    for (i, &(mv, probability)) in policy.iter().enumerate() {
        if !legal.contains(&mv) {
            return Err(format!("policy: {mv} is not legal"));
        }
        if policy[..i].iter().any(|&(earlier, _)| earlier == mv) {
            return Err(format!("policy: {mv} is given twice"));
        }
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!("policy: {mv} has probability {probability}"));
        }
    }
    let sum: f32 = policy.iter().map(|&(_, probability)| probability).sum();
    if (sum - 1.0).abs() > 1e-3 {
        Err(format!("policy: probabilities sum to {sum}"))
    } else {
        Ok(())
    }
}

fn check_search(search: &SearchRecord, side: Side) -> Result<(), String> {
    if search.proven && ProvenResult::of_search(side, search.wdl).is_none() {
        return Err(format!("search: {:?} is called proven", search.wdl));
    }
    let divergence = search.prior_divergence;
    if divergence >= 0.0 && divergence.is_finite() {
        Ok(())
    } else {
        Err(format!("search: a prior divergence of {divergence}"))
    }
}

fn check_ending(record: &GameRecord, game: &Game) -> Result<(), RecordError> {
    let replayed = game.outcome().map(Ending::from);
    let is_off_board = matches!(
        record.ending.reason,
        EndingReason::Adjudicated | EndingReason::Forfeit(_)
    );
    let is_right = match replayed {
        None if is_off_board => record.ending.winner.is_some(),
        None => record.ending == Ending::CAPPED,
        Some(ending) => record.ending == ending,
    };
    if is_right {
        return Ok(());
    }
    Err(RecordError::OtherEnding {
        game_id: record.game_id,
        recorded: record.ending,
        replayed: replayed.map_or_else(|| "a game in progress".into(), |ending| ending.to_string()),
    })
}
