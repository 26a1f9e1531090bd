//! How far folding and rounding the weights moves the outputs on them.

use super::card::{Differences, VerificationCard};
use super::job::{ExportError, Named};
use super::plan::Plan;
use super::positions::{POSITIONS, own_planes, planes, positions};
use super::{onnx::OUTPUTS, taflzero, weights};
use crate::model::{MOVES_LEFT_SCALE, evaluate};
use crate::{Network, NetworkError};
use tafl_rules::Game;
use tafl_samples::PLANES;
use tch::{Kind, Tensor};

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
        let relative = apart / scale;
        (output, if relative.is_nan() { apart } else { relative })
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
        let infinite = [f32::INFINITY, 0.0];
        assert_eq!(apart(infinite, infinite), f32::INFINITY);
    }
}
