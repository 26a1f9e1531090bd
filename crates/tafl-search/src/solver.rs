//! MCTS-Solver (Winands et al. 2008): results that are certain go up the tree as certainties.

use crate::tree::{Node, NodeId, Tree};
use tafl_rules::Side;

/// The certain result of a position under best play, as far as the search knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// The side that wins, `None` for a draw.
    pub winner: Option<Side>,
    /// Plies to the end along the line that proves it. A shorter win may exist unseen.
    pub plies: u16,
}

impl Node {
    /// Returns whether the node is proven to be won by the opponent of `side`.
    pub(crate) fn is_lost_for(&self, side: Side) -> bool {
        self.proof()
            .is_some_and(|proof| proof.winner == Some(side.opponent()))
    }
}

/// Draws the conclusions for the nodes of a path, root first, of which the last one was just proven.
pub(crate) fn propagate(tree: &mut Tree, path: &[NodeId]) {
    for &id in path.iter().rev().skip(1) {
        let Some(proof) = conclude(tree, id) else {
            break;
        };
        tree.node_mut(id).settle(proof);
    }
}

/// Returns what the children prove of their parent.
///
/// One move into a win of the mover proves a win, and the shortest is taken. Otherwise all moves must
/// be proven: the best is a draw if any is one, else the loss that lasts longest. The mover is the
/// parent's; inside a chain the child's is the same side, which changes nothing here.
fn conclude(tree: &Tree, id: NodeId) -> Option<Proof> {
    let side = tree.node(id).side;
    let proofs = || {
        tree.edges(id)
            .iter()
            .map(|edge| tree.child(edge).and_then(|node| node.proof()))
    };
    let plies = |winner| {
        proofs()
            .flatten()
            .filter(move |proof| proof.winner == winner)
            .map(|proof| proof.plies)
    };
    let after = |winner, plies: u16| {
        Some(Proof {
            winner,
            plies: plies.saturating_add(1),
        })
    };

    if let Some(shortest) = plies(Some(side)).min() {
        return after(Some(side), shortest);
    }
    if proofs().any(|proof| proof.is_none()) {
        return None;
    }
    if let Some(longest) = plies(None).max() {
        return after(None, longest);
    }
    let longest = plies(Some(side.opponent())).max()?;
    after(Some(side.opponent()), longest)
}

/// Returns the edge to play where an expanded node is proven: the shortest win, the most visited draw
/// or the longest loss; the first among equals.
pub(crate) fn proven_edge(tree: &Tree, id: NodeId) -> Option<usize> {
    let node = tree.node(id);
    let winner = node.proof()?.winner;
    let rank = |child: &Node, proof: Proof| match winner {
        Some(side) if side == node.side => -i64::from(proof.plies),
        Some(_) => i64::from(proof.plies),
        None => i64::from(child.visits),
    };
    let ranked = tree
        .edges(id)
        .iter()
        .enumerate()
        .filter_map(|(index, edge)| {
            let child = tree.child(edge)?;
            let proof = child.proof().filter(|proof| proof.winner == winner)?;
            Some((index, rank(child, proof)))
        });
    let best = ranked.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::by_hand::{prove, tree};

    #[test]
    fn one_winning_move_is_enough_and_the_shortest_counts() {
        let mut tree = tree(Side::Defender, [2, 1]);
        prove(&mut tree, 0, Some(Side::Defender), 4);
        prove(&mut tree, 2, Some(Side::Defender), 2);
        let proof = Proof {
            winner: Some(Side::Defender),
            plies: 3,
        };
        assert_eq!(conclude(&tree, NodeId::ROOT), Some(proof));
        tree.node_mut(NodeId::ROOT).settle(proof);
        assert_eq!(proven_edge(&tree, NodeId::ROOT), Some(2));
    }

    #[test]
    fn a_loss_needs_every_move_and_the_longest_is_played() {
        let mut tree = tree(Side::Defender, [2, 1]);
        prove(&mut tree, 0, Some(Side::Attacker), 4);
        prove(&mut tree, 1, Some(Side::Attacker), 6);
        assert_eq!(conclude(&tree, NodeId::ROOT), None);
        prove(&mut tree, 2, Some(Side::Attacker), 2);
        let proof = Proof {
            winner: Some(Side::Attacker),
            plies: 7,
        };
        assert_eq!(conclude(&tree, NodeId::ROOT), Some(proof));
        tree.node_mut(NodeId::ROOT).settle(proof);
        assert_eq!(proven_edge(&tree, NodeId::ROOT), Some(1));
    }

    #[test]
    fn a_draw_is_better_than_a_loss() {
        let mut tree = tree(Side::Attacker, [2, 1]);
        prove(&mut tree, 0, Some(Side::Defender), 4);
        prove(&mut tree, 1, None, 0);
        prove(&mut tree, 2, Some(Side::Defender), 2);
        let proof = Proof {
            winner: None,
            plies: 1,
        };
        assert_eq!(conclude(&tree, NodeId::ROOT), Some(proof));
        tree.node_mut(NodeId::ROOT).settle(proof);
        assert_eq!(proven_edge(&tree, NodeId::ROOT), Some(1));
    }
}
