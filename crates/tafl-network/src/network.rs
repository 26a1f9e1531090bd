//! A network's weights as plain numbers: they may be shared, compared, stored, whatever computes with them.

use crate::architecture::{Architecture, NetworkConfig, WeightsError};
use crate::{NetworkError, backend};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;
use tafl_graph::{Graph, OUTPUTS, Operation, OperationKind, Parameter, Role};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// What batch norms add to a variance.
pub(crate) const NORM_EPSILON: f64 = 1e-5;

/// How much smaller than usual the weights of the outputs start, so that priors and values start nearly even.
const OUTPUT_SCALE: f64 = 0.02;

/// Numbers of tensors, by name.
pub(crate) type Weights = BTreeMap<String, Vec<f32>>;

/// A network: its architecture and all its weights, f32, by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    architecture: Architecture,
    weights: Weights,
    ranges: Option<Vec<f32>>,
}

impl Network {
    /// Makes an untrained network; equal seeds make equal weights on every machine.
    ///
    /// Weights are normal with variance 2 / inputs (He et al. 2015), those of the policy and value
    /// outputs a fiftieth as wide, so that the priors and values start nearly even.
    pub fn new(config: NetworkConfig, shape: BoardShape, seed: u64) -> Self {
        Self::untrained(Architecture::new(config, shape), seed)
    }

    /// Makes an untrained network as [`Self::new`] does; auxiliary heads leave the other weights as they are.
    pub fn untrained(architecture: Architecture, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut weights = Weights::new();
        let graph = architecture.graph();
        for operation in &graph.operations {
            let is_followed = |it: &Operation| {
                matches!(it.kind, OperationKind::Norm { .. } | OperationKind::Relu)
            };
            let is_output = !graph.readers(&operation.name).any(is_followed);
            let scale = if is_output { OUTPUT_SCALE } else { 1.0 };
            for Parameter { name, shape, role } in operation.parameters() {
                let len = shape.iter().product();
                let inputs: usize = shape.iter().skip(1).product();
                let deviation = (2.0 / inputs as f64).sqrt() * scale;
                let starts_at_one = name.ends_with("norm.weight") || name.ends_with("running_var");
                let values = match role {
                    Role::Weight => (0..len)
                        .map(|_| (deviation * normal(&mut rng)) as f32)
                        .collect(),
                    _ if starts_at_one => vec![1.0; len],
                    _ => vec![0.0; len],
                };
                weights.insert(name, values);
            }
        }
        Self {
            architecture,
            weights,
            ranges: None,
        }
    }

    /// Makes a network of given weights.
    ///
    /// # Errors
    /// If a tensor holds a number that is not finite or a negative variance.
    ///
    /// # Panics
    /// If the tensors are not those of the architecture, by name and length.
    pub fn from_weights(
        architecture: Architecture,
        weights: BTreeMap<String, Vec<f32>>,
    ) -> Result<Self, WeightsError> {
        let parameters = architecture.parameters();
        assert_eq!(weights.len(), parameters.len(), "number of tensors");
        for Parameter { name, shape, .. } in parameters {
            let found = &weights[&name];
            let len: usize = shape.iter().product();
            assert_eq!(found.len(), len, "numbers of {name}");
            if !found.iter().all(|value| value.is_finite()) {
                return Err(WeightsError::NotFinite(name));
            }
            if name.ends_with("running_var") && found.iter().any(|value| *value < 0.0) {
                return Err(WeightsError::NegativeVariance(name));
            }
        }
        Ok(Self {
            architecture,
            weights,
            ranges: None,
        })
    }

    /// Returns this network with the weights of another one of the same size; auxiliary heads that the other lacks stay.
    ///
    /// # Errors
    /// If the board or a field of [`NetworkConfig`] differs.
    pub fn with_weights_of(mut self, other: &Self) -> Result<Self, WeightsError> {
        if let Some(error) = self.architecture().other_size(other.architecture()) {
            return Err(error);
        }
        for (name, own) in &mut self.weights {
            if let Some(weights) = other.weights.get(name) {
                own.clone_from(weights);
            }
        }
        self.ranges.clone_from(&other.ranges);
        Ok(self)
    }

    /// Returns this network with the ranges of its activations, see [`Self::ranges`].
    #[must_use]
    pub(crate) fn with_ranges(self, ranges: Option<Vec<f32>>) -> Self {
        Self { ranges, ..self }
    }

    /// Returns how large the outputs of each convolution of stem and blocks become on positions that the network learned
    /// from, after their rectifiers, in order; `None` where it is unknown.
    pub(crate) fn ranges(&self) -> Option<&[f32]> {
        self.ranges.as_deref()
    }

    /// Returns the architecture.
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// Returns the weights by name.
    pub const fn weights(&self) -> &BTreeMap<String, Vec<f32>> {
        &self.weights
    }

    /// Returns what play needs: the operations, batch norms folded into the convolutions and auxiliary heads left out, and the
    /// numbers of their parameters.
    pub(crate) fn folded(&self) -> (Graph, Weights) {
        folded(&self.architecture.graph(), &self.weights)
    }
}

/// Returns whether what a network computes, of planes of ones, is finite; weights may be so large that it is not.
///
/// # Errors
/// If libtorch fails.
pub fn computes_numbers(network: &Network) -> Result<bool, NetworkError> {
    let (graph, size) = (network.architecture.graph(), network.architecture.size());
    let ones = vec![1.0; PLANES * size * size];
    let outputs = backend::outputs(&graph, &network.weights, size, &ones)?;
    Ok(outputs.iter().flatten().all(|number| number.is_finite()))
}

/// Returns what play needs of operations and their numbers, see [`Network::folded`]; without batch norms it is the same.
pub(crate) fn folded(graph: &Graph, numbers: &Weights) -> (Graph, Weights) {
    let graph = graph.needed(&OUTPUTS);
    let mut weights = Weights::new();
    for operation in &graph.operations {
        if let OperationKind::Norm { .. } = operation.kind {
            fold(operation, numbers, &mut weights);
            continue;
        }
        for Parameter { name, .. } in operation.parameters() {
            let numbers = numbers[&name].clone();
            weights.insert(name, numbers);
        }
    }
    (graph.folded(), weights)
}

/// Folds a batch norm into the weights of the convolution before it.
fn fold(norm: &Operation, numbers: &Weights, weights: &mut Weights) {
    let convolution = &norm.from[0];
    let part = |part: &str| &numbers[&format!("{}.{part}", norm.name)];
    let (scales, shifts) = (part("weight"), part("bias"));
    let (means, variances) = (part("running_mean"), part("running_var"));
    let root = |variance: &f32| (f64::from(*variance) + NORM_EPSILON).sqrt();
    let factors = scales.iter().zip(variances);
    let factors: Vec<f64> = factors
        .map(|(scale, variance)| f64::from(*scale) / root(variance))
        .collect();
    let weight = weights.get_mut(&format!("{convolution}.weight"));
    let weight = weight.expect("a convolution comes before its norm");
    let per_output = weight.len() / factors.len();
    for (weights, factor) in weight.chunks_exact_mut(per_output).zip(&factors) {
        for weight in weights {
            *weight = (f64::from(*weight) * factor) as f32;
        }
    }
    let moved = shifts.iter().zip(means).zip(factors);
    let bias =
        moved.map(|((shift, mean), factor)| (f64::from(*shift) - f64::from(*mean) * factor) as f32);
    weights.insert(format!("{convolution}.bias"), bias.collect());
}

/// Returns a number of the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    let mut uniform = || ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let (radius, angle) = (uniform(), uniform());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}
