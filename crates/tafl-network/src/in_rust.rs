//! Evaluating networks by [`tafl_forward`], position by position: all there is without libtorch.

use crate::network::Weights;
use crate::times::per_second;
use crate::{Compute, Network, NetworkError};
use ndarray::{Array3, Array4, ArrayView3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
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

/// Returns a network whose ranges of activations hold those on positions of random games under some rulesets of its board: it may
/// know none, or those of other rulesets.
///
/// # Errors
/// If the weights are no numbers.
pub fn with_ranges_under(network: Network, rules: &[Arc<Rules>]) -> Result<Network, NetworkError> {
    // All rulesets get a game.
    let most_plies = (RANDOM_POSITIONS / rules.len().max(1)).saturating_sub(1);
    let mut ranges = ranges_of(&network, rules, RANDOM_PLIES.min(most_plies))?;
    for (range, known) in ranges.iter_mut().zip(network.ranges().unwrap_or_default()) {
        *range = range.max(*known);
    }
    Ok(network.with_ranges(Some(ranges)))
}

/// Returns how large the outputs of stem and blocks become on positions of random games, one number for each convolution.
///
/// The games are the same on every machine: of those of [`RULESET_NAMES`] that have the board's size. Other rulesets have planes
/// that most networks never learned from; their activations would make the ranges ten times too wide.
pub(crate) fn ranges_on_random_games(network: &Network) -> Result<Vec<f32>, NetworkError> {
    let presets = RULESET_NAMES.iter();
    let size = network.architecture().size();
    let rules: Vec<_> = presets
        .filter_map(|name| Rules::preset(name))
        .filter(|rules| usize::from(rules.shape().size()) == size)
        .collect();
    ranges_of(network, &rules, RANDOM_PLIES)
}

fn ranges_of(
    network: &Network,
    rules: &[Arc<Rules>],
    most_plies: usize,
) -> Result<Vec<f32>, NetworkError> {
    let (graph, weights) = network.folded();
    let planes = random_planes(network.architecture().size(), rules, most_plies);
    Ok(net(&graph, &weights)?.ranges(planes.view()))
}

/// Returns the planes of positions of random games, `[position, rank, file, plane]`; the games are of each ruleset in turn.
fn random_planes(size: usize, rules: &[Arc<Rules>], most_plies: usize) -> Array4<f32> {
    let mut planes = Array4::zeros((RANDOM_POSITIONS, size, size, PLANES));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut games = rules.iter().cycle().map(|rules| Game::new(rules.clone()));
    let mut game = games.next().expect("a ruleset");
    let mut moves = Vec::new();
    for planes in planes.outer_iter_mut() {
        if game.outcome().is_some() || game.moves().len() > most_plies {
            game = games.next().expect("an endless cycle");
        }
        encode(&Facts::of(&game), game.rules(), planes);
        game.legal_moves(&mut moves);
        let mv = moves[(rng.next_u64() % moves.len() as u64) as usize];
        game.play(mv).expect("a legal move");
    }
    planes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetworkConfig;

    #[test]
    fn ranges_hold_those_of_the_rulesets_that_are_given() {
        let names = ["magpie", "ard-ri", "brandubh-2", "ard-ri-39", "brandubh"];
        let rules = names.map(|name| Rules::preset(name).expect("a preset"));
        let config = NetworkConfig {
            blocks: 1,
            channels: 8,
            ..NetworkConfig::default()
        };
        let network = Network::new(config, rules[0].shape(), 1);
        let presets = ranges_on_random_games(&network).expect("numbers");
        let under = |rules: &[Arc<Rules>]| {
            let network = with_ranges_under(network.clone(), rules).expect("numbers");
            network.ranges().expect("they are known").to_vec()
        };
        assert_eq!(under(&rules[4..]), presets, "brandubh alone is among them");
        assert_ne!(under(&rules[..1]), presets);
        let wide = vec![1e3; presets.len()];
        let known = network.clone().with_ranges(Some(wide.clone()));
        let known = with_ranges_under(known, &rules).expect("numbers");
        assert_eq!(known.ranges(), Some(&wide[..]));
        // The last of many has its start among the positions.
        let planes = random_planes(7, &rules, 101);
        let game = Game::new(Arc::clone(&rules[4]));
        let mut start = Array3::<f32>::zeros((7, 7, PLANES));
        encode(&Facts::of(&game), game.rules(), start.view_mut());
        assert!(planes.outer_iter().any(|position| position == start));
    }
}
