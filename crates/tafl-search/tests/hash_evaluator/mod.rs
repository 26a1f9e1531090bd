//! An evaluator whose answers look like a network's and are the same on every machine.

use tafl_rules::Piece;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Answers with numbers hashed from what is on the board, and remembers nothing.
pub(crate) struct HashEvaluator;

impl Evaluator for HashEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(evaluate_by_hash));
    }
}

fn evaluate_by_hash(leaf: &Leaf<'_>) -> Evaluation {
    let position = leaf.game.position();
    let mut key = mix(position.side().index() as u64 + 1);
    for kind in Piece::ALL {
        for square in position.pieces_of_kind(kind).squares() {
            key = mix(key ^ (square.grid_index() as u64 + 128 * kind as u64));
        }
    }
    let share = |salt: u64| (mix(key ^ salt) >> 40) as f32 / (1_u64 << 24) as f32;
    let shape = leaf.game.rules().shape();
    let logit = |salt: u64| 4.0 * share(salt) - 2.0;
    let (win, draw) = (share(1 << 32), share(2 << 32));
    Evaluation {
        logits: leaf
            .moves
            .iter()
            .map(|mv| logit(u64::from(mv.policy_index(shape).0)))
            .collect(),
        wdl: MoverWdl {
            win: win * (1.0 - draw / 2.0),
            draw: draw / 2.0,
            loss: (1.0 - win) * (1.0 - draw / 2.0),
        },
        moves_left: 40.0,
    }
}

/// The finalizer of `SplitMix64`.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
