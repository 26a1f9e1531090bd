//! Which edge to follow, which move to play, which policy to teach: the two algorithms side by side.

use crate::gumbel::Weighing;
use crate::halving::Halving;
use crate::softmax::softmax;
use crate::solver::proven_edge;
use crate::tree::{Chances, NodeId, Tree, first_best};
use crate::{SearchConfig, gumbel, noise, puct};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To learn from: noise at the root, and with PUCT first plies drawn from the visits.
    SelfPlay,
    /// To win: no randomness at all.
    Match,
}

/// What one search has drawn and counted at its root; buffers are kept between searches.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    /// Gumbel: g(a). PUCT: the priors with their noise.
    root_noise: Vec<f32>,
    halving: Halving,
    scores: Vec<f32>,
    /// Draws the move where visits draw it, so that asking twice gives one answer.
    choice_seed: u64,
}

impl Selector {
    /// Forgets the last root; until [`Self::begin`], choices rest on the tree alone.
    pub(crate) fn reset(&mut self) {
        self.root_noise.clear();
        self.halving.reset();
    }

    /// Begins a search from an expanded root.
    pub(crate) fn begin(
        &mut self,
        tree: &Tree,
        config: &SearchConfig,
        mode: Mode,
        visits: u32,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        self.choice_seed = rng.next_u64();
        let edges = tree.edges(NodeId::ROOT);
        self.root_noise.clear();
        if config.puct.is_some() {
            self.root_noise.extend(edges.iter().map(|edge| edge.prior));
            if mode == Mode::SelfPlay {
                let (alpha, fraction) = (puct::DIRICHLET_ALPHA, puct::DIRICHLET_FRACTION);
                noise::mix_dirichlet(&mut self.root_noise, alpha, fraction, rng);
            }
            return;
        }
        match mode {
            Mode::Match => self.root_noise.resize(edges.len(), 0.0),
            Mode::SelfPlay => noise::gumbel(edges.len(), rng, &mut self.root_noise),
        }
        // In a fresh tree all completed values are equal, and this is Gumbel-Top-k on the prior
        // as in the paper. With a second budget it draws from the policy improved so far.
        let mut scores = std::mem::take(&mut self.scores);
        self.root_scores(tree, config, &mut scores);
        self.halving
            .begin(&scores, config.considered_moves as usize, visits);
        self.scores = scores;
    }

    /// Returns the edge to follow from an expanded, unproven node.
    pub(crate) fn select(&mut self, tree: &Tree, id: NodeId, config: &SearchConfig) -> usize {
        let at_root = id == NodeId::ROOT;
        let weighing = Weighing::of(config);
        match &config.puct {
            Some(puct) => {
                let priors = at_root.then_some(self.root_noise.as_slice());
                puct::select_edge(tree, id, priors, puct, config.attackers_draw_value)
            }
            None if at_root => {
                let completed = gumbel::Completed::of(tree, id, weighing);
                let (edges, noise) = (tree.edges(id), &self.root_noise);
                self.halving
                    .next(|edge| noise[edge] + completed.score(&edges[edge]))
            }
            None => gumbel::select_edge(tree, id, weighing, &mut self.scores),
        }
    }

    /// Returns the root's edges that the round of the last visit will surely follow, each once; none with PUCT.
    pub(crate) fn due(&self) -> Vec<usize> {
        self.halving.due()
    }

    /// Returns the edge of the move to play, drawn from the visits if it is to be.
    pub(crate) fn choice(&self, tree: &Tree, config: &SearchConfig, is_drawn: bool) -> usize {
        if let Some(edge) = proven_edge(tree, NodeId::ROOT) {
            return edge;
        }
        match &config.puct {
            _ if is_drawn => self.drawn_edge(tree),
            Some(_) => most_visited_or_likely_edge(tree),
            None => {
                let mut scores = Vec::new();
                self.root_scores(tree, config, &mut scores);
                self.halving.choice(&scores)
            }
        }
    }

    /// Puts g(a) + logits(a) + sigma(completedQ(a)) of the root into `scores`.
    fn root_scores(&self, tree: &Tree, config: &SearchConfig, scores: &mut Vec<f32>) {
        gumbel::improved_logits(tree, NodeId::ROOT, Weighing::of(config), scores);
        for (score, g) in scores.iter_mut().zip(&self.root_noise) {
            *score += g;
        }
    }

    fn drawn_edge(&self, tree: &Tree) -> usize {
        let weights = visit_policy(tree);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.choice_seed);
        let mut left = rng.random::<f32>() * weights.iter().sum::<f32>();
        for (index, &weight) in weights.iter().enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        most_visited_or_likely_edge(tree)
    }
}

/// Returns the policy target of the root: what the network should have said. Sums to 1.
///
/// A proven win gets everything. Otherwise moves proven lost get nothing, unless all are.
pub(crate) fn target_policy(tree: &Tree, config: &SearchConfig) -> Vec<f32> {
    let root = tree.node(NodeId::ROOT);
    let won = root
        .proof()
        .is_some_and(|proof| proof.winner == Some(root.side));
    if let Some(edge) = proven_edge(tree, NodeId::ROOT).filter(|_| won) {
        let mut policy = vec![0.0; tree.edges(NodeId::ROOT).len()];
        policy[edge] = 1.0;
        return policy;
    }
    if config.puct.is_some() {
        return visit_policy(tree);
    }
    let mut policy = Vec::new();
    gumbel::improved_logits(tree, NodeId::ROOT, Weighing::of(config), &mut policy);
    softmax(&mut policy);
    policy
}

/// Returns the value of the root after the search, given its target policy.
///
/// PUCT: the mean over all visits. Gumbel: the value of the improved policy.
pub(crate) fn root_chances(tree: &Tree, config: &SearchConfig, policy: &[f32]) -> Chances {
    let root = tree.node(NodeId::ROOT);
    if root.proof().is_some() || config.puct.is_some() {
        return root.chances();
    }
    gumbel::improved_chances(tree, NodeId::ROOT, Weighing::of(config), policy)
}

/// Returns the visits of the root's edges as shares; the priors' where nothing that may be played was visited.
fn visit_policy(tree: &Tree) -> Vec<f32> {
    let root = tree.node(NodeId::ROOT);
    let all_lost = root.is_lost_for(root.side);
    let shares = |weight: &dyn Fn(u32, f32) -> f32| {
        let edges = tree.edges(NodeId::ROOT).iter();
        let weights = edges.map(|edge| match tree.child(edge) {
            Some(child) if child.is_lost_for(root.side) && !all_lost => 0.0,
            child => weight(child.map_or(0, |child| child.visits), edge.prior),
        });
        let weights: Vec<f32> = weights.collect();
        let sum: f32 = weights.iter().sum();
        (sum > 0.0).then(|| weights.iter().map(|weight| weight / sum).collect())
    };
    shares(&|visits, _| visits as f32)
        .or_else(|| shares(&|_, prior| prior))
        .or_else(|| shares(&|_, _| 1.0))
        .unwrap_or_default()
}

/// Returns the root's most visited edge, or the one of the highest prior where none was visited that
/// is not proven lost.
fn most_visited_or_likely_edge(tree: &Tree) -> usize {
    most_visited_edge(tree, NodeId::ROOT)
        .or_else(|| tree.best_untried(NodeId::ROOT))
        .unwrap_or(0)
}

/// Returns the edge with the most visits that is not proven lost for the mover; by prior among equals.
///
/// None where no such edge was visited.
pub(crate) fn most_visited_edge(tree: &Tree, id: NodeId) -> Option<usize> {
    let side = tree.node(id).side;
    let edges = tree.edges(id).iter().enumerate();
    first_best(edges.filter_map(|(index, edge)| {
        let child = tree.child(edge)?;
        let counts = child.visits > 0 && !child.is_lost_for(side);
        counts.then_some((index, (child.visits, edge.prior)))
    }))
}
