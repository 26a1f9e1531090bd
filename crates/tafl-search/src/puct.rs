//! AlphaZero's formulas (Silver et al. 2018, "A general reinforcement learning algorithm that masters
//! chess, shogi, and Go through self-play", supplement and pseudocode).

use crate::SearchConfig;
use crate::tree::{NodeId, Tree};

/// Returns C(s) = ln((1 + N(s) + c_base) / c_base) + c_init; c_init alone where c_base is 0.
pub(crate) fn exploration_rate(parent_visits: u32, c_init: f32, c_base: f32) -> f32 {
    if c_base == 0.0 {
        return c_init;
    }
    ((1.0 + parent_visits as f32 + c_base) / c_base).ln() + c_init
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

/// Returns the edge of an unproven node with the highest score, the first among equals.
///
/// N(s) counts the node's own evaluation, as in the pseudocode. `noisy_priors` replace the priors
/// where they are given. A child that is proven lost for the mover is never chosen.
pub(crate) fn select_edge(
    tree: &Tree,
    id: NodeId,
    noisy_priors: Option<&[f32]>,
    config: &SearchConfig,
) -> usize {
    let node = tree.node(id);
    let edges = tree.edges(id);
    let prior = |index: usize| noisy_priors.map_or(edges[index].prior, |priors| priors[index]);
    let visited = |index: &usize| {
        tree.child(&edges[*index])
            .is_some_and(|child| child.visits > 0)
    };
    let visited_prior = (0..edges.len()).filter(visited).map(prior).sum();
    let parent_value = node.mean().value(node.side);
    let unvisited = first_play_value(parent_value, visited_prior, config.fpu_reduction);
    let exploration = exploration_rate(node.visits, config.c_puct, config.c_puct_base)
        * (node.visits as f32).sqrt();

    let mut best = (0, f32::NEG_INFINITY);
    for (index, edge) in edges.iter().enumerate() {
        let (q, visits) = match tree.child(edge) {
            Some(child) if child.is_lost_for(node.side) => continue,
            Some(child) => (child.chances().value(node.side), child.visits),
            None => (unvisited, 0),
        };
        let score = score(q, prior(index), exploration, visits);
        if score > best.1 {
            best = (index, score);
        }
    }
    best.0
}
