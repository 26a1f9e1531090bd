//! A network as the search asks for it.

use crate::Net;
use ndarray::ArrayView3;
use tafl_graph::{VALUE_LEN, WdlAndLength};
use tafl_rules::{Move, PolicyIndex};
use tafl_samples::Facts;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Evaluates leaves one after the other; a position's numbers do not depend on those beside it.
#[derive(Debug)]
pub struct NetEvaluator<'a>(pub &'a mut Net);

impl Evaluator for NetEvaluator<'_> {
    /// # Panics
    /// If a leaf's board has another size than the network's.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.clear();
        evaluations.extend(leaves.iter().map(|leaf| evaluation(self.0, leaf)));
    }
}

fn evaluation(net: &mut Net, leaf: &Leaf<'_>) -> Evaluation {
    let facts = Facts {
        weakness: leaf.weakness,
        ..Facts::of(leaf.game)
    };
    let outputs = net.forward(&facts, leaf.game.rules());
    let moves = leaf.moves.iter();
    let logits = moves.map(|&mv| net.logit(mv));
    net_evaluation(&outputs, logits)
}

/// Returns the evaluation of a network's outputs; a move without a logit ends a chain.
fn net_evaluation(
    outputs: &[f32; VALUE_LEN],
    logits: impl Iterator<Item = Option<f32>>,
) -> Evaluation {
    let [.., end] = *outputs;
    let WdlAndLength { wdl, moves_left } = WdlAndLength::of(outputs);
    let [win, draw, loss] = wdl;
    Evaluation {
        logits: logits.map(|logit| logit.unwrap_or(end)).collect(),
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
            let mv = Move::from_policy_index(output, shape)?;
            self.0.logit(mv)
        });
        net_evaluation(&outputs, logits)
    }
}
