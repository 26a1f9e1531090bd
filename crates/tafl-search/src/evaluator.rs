//! What a search asks of a network.

use crate::MoverWdl;
use tafl_rules::{Game, Move};

/// What weakens each side of a game, attackers first: the share of its plies that are random, in 1/255, and how many
/// turns alpha-beta looks ahead that plays it. All 0 in games between networks without a handicap.
pub type Weakness = [[u8; 2]; 2];

/// A position that a search wants evaluated: a game that is not over, with its legal moves.
#[derive(Debug, Clone, Copy)]
pub struct Leaf<'a> {
    /// The game up to the position.
    pub game: &'a Game,
    /// Its legal moves, at least one, in the order of [`Game::legal_moves`].
    pub moves: &'a [Move],
    /// What weakens the sides of its game.
    pub weakness: Weakness,
}

impl<'a> Leaf<'a> {
    /// Returns a leaf of a game in which neither side is weakened.
    pub const fn new(game: &'a Game, moves: &'a [Move]) -> Self {
        let weakness = [[0; 2]; 2];
        Self {
            game,
            moves,
            weakness,
        }
    }
}

/// What an evaluator says of a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Logits, one for each of [`Leaf::moves`], in that order; any finite numbers (a softmax makes priors of them).
    pub logits: Vec<f32>,
    /// Win, draw and loss of the side to move.
    pub wdl: MoverWdl,
    /// Expected number of plies to the end of the game.
    pub moves_left: f32,
}

impl Evaluation {
    /// Returns an evaluation of nothing, whose memory an [`Evaluator`] fills and keeps.
    pub const fn empty() -> Self {
        Self {
            logits: Vec::new(),
            wdl: MoverWdl {
                win: 0.0,
                draw: 1.0,
                loss: 0.0,
            },
            moves_left: 0.0,
        }
    }
}

/// A judge of positions, many at a time.
pub trait Evaluator {
    /// Puts one evaluation for each leaf into `evaluations`, in order, in place of what was there,
    /// whose memory may be used again.
    ///
    /// An evaluation depends on its leaf alone, not on the others of the batch.
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>);

    /// Returns the evaluator as one that computes beside its caller, if it is one.
    fn overlapping(&mut self) -> Option<&mut dyn OverlappingEvaluator> {
        None
    }
}

/// An evaluator on a device of its own: while it computes one batch, its caller prepares the next.
///
/// Batches come back in the order in which they were begun.
pub trait OverlappingEvaluator {
    /// Begins to evaluate a batch and returns at once.
    fn begin(&mut self, leaves: &[Leaf<'_>]);

    /// Waits for the oldest batch that was begun; puts its evaluations as [`Evaluator::evaluate`] does.
    ///
    /// # Panics
    /// If none was begun.
    fn finish(&mut self, evaluations: &mut Vec<Evaluation>);
}

/// Knows nothing: equal logits, even chances. For tests and for pure-search benchmarks.
#[derive(Debug, Clone, Copy)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        evaluations.resize_with(leaves.len(), Evaluation::empty);
        for (evaluation, leaf) in evaluations.iter_mut().zip(leaves) {
            evaluation.logits.clear();
            evaluation.logits.resize(leaf.moves.len(), 0.0);
            evaluation.wdl = MoverWdl {
                win: 0.5,
                draw: 0.0,
                loss: 0.5,
            };
            evaluation.moves_left = 50.0;
        }
    }
}
