//! The tree whose numbers the tests of the formulas were worked out for on paper.

use super::*;
use tafl_rules::Square;

fn wdl(win: f32) -> MoverWdl {
    MoverWdl {
        win,
        draw: 0.0,
        loss: 1.0 - win,
    }
}

/// Three moves with the priors 0.5, 0.3 and 0.2; the network gives the mover 0.6 to win, 0.4 to lose.
///
/// The first two moves have visits whose mean wins are 0.4 and 0.7 for the mover; no draws.
pub(crate) fn tree(mover: Side, visits: [u32; 2]) -> Tree {
    let chances = |win: f32| Chances::of_mover(wdl(win), mover);
    let a1 = Square::new(0, 0);
    let moves = [1, 2, 3].map(|file| Move::new(a1, Square::new(file, 0)).expect("one line"));
    let evaluation = Evaluation {
        logits: [0.5_f32, 0.3, 0.2].map(|prior| prior.ln() + 3.0).to_vec(),
        wdl: wdl(0.6),
        moves_left: 1.0,
    };
    let mut tree = Tree::default();
    let root = tree.add(Node::new(mover, None));
    tree.expand(root, &moves, &evaluation);
    tree.node_mut(root).visit(chances(0.6));
    for (edge_index, (visits, win)) in visits.into_iter().zip([0.4, 0.7]).enumerate() {
        if visits == 0 {
            continue;
        }
        let child = tree.add(Node::new(mover.opponent(), None));
        tree.link(root, edge_index, child);
        for _ in 0..visits {
            tree.node_mut(child).visit(chances(win));
            tree.node_mut(root).visit(chances(win));
        }
    }
    tree
}

/// Gives the child at the end of an edge a proof, and makes the child where there is none.
pub(crate) fn prove(tree: &mut Tree, edge_index: usize, winner: Option<Side>, plies: u16) {
    let proof = Proof { winner, plies };
    let edge = tree.edges(NodeId::ROOT)[edge_index];
    let id = edge.child.unwrap_or_else(|| {
        let id = tree.add(Node::new(Side::Attacker, None));
        tree.link(NodeId::ROOT, edge_index, id);
        id
    });
    tree.node_mut(id).settle(proof);
}

#[test]
fn a_kept_subtree_is_the_old_one_with_new_numbers() {
    let mut tree = tree(Side::Attacker, [2, 1]);
    let child = tree.edges(NodeId::ROOT)[1].child.expect("visited");
    let mv = tree.edges(NodeId::ROOT)[0].mv;
    let evaluation = Evaluation {
        logits: vec![0.0],
        wdl: wdl(0.2),
        moves_left: 1.0,
    };
    tree.expand(child, &[mv], &evaluation);
    let grandchild = tree.add(Node::new(Side::Attacker, None));
    tree.node_mut(grandchild)
        .visit(Chances::certain(Some(Side::Defender)));
    tree.link(child, 0, grandchild);
    tree.keep_subtree(child);
    assert_eq!((tree.nodes.len(), tree.edges.len()), (2, 1));
    let root = tree.node(NodeId::ROOT);
    assert_eq!((root.side, root.visits), (Side::Defender, 1));
    let edge = tree.edges(NodeId::ROOT)[0];
    let kept = tree.child(&edge).expect("kept");
    let value = kept.chances().value(Side::Defender, 0.0);
    assert_eq!((edge.mv, kept.visits, value), (mv, 1, 1.0));
}
