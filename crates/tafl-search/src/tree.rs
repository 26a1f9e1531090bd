//! The arena: all nodes of a search in one vector, all edges in another.

#[cfg(test)]
pub(crate) mod by_hand;

use crate::softmax::exponentials;
use crate::{Evaluation, MoverWdl, Proof};
use std::num::NonZero;
use tafl_rules::{Move, Side};

/// Probabilities that the attackers win and that the defenders win; the rest is a draw.
///
/// Sums and means of values are kept so: they need no sign for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Chances {
    attackers: f32,
    defenders: f32,
}

impl Chances {
    /// Takes the probabilities of the side to move.
    pub(crate) const fn of_mover(wdl: MoverWdl, mover: Side) -> Self {
        let (attackers, defenders) = match mover {
            Side::Attacker => (wdl.win, wdl.loss),
            Side::Defender => (wdl.loss, wdl.win),
        };
        Self {
            attackers,
            defenders,
        }
    }

    /// Returns the certainty that `winner` wins, or that nobody does.
    pub(crate) const fn certain(winner: Option<Side>) -> Self {
        let (attackers, defenders) = match winner {
            Some(Side::Attacker) => (1.0, 0.0),
            Some(Side::Defender) => (0.0, 1.0),
            None => (0.0, 0.0),
        };
        Self {
            attackers,
            defenders,
        }
    }

    /// Returns the probabilities as `mover` sees them.
    pub(crate) fn for_mover(self, mover: Side) -> MoverWdl {
        let (win, loss) = match mover {
            Side::Attacker => (self.attackers, self.defenders),
            Side::Defender => (self.defenders, self.attackers),
        };
        MoverWdl {
            win,
            draw: (1.0 - win - loss).max(0.0),
            loss,
        }
    }

    /// Returns win minus loss for `side`, -1 to 1, where a draw is worth `attackers_draw_value` to the attackers.
    pub(crate) fn value(self, side: Side, attackers_draw_value: f32) -> f32 {
        let MoverWdl { win, draw, loss } = self.for_mover(side);
        let draw_value = match side {
            Side::Attacker => attackers_draw_value,
            Side::Defender => 0.0,
        };
        win - loss + draw_value * draw
    }

    /// Moves to another value by a share of the way.
    fn approach(&mut self, other: Self, share: f32) {
        self.attackers += share * (other.attackers - self.attackers);
        self.defenders += share * (other.defenders - self.defenders);
    }

    pub(crate) fn add_scaled(&mut self, other: Self, weight: f32) {
        self.attackers += weight * other.attackers;
        self.defenders += weight * other.defenders;
    }

    pub(crate) fn scaled(self, factor: f32) -> Self {
        Self {
            attackers: self.attackers * factor,
            defenders: self.defenders * factor,
        }
    }
}

/// A node's place in its [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId(NonZero<u32>);

impl NodeId {
    pub(crate) const ROOT: Self = Self(NonZero::<u32>::MIN);

    fn from_index(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZero::new);
        Self(number.expect("a tree of 4 billion nodes fits no memory"))
    }

    const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A legal move of an expanded node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// The network's probability.
    pub(crate) prior: f32,
    /// Its logarithm, which does not underflow; the paper's logits up to a constant.
    pub(crate) log_prior: f32,
    /// Where the move leads, once visited or proven.
    pub(crate) child: Option<NodeId>,
    pub(crate) mv: Move,
    /// The move's place among the legal moves.
    number: u16,
}

/// A position of the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// The result where it is proven; the mean over the visits, the node's own evaluation included, elsewhere.
    chances: Chances,
    /// The node's own evaluation.
    pub(crate) network: Chances,
    /// Visits; the evaluation is the first. None where a winning move was found without a visit.
    pub(crate) visits: u32,
    first_edge: u32,
    edges: u16,
    /// How many edges lead to a child; below the root these are the first ones.
    tried: u16,
    /// The side to move (to have moved, at the end of a game).
    pub(crate) side: Side,
    proof: Option<Proof>,
}

const _: () = assert!(size_of::<Edge>() <= 16 && size_of::<Node>() <= 36);

impl Node {
    /// Returns a node without visits and edges.
    pub(crate) const fn new(side: Side, proof: Option<Proof>) -> Self {
        let nothing = Chances {
            attackers: 0.0,
            defenders: 0.0,
        };
        Self {
            chances: match proof {
                Some(proof) => Chances::certain(proof.winner),
                None => nothing,
            },
            network: nothing,
            visits: 0,
            first_edge: 0,
            edges: 0,
            tried: 0,
            side,
            proof,
        }
    }

    /// Returns the result where it is proven, and the mean over the visits (at least one) elsewhere.
    pub(crate) const fn chances(&self) -> Chances {
        self.chances
    }

    /// Counts a visit that ended in `chances`.
    pub(crate) fn visit(&mut self, chances: Chances) {
        self.visits += 1;
        if self.proof.is_none() {
            self.chances.approach(chances, 1.0 / self.visits as f32);
        }
    }

    /// Notes the certain result.
    pub(crate) const fn settle(&mut self, proof: Proof) {
        self.proof = Some(proof);
        self.chances = Chances::certain(proof.winner);
    }

    pub(crate) const fn proof(&self) -> Option<Proof> {
        self.proof
    }

    pub(crate) const fn is_expanded(&self) -> bool {
        self.edges > 0
    }
}

/// A search tree. Empty until the root is added; without transpositions, because the rules ask for the path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The root's edges that lead to a child; elsewhere they are the first ones.
    root_tried: Vec<u16>,
    /// Where [`Tree::keep_subtree`] copies to; kept for its memory.
    spare_nodes: Vec<Node>,
    spare_edges: Vec<Edge>,
    /// Where [`Tree::expand`] works; kept for its memory.
    weights: Vec<f32>,
}

/// How large a search tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeSize {
    /// Positions.
    pub nodes: usize,
    /// Legal moves of the expanded ones.
    pub edges: usize,
    /// Bytes of both.
    pub bytes: usize,
}

impl Tree {
    pub(crate) const fn size(&self) -> TreeSize {
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        TreeSize {
            nodes,
            edges,
            bytes: nodes * size_of::<Node>() + edges * size_of::<Edge>(),
        }
    }

    /// Removes everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.root_tried.clear();
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node; the first one is the root.
    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId::from_index(self.nodes.len());
        self.nodes.push(node);
        id
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    /// Returns the edges of a node: at the root in the order of its legal moves, elsewhere those that
    /// lead to a child first, then the best of the others.
    pub(crate) fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        let first = node.first_edge as usize;
        &self.edges[first..first + usize::from(node.edges)]
    }

    fn edges_mut(&mut self, id: NodeId) -> &mut [Edge] {
        let node = self.node(id);
        let (first, edges) = (node.first_edge as usize, usize::from(node.edges));
        &mut self.edges[first..first + edges]
    }

    /// Returns the edges of a node that lead to a child, each with its index.
    pub(crate) fn tried(&self, id: NodeId) -> impl Iterator<Item = (usize, &Edge)> {
        let edges = self.edges(id);
        (0..usize::from(self.node(id).tried)).map(move |place| {
            let index = match id {
                NodeId::ROOT => usize::from(self.root_tried[place]),
                _ => place,
            };
            (index, &edges[index])
        })
    }

    /// Returns the edge without a child that has the highest prior, the first move among equals.
    pub(crate) fn best_untried(&self, id: NodeId) -> Option<usize> {
        let tried = usize::from(self.node(id).tried);
        let edges = self.edges(id);
        match id {
            NodeId::ROOT => best_prior(edges, 0),
            _ => (tried < edges.len()).then_some(tried),
        }
    }

    /// Returns the node that an edge leads to, if there is one.
    pub(crate) fn child(&self, edge: &Edge) -> Option<&Node> {
        edge.child.map(|id| self.node(id))
    }

    /// Lets the edge of a node lead to `child`.
    pub(crate) fn link(&mut self, parent: NodeId, edge_index: usize, child: NodeId) {
        let tried = &mut self.node_mut(parent).tried;
        *tried += 1;
        let next = usize::from(*tried);
        let edges = self.edges_mut(parent);
        edges[edge_index].child = Some(child);
        if parent == NodeId::ROOT {
            self.root_tried.push(edge_index as u16);
        } else {
            edges.swap(edge_index, next - 1);
            bring_forward(edges, next);
        }
    }

    /// Gives a node its own evaluation and its edges: `moves` with the softmax of the logits.
    pub(crate) fn expand(&mut self, id: NodeId, moves: &[Move], evaluation: &Evaluation) {
        let mut weights = std::mem::take(&mut self.weights);
        weights.clear();
        weights.extend_from_slice(&evaluation.logits);
        let (max, sum) = exponentials(&mut weights);
        let (share, log_sum) = (1.0 / sum, max + sum.ln());
        let first_edge = u32::try_from(self.edges.len()).expect("4 billion edges fit no memory");
        let edges = moves.iter().zip(&evaluation.logits).zip(&weights);
        self.edges
            .extend(edges.zip(0..).map(|(((&mv, logit), weight), number)| Edge {
                prior: weight * share,
                log_prior: logit - log_sum,
                child: None,
                mv,
                number,
            }));
        self.weights = weights;
        let node = self.node_mut(id);
        node.first_edge = first_edge;
        node.edges = u16::try_from(moves.len()).expect("a board has fewer than 65,536 moves");
        node.network = Chances::of_mover(evaluation.wdl, node.side);
        if id != NodeId::ROOT {
            bring_forward(self.edges_mut(id), 0);
        }
    }

    /// Makes `id` the root and forgets all that is not below it.
    pub(crate) fn keep_subtree(&mut self, id: NodeId) {
        self.spare_nodes.clear();
        self.spare_edges.clear();
        self.spare_nodes.push(*self.node(id));
        let mut done = 0;
        while done < self.spare_nodes.len() {
            let node = self.spare_nodes[done];
            let first = node.first_edge as usize;
            self.spare_nodes[done].first_edge = self.spare_edges.len() as u32;
            for edge in &self.edges[first..first + usize::from(node.edges)] {
                let child = edge.child.map(|child| {
                    self.spare_nodes.push(self.nodes[child.index()]);
                    NodeId::from_index(self.spare_nodes.len() - 1)
                });
                self.spare_edges.push(Edge { child, ..*edge });
            }
            done += 1;
        }
        std::mem::swap(&mut self.nodes, &mut self.spare_nodes);
        std::mem::swap(&mut self.edges, &mut self.spare_edges);
        let mut root_tried = std::mem::take(&mut self.root_tried);
        let edges = self.edges_mut(NodeId::ROOT);
        edges.sort_unstable_by_key(|edge| edge.number);
        root_tried.clear();
        let tried = edges.iter().filter(|edge| edge.child.is_some());
        root_tried.extend(tried.map(|edge| edge.number));
        self.root_tried = root_tried;
    }
}

/// Returns the index with the highest score, the first among equals.
pub(crate) fn first_best<S: PartialOrd>(scored: impl Iterator<Item = (usize, S)>) -> Option<usize> {
    let best = scored.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index)
}

/// Returns the edge from `first` on that has no child and the highest prior, the first move among equals.
fn best_prior(edges: &[Edge], first: usize) -> Option<usize> {
    let mut best: Option<(usize, &Edge)> = None;
    for (index, edge) in edges.iter().enumerate().skip(first) {
        let better = best.is_none_or(|(_, best)| {
            edge.prior > best.prior || (edge.prior == best.prior && edge.number < best.number)
        });
        if edge.child.is_none() && better {
            best = Some((index, edge));
        }
    }
    best.map(|(index, _)| index)
}

/// Brings the best edge without a child to the place behind the `tried` ones.
fn bring_forward(edges: &mut [Edge], tried: usize) {
    if let Some(best) = best_prior(edges, tried) {
        edges.swap(best, tried);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_worth_something_to_the_attackers_alone() {
        let wdl = MoverWdl {
            win: 0.3,
            draw: 0.6,
            loss: 0.1,
        };
        let near = |value: f32, expected: f32| (value - expected).abs() < 1e-6;
        let [attackers, defenders] = Side::ALL.map(|side| Chances::of_mover(wdl, side));
        assert!(near(attackers.value(Side::Attacker, -0.5), 0.2 - 0.3));
        assert!(near(defenders.value(Side::Defender, -0.5), 0.2));
        assert!(near(attackers.value(Side::Attacker, 0.0), 0.2));
    }
}
