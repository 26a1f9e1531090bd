//! What a file holds, what it gives on positions, and how far that is from the network.

use super::job::{ExportError, ExportFormat, StoredAs};
use super::taflzero::{self, Adapter};
use crate::checkpoint::safetensors;
use crate::network::Weights;
use crate::{Network, NetworkError, backend};
use half::f16;
use ndarray::Array3;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use safetensors::tensor::Dtype;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tafl_graph::{Graph, OUTPUTS};
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{Facts, PLANES, encode};

/// Positions of each ruleset on which an export is compared.
pub(super) const POSITIONS: usize = 12;

/// Plies between two of them in a game.
const PLIES_BETWEEN: usize = 9;

/// Plies after which another game is begun.
const LONGEST: usize = 120;

/// Outputs by name, position after position.
pub(super) type Named = BTreeMap<&'static str, Vec<f32>>;

/// Operations with their weights, rounded as they are stored.
pub(super) struct Stored {
    pub(super) graph: Graph,
    pub(super) precision: StoredAs,
    weights: Weights,
    size: usize,
}

/// How the weights of a file were checked: as they are stored, computed with and compared with the network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Positions of random games on which outputs were compared.
    pub positions: usize,
    /// How far each output is from the network's.
    pub differences: Differences,
    /// What they may be at most.
    pub bound: f32,
    /// The same measure between the network with all planes and with those that the format can tell; `null` if it can
    /// tell all.
    pub left_out: Option<Differences>,
}

/// How far each output is from a reference: the largest difference over all positions and numbers, divided by the
/// output's largest magnitude, or 1 if that is less.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Differences(pub BTreeMap<&'static str, f32>);

impl Stored {
    /// Returns a network as it is trained.
    pub(super) fn exact(network: &Network) -> Self {
        Self {
            graph: network.architecture().graph(),
            precision: StoredAs::F32,
            weights: network.weights().clone(),
            size: network.architecture().size(),
        }
    }

    /// Returns what a file of a format holds: batch norms folded and auxiliary heads left out, but where training goes on.
    pub(super) fn new(
        network: &Network,
        format: ExportFormat,
        precision: StoredAs,
    ) -> Result<Self, ExportError> {
        let mut stored = Self::exact(network);
        stored.precision = precision;
        if format != ExportFormat::Pytorch {
            (stored.graph, stored.weights) = network.folded();
        }
        for (tensor, numbers) in &mut stored.weights {
            if precision == StoredAs::F16 {
                numbers
                    .iter_mut()
                    .for_each(|it| *it = f16::from_f32(*it).to_f32());
            }
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(ExportError::TooLarge(tensor.clone(), precision));
            }
        }
        Ok(stored)
    }

    /// Returns a tensor's numbers as they are stored, little-endian.
    pub(super) fn bytes(&self, tensor: &str) -> Vec<u8> {
        let numbers = self.weights[tensor].iter();
        match self.precision {
            StoredAs::F32 => numbers.flat_map(|it| it.to_le_bytes()).collect(),
            StoredAs::F16 => numbers
                .flat_map(|&it| f16::from_f32(it).to_le_bytes())
                .collect(),
        }
    }

    /// Returns the tensors of the operations, with their shapes and bytes.
    pub(super) fn tensors(&self) -> Vec<(String, Vec<usize>, Vec<u8>)> {
        let parameters = self.graph.parameters().into_iter();
        let tensors = parameters.map(|it| (self.bytes(&it.name), it));
        tensors
            .map(|(bytes, it)| (it.name, it.shape, bytes))
            .collect()
    }

    /// Returns a safetensors file with the operations in its header.
    pub(super) fn file(
        &self,
        metadata: Vec<(&'static str, String)>,
    ) -> Result<Vec<u8>, ExportError> {
        let dtype = match self.precision {
            StoredAs::F32 => Dtype::F32,
            StoredAs::F16 => Dtype::F16,
        };
        let graph = serde_json::to_string(&self.graph)?;
        let metadata = metadata.into_iter().chain([("graph", graph)]).collect();
        Ok(safetensors(dtype, &self.tensors(), &metadata)?)
    }

    /// Returns what is computed in f32 of planes, `[batch, PLANES, size, size]`.
    pub(super) fn outputs(&self, planes: &[f32]) -> Result<Named, NetworkError> {
        let outputs = backend::outputs(&self.graph, &self.weights, self.size, planes)?;
        Ok(OUTPUTS.into_iter().zip(outputs).collect())
    }

    /// Compares with the network on some positions; returns also what the stored weights give there.
    pub(super) fn verify(
        &self,
        network: &Network,
        games: &[Game],
        adapter: Option<&Adapter>,
    ) -> Result<(Named, Verification), ExportError> {
        let exact = Self::exact(network);
        let all = planes(games, Facts::of);
        let (found, reference, left_out) = match adapter {
            None => (self.outputs(&all)?, exact.outputs(&all)?, None),
            Some(adapter) => {
                let told = planes(games, taflzero::told);
                let reference = adapter.outputs(&exact.outputs(&told)?);
                let whole = adapter.outputs(&exact.outputs(&all)?);
                let left_out = Differences::of(&reference, &whole);
                (
                    adapter.outputs(&self.outputs(&told)?),
                    reference,
                    Some(left_out),
                )
            }
        };
        let (differences, bound) = (Differences::of(&found, &reference), self.precision.bound());
        let furthest = differences.0.iter().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((&output, &largest)) = furthest
            && largest > bound
        {
            return Err(ExportError::Differs {
                output,
                largest,
                bound,
            });
        }
        let verification = Verification {
            positions: games.len(),
            differences,
            bound,
            left_out,
        };
        Ok((found, verification))
    }
}

impl Differences {
    /// Returns how far each output is from the reference; infinite where a number is not finite.
    pub(super) fn of(found: &Named, reference: &Named) -> Self {
        let difference = |(&output, expected): (&&'static str, &Vec<f32>)| {
            let scale = expected.iter().fold(1.0_f32, |most, it| most.max(it.abs()));
            let pairs = found[output].iter().zip(expected);
            let apart = pairs.map(|(a, b)| (a - b).abs() / scale);
            let finite = |it: f32| if it.is_nan() { f32::INFINITY } else { it };
            (output, apart.map(finite).fold(0.0, f32::max))
        };
        Self(reference.iter().map(difference).collect())
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.0.iter();
        let pairs = pairs.map(|(output, largest)| format!("{output} {largest:.1e}"));
        f.write_str(&pairs.collect::<Vec<_>>().join(", "))
    }
}

/// Returns the start and later positions of random games, all of them that lie within chains, and last one that occurred
/// before.
pub(super) fn positions(rules: &Arc<Rules>, count: usize) -> Vec<Game> {
    let repeated = repeated(rules);
    let count = count - repeated.iter().count();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut positions, mut moves) = (Vec::with_capacity(count), Vec::new());
    let mut game = Game::new(Arc::clone(rules));
    while positions.len() < count {
        if game.outcome().is_some() || game.moves().len() >= LONGEST {
            game = Game::new(Arc::clone(rules));
        }
        let is_within_chain = game.position().chain().is_some();
        if game.moves().len().is_multiple_of(PLIES_BETWEEN) || is_within_chain {
            positions.push(game.clone());
        }
        game.legal_moves(&mut moves);
        if let Some(&mv) = moves.get((rng.next_u64() % moves.len().max(1) as u64) as usize) {
            game.play_unchecked(mv);
        }
    }
    positions.extend(repeated);
    positions
}

/// Returns the start position as it occurs again after each side moved a piece there and back; nothing where the first
/// legal moves capture, or go only one way.
fn repeated(rules: &Arc<Rules>) -> Option<Game> {
    let (mut game, mut moves) = (Game::new(Arc::clone(rules)), Vec::new());
    for ply in 0_usize..4 {
        game.legal_moves(&mut moves);
        let back = ply.checked_sub(2).map(|before| game.moves()[before]);
        let is_back =
            |mv: &&Move| back.is_none_or(|back| (mv.from(), mv.to()) == (back.to(), back.from()));
        game.play(*moves.iter().find(is_back)?).ok()?;
    }
    (game.occurrences() > 1).then_some(game)
}

/// Returns the planes of positions as the network sees them, `[batch, PLANES, size, size]`, of the facts of each.
pub(super) fn planes(games: &[Game], facts: impl Fn(&Game) -> Facts) -> Vec<f32> {
    let mut all = Vec::new();
    for game in games {
        let size = usize::from(game.rules().shape().size());
        let mut planes = Array3::<f32>::zeros((size, size, PLANES));
        encode(&facts(game), game.rules(), planes.view_mut());
        all.extend(planes.permuted_axes([2, 0, 1]));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_of_games_that_go_on() {
        let rules = Rules::preset("berserk-2024").unwrap();
        let games = positions(&rules, 20);
        assert!(games.iter().all(|game| game.outcome().is_none()));
        assert_eq!(games[0].moves().len(), 0);
        assert!(games.iter().any(|game| game.moves().len() > 60));
        assert!(games.iter().any(|game| game.position().chain().is_some()));
        assert_eq!(Facts::of(&games[19]).occurrences, 2);
    }

    #[test]
    fn differences_are_measured_by_the_largest_number() {
        let named = |values: [f32; 2]| Named::from([("policy", values.to_vec())]);
        let apart = |a, b| Differences::of(&named(a), &named(b)).0["policy"];
        assert_eq!(apart([8.5, 1.0], [8.0, 1.0]), 0.0625);
        assert_eq!(apart([0.25, 0.5], [0.25, 0.75]), 0.25);
        assert_eq!(apart([f32::NAN, 0.0], [0.0, 0.0]), f32::INFINITY);
        let infinite = [f32::INFINITY, 0.0];
        assert_eq!(apart(infinite, infinite), f32::INFINITY);
    }
}
