//! Forced playouts and policy target pruning (Wu 2019, "Accelerating Self-Play Learning in Go", section 3.2).
//!
//! Noise at the root is of use only where it gets a move looked at more than once or twice; the visits
//! that this takes would teach the network the noise, so the target gives them back.

use crate::SearchConfig;
use crate::puct::{exploration, score};
use crate::select::most_visited_edge;
use crate::tree::{Edge, NodeId, Tree};

/// Returns n_forced(c) = sqrt(k P(c) sum_c' N(c')).
pub(crate) fn forced_visits(k: f32, prior: f32, visits: u32) -> f32 {
    (k * prior * visits as f32).sqrt()
}

/// Returns the first tried edge of the root that has visits, but fewer than are forced; `k` of 0 forces none.
///
/// `noisy_priors` are P(c). A move proven lost is owed nothing.
pub(crate) fn forced_edge(tree: &Tree, noisy_priors: &[f32], k: f32) -> Option<usize> {
    if k == 0.0 {
        return None;
    }
    let side = tree.node(NodeId::ROOT).side;
    let all = visits_of_children(tree);
    let owed = |&(index, edge): &(usize, &Edge)| {
        tree.child(edge).is_some_and(|child| {
            let counts = child.visits > 0 && !child.is_lost_for(side);
            counts && (child.visits as f32) < forced_visits(k, noisy_priors[index], all)
        })
    };
    let first = tree.tried(NodeId::ROOT).find(owed);
    first.map(|(index, _)| index)
}

/// Returns the visits of the root's edges without those that only force explains.
///
/// From every child c but the most visited c*, up to n_forced(c) visits are taken, as long as
/// PUCT(c) stays below PUCT(c*); a child that is left with a single one loses it too.
pub(crate) fn pruned_visits(
    tree: &Tree,
    noisy_priors: &[f32],
    k: f32,
    config: &SearchConfig,
) -> Vec<u32> {
    let root = tree.node(NodeId::ROOT);
    let edges = tree.edges(NodeId::ROOT);
    let visits = |edge: &Edge| tree.child(edge).map_or(0, |child| child.visits);
    let mut pruned: Vec<u32> = edges.iter().map(visits).collect();
    let Some(best) = most_visited_edge(tree, NodeId::ROOT) else {
        return pruned;
    };
    let (all, exploration) = (visits_of_children(tree), exploration(root, config));
    let puct = |index: usize, visits: u32| {
        let chances = tree.child(&edges[index]).map(|child| child.chances());
        let q = chances.map_or(-1.0, |chances| chances.value(root.side, config.draw_value));
        score(q, noisy_priors[index], exploration, visits)
    };
    let highest = puct(best, pruned[best]);
    for (index, visits) in pruned.iter_mut().enumerate() {
        if index == best || *visits == 0 {
            continue;
        }
        let mut takeable = forced_visits(k, noisy_priors[index], all) as u32;
        while takeable > 0 && *visits > 0 && puct(index, *visits - 1) < highest {
            takeable -= 1;
            *visits -= 1;
        }
        if *visits == 1 {
            *visits = 0;
        }
    }
    pruned
}

fn visits_of_children(tree: &Tree) -> u32 {
    let children = tree.tried(NodeId::ROOT);
    children
        .filter_map(|(_, edge)| tree.child(edge))
        .map(|child| child.visits)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::by_hand::{config, prove, tree};
    use tafl_rules::Side;

    const PRIORS: [f32; 3] = [0.5, 0.3, 0.2];

    #[test]
    fn forced_visits_are_the_root_of_k_times_prior_times_visits() {
        // sqrt(2 * 0.5 * 24)
        assert!((forced_visits(2.0, 0.5, 24) - 4.898_979_5).abs() < 1e-6);
    }

    #[test]
    fn a_visited_move_with_fewer_visits_than_forced_comes_first() {
        for mover in Side::ALL {
            // Of 24 visits 4.90 are forced on the first move and 3.79 on the second; the third has none.
            assert_eq!(forced_edge(&tree(mover, [5, 19]), &PRIORS, 2.0), None);
            assert_eq!(forced_edge(&tree(mover, [4, 20]), &PRIORS, 2.0), Some(0));
            assert_eq!(forced_edge(&tree(mover, [21, 3]), &PRIORS, 2.0), Some(1));
            assert_eq!(forced_edge(&tree(mover, [4, 20]), &PRIORS, 0.0), None);
            let mut tree = tree(mover, [4, 20]);
            prove(&mut tree, 0, Some(mover.opponent()), 3);
            assert_eq!(forced_edge(&tree, &PRIORS, 2.0), None, "a lost move");
        }
    }

    #[test]
    fn forced_visits_are_taken_back_while_the_best_move_stays_ahead() {
        // N(s) = 25 and C(s) = 1.25, so C(s) sqrt(N(s)) = 6.25.
        let config = SearchConfig {
            c_puct_base: 0.0,
            ..config()
        };
        for mover in Side::ALL {
            let pruned = |visits, priors: [f32; 3], k| {
                pruned_visits(&tree(mover, visits), &priors, k, &config)
            };
            // PUCT(c*) = 0.4 + 6.25 * 0.3 / 19 = 0.499; that of the first move is -0.2 + 3.125 / (1 + N):
            // 0.321 with 5 visits, 0.425 with 4, 0.581 with 3.
            assert_eq!(pruned([6, 18], PRIORS, 2.0), [4, 18, 0]);
            // sqrt(0.1 * 0.5 * 24) = 1.10: one visit was forced.
            assert_eq!(pruned([6, 18], PRIORS, 0.1), [5, 18, 0]);
            // sqrt(2 * 0.1 * 24) = 2.19 with a prior of 0.1, and 0.4 + 6.25 * 0.7 / 22 = 0.599 is never
            // reached: two visits go, and the single one that is left goes too.
            assert_eq!(pruned([3, 21], [0.1, 0.7, 0.2], 2.0), [0, 21, 0]);
            // The first move is the most visited; the second is better and loses nothing.
            assert_eq!(pruned([18, 6], PRIORS, 2.0), [18, 6, 0]);
        }
    }
}
