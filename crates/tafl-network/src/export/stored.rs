//! What a file holds, and what it gives on positions.

use super::job::{ExportError, ExportFormat, StoredAs};
use crate::model::{Mode, Tensors, run};
use crate::{Network, NetworkError};
use half::f16;
use ndarray::Array3;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_graph::{Graph, INPUT, OUTPUTS};
use tafl_rules::{Game, Move, Rules};
use tafl_samples::{Facts, PLANES, encode};
use tch::Tensor;

/// Positions of each ruleset on which an export is compared.
pub(super) const POSITIONS: usize = 12;

/// Plies between two of them in a game.
const PLIES_BETWEEN: usize = 9;

/// Plies after which another game is begun.
const LONGEST: usize = 120;

/// Outputs by name, position after position.
pub(super) type Named = BTreeMap<&'static str, Vec<f32>>;

/// Operations with their weights.
pub(super) struct Stored {
    pub(super) graph: Graph,
    /// In order of computation.
    pub(super) weights: Vec<Weight>,
    pub(super) precision: StoredAs,
}

/// A tensor as it is stored.
pub(super) struct Weight {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

impl Stored {
    /// Returns what a file of a format holds: batch norms folded and auxiliary heads left out, but where training goes on.
    ///
    /// # Errors
    /// If a number is too large for f16.
    pub(super) fn new(
        network: &Network,
        format: ExportFormat,
        precision: StoredAs,
    ) -> Result<Self, ExportError> {
        let (graph, weights) = match format {
            ExportFormat::Pytorch => (network.architecture().graph(), network.weights().clone()),
            _ => {
                let folded = network.folded();
                (folded.graph, folded.weights)
            }
        };
        let stored = Self::of(graph, &weights, precision);
        let is_finite = |it: &&Weight| it.values.iter().all(|number| number.is_finite());
        match stored.weights.iter().find(|it| !is_finite(it)) {
            Some(Weight { name, .. }) => {
                let tensor = name.clone();
                Err(ExportError::TooLarge { tensor, precision })
            }
            None => Ok(stored),
        }
    }

    fn of(graph: Graph, weights: &BTreeMap<String, Vec<f32>>, precision: StoredAs) -> Self {
        let rounded = |number: &f32| match precision {
            StoredAs::F32 => *number,
            StoredAs::F16 => f16::from_f32(*number).to_f32(),
        };
        let parameters = graph.parameters().into_iter();
        let weights = parameters.map(|it| Weight {
            values: weights[&it.name].iter().map(rounded).collect(),
            name: it.name,
            shape: it.shape,
        });
        Self {
            weights: weights.collect(),
            graph,
            precision,
        }
    }

    /// Returns a weight's numbers as they are stored, little-endian.
    pub(super) fn bytes(&self, weight: &Weight) -> Vec<u8> {
        let values = weight.values.iter();
        match self.precision {
            StoredAs::F32 => values.flat_map(|it| it.to_le_bytes()).collect(),
            StoredAs::F16 => values
                .flat_map(|&it| f16::from_f32(it).to_le_bytes())
                .collect(),
        }
    }

    /// Returns what libtorch computes in f32 of planes, `[batch, PLANES, size, size]`.
    pub(super) fn outputs(&self, planes: &[f32], size: usize) -> Result<Named, NetworkError> {
        crate::device::use_one_core();
        let _guard = tch::no_grad_guard();
        let size = size as i64;
        let x = Tensor::f_from_slice(planes)?.f_view([-1, PLANES as i64, size, size])?;
        let mut weights = Tensors::new();
        for Weight {
            name,
            shape,
            values,
        } in &self.weights
        {
            let shape: Vec<i64> = shape.iter().map(|&length| length as i64).collect();
            weights.insert(
                name.clone(),
                Tensor::f_from_slice(values)?.f_view(&shape[..])?,
            );
        }
        let graph = self.graph.needed(&OUTPUTS);
        let outputs = run(&graph, &weights, (INPUT, x), &OUTPUTS, Mode::Evaluate)?;
        let mut named = Named::new();
        for (name, output) in OUTPUTS.into_iter().zip(outputs) {
            let flat = output.f_contiguous()?.f_view([-1])?;
            named.insert(name, Vec::<f32>::try_from(&flat)?);
        }
        Ok(named)
    }
}

/// Returns what the network itself gives.
pub(super) fn exact(network: &Network, planes: &[f32]) -> Result<Named, NetworkError> {
    let (graph, size) = (
        network.architecture().graph(),
        network.architecture().size(),
    );
    Stored::of(graph, network.weights(), StoredAs::F32).outputs(planes, size)
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
pub(super) fn planes<'a>(
    games: impl IntoIterator<Item = &'a Game>,
    facts: impl Fn(&Game) -> Facts,
) -> Vec<f32> {
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
}
