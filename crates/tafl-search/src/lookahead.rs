//! What the next two turns decide without a visit: the king taken or home, and moves that allow it.

use crate::Proof;
use tafl_rules::{Game, Move};

/// Looks through the next turns of a position for the king's fate: his capture or escape in one ply, and with
/// `turns` of 2 what the opponent can do about it in his own turn; `moves` are its legal ones.
///
/// Returns the result where that is certain. Where the opponent threatens to decide the king's fate, moves that allow
/// it are taken out of `moves`, unless all do. A threat that a move makes itself is left to its visit, and so are rarer
/// wins (a fort, an encirclement, a side without moves).
pub(crate) fn look_ahead(game: &mut Game, moves: &mut Vec<Move>, plies: u32) -> Option<Proof> {
    if plies == 0 {
        return None;
    }
    let side = game.position().side();
    let proof = |winner, plies| {
        Some(Proof {
            winner: Some(winner),
            plies,
        })
    };
    let decides = game.rules().king_deciding_move(game.position(), moves);
    if decides.is_some() {
        return proof(side, 1);
    }
    if plies == 1 || !game.rules().king_fate_is_threatened(game.position()) {
        return None;
    }
    let mark = game.mark();
    let (sure, threat) = game.sure_replies();
    let mut longest = 0;
    let mut loses = |mv: &Move| {
        if sure.contains(*mv) {
            longest = longest.max(threat.unwrap_or(0));
            return threat.is_some();
        }
        game.play_unchecked(*mv);
        let position = game.position();
        let lost = match game.outcome() {
            Some(outcome) => (outcome.winner == Some(side.opponent())).then_some(0),
            None if position.side() == side => None,
            None => game.rules().plies_to_decide_king(position),
        };
        game.rewind(&mark);
        longest = lost.map_or(longest, |plies| longest.max(plies));
        lost.is_some()
    };
    let Some(first) = moves.iter().position(|mv| !loses(mv)) else {
        return proof(side.opponent(), longest + 1);
    };
    moves.drain(..first);
    let mut is_first = true;
    moves.retain(|mv| std::mem::take(&mut is_first) || !loses(mv));
    None
}
