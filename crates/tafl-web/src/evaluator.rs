//! A network as the search asks for it.

use crate::Net;
use tafl_samples::Facts;
use tafl_search::{Evaluation, Evaluator, Leaf, MoverWdl};

/// Plies per unit of the moves-left output.
const MOVES_LEFT_SCALE: f32 = 40.0;

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
    let [win, draw, loss, moves_left, end] = net.forward(&facts, leaf.game.rules());
    let moves = leaf.moves.iter();
    let logits = moves.map(|&mv| net.logit(mv).unwrap_or(end));
    let highest = win.max(draw).max(loss);
    let [win, draw, loss] = [win, draw, loss].map(|logit| (logit - highest).exp());
    let sum = win + draw + loss;
    // softplus, without overflow
    let softplus = moves_left.max(0.0) + (-moves_left.abs()).exp().ln_1p();
    Evaluation {
        logits: logits.collect(),
        wdl: MoverWdl {
            win: win / sum,
            draw: draw / sum,
            loss: loss / sum,
        },
        moves_left: softplus * MOVES_LEFT_SCALE,
    }
}
