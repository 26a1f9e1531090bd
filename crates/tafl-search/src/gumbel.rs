//! The formulas of Gumbel AlphaZero (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").
//!
//! Logits are the logarithms of the priors, which differ from the network's by a constant that every
//! use of them cancels. Values q are on the range 0 (certain loss of the mover) to 1 (certain win).

use crate::tree::{Chances, Edge, NodeId, Tree};
use crate::{QRange, SearchConfig};

/// Puts q on the range 0 to 1, from win minus loss.
fn unit(value: f32) -> f32 {
    f32::midpoint(value, 1.0)
}

/// Returns sigma(q) = (c_visit + max_b N(b)) c_scale q (eq. 8).
pub(crate) fn sigma(q: f32, max_visits: u32, config: &SearchConfig) -> f32 {
    (config.c_visit + max_visits as f32) * config.c_scale * q
}

/// Returns v_mix (eq. 33), the value of a move without visits:
/// (v + sum_b N(b) / sum_{b: N(b)>0} pi(b) * sum_{a: N(a)>0} pi(a) q(a)) / (1 + sum_b N(b)).
pub(crate) fn mixed_chances(tree: &Tree, id: NodeId) -> Chances {
    let mut visits = 0;
    let mut prior_sum = 0.0;
    let mut weighted = Chances::default();
    for edge in tree.edges(id) {
        if let Some(child) = tree.child(edge).filter(|child| child.visits > 0) {
            // A prior may underflow to 0; the least positive number keeps the quotient defined.
            let prior = edge.prior.max(f32::MIN_POSITIVE);
            visits += child.visits;
            prior_sum += prior;
            weighted.add_scaled(child.chances(), prior);
        }
    }
    let mut mixed = tree.node(id).network;
    if visits > 0 {
        mixed.add_scaled(weighted, visits as f32 / prior_sum);
    }
    mixed.scaled(1.0 / (1.0 + visits as f32))
}

/// Returns completedQ (eq. 10): a visited or proven move's own value, v_mix for the others.
fn completed_chances(tree: &Tree, edge: &Edge, mixed: Chances) -> Chances {
    tree.child(edge).map_or(mixed, |child| child.chances())
}

/// Puts logits(a) + sigma(completedQ(a)) into `scores`, whose softmax is the improved policy (eq. 11).
///
/// Moves proven lost for the mover get minus infinity, unless the node is lost as a whole.
pub(crate) fn improved_logits(
    tree: &Tree,
    id: NodeId,
    config: &SearchConfig,
    scores: &mut Vec<f32>,
) {
    let node = tree.node(id);
    let mixed = mixed_chances(tree, id);
    let edges = tree.edges(id);
    scores.clear();
    scores.extend(
        edges
            .iter()
            .map(|edge| unit(completed_chances(tree, edge, mixed).value(node.side))),
    );
    if config.q_range == QRange::MinMax {
        stretch(scores);
    }
    let visits = edges
        .iter()
        .filter_map(|edge| tree.child(edge))
        .map(|child| child.visits);
    let max_visits = visits.max().unwrap_or(0);
    let all_lost = node.is_lost_for(node.side);
    for (score, edge) in scores.iter_mut().zip(edges) {
        let lost = tree
            .child(edge)
            .is_some_and(|child| child.is_lost_for(node.side));
        *score = if lost && !all_lost {
            f32::NEG_INFINITY
        } else {
            edge.log_prior + sigma(*score, max_visits, config)
        };
    }
}

/// Rescales values so that the least becomes 0 and the greatest 1; equal ones become 0 (as in mctx).
pub(crate) fn stretch(values: &mut [f32]) {
    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = (greatest - least).max(1e-8);
    for value in values {
        *value = (*value - least) / range;
    }
}

/// Turns logits into probabilities, in place.
pub(crate) fn softmax(scores: &mut [f32]) {
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - max).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

/// Returns the edge to follow below the root: argmax of pi'(a) - N(a) / (1 + sum_b N(b)) (eq. 14), the
/// first among equals. A child that is proven lost for the mover is never chosen.
pub(crate) fn select_edge(
    tree: &Tree,
    id: NodeId,
    config: &SearchConfig,
    scores: &mut Vec<f32>,
) -> usize {
    improved_logits(tree, id, config, scores);
    softmax(scores);
    let node = tree.node(id);
    let edges = tree.edges(id);
    let visits = |edge: &Edge| tree.child(edge).map_or(0, |child| child.visits);
    let total = 1.0 + edges.iter().map(visits).sum::<u32>() as f32;
    let mut best = (0, f32::NEG_INFINITY);
    for (index, (edge, improved)) in edges.iter().zip(&*scores).enumerate() {
        let lost = tree
            .child(edge)
            .is_some_and(|child| child.is_lost_for(node.side));
        let score = improved - visits(edge) as f32 / total;
        if score > best.1 && !lost {
            best = (index, score);
        }
    }
    best.0
}

/// Returns the value of the node under its improved policy: sum_a pi'(a) completedQ(a).
///
/// The mean over the visits would count the moves that Sequential Halving tried and dropped.
pub(crate) fn improved_chances(tree: &Tree, id: NodeId, policy: &[f32]) -> Chances {
    let mixed = mixed_chances(tree, id);
    let mut value = Chances::default();
    for (edge, &probability) in tree.edges(id).iter().zip(policy) {
        value.add_scaled(completed_chances(tree, edge, mixed), probability);
    }
    value
}
