//! A network as the search asks for it.

use crate::Net;
use ndarray::ArrayView3;
use tafl_graph::{VALUE_LEN, WdlAndLength};
use tafl_rules::{Move, PolicyIndex};
use tafl_samples::Facts;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// The place of the logit of a move that ends a chain, which has none of its own.
const END: usize = VALUE_LEN - 1;

/// Evaluates leaves one after the other; a position's numbers do not depend on those beside it.
#[derive(Debug)]
pub struct NetEvaluator<'a>(pub &'a mut Net);

impl Evaluator for NetEvaluator<'_> {
    /// # Panics
    /// If a leaf's board has another size than the network's.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| {
            let outputs = self.0.forward(&facts(leaf), leaf.game.rules());
            let logit = |&mv: &Move| self.0.logit(mv).unwrap_or(outputs[END]);
            evaluation(leaf.moves.iter().map(logit).collect(), &outputs)
        }));
    }
}

/// Returns what the network sees of a leaf.
pub fn facts(leaf: &Leaf<'_>) -> Facts {
    Facts {
        weakness: leaf.weakness,
        ..Facts::of(leaf.game)
    }
}

/// Returns the evaluation of the logits of moves and a value head's outputs.
pub fn evaluation(logits: Vec<f32>, outputs: &[f32; VALUE_LEN]) -> Evaluation {
    let WdlAndLength { wdl, moves_left } = WdlAndLength::of(outputs);
    let [win, draw, loss] = wdl;
    Evaluation {
        logits,
        wdl: MoverWdl { win, draw, loss },
        moves_left,
    }
}

impl NetEvaluator<'_> {
    /// Evaluates a position of which only the planes, `[rank, file, plane]`, and the legal moves are known.
    ///
    /// # Panics
    /// If the board has another size than the network's.
    pub fn evaluate_planes(
        &mut self,
        planes: ArrayView3<'_, f32>,
        moves: impl Iterator<Item = PolicyIndex>,
    ) -> Evaluation {
        let outputs = self.0.forward_planes(planes);
        let shape = self.0.shape();
        let logits = moves.map(|output| {
            let mv = Move::from_policy_index(output, shape);
            let logit = mv.and_then(|mv| self.0.logit(mv));
            logit.unwrap_or(outputs[END])
        });
        evaluation(logits.collect(), &outputs)
    }
}
