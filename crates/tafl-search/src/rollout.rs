//! Random games as an evaluator.

use crate::{Evaluation, Evaluator, Leaf, MoverWdl};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::derive_seed;

/// Plies after which a random game counts as drawn; those of Copenhagen take 400 on average.
const MOST_PLIES: usize = 1_000;

/// Judges a position by one random game from it; logits are equal.
///
/// The game follows from the seed, the position's pieces and the number of plies before it, so an evaluation depends on its
/// leaf alone.
#[derive(Debug, Clone, Copy)]
pub struct RolloutEvaluator {
    /// Where everything random comes from.
    pub seed: u64,
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| self.evaluation(leaf)));
    }
}

impl RolloutEvaluator {
    fn evaluation(self, leaf: &Leaf<'_>) -> Evaluation {
        let before = leaf.game.moves().len();
        let place = [leaf.game.position().key(), before as u64];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(self.seed, &place));
        let mut game = leaf.game.clone();
        while game.outcome().is_none() && game.moves().len() < before + MOST_PLIES {
            let moves = game.rules().moves(game.position());
            let Some(mv) = moves.nth(rng.random_range(0..moves.len())) else {
                break;
            };
            game.play_unchecked(mv);
        }
        let winner = game.outcome().and_then(|outcome| outcome.winner);
        Evaluation {
            logits: vec![0.0; leaf.moves.len()],
            wdl: MoverWdl::certain(winner, leaf.game.position().side()),
            moves_left: (game.moves().len() - before) as f32,
        }
    }
}
