//! When the visits that are left cannot change the move that a search plays.

use crate::Algorithm;
use crate::tree::{NodeId, Tree};

/// Returns whether the move to play (without temperature) stays the same whatever values
/// `visits_left` more visits find, as long as they prove nothing.
///
/// That is so where a single move is left that is not proven lost, once a visit has shown that it does
/// not lose at once. With PUCT it is also so where the most visited move is further ahead of the second
/// than there are visits left. With Gumbel the last visits of Sequential Halving go to its last moves in
/// turn, so that none is ever out of reach.
pub(crate) fn choice_is_fixed(tree: &Tree, algorithm: Algorithm, visits_left: u32) -> bool {
    let side = tree.node(NodeId::ROOT).side;
    let mut playable = tree.edges(NodeId::ROOT).len();
    let (mut most, mut second) = (0, 0);
    for child in tree
        .tried(NodeId::ROOT)
        .filter_map(|(_, edge)| tree.child(edge))
    {
        if child.is_lost_for(side) {
            playable -= 1;
            continue;
        }
        second = second.max(child.visits.min(most));
        most = most.max(child.visits);
    }
    let ahead = algorithm == Algorithm::Puct && most > second.saturating_add(visits_left);
    (playable == 1 && most > 0) || ahead
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::by_hand::{prove, tree};
    use tafl_rules::Side;

    #[test]
    fn a_lead_greater_than_the_visits_left_is_final_with_puct() {
        for mover in Side::ALL {
            for visits in [[9, 4], [4, 9]] {
                let fixed =
                    |algorithm, left| choice_is_fixed(&tree(mover, visits), algorithm, left);
                assert!(fixed(Algorithm::Puct, 4));
                assert!(!fixed(Algorithm::Puct, 5), "they might end level");
                assert!(!fixed(Algorithm::Gumbel, 1));
            }
        }
    }

    #[test]
    fn the_only_move_that_is_not_lost_is_final() {
        for mover in Side::ALL {
            let mut tree = tree(mover, [9, 4]);
            prove(&mut tree, 0, Some(mover.opponent()), 2);
            assert!(!choice_is_fixed(&tree, Algorithm::Gumbel, 1));
            assert!(
                choice_is_fixed(&tree, Algorithm::Puct, 3),
                "lost moves have no lead"
            );
            prove(&mut tree, 2, Some(mover.opponent()), 2);
            assert!(choice_is_fixed(&tree, Algorithm::Gumbel, 100));
        }
    }

    #[test]
    fn the_only_move_that_is_not_lost_gets_a_visit_first() {
        for mover in Side::ALL {
            let mut tree = tree(mover, [9, 0]);
            prove(&mut tree, 0, Some(mover.opponent()), 2);
            prove(&mut tree, 2, Some(mover.opponent()), 2);
            assert!(!choice_is_fixed(&tree, Algorithm::Gumbel, 100));
        }
    }
}
