//! Leaves that one search will surely ask for, evaluated in one batch.
//!
//! A round of Sequential Halving visits each of its moves once, and what is found below one of them changes nothing below
//! the others. So their next leaves are known before the first of them is expanded, and the search goes on as it would
//! with one evaluation at a time.

use super::Search;
use crate::tree::NodeId;
use crate::{Evaluation, Evaluator, Leaf};
use tafl_rules::{Game, Move};

/// A leaf that was found before its turn.
#[derive(Debug, Clone)]
pub(super) struct LeafAhead {
    /// Moves from the root.
    path: Vec<Move>,
    walk: Game,
    moves: Vec<Move>,
    has_fewer: bool,
    evaluation: Evaluation,
}

impl Search {
    /// Evaluates the leaf and puts it into the tree: [`Evaluator::evaluate`] and [`Self::expand`] in one.
    ///
    /// The other leaves of a round of Sequential Halving are evaluated in the same batch, which costs a network less than
    /// one after the other; the result is the same. For searches that run alone: beside others, [`Self::leaf`] of each
    /// makes a larger batch.
    ///
    /// # Panics
    /// If the last [`Self::select`] did not return [`Step::Evaluate`](crate::Step::Evaluate).
    pub fn evaluate(&mut self, evaluator: &mut dyn Evaluator) {
        let known = self.known.take();
        let evaluation = known.unwrap_or_else(|| self.evaluate_round(evaluator));
        self.expand(&evaluation);
    }

    fn evaluate_round(&mut self, evaluator: &mut dyn Evaluator) -> Evaluation {
        let before = self.ahead.len();
        self.find_ahead();
        let found = &self.ahead[before..];
        let mut leaves = vec![self.leaf()];
        leaves.extend(found.iter().map(|it| Leaf::new(&it.walk, &it.moves)));
        let mut evaluations = Vec::with_capacity(leaves.len());
        evaluator.evaluate(&leaves, &mut evaluations);
        let mut evaluations = evaluations.into_iter();
        let first = evaluations.next().expect("one evaluation for each leaf");
        for (it, evaluation) in self.ahead[before..].iter_mut().zip(evaluations) {
            it.evaluation = evaluation;
        }
        first
    }

    /// Finds the leaves of the round's other moves, but those whose result is certain.
    fn find_ahead(&mut self) {
        let mut due = self.selector.due();
        // What follows below the pending leaf's move depends on its evaluation.
        let is_other = |edge_index: usize| {
            let edge = &self.tree.edges(NodeId::ROOT)[edge_index];
            Some(&edge.mv) != self.path_moves.first()
        };
        due.retain(|&edge_index| is_other(edge_index));
        if due.is_empty() {
            return;
        }
        let pending = self.take_leaf();
        for edge_index in due {
            if self.walk_ahead(edge_index) {
                let found = self.take_leaf();
                self.ahead.push(found);
            } else {
                self.path_moves.clear();
                self.walk.rewind(&self.root_mark);
            }
        }
        self.put_leaf(pending);
    }

    /// Walks to the next leaf below a move at the root; returns whether it is new and needs an evaluation.
    fn walk_ahead(&mut self, root_edge: usize) -> bool {
        let (mut id, mut edge_index) = (NodeId::ROOT, root_edge);
        loop {
            let edge = self.tree.edges(id)[edge_index];
            self.path_moves.push(edge.mv);
            let Some(child) = edge.child else {
                break;
            };
            if self.tree.node(child).proof().is_some() {
                return false;
            }
            id = child;
            edge_index = self.selector.select(&self.tree, id, &self.config);
        }
        let is_known = self.ahead.iter().any(|it| it.path == self.path_moves);
        !is_known && self.walk_to_leaf().is_none()
    }

    /// Goes to the leaf at the end of the path's moves if it was found ahead.
    pub(super) fn enter_known(&mut self) -> bool {
        let mut ahead = self.ahead.iter();
        let Some(place) = ahead.position(|it| it.path == self.path_moves) else {
            return false;
        };
        let leaf = self.ahead.swap_remove(place);
        self.known = Some(self.put_leaf(leaf));
        true
    }

    /// Takes the leaf out and goes back to the root.
    fn take_leaf(&mut self) -> LeafAhead {
        let mut root = self.walk.clone();
        root.rewind(&self.root_mark);
        LeafAhead {
            path: std::mem::take(&mut self.path_moves),
            walk: std::mem::replace(&mut self.walk, root),
            moves: std::mem::take(&mut self.leaf_moves),
            has_fewer: self.leaf_has_fewer,
            evaluation: Evaluation::empty(),
        }
    }

    /// Puts a leaf back, and returns its evaluation.
    fn put_leaf(&mut self, leaf: LeafAhead) -> Evaluation {
        self.path_moves = leaf.path;
        self.walk = leaf.walk;
        self.leaf_moves = leaf.moves;
        self.leaf_has_fewer = leaf.has_fewer;
        leaf.evaluation
    }
}
