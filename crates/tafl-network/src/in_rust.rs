//! Evaluating networks by [`tafl_forward`], position by position: all there is without libtorch.

use crate::network::Weights;
use crate::times::per_second;
use crate::{Compute, Network, NetworkError};
use ndarray::{Array3, Array4, ArrayView3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tafl_forward::{Net, NetEvaluator};
use tafl_graph::Graph;
use tafl_rules::{Game, PolicyIndex, RULESET_NAMES, Rules};
use tafl_samples::{Batch, Facts, PLANES, encode};
use tafl_search::{Evaluation, Evaluator, Leaf};

/// Positions of random games by which ranges are found where nothing better is stored.
const RANDOM_POSITIONS: usize = 512;

/// Plies of a random game, at most.
const RANDOM_PLIES: usize = 120;

/// A network ready to evaluate positions.
#[derive(Debug)]
pub(crate) struct InRust {
    net: Net,
    size: usize,
}

/// Makes a network of a graph without batch norms, in f32.
pub(crate) fn net(graph: &Graph, weights: &Weights) -> Result<Net, NetworkError> {
    Net::new(graph, weights).map_err(failed)
}

/// Returns what computes a network without libtorch, in f32 or 8-bit integers.
///
/// # Errors
/// In bf16, and if the weights are no numbers.
pub fn in_rust(network: &Network, compute: Compute) -> Result<Net, NetworkError> {
    let (graph, weights) = network.folded();
    match compute {
        Compute::F32 => net(&graph, &weights),
        Compute::Bf16 => Err(NetworkError::NoLibtorch("precision bf16")),
        Compute::Int8 => Net::in_integers(&graph, &weights, &ranges(network)?).map_err(failed),
    }
}

fn failed(error: impl std::fmt::Display) -> NetworkError {
    NetworkError::Torch(error.to_string())
}

impl InRust {
    pub(crate) fn new(network: &Network, compute: Compute) -> Result<Self, NetworkError> {
        let (net, size) = (in_rust(network, compute)?, network.architecture().size());
        Ok(Self { net, size })
    }

    pub(crate) fn evaluate(&mut self, leaves: &[Leaf<'_>], evaluations: &mut Vec<Evaluation>) {
        NetEvaluator(&mut self.net).evaluate(leaves, evaluations);
    }

    pub(crate) fn evaluate_batch(
        &mut self,
        batch: &Batch,
    ) -> Result<Vec<Evaluation>, NetworkError> {
        let (len, size) = (batch.len(), self.size);
        if len > 0 && batch.size() != size {
            return Err(NetworkError::unfit(batch, size));
        }
        let mut evaluator = NetEvaluator(&mut self.net);
        let samples = batch.planes.outer_iter().enumerate();
        let evaluate = |(sample, planes): (usize, ArrayView3<'_, f32>)| {
            let moves = batch.legal.of(sample).into_iter();
            evaluator.evaluate_planes(planes, moves.map(|&output| PolicyIndex(output)))
        };
        Ok(samples.map(evaluate).collect())
    }

    pub(crate) fn raw_forward(&mut self, batch: usize, seconds: f64) -> Result<f64, NetworkError> {
        let planes = Array3::from_elem((self.size, self.size, PLANES), 0.5);
        per_second(batch.max(1), seconds, || {
            for _ in 0..batch.max(1) {
                self.net.forward_planes(planes.view());
            }
            Ok(())
        })
    }

    pub(crate) fn raw_forward_of(
        &mut self,
        leaves: &[Leaf<'_>],
        seconds: f64,
    ) -> Result<f64, NetworkError> {
        per_second(leaves.len(), seconds, || {
            for Leaf { game, .. } in leaves {
                self.net.forward(&Facts::of(game), game.rules());
            }
            Ok(())
        })
    }
}

/// Returns the stored ranges of a network's activations, or those on positions of random games.
pub(crate) fn ranges(network: &Network) -> Result<Vec<f32>, NetworkError> {
    match network.ranges() {
        Some(ranges) => Ok(ranges.to_vec()),
        None => ranges_on_random_games(network),
    }
}

/// Returns how large the outputs of stem and blocks become on positions of random games, one number for each convolution.
///
/// The games are the same on every machine: of those of [`RULESET_NAMES`] that have the board's size. Other rulesets have planes
/// that most networks never learned from; their activations would make the ranges ten times too wide.
pub(crate) fn ranges_on_random_games(network: &Network) -> Result<Vec<f32>, NetworkError> {
    let (graph, weights) = network.folded();
    let planes = random_planes(network.architecture().size());
    Ok(net(&graph, &weights)?.ranges(planes.view()))
}

/// Returns the planes of positions of random games, `[position, rank, file, plane]`.
fn random_planes(size: usize) -> Array4<f32> {
    let presets = RULESET_NAMES.iter();
    let rules: Vec<_> = presets
        .filter_map(|name| Rules::preset(name))
        .filter(|rules| usize::from(rules.shape().size()) == size)
        .collect();
    let mut planes = Array4::zeros((RANDOM_POSITIONS, size, size, PLANES));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut games = rules.iter().cycle().map(|rules| Game::new(rules.clone()));
    let mut game = games.next().expect("every size of board has a preset");
    let mut moves = Vec::new();
    for planes in planes.outer_iter_mut() {
        if game.outcome().is_some() || game.moves().len() > RANDOM_PLIES {
            game = games.next().expect("an endless cycle");
        }
        encode(&Facts::of(&game), game.rules(), planes);
        game.legal_moves(&mut moves);
        let mv = moves[(rng.next_u64() % moves.len() as u64) as usize];
        game.play(mv).expect("a legal move");
    }
    planes
}
