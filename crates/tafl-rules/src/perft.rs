//! Counting the leaves of the game tree, to compare with other programs.

use crate::{Move, Position, Rules};
#[cfg(feature = "rayon")]
use rayon::prelude::*;
use std::ops::ControlFlow;

/// How leaves are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Perft {
    /// Count whole turns, chains as one step, instead of plies.
    pub by_turns: bool,
    /// At the last step count the moves instead of playing each.
    pub bulk: bool,
}

/// Returns the number of leaves `depth` steps away; repetition and limits off, a finished game has no moves.
pub fn perft(rules: &Rules, position: &Position, depth: u32, how: Perft) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == 1 && how.bulk && !how.by_turns {
        return rules.moves(position).len() as u64;
    }
    let mut leaves = 0;
    let visited = rules.visit_moves(position, |mv| {
        leaves += leaves_below(rules, position, mv, depth, how);
        ControlFlow::<()>::Continue(())
    });
    debug_assert!(visited.is_continue());
    leaves
}

/// Returns [`perft`] of each first move, in the order of the legal moves; on all cores with feature `rayon`.
pub fn perft_divide(
    rules: &Rules,
    position: &Position,
    depth: u32,
    how: Perft,
) -> Vec<(Move, u64)> {
    let mut moves = Vec::new();
    if depth > 0 {
        rules.legal_moves(position, &mut moves);
    }
    let count = |mv| (mv, leaves_below(rules, position, mv, depth, how));
    #[cfg(feature = "rayon")]
    return moves.into_par_iter().map(count).collect();
    #[cfg(not(feature = "rayon"))]
    moves.into_iter().map(count).collect()
}

/// Returns the same as [`perft`], counted on all cores.
#[cfg(feature = "rayon")]
pub fn perft_parallel(rules: &Rules, position: &Position, depth: u32, how: Perft) -> u64 {
    // Three plies take a core a millisecond or two: more pieces of work would only cost.
    if depth <= 3 || position.is_in_chain() {
        return perft(rules, position, depth, how);
    }
    let mut moves = Vec::new();
    rules.legal_moves(position, &mut moves);
    let below = |mv| {
        let mut after = *position;
        let ply = rules.play_unchecked(&mut after, mv);
        if ply.outcome.is_some() || after.is_in_chain() {
            return leaves_below(rules, position, mv, depth, how);
        }
        perft_parallel(rules, &after, depth - 1, how)
    };
    moves.into_par_iter().map(below).sum()
}

fn leaves_below(rules: &Rules, position: &Position, mv: Move, depth: u32, how: Perft) -> u64 {
    let mut after = *position;
    let ply = rules.play_unchecked(&mut after, mv);
    if ply.outcome.is_some() {
        return u64::from(depth == 1);
    }
    // Inside a chain the turn goes on, so a count by turns is not a step further.
    let same_turn = how.by_turns && after.is_in_chain();
    perft(
        rules,
        &after,
        if same_turn { depth } else { depth - 1 },
        how,
    )
}
