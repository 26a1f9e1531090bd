//! What a finished search says of its root.

use crate::tree::{Chances, NodeId, Tree};
use crate::{MoverWdl, Proof};
use rand::Rng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use tafl_rules::{Move, Side};

/// A legal move of the root, as the search sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The network's probability among these moves, without noise.
    pub prior: f32,
    /// Visits.
    pub visits: u32,
    /// Expected result for the side to move at the root, if the move was visited or proven.
    pub wdl: Option<MoverWdl>,
    /// Target probability, 0 where the move is proven lost and another is not; all sum to 1.
    pub policy: f32,
    /// The certain result, once known.
    pub proven: Option<Proof>,
}

/// What a search found out about its root. All values are those of the side to move there.
#[derive(Debug, Clone, PartialEq)]
pub struct RootStats {
    /// The legal moves but for those that `lookahead_plies` left out, in the order of
    /// [`tafl_rules::Game::legal_moves`].
    pub moves: Vec<RootMove>,
    /// The move to play.
    pub chosen: Move,
    /// Expected result after the search.
    pub value: MoverWdl,
    /// Expected result before it, from the network alone.
    pub network_value: MoverWdl,
    /// Visits of this search: the budget, or fewer where a proof ended it.
    pub visits: u32,
    /// The certain result, once known.
    pub proven: Option<Proof>,
}

impl RootStats {
    /// Returns a move drawn by the policy, sharpened by `1 / temperature`; at 0 the chosen one.
    pub fn draw(&self, temperature: f32, rng: &mut impl Rng) -> Move {
        let moves = self.moves.iter();
        let weights = moves.map(|root| root.policy.powf(1.0 / temperature));
        match WeightedIndex::new(weights) {
            Ok(weights) if temperature > 0.0 => self.moves[weights.sample(rng)].mv,
            // No temperature, or all weights are too small for their type.
            _ => self.chosen,
        }
    }
}

/// Gathers the statistics of an expanded root; `policy` has one probability for each edge.
pub(crate) fn gather(
    tree: &Tree,
    policy: &[f32],
    value: Chances,
    chosen: usize,
    visits: u32,
) -> RootStats {
    let root = tree.node(NodeId::ROOT);
    let edges = tree.edges(NodeId::ROOT);
    let moves = edges.iter().zip(policy).map(|(edge, &policy)| {
        let child = tree.child(edge);
        RootMove {
            mv: edge.mv,
            prior: edge.prior,
            visits: child.map_or(0, |child| child.visits),
            wdl: child.map(|child| told(child.chances(), root.side)),
            policy,
            proven: child.and_then(|child| child.proof()),
        }
    });
    RootStats {
        moves: moves.collect(),
        chosen: edges[chosen].mv,
        value: told(value, root.side),
        network_value: told(root.network, root.side),
        visits,
        proven: root.proof(),
    }
}

/// Returns chances as the side to move sees them. A mean of certain results may be just outside of 0 to 1 by rounding.
fn told(chances: Chances, mover: Side) -> MoverWdl {
    let MoverWdl { win, draw, loss } = chances.for_mover(mover);
    MoverWdl {
        win: win.clamp(0.0, 1.0),
        draw,
        loss: loss.clamp(0.0, 1.0),
    }
}
