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
    for edge in tree.tried(id) {
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
    scores.extend(edges.iter().map(|edge| {
        unit(completed_chances(tree, edge, mixed).value(node.side, config.draw_value))
    }));
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

/// Returns the edge to follow below the root: argmax of pi'(a) - N(a) / (1 + sum_b N(b)) (eq. 14), a
/// move with visits among equals. A child that is proven lost for the mover is never chosen.
///
/// Moves without visits share one completed value, so the best of them stands for all, and their
/// part of the softmax's sum is their prior's: only moves with visits are looked at one by one.
pub(crate) fn select_edge(
    tree: &Tree,
    id: NodeId,
    config: &SearchConfig,
    scores: &mut Vec<f32>,
) -> usize {
    let node = tree.node(id);
    let tried = tree.tried(id);
    let untried = tree.best_untried(id);
    let value = |chances: Chances| unit(chances.value(node.side, config.draw_value));
    // Completed values: those of the tried moves, then the one of all others.
    scores.clear();
    let (mut max_visits, mut total, mut prior_left) = (0, 1.0, 1.0);
    for edge in tried {
        if let Some(child) = tree.child(edge) {
            max_visits = max_visits.max(child.visits);
            total += child.visits as f32;
            prior_left -= edge.prior;
            scores.push(value(child.chances()));
        }
    }
    if untried.is_some() {
        scores.push(value(mixed_chances(tree, id)));
    }
    if config.q_range == QRange::MinMax {
        stretch(scores);
    }
    let children = || {
        tried
            .iter()
            .enumerate()
            .filter(|(_, edge)| edge.child.is_some())
    };
    for (score, (_, edge)) in scores.iter_mut().zip(children()) {
        let lost = tree
            .child(edge)
            .is_some_and(|child| child.is_lost_for(node.side));
        *score = if lost {
            f32::NEG_INFINITY
        } else {
            edge.log_prior + sigma(*score, max_visits, config)
        };
    }
    if let Some(score) = scores.last_mut().filter(|_| untried.is_some()) {
        *score = sigma(*score, max_visits, config);
    }
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in &mut *scores {
        *score = (*score - max).exp();
        sum += *score;
    }
    let mut best = (untried.unwrap_or(0), f32::NEG_INFINITY);
    if let (Some(index), Some(each)) = (untried, scores.last()) {
        let prior = tree.edges(id)[index].prior;
        sum += each * (prior_left.max(prior) - 1.0);
        best.1 = each * prior / sum;
    }
    for ((index, edge), weight) in children().zip(&*scores) {
        let Some(child) = tree.child(edge) else {
            continue;
        };
        let score = weight / sum - child.visits as f32 / total;
        if score >= best.1 && *weight > 0.0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::by_hand::{config, prove, tree};
    use tafl_rules::Side;

    fn assert_near(found: &[f32], expected: &[f32]) {
        let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-5;
        assert!(
            found.iter().zip(expected).all(near),
            "{found:?} instead of {expected:?}"
        );
    }

    fn policy(tree: &Tree, q_range: QRange) -> Vec<f32> {
        let mut policy = Vec::new();
        let config = SearchConfig {
            q_range,
            ..config()
        };
        improved_logits(tree, NodeId::ROOT, &config, &mut policy);
        softmax(&mut policy);
        policy
    }

    #[test]
    fn sigma_is_equation_8() {
        // (50 + 14) * 0.1 * 0.25
        let config = SearchConfig {
            c_visit: 50.0,
            c_scale: 0.1,
            ..config()
        };
        assert!((sigma(0.25, 14, &config) - 1.6).abs() < 1e-6);
    }

    #[test]
    fn mixed_value_is_equation_33() {
        for mover in Side::ALL {
            let tree = tree(mover, [2, 1]);
            // (0.6 + 3 / 0.8 * (0.5 * 0.4 + 0.3 * 0.7)) / 4 = (0.6 + 1.5375) / 4
            let mixed = mixed_chances(&tree, NodeId::ROOT).for_mover(mover);
            assert_near(&[mixed.win, mixed.loss], &[0.534_375, 0.465_625]);
        }
    }

    #[test]
    fn improved_policy_is_equation_11() {
        for mover in Side::ALL {
            let tree = tree(mover, [2, 1]);
            // 0.5 e^(4 * 0.4), 0.3 e^(4 * 0.7) and 0.2 e^(4 * 0.534375), over their sum 9.105552
            let unit = policy(&tree, QRange::Unit);
            assert_near(&unit, &[0.271_979, 0.541_801, 0.186_221]);
            // q becomes 0, 1 and (0.534375 - 0.4) / 0.3 = 0.447917:
            // 0.5, 0.3 e^4 and 0.2 e^1.791667, over their sum 18.079414
            assert_near(
                &policy(&tree, QRange::MinMax),
                &[0.027_656, 0.905_973, 0.066_371],
            );
            // 0.271979 * 0.4 + 0.541801 * 0.7 + 0.186221 * 0.534375
            let value = improved_chances(&tree, NodeId::ROOT, &unit).for_mover(mover);
            assert_near(&[value.win], &[0.587_564]);
        }
    }

    #[test]
    fn selection_below_the_root_is_equation_14() {
        let select = |tree: &Tree| select_edge(tree, NodeId::ROOT, &config(), &mut Vec::new());
        for mover in Side::ALL {
            // 0.271979 - 2/4, 0.541801 - 1/4, 0.186221
            assert_eq!(select(&tree(mover, [2, 1])), 1);
            // v_mix = 0.53; 0.272860 - 2/5, 0.543557 - 2/5, 0.183583
            let mut tree = tree(mover, [2, 2]);
            assert_eq!(select(&tree), 2);
            prove(&mut tree, 2, Some(mover.opponent()), 1);
            assert_eq!(policy(&tree, QRange::Unit)[2], 0.0);
            assert_eq!(select(&tree), 1);
        }
    }

    #[test]
    fn a_node_without_visits_keeps_the_prior() {
        let tree = tree(Side::Attacker, [0, 0]);
        assert_near(&policy(&tree, QRange::Unit), &[0.5, 0.3, 0.2]);
    }
}
