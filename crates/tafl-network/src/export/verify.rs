//! Real positions, and how far folding and rounding the weights moves the outputs on them.

use super::card::{Differences, VerificationCard};
use super::job::{ExportError, Named};
use super::plan::Plan;
use super::{onnx::OUTPUTS, taflzero, weights};
use crate::model::{MOVES_LEFT_SCALE, evaluate};
use crate::{Network, NetworkError};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use tafl_rules::{Game, Rules};
use tafl_samples::{Facts, PLANES, encode};
use tch::{Kind, Tensor};

/// Positions of each ruleset on which an export is compared.
pub(super) const POSITIONS: usize = 12;

/// Plies between two of them in a game.
const PLIES_BETWEEN: usize = 9;

/// Plies after which another game is begun.
const LONGEST: usize = 120;

/// Computes with the weights as they are stored, and compares with the network; returns what they give.
pub(super) fn check(plan: &Plan<'_>) -> Result<(Named, VerificationCard), ExportError> {
    let rules = plan.rules.iter();
    let games: Vec<Game> = rules
        .flat_map(|rules| positions(rules, POSITIONS))
        .collect();
    let network = plan.job.network;
    let stored = weights::as_stored(network, plan.job.stored)?;
    let all = own_planes(&games);
    let (found, reference, left_out) = if let Some(adapter) = &plan.adapter {
        let told = planes(
            games
                .iter()
                .map(|game| (&**game.rules(), taflzero::told(game))),
        );
        let theirs = |network, planes: &[f32]| -> Result<Named, ExportError> {
            Ok(adapter.outputs(&outputs(network, planes)?))
        };
        let reference = theirs(network, &told)?;
        let left_out = compare(&reference, &theirs(network, &all)?);
        (theirs(&stored, &told)?, reference, Some(left_out))
    } else {
        (outputs(&stored, &all)?, outputs(network, &all)?, None)
    };
    let differences = compare(&found, &reference);
    let bound = plan.job.stored.bound();
    let furthest = differences.0.iter().max_by(|a, b| a.1.total_cmp(b.1));
    match furthest {
        Some((&output, &largest)) if largest > bound => Err(ExportError::Differs {
            output,
            largest,
            bound,
        }),
        _ => {
            let verification = VerificationCard {
                positions: games.len(),
                differences,
                bound,
                left_out,
            };
            Ok((found, verification))
        }
    }
}

/// Returns the start and later positions of random games, all of them that lie within chains.
pub(super) fn positions(rules: &Arc<Rules>, count: usize) -> Vec<Game> {
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
    positions
}

/// Returns the planes of positions, `[batch, PLANES, size, size]`.
fn planes<'a>(positions: impl Iterator<Item = (&'a Rules, Facts)>) -> Vec<f32> {
    let mut all = Vec::new();
    for (rules, facts) in positions {
        let squares = rules.shape().squares();
        let mut rows = vec![0.0; squares * PLANES];
        encode(&facts, rules, &mut rows);
        for plane in 0..PLANES {
            all.extend((0..squares).map(|square| rows[square * PLANES + plane]));
        }
    }
    all
}

/// Returns the planes of games as the network sees them.
pub(super) fn own_planes(games: &[Game]) -> Vec<f32> {
    planes(games.iter().map(|game| (&**game.rules(), Facts::of(game))))
}

/// Returns what libtorch computes in f32 of planes, `[batch, PLANES, size, size]`.
pub(super) fn outputs(network: &Network, planes: &[f32]) -> Result<Named, NetworkError> {
    let _guard = tch::no_grad_guard();
    let size = network.architecture().size() as i64;
    let x = Tensor::f_from_slice(planes)?.f_view([-1, PLANES as i64, size, size])?;
    let outputs = evaluate(network, &x)?;
    let scale = f64::from(MOVES_LEFT_SCALE);
    let tensors = [
        outputs.policy,
        outputs.wdl.f_softmax(1, Kind::Float)?,
        outputs.moves_left.f_mul_scalar(scale)?,
    ];
    let mut named = Named::new();
    for (name, tensor) in OUTPUTS.into_iter().zip(tensors) {
        let flat = tensor.f_contiguous()?.f_view([-1])?;
        named.insert(name, Vec::<f32>::try_from(&flat)?);
    }
    Ok(named)
}

/// Returns how far each output is from the reference; infinite where a number is not finite.
pub(super) fn compare(found: &Named, reference: &Named) -> Differences {
    let difference = |(&output, expected): (&&'static str, &Vec<f32>)| {
        let most = |numbers: &mut dyn Iterator<Item = f32>| numbers.fold(0.0, f32::max);
        let scale = most(&mut expected.iter().map(|number| number.abs())).max(1.0);
        let pairs = found[output].iter().zip(expected);
        let apart = most(&mut pairs.map(|(a, b)| {
            let apart = (a - b).abs();
            if apart.is_nan() { f32::INFINITY } else { apart }
        }));
        (output, apart / scale)
    };
    Differences(reference.iter().map(difference).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_measured_by_the_largest_number() {
        let named = |values: [f32; 2]| Named::from([("policy", values.to_vec())]);
        let apart = |a, b| compare(&named(a), &named(b)).0["policy"];
        assert_eq!(apart([8.5, 1.0], [8.0, 1.0]), 0.0625);
        assert_eq!(apart([0.25, 0.5], [0.25, 0.75]), 0.25);
        assert_eq!(apart([f32::NAN, 0.0], [0.0, 0.0]), f32::INFINITY);
    }

    #[test]
    fn positions_are_of_games_that_go_on() {
        let rules = Rules::preset("berserk-2024").unwrap();
        let games = positions(&rules, 20);
        assert!(games.iter().all(|game| game.outcome().is_none()));
        assert_eq!(games[0].moves().len(), 0);
        assert!(games.iter().any(|game| game.moves().len() > 60));
        assert!(games.iter().any(|game| game.position().chain().is_some()));
    }
}
