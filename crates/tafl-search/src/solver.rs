//! MCTS-Solver (Winands et al. 2008): results that are certain go up the tree as certainties.

use crate::tree::{Node, NodeId, Tree, first_best};
use tafl_rules::Side;

/// The certain result of a position under best play, as far as the search knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Proof {
    /// The side that wins, `None` for a draw.
    pub winner: Option<Side>,
    /// Plies to the end along the line that proves it. A shorter win may exist unseen.
    pub plies: u16,
}

impl Proof {
    /// Returns the proof of a position one ply before.
    #[must_use]
    pub(crate) const fn a_ply_before(self) -> Self {
        Self {
            winner: self.winner,
            plies: self.plies.saturating_add(1),
        }
    }
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
        let edges = tree.edges(id).iter();
        edges.map(|edge| tree.child(edge).and_then(|node| node.proof()))
    };
    let of = |winner| proofs().flatten().filter(move |it| it.winner == winner);
    let plies = |proof: &Proof| proof.plies;
    let best = match of(Some(side)).min_by_key(plies) {
        None if proofs().any(|proof| proof.is_none()) => None,
        None => {
            let draw = of(None).max_by_key(plies);
            draw.or_else(|| of(Some(side.opponent())).max_by_key(plies))
        }
        win => win,
    };
    best.map(Proof::a_ply_before)
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
    let edges = tree.edges(id).iter().enumerate();
    first_best(edges.filter_map(|(index, edge)| {
        let child = tree.child(edge)?;
        let proof = child.proof().filter(|proof| proof.winner == winner)?;
        Some((index, rank(child, proof)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::by_hand::{prove, tree};

    const ATTACKERS: Option<Side> = Some(Side::Attacker);
    const DEFENDERS: Option<Side> = Some(Side::Defender);

    /// Proves some children of a root with three, each by edge, winner and plies; returns the winner, the plies and the
    /// edge played at the root.
    fn root(
        mover: Side,
        children: &[(usize, Option<Side>, u16)],
    ) -> Option<(Option<Side>, u16, usize)> {
        let mut tree = tree(mover, [2, 1]);
        for &(edge_index, winner, plies) in children {
            prove(&mut tree, edge_index, winner, plies);
        }
        let proof = conclude(&tree, NodeId::ROOT)?;
        tree.node_mut(NodeId::ROOT).settle(proof);
        Some((proof.winner, proof.plies, proven_edge(&tree, NodeId::ROOT)?))
    }

    #[test]
    fn one_winning_move_is_enough_and_the_shortest_counts() {
        let children = [(0, DEFENDERS, 4), (2, DEFENDERS, 2)];
        assert_eq!(root(Side::Defender, &children), Some((DEFENDERS, 3, 2)));
    }

    #[test]
    fn a_loss_needs_every_move_and_the_longest_is_played() {
        let children = [(0, ATTACKERS, 4), (1, ATTACKERS, 6), (2, ATTACKERS, 2)];
        assert_eq!(root(Side::Defender, &children[..2]), None);
        assert_eq!(root(Side::Defender, &children), Some((ATTACKERS, 7, 1)));
    }

    #[test]
    fn a_draw_is_better_than_a_loss() {
        let children = [(0, DEFENDERS, 4), (1, None, 0), (2, DEFENDERS, 2)];
        assert_eq!(root(Side::Attacker, &children), Some((None, 1, 1)));
    }
}
