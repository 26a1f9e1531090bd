//! The search of one position after another, as a machine that stops where it needs an evaluation.

mod ahead;

use crate::clock::{Phase, timed};
use crate::lookahead::look_ahead;
use crate::select::{Mode, Selector, most_visited_edge, root_chances, target_policy};
use crate::solver::{propagate, proven_edge};
use crate::threats::ThreatSolver;
use crate::tree::{Chances, Node, NodeId, Tree, TreeSize};
use crate::{Evaluation, Evaluator, Leaf, Proof, RootStats, SearchConfig, puct, stats};
use ahead::LeafAhead;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tafl_rules::{Game, GameMark, IllegalMove, Move};

/// What a search needs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Step {
    /// An evaluation of [`Search::leaf`], handed to [`Search::expand`].
    Evaluate,
    /// Nothing: the visits are spent, the root is proven, or the game is over.
    Finished,
}

/// Where the pending evaluation belongs.
#[derive(Debug, Clone, Copy)]
enum Pending {
    Root,
    /// The end of this edge of the path's last node.
    Edge(usize),
}

/// A game and the search tree of its present position.
#[derive(Debug, Clone)]
pub struct Search {
    config: SearchConfig,
    mode: Mode,
    rng: Xoshiro256PlusPlus,
    game: Game,
    /// Walks from the root to the leaf and back.
    walk: Game,
    root_mark: GameMark,
    tree: Tree,
    selector: Selector,
    threats: ThreatSolver,
    /// Nodes from the root to the present one.
    path: Vec<NodeId>,
    path_moves: Vec<Move>,
    leaf_moves: Vec<Move>,
    /// Whether those are without some legal ones, which looking ahead left out.
    leaf_has_fewer: bool,
    /// The only moves at the root; all where there are none.
    root_moves: Vec<Move>,
    pending: Option<Pending>,
    /// Leaves that were evaluated before their turn; below other moves of the root than the pending one.
    ahead: Vec<LeafAhead>,
    /// The evaluation of the leaf, where it is one of those.
    known: Option<Evaluation>,
    /// Visits that searches which begin from now on get.
    visits: u32,
    /// Visits left to the search that has begun.
    visits_left: Option<u32>,
    visits_done: u32,
    keeps_tree: bool,
}

impl Search {
    /// Makes a search of the position that a game has come to. The same seed gives the same search.
    pub fn new(config: &SearchConfig, game: Game, mode: Mode, seed: u64) -> Self {
        let walk = game.clone();
        Self {
            root_mark: walk.mark(),
            config: config.clone(),
            mode,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            game,
            walk,
            tree: Tree::default(),
            selector: Selector::default(),
            threats: ThreatSolver::default(),
            path: Vec::new(),
            path_moves: Vec::new(),
            leaf_moves: Vec::new(),
            leaf_has_fewer: false,
            root_moves: Vec::new(),
            pending: None,
            ahead: Vec::new(),
            known: None,
            visits: config.visits,
            visits_left: None,
            visits_done: 0,
            keeps_tree: false,
        }
    }

    /// Returns the game, at the root of the search.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Begins anew with the game as it stands: the same as [`Self::new`], in the memory that there is.
    pub fn begin_anew(&mut self, config: &SearchConfig, mode: Mode, seed: u64) {
        self.walk.rewind(&self.root_mark);
        self.config.clone_from(config);
        self.mode = mode;
        self.rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.tree.clear();
        self.root_moves.clear();
        self.selector.reset();
        self.ahead.clear();
        self.known = None;
        self.pending = None;
        self.visits = config.visits;
        self.visits_left = None;
        self.visits_done = 0;
    }

    /// Looks at no other moves of the position that there is now than these, which are legal, and forgets a kept tree; at all
    /// where there are none. It must come before the first [`Self::select`].
    pub fn look_only_at(&mut self, moves: Vec<Move>) {
        if !moves.is_empty() {
            self.tree.clear();
        }
        self.root_moves = moves;
    }

    /// Makes every [`Self::advance`] from now on keep the subtree of the played move, as AlphaZero does.
    ///
    /// With Gumbel the kept visits sharpen the values, but Sequential Halving counts new ones only, so its schedule
    /// holds.
    pub const fn keep_tree(&mut self) {
        self.keeps_tree = true;
    }

    /// Sets the budget of the searches that begin after this; a search begins with the first
    /// [`Self::select`] after [`Self::new`], [`Self::advance`] or [`Self::search_on`].
    pub const fn set_visits(&mut self, visits: u32) {
        self.visits = visits;
    }

    /// Walks to the next leaf that needs an evaluation; visits that end in certain results are
    /// counted on the way. Repeats its answer until it is acted on.
    pub fn select(&mut self) -> Step {
        loop {
            if let Some(step) = self.select_within(u32::MAX) {
                return step;
            }
        }
    }

    /// Does what [`Self::select`] does, but returns nothing after `most` visits that ended in certain results, so that a
    /// search of many visits can be stopped; asked again, it goes on.
    pub fn select_within(&mut self, most: u32) -> Option<Step> {
        if self.pending.is_some() {
            return Some(Step::Evaluate);
        }
        if self.game.outcome().is_some() {
            return Some(Step::Finished);
        }
        if self.tree.is_empty() {
            // A root keeps its moves whatever its result: one of them must be played.
            if self.root_moves.is_empty() {
                self.list_leaf_moves();
            } else {
                self.leaf_moves.clone_from(&self.root_moves);
            }
            self.pending = Some(Pending::Root);
            return Some(Step::Evaluate);
        }
        let mut visits_left = self.visits_left.unwrap_or_else(|| self.begin());
        let mut certain = 0;
        while visits_left > 0 && self.tree.node(NodeId::ROOT).proof().is_none() {
            if certain == most {
                return None;
            }
            certain += 1;
            visits_left -= 1;
            self.visits_done += 1;
            self.visits_left = Some(visits_left);
            self.pending = self.descend();
            if self.pending.is_some() {
                return Some(Step::Evaluate);
            }
        }
        Some(Step::Finished)
    }

    /// Returns the position that waits for its evaluation.
    ///
    /// # Panics
    /// If the last [`Self::select`] did not return [`Step::Evaluate`].
    pub const fn leaf(&self) -> Leaf<'_> {
        assert!(self.pending.is_some(), "select has returned Evaluate");
        Leaf::new(&self.walk, self.leaf_moves.as_slice())
    }

    /// Puts the evaluation of [`Self::leaf`] into the tree.
    ///
    /// # Panics
    /// If the last [`Self::select`] did not return [`Step::Evaluate`], or there is not one logit for
    /// each move of the leaf.
    pub fn expand(&mut self, evaluation: &Evaluation) {
        let pending = self.pending.take().expect("select has returned Evaluate");
        self.known = None;
        assert_eq!(
            evaluation.logits.len(),
            self.leaf_moves.len(),
            "one logit for each move"
        );
        let side = self.walk.position().side();
        let node = self.tree.add(Node::new(side, None));
        timed(Phase::Expand, || {
            self.tree.expand(node, &self.leaf_moves, evaluation);
        });
        match pending {
            Pending::Edge(edge_index) => self.attach(edge_index, node),
            Pending::Root => {
                self.path.clear();
                self.path.push(node);
            }
        }
        self.back_up(Chances::of_mover(evaluation.wdl, side));
        self.walk.rewind(&self.root_mark);
    }

    /// Returns what the search knows of the root. Asking twice gives the same answer.
    ///
    /// # Panics
    /// If the root has no evaluation: before the first [`Self::expand`], or when the game is over.
    pub fn root_stats(&self) -> RootStats {
        assert!(!self.tree.is_empty(), "the root has been evaluated");
        let policy = target_policy(&self.tree, &self.config);
        let value = root_chances(&self.tree, &self.config, &policy);
        let chosen = self
            .selector
            .choice(&self.tree, &self.config, self.is_drawn());
        stats::gather(&self.tree, &policy, value, chosen, self.visits_done)
    }

    /// Returns whether the root has its evaluation.
    pub const fn is_begun(&self) -> bool {
        !self.tree.is_empty()
    }

    /// Returns the visits of this root so far, those of a kept tree not counted.
    pub const fn visits_done(&self) -> u32 {
        self.visits_done
    }

    /// Returns how large the tree is.
    pub const fn tree_size(&self) -> TreeSize {
        self.tree.size()
    }

    /// Returns the line that the search expects, at most `max` moves; empty before an evaluation.
    pub fn line(&self, max: usize) -> Vec<Move> {
        if self.tree.is_empty() {
            return Vec::new();
        }
        let choice = self.selector.choice(&self.tree, &self.config, false);
        self.line_from(choice, max)
    }

    /// Returns the line that the search expects after a move at the root, which is its first; empty where the move is
    /// none of the root's.
    pub fn line_after(&self, mv: Move, max: usize) -> Vec<Move> {
        if self.tree.is_empty() {
            return Vec::new();
        }
        let mut edges = self.tree.edges(NodeId::ROOT).iter();
        let edge_index = edges.position(|edge| edge.mv == mv);
        edge_index.map_or_else(Vec::new, |edge_index| self.line_from(edge_index, max))
    }

    fn line_from(&self, root_edge: usize, max: usize) -> Vec<Move> {
        let mut line = Vec::new();
        let mut next = Some((NodeId::ROOT, root_edge));
        while let Some((node, edge_index)) = next.filter(|_| line.len() < max) {
            let edge = &self.tree.edges(node)[edge_index];
            line.push(edge.mv);
            next = edge.child.and_then(|child| {
                let edge = proven_edge(&self.tree, child);
                Some((
                    child,
                    edge.or_else(|| most_visited_edge(&self.tree, child))?,
                ))
            });
        }
        line
    }

    /// Searches the same root on: the next [`Self::select`] begins another budget, in the tree as it stands.
    ///
    /// With Gumbel the visits so far sharpen the values, and Sequential Halving begins anew.
    /// [`RootStats::visits`] counts all budgets of the root.
    pub const fn search_on(&mut self) {
        self.visits_left = None;
    }

    /// Plays a move at the root, which ends the search and prepares the next one, with an empty tree unless
    /// [`Self::keep_tree`] was called.
    ///
    /// # Errors
    /// If the move is not legal; nothing has changed then.
    pub fn advance(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.game.play(mv)?;
        self.walk.rewind(&self.root_mark);
        self.walk.play_unchecked(mv);
        self.root_mark = self.walk.mark();
        self.root_moves.clear();
        self.selector.reset();
        self.ahead.clear();
        self.known = None;
        self.pending = None;
        self.visits_left = None;
        self.visits_done = 0;
        match self.kept_child(mv) {
            Some(child) => self.tree.keep_subtree(child),
            None => self.tree.clear(),
        }
        Ok(())
    }

    fn kept_child(&self, mv: Move) -> Option<NodeId> {
        if !self.keeps_tree || self.tree.is_empty() {
            return None;
        }
        let edges = self.tree.edges(NodeId::ROOT);
        let child = edges.iter().find(|edge| edge.mv == mv)?.child?;
        self.tree.node(child).is_expanded().then_some(child)
    }

    /// Begins a search from the expanded root and returns its budget: one visit where there is no choice.
    fn begin(&mut self) -> u32 {
        self.solve_root();
        let is_forced = self.tree.edges(NodeId::ROOT).len() == 1;
        let most = if is_forced { 1 } else { u32::MAX };
        let visits = self.visits.min(most);
        self.selector
            .begin(&self.tree, &self.config, self.mode, visits, &mut self.rng);
        self.visits_left = Some(visits);
        visits
    }

    /// Returns whether the move is drawn from the visits.
    fn is_drawn(&self) -> bool {
        let is_early = self.game.moves().len() < puct::DRAWN_PLIES;
        self.mode == Mode::SelfPlay && self.config.puct.is_some() && is_early
    }

    /// Follows the selected edges to a new position, and counts the visit if its result is certain.
    fn descend(&mut self) -> Option<Pending> {
        self.path.clear();
        self.path_moves.clear();
        self.path.push(NodeId::ROOT);
        let mut id = NodeId::ROOT;
        loop {
            let edge_index = self.selector.select(&self.tree, id, &self.config);
            let edge = self.tree.edges(id)[edge_index];
            self.path_moves.push(edge.mv);
            let Some(child) = edge.child else {
                return self.enter(edge_index);
            };
            self.path.push(child);
            if let Some(proof) = self.tree.node(child).proof() {
                self.back_up(Chances::certain(proof.winner));
                return None;
            }
            id = child;
        }
    }

    /// Plays to the position at the end of a new edge; only an uncertain one needs an evaluation.
    fn enter(&mut self, edge_index: usize) -> Option<Pending> {
        if self.enter_known() {
            return Some(Pending::Edge(edge_index));
        }
        let proof = timed(Phase::Rules, || self.walk_to_leaf());
        let side = self.walk.position().side();
        let Some(proof) = proof else {
            return Some(Pending::Edge(edge_index));
        };
        let node = self.tree.add(Node::new(side, Some(proof)));
        self.attach(edge_index, node);
        self.back_up(Chances::certain(proof.winner));
        propagate(&mut self.tree, &self.path);
        self.walk.rewind(&self.root_mark);
        None
    }

    /// Plays the path's moves and lists the legal ones there; returns the result where it is certain.
    fn walk_to_leaf(&mut self) -> Option<Proof> {
        for &mv in &self.path_moves {
            self.walk.play_unchecked(mv);
        }
        if let Some(outcome) = self.walk.outcome() {
            return Some(Proof {
                winner: outcome.winner,
                plies: 0,
            });
        }
        let decided = self.list_leaf_moves();
        let positions = self.config.leaf_solver_positions;
        if decided.is_some() || positions == 0 {
            return decided;
        }
        let listed = (!self.leaf_has_fewer).then_some(self.leaf_moves.as_slice());
        let found = self.threats.winning_move(&mut self.walk, positions, listed);
        let (_, after) = found?;
        Some(after.a_ply_before())
    }

    /// Lists the moves of the leaf that are worth a visit; returns its result where looking ahead finds it.
    fn list_leaf_moves(&mut self) -> Option<Proof> {
        let (game, moves) = (&mut self.walk, &mut self.leaf_moves);
        game.legal_moves(moves);
        let all = moves.len();
        let proof = look_ahead(game, moves, self.config.lookahead_plies);
        self.leaf_has_fewer = moves.len() < all;
        proof
    }

    /// Hangs a new node under an edge of the path's last node, and makes it the path's last.
    fn attach(&mut self, edge_index: usize, node: NodeId) {
        let parent = *self.path.last().expect("a path begins at the root");
        self.tree.link(parent, edge_index, node);
        self.path.push(node);
    }

    /// Counts a visit that ended in `chances` for every node of the path.
    fn back_up(&mut self, chances: Chances) {
        timed(Phase::BackUp, || {
            for &id in &self.path {
                self.tree.node_mut(id).visit(chances);
            }
        });
    }

    /// Looks for a forced win at the root, new or kept, and hangs its proof into the tree.
    fn solve_root(&mut self) {
        let side = self.walk.position().side();
        let positions = self.config.solver_positions;
        let is_known = self.tree.node(NodeId::ROOT).proof().is_some();
        let found = match positions {
            _ if is_known => None,
            0 if self.config.lookahead_plies == 0 => None,
            _ => self.threats.winning_move(&mut self.walk, positions, None),
        };
        let Some((mv, proof)) = found else {
            return;
        };
        let edges = self.tree.edges(NodeId::ROOT);
        let Some(edge_index) = edges.iter().position(|edge| edge.mv == mv) else {
            return;
        };
        let child = edges[edge_index].child;
        self.path.clear();
        self.path.push(NodeId::ROOT);
        match child {
            Some(child) => {
                self.tree.node_mut(child).settle(proof);
                self.path.push(child);
            }
            None => {
                let won = self.tree.add(Node::new(side, Some(proof)));
                self.attach(edge_index, won);
            }
        }
        propagate(&mut self.tree, &self.path);
    }
}

/// Searches one position to the end, with batches of the leaves that are known ahead.
///
/// # Panics
/// If the game is over.
pub fn run(search: &mut Search, evaluator: &mut dyn Evaluator) -> RootStats {
    while search.select() == Step::Evaluate {
        search.evaluate(evaluator);
    }
    search.root_stats()
}
