//! Random games as an evaluator, for rulesets that no network has learned.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::Side;
use tafl_samples::derive_seed;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Plies after which a random game counts as drawn.
const MOST_PLIES: u32 = 1_000;

/// Judges a position by one random game from it; logits are equal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RolloutEvaluator {
    pub(crate) seed: u64,
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| self.evaluation(leaf)));
    }
}

impl RolloutEvaluator {
    fn evaluation(self, leaf: &Leaf<'_>) -> Evaluation {
        let place = [leaf.game.position().key(), leaf.game.moves().len() as u64];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(derive_seed(self.seed, &place));
        let mut game = leaf.game.clone();
        let mut plies = 0;
        while plies < MOST_PLIES && game.outcome().is_none() {
            let moves = game.rules().moves(game.position());
            let Some(mv) = moves.nth(rng.random_range(0..moves.len())) else {
                break;
            };
            game.play_unchecked(mv);
            plies += 1;
        }
        let side = leaf.game.position().side();
        let winner = game.outcome().and_then(|outcome| outcome.winner);
        let share = |is_it: bool| if is_it { 1.0 } else { 0.0 };
        let won_by = |by: Side| share(winner == Some(by));
        Evaluation {
            logits: vec![0.0; leaf.moves.len()],
            wdl: MoverWdl {
                win: won_by(side),
                draw: share(winner.is_none()),
                loss: won_by(side.opponent()),
            },
            moves_left: plies as f32,
        }
    }
}
