//! AlphaZero's formulas (Silver et al. 2018, "A general reinforcement learning algorithm that masters
//! chess, shogi, and Go through self-play", supplement and pseudocode).

use crate::PuctConfig;
use crate::tree::{Edge, Node, NodeId, Tree, first_best};

/// c_base: visits at which the weight of the prior begins to grow. `pb_c_base` of the pseudocode.
const C_BASE: f32 = 19_652.0;

/// How much lower the value of an unvisited move is than its parent's, when all the prior is on visited moves, on the scale
/// of win minus loss: Leela Chess Zero's.
const FPU_REDUCTION: f32 = 0.33;

/// Concentration of the root noise in self-play summed over the n legal moves, each getting a part: AlphaZero's 0.3
/// (chess) and 0.03 (Go) are near 10 / n.
pub(crate) const DIRICHLET_ALPHA: f32 = 10.0;

/// Share of the root prior that the noise replaces, AlphaZero's.
pub(crate) const DIRICHLET_FRACTION: f32 = 0.25;

/// Plies from the game's first position in which moves of self-play are drawn from the visits, as in AlphaZero; later
/// the most visited one is played.
pub(crate) const DRAWN_PLIES: usize = 30;

/// Returns C(s) = ln((1 + N(s) + c_base) / c_base) + c_init.
pub(crate) fn exploration_rate(parent_visits: u32, c_init: f32) -> f32 {
    ((1.0 + parent_visits as f32 + C_BASE) / C_BASE).ln() + c_init
}

/// Returns C(s) sqrt(N(s)).
fn exploration(node: &Node, config: &PuctConfig) -> f32 {
    exploration_rate(node.visits, config.c_puct) * (node.visits as f32).sqrt()
}

/// Returns Q(s,a) + C(s) P(s,a) sqrt(N(s)) / (1 + N(s,a)), where `exploration` is C(s) sqrt(N(s)).
///
/// Q is win minus loss of the side to move in s.
pub(crate) fn score(q: f32, prior: f32, exploration: f32, visits: u32) -> f32 {
    q + exploration * prior / (1.0 + visits as f32)
}

/// Returns the value taken for moves without visits: the parent's mean, less the reduction times the
/// root of the prior that was visited (as in Leela Chess Zero and KataGo).
pub(crate) fn first_play_value(parent_value: f32, visited_prior: f32, reduction: f32) -> f32 {
    parent_value - reduction * visited_prior.max(0.0).sqrt()
}

/// Returns the edge of an unproven node with the highest score, a visited one among equals.
///
/// N(s) counts the node's own evaluation, as in the pseudocode. `noisy_priors` replace the priors
/// where they are given. A child that is proven lost for the mover is never chosen. Of the moves
/// without visits the one with the highest prior stands for all.
pub(crate) fn select_edge(
    tree: &Tree,
    id: NodeId,
    noisy_priors: Option<&[f32]>,
    config: &PuctConfig,
    attackers_draw_value: f32,
) -> usize {
    let node = tree.node(id);
    let prior = |index: usize, edge: &Edge| noisy_priors.map_or(edge.prior, |priors| priors[index]);
    let visited = tree
        .tried(id)
        .filter(|(_, edge)| tree.child(edge).is_some_and(|child| child.visits > 0));
    let visited_prior = visited.map(|(index, edge)| prior(index, edge)).sum();
    let parent_value = node.chances().value(node.side, attackers_draw_value);
    let unvisited = first_play_value(parent_value, visited_prior, FPU_REDUCTION);
    let exploration = exploration(node, config);

    let untried = match noisy_priors {
        Some(priors) => best_noisy(tree.edges(id), priors),
        None => tree.best_untried(id),
    };
    let mut best = (0, f32::NEG_INFINITY);
    if let Some(index) = untried {
        let prior = prior(index, &tree.edges(id)[index]);
        best = (index, score(unvisited, prior, exploration, 0));
    }
    for (index, edge) in tree.tried(id) {
        let child = tree.child(edge);
        let Some(child) = child.filter(|child| !child.is_lost_for(node.side)) else {
            continue;
        };
        let q = child.chances().value(node.side, attackers_draw_value);
        let score = score(q, prior(index, edge), exploration, child.visits);
        if score >= best.1 {
            best = (index, score);
        }
    }
    best.0
}

/// Returns the edge without a child whose noisy prior is the highest, the first among equals.
fn best_noisy(edges: &[Edge], noisy_priors: &[f32]) -> Option<usize> {
    let untried = edges.iter().zip(noisy_priors).enumerate();
    let untried = untried.filter(|(_, (edge, _))| edge.child.is_none());
    first_best(untried.map(|(index, (_, prior))| (index, prior)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::by_hand::{prove, tree};
    use tafl_rules::Side;

    #[test]
    fn exploration_grows_with_the_logarithm_of_the_visits() {
        assert!((exploration_rate(4, 1.25) - 1.250_254_4).abs() < 1e-6);
        // ln(2 + 1 / 19652) = 0.693173
        assert!((exploration_rate(19_652, 1.25) - 1.943_172_6).abs() < 1e-5);
    }

    #[test]
    fn scores_are_those_worked_out_by_hand() {
        // N(s) = 4, C(s) sqrt(N(s)) = 1.2502544 * 2 = 2.5005088.
        let exploration = 2.500_508_8;
        // -0.2 + 2.5005088 * 0.5 / 3 and 0.4 + 2.5005088 * 0.3 / 2
        assert!((score(-0.2, 0.5, exploration, 2) - 0.216_751_5).abs() < 1e-6);
        assert!((score(0.4, 0.3, exploration, 1) - 0.775_076_3).abs() < 1e-6);
        // The mean of 0.2, -0.2, -0.2 and 0.4 is 0.05; 0.05 - 0.33 sqrt(0.8) = -0.2451612
        let unvisited = first_play_value(0.05, 0.8, 0.33);
        assert!((unvisited + 0.245_161_2).abs() < 1e-6);
        assert!((score(unvisited, 0.2, exploration, 0) - 0.254_940_6).abs() < 1e-6);
    }

    #[test]
    fn the_highest_score_is_followed_whichever_side_moves() {
        let select = |tree: &Tree, noisy: Option<&[f32]>| {
            select_edge(tree, NodeId::ROOT, noisy, &PuctConfig::default(), 0.0)
        };
        for mover in Side::ALL {
            let mut tree = tree(mover, [2, 1]);
            // Scores 0.217, 0.775 and 0.255.
            assert_eq!(select(&tree, None), 1);
            // Noisy priors 0.1, 0.1 and 0.8: -0.117, 0.525 and 0.05 - 0.148 + 2.0 = 1.903.
            let noisy = [0.1, 0.1, 0.8];
            assert_eq!(select(&tree, Some(&noisy)), 2);
            prove(&mut tree, 1, Some(mover.opponent()), 3);
            assert_eq!(select(&tree, None), 2);
        }
    }
}
