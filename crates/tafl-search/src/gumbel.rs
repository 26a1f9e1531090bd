//! The formulas of Gumbel AlphaZero (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").
//!
//! The move played is argmax g(a) + logits(a) + sigma(completedQ(a)) among the considered moves, with the
//! noise g that chose them: by the Gumbel-max trick a draw from the improved policy, as far as the visits
//! tell. It needs no temperature.
//!
//! Logits are the logarithms of the priors, which differ from the network's by a constant that every
//! use of them cancels. Values q are on the range 0 (certain loss of the mover) to 1 (certain win).

use crate::SearchConfig;
use crate::softmax::exponentials;
use crate::tree::{Chances, Edge, NodeId, Tree};
use tafl_rules::Side;

/// Puts q on the range 0 to 1, from win minus loss.
fn unit(value: f32) -> f32 {
    f32::midpoint(value, 1.0)
}

/// c_visit: visits that sigma adds to the largest visit count (eq. 8).
const C_VISIT: f32 = 50.0;

/// c_scale: weight of the values against the logits (eq. 8); as in Danihelka et al. mctx, which stretches the values of a
/// node's moves to the range 0 to 1 first: 0.1.
const C_SCALE: f32 = 1.0;

/// How values are weighed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighing {
    c_scale: f32,
    attackers_draw_value: f32,
}

impl Weighing {
    pub(crate) const fn of(config: &SearchConfig) -> Self {
        Self {
            c_scale: C_SCALE,
            attackers_draw_value: config.attackers_draw_value,
        }
    }
}

/// Returns sigma(q) = (c_visit + max_b N(b)) c_scale q (eq. 8).
pub(crate) fn sigma(q: f32, max_visits: u32, c_scale: f32) -> f32 {
    (C_VISIT + max_visits as f32) * c_scale * q
}

/// The completed values of a node's moves, ready to be asked for move by move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Completed<'a> {
    tree: &'a Tree,
    weighing: Weighing,
    side: Side,
    all_lost: bool,
    /// v_mix.
    pub(crate) mixed: Chances,
    /// v_mix on the range 0 to 1.
    mixed_q: f32,
    /// max_b N(b).
    max_visits: u32,
    /// sum_b N(b).
    visits: u32,
    /// Prior of the moves without a child.
    untried_prior: f32,
}

impl<'a> Completed<'a> {
    /// Looks at the children of a node.
    pub(crate) fn of(tree: &'a Tree, id: NodeId, weighing: Weighing) -> Self {
        Self::noting(tree, id, weighing, |_| {})
    }

    /// Looks at the children of a node and calls `note` with the value of each, in order of the edges;
    /// minus infinity for those that are proven lost, unless the node is lost as a whole.
    fn noting(tree: &'a Tree, id: NodeId, weighing: Weighing, mut note: impl FnMut(f32)) -> Self {
        let node = tree.node(id);
        let all_lost = node.is_lost_for(node.side);
        let draw_value = weighing.attackers_draw_value;
        let value = |chances: Chances| unit(chances.value(node.side, draw_value));
        let (mut visits, mut max_visits) = (0, 0);
        let (mut prior_sum, mut untried_prior) = (0.0, 1.0);
        let mut weighted = Chances::default();
        for (_, edge) in tree.tried(id) {
            let Some(child) = tree.child(edge) else {
                continue;
            };
            let chances = child.chances();
            let q = value(chances);
            let lost = child.is_lost_for(node.side) && !all_lost;
            note(if lost { f32::NEG_INFINITY } else { q });
            untried_prior -= edge.prior;
            if child.visits > 0 {
                // A prior may underflow to 0; the least positive number keeps the quotient defined.
                let prior = edge.prior.max(f32::MIN_POSITIVE);
                visits += child.visits;
                max_visits = max_visits.max(child.visits);
                prior_sum += prior;
                weighted.add_scaled(chances, prior);
            }
        }
        let mixed = mixed_chances(node.network, visits, weighted, prior_sum);
        Self {
            tree,
            weighing,
            side: node.side,
            all_lost,
            mixed,
            mixed_q: value(mixed),
            max_visits,
            visits,
            untried_prior,
        }
    }

    fn sigma(&self, q: f32) -> f32 {
        sigma(q, self.max_visits, self.weighing.c_scale)
    }

    /// Returns logits(a) + sigma(completedQ(a)), whose softmax is the improved policy (eq. 11).
    ///
    /// completedQ (eq. 10) is a visited or proven move's own value, v_mix for the others. Moves proven
    /// lost for the mover get minus infinity, unless the node is lost as a whole.
    pub(crate) fn score(&self, edge: &Edge) -> f32 {
        let q = match self.tree.child(edge) {
            Some(child) if child.is_lost_for(self.side) && !self.all_lost => {
                return f32::NEG_INFINITY;
            }
            Some(child) => {
                let draw_value = self.weighing.attackers_draw_value;
                unit(child.chances().value(self.side, draw_value))
            }
            None => self.mixed_q,
        };
        edge.log_prior + self.sigma(q)
    }
}

/// Returns v_mix (appendix D, eq. 33), the value of a move without visits:
/// (v + sum_b N(b) / sum_{b: N(b)>0} pi(b) * sum_{a: N(a)>0} pi(a) q(a)) / (1 + sum_b N(b)).
///
/// `weighted` is the last of those sums, `prior_sum` the one before it.
fn mixed_chances(network: Chances, visits: u32, weighted: Chances, prior_sum: f32) -> Chances {
    let mut mixed = network;
    if visits > 0 {
        mixed.add_scaled(weighted, visits as f32 / prior_sum);
    }
    mixed.scaled(1.0 / (1.0 + visits as f32))
}

/// Puts the scores of all moves of a node into `scores`; their softmax is the improved policy (eq. 11).
pub(crate) fn improved_logits(tree: &Tree, id: NodeId, weighing: Weighing, scores: &mut Vec<f32>) {
    let completed = Completed::of(tree, id, weighing);
    scores.clear();
    scores.extend(tree.edges(id).iter().map(|edge| completed.score(edge)));
}

/// Returns the edge to follow below the root: argmax of pi'(a) - N(a) / (1 + sum_b N(b)) (eq. 14), a
/// move with visits among equals. A child that is proven lost for the mover is never chosen.
///
/// Moves without visits share one completed value, so the best of them stands for all, and their
/// part of the softmax's sum is their prior's: only moves with visits are looked at one by one.
pub(crate) fn select_edge(
    tree: &Tree,
    id: NodeId,
    weighing: Weighing,
    scores: &mut Vec<f32>,
) -> usize {
    scores.clear();
    let completed = Completed::noting(tree, id, weighing, |q| scores.push(q));
    for (score, (_, edge)) in scores.iter_mut().zip(tree.tried(id)) {
        if *score > f32::NEG_INFINITY {
            *score = edge.log_prior + completed.sigma(*score);
        }
    }
    let untried = tree.best_untried(id);
    if untried.is_some() {
        scores.push(completed.sigma(completed.mixed_q));
    }
    let (_, mut sum) = exponentials(scores);
    let mut best = (0, f32::NEG_INFINITY);
    if let (Some(index), Some(weight)) = (untried, scores.last()) {
        let prior = tree.edges(id)[index].prior;
        sum += weight * (completed.untried_prior.max(prior) - 1.0);
        best = (index, weight * prior / sum);
    }
    let total = 1.0 + completed.visits as f32;
    for ((index, edge), weight) in tree.tried(id).zip(&*scores) {
        let visits = tree.child(edge).map_or(0, |child| child.visits);
        let score = weight / sum - visits as f32 / total;
        // The weight is 0 where the move is proven lost.
        if score >= best.1 && *weight > 0.0 {
            best = (index, score);
        }
    }
    best.0
}

/// Returns the value of the node under its improved policy: sum_a pi'(a) completedQ(a).
///
/// The mean over the visits would count the moves that Sequential Halving tried and dropped.
pub(crate) fn improved_chances(
    tree: &Tree,
    id: NodeId,
    weighing: Weighing,
    policy: &[f32],
) -> Chances {
    let mixed = Completed::of(tree, id, weighing).mixed;
    let mut value = Chances::default();
    for (edge, &probability) in tree.edges(id).iter().zip(policy) {
        let completed = tree.child(edge).map_or(mixed, |child| child.chances());
        value.add_scaled(completed, probability);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::softmax::softmax;
    use crate::tree::by_hand::{prove, tree};

    /// sigma(q) = 4 q where a move has two visits, the most.
    const WEIGHING: Weighing = Weighing {
        c_scale: 4.0 / 52.0,
        attackers_draw_value: 0.0,
    };

    fn assert_near(found: &[f32], expected: &[f32]) {
        let near = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1e-5;
        assert!(
            found.iter().zip(expected).all(near),
            "{found:?} instead of {expected:?}"
        );
    }

    fn policy(tree: &Tree) -> Vec<f32> {
        let mut policy = Vec::new();
        improved_logits(tree, NodeId::ROOT, WEIGHING, &mut policy);
        softmax(&mut policy);
        policy
    }

    #[test]
    fn sigma_is_equation_8() {
        // (50 + 14) * 0.1 * 0.25
        assert!((sigma(0.25, 14, 0.1) - 1.6).abs() < 1e-6);
    }

    #[test]
    fn mixed_value_is_equation_33() {
        for mover in Side::ALL {
            let tree = tree(mover, [2, 1]);
            // (0.6 + 3 / 0.8 * (0.5 * 0.4 + 0.3 * 0.7)) / 4 = (0.6 + 1.5375) / 4
            let mixed = Completed::of(&tree, NodeId::ROOT, WEIGHING)
                .mixed
                .for_mover(mover);
            assert_near(&[mixed.win, mixed.loss], &[0.534_375, 0.465_625]);
        }
    }

    #[test]
    fn improved_policy_is_equation_11() {
        for mover in Side::ALL {
            let tree = tree(mover, [2, 1]);
            // 0.5 e^(4 * 0.4), 0.3 e^(4 * 0.7) and 0.2 e^(4 * 0.534375), over their sum 9.105552
            let policy = policy(&tree);
            assert_near(&policy, &[0.271_979, 0.541_801, 0.186_221]);
            // 0.271979 * 0.4 + 0.541801 * 0.7 + 0.186221 * 0.534375
            let value = improved_chances(&tree, NodeId::ROOT, WEIGHING, &policy).for_mover(mover);
            assert_near(&[value.win], &[0.587_564]);
        }
    }

    #[test]
    fn selection_below_the_root_is_equation_14() {
        let select = |tree: &Tree| select_edge(tree, NodeId::ROOT, WEIGHING, &mut Vec::new());
        for mover in Side::ALL {
            // 0.271979 - 2/4, 0.541801 - 1/4, 0.186221
            assert_eq!(select(&tree(mover, [2, 1])), 1);
            // v_mix = 0.53; 0.272860 - 2/5, 0.543557 - 2/5, 0.183583
            let mut tree = tree(mover, [2, 2]);
            assert_eq!(select(&tree), 2);
            prove(&mut tree, 2, Some(mover.opponent()), 1);
            assert_eq!(policy(&tree)[2], 0.0);
            assert_eq!(select(&tree), 1);
        }
    }

    #[test]
    fn a_node_without_visits_keeps_the_prior() {
        let tree = tree(Side::Attacker, [0, 0]);
        assert_near(&policy(&tree), &[0.5, 0.3, 0.2]);
    }
}
