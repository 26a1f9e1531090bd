//! A network as the search asks for it.

use crate::Net;
use tafl_graph::WdlAndLength;
use tafl_samples::Facts;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Evaluates leaves one after the other.
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
    let [.., end] = outputs;
    let moves = leaf.moves.iter();
    let logits = moves.map(|&mv| net.logit(mv).unwrap_or(end));
    let WdlAndLength { wdl, moves_left } = WdlAndLength::of(&outputs);
    let [win, draw, loss] = wdl;
    Evaluation {
        logits: logits.collect(),
        wdl: MoverWdl { win, draw, loss },
        moves_left,
    }
}
