//! Random games as an evaluator, for rulesets that no network has learned.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_samples::derive_seed;
use tafl_search::{Evaluation, Evaluator, Leaf, rollout};

/// Judges a position by one random game from it; logits are equal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RolloutEvaluator {
    pub(crate) seed: u64,
}

impl Evaluator for RolloutEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| {
            let place = [leaf.game.position().key(), leaf.game.moves().len() as u64];
            let seed = derive_seed(self.seed, &place);
            rollout(leaf, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
        }));
    }
}
