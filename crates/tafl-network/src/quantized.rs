//! The tower in 8-bit integers: how large activations become, and weights rounded to fit.
//!
//! Activations after a rectifier are `u8` with one scale for all channels, weights `i8` (7 bits of them on processors that
//! add products in 16 bits) with a scale for each output
//! (Krishnamoorthi 2018, "Quantizing deep convolutional networks for efficient inference", section 3.1).

use crate::libtorch::use_one_core;
use crate::play::Conv;
use crate::tower::Tower;
use crate::{Compute, Device, Network, NetworkConfig, NetworkError};
use ndarray::Array4;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::OnceLock;
use tafl_rules::{BoardShape, Game, RULESET_NAMES, Rules};
use tafl_samples::{Facts, PLANES, Plane, encode};
use tch::{Kind, Tensor};

/// The largest number that an activation holds.
pub(crate) const MOST_ACTIVATION: f64 = 255.0;

/// The largest number that a weight may hold, from 8 bits and from 7; -128 is left out, so that ranges are the same on
/// both sides of 0.
///
/// With AVX2 alone, sums of two products are kept in 16 bits: twice 255 by 63 fits there, twice 255 by 127 does not.
const MOST_WEIGHTS: [f32; 2] = [127.0, 63.0];

/// The largest number that the second part of an input plane is multiplied by: that part is 0 or 1.
const MOST_REST: f32 = 127.0;

/// Positions of random games by which ranges are found where nothing better is stored.
const RANDOM_POSITIONS: usize = 512;

/// Plies of a random game, at most.
const RANDOM_PLIES: usize = 120;

/// A number of an input plane: the number itself, 255 for 1, and once more as a number from 0 to 1.
///
/// The stem has a weight for each. The second is worth a 255th of the first, so that both together have 15 bits: planes
/// that are the same everywhere have such large weights that 8 bits leave little to those of the pieces.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct StemPlane([u8; 2]);

impl StemPlane {
    /// Numbers of which each plane consists.
    pub(crate) const PARTS: usize = 2;
}

impl Plane for StemPlane {
    const ZERO: Self = Self([0, 0]);
    const ONE: Self = Self([255, 1]);

    fn nearest(value: f32) -> Self {
        // Casts keep to the range.
        Self([(value * 255.0).round() as u8, value.round() as u8])
    }
}

/// A convolution in 8-bit weights.
pub(crate) struct QuantizedConv {
    /// `[outputs, inputs, kernel, kernel]`.
    pub(crate) weight: Vec<i8>,
    pub(crate) inputs: usize,
    /// What 1 is worth, for each output.
    pub(crate) scales: Vec<f32>,
}

impl QuantizedConv {
    /// Rounds weights to integers of which the largest is `most`.
    pub(crate) fn of(conv: &Conv, most: f32) -> Self {
        let per_output = conv.weight.len() / conv.unit.planes[1];
        let outputs = conv.weight.chunks_exact(per_output);
        let scales: Vec<f32> = outputs.clone().map(|it| scale_of(it, most)).collect();
        let outputs = outputs.zip(&scales);
        let weight = outputs.flat_map(|(numbers, scale)| {
            let numbers = numbers.iter();
            numbers.map(move |it| (it / scale).round() as i8)
        });
        Self {
            weight: weight.collect(),
            inputs: conv.unit.planes[0],
            scales,
        }
    }

    /// Rounds the stem, whose inputs are the parts of [`StemPlane`].
    pub(crate) fn of_stem(stem: &Conv, most: f32) -> Self {
        let kernel = stem.unit.kernel * stem.unit.kernel;
        let rounded = Self::of(stem, most);
        let per_output = stem.weight.len() / stem.unit.planes[1];
        let mut weight = Vec::with_capacity(StemPlane::PARTS * stem.weight.len());
        let planes = stem.weight.chunks_exact(kernel);
        let planes = planes.zip(rounded.weight.chunks_exact(kernel));
        for (index, (exact, first)) in planes.enumerate() {
            let scale = rounded.scales[index * kernel / per_output];
            weight.extend(first);
            weight.extend(exact.iter().zip(first).map(|(exact, &first)| {
                let rest = exact / scale - f32::from(first);
                (rest * 255.0).round().clamp(-MOST_REST, MOST_REST) as i8
            }));
        }
        Self {
            weight,
            inputs: StemPlane::PARTS * stem.unit.planes[0],
            scales: rounded.scales,
        }
    }

    /// Returns the stem of some of its planes.
    pub(crate) fn of_planes(&self, planes: &[usize]) -> Self {
        let per_plane = StemPlane::PARTS * self.weight.len() / (self.scales.len() * self.inputs);
        let outputs = self.weight.chunks_exact(PLANES * per_plane);
        let weight = outputs.flat_map(|output| {
            let parts = planes.iter().map(|plane| plane * per_plane);
            parts.flat_map(|first| &output[first..first + per_plane])
        });
        Self {
            weight: weight.copied().collect(),
            inputs: StemPlane::PARTS * planes.len(),
            scales: self.scales.clone(),
        }
    }
}

/// Returns what 1 is worth in integers of which the largest, `most`, stands for the largest of these weights.
fn scale_of(weights: &[f32], most: f32) -> f32 {
    let largest = weights.iter().fold(0_f32, |most, it| most.max(it.abs()));
    if largest > 0.0 { largest / most } else { 1.0 }
}

/// Returns the largest weights whose products this processor, through this libtorch, adds without overflow.
///
/// None if it has no 8-bit convolutions. Asked once a process.
pub(crate) fn most_weight() -> Option<f32> {
    static MOST: OnceLock<Option<f32>> = OnceLock::new();
    *MOST.get_or_init(|| {
        let mut all = MOST_WEIGHTS.into_iter();
        all.find(|&most| largest_sums_agree(most).unwrap_or(false))
    })
}

/// Compares the heads of a network whose weights are `most` and whose activations are as large as 8 bits allow with
/// those in f32.
fn largest_sums_agree(most: f32) -> Result<bool, NetworkError> {
    use_one_core();
    let _guard = tch::no_grad_guard();
    let config = NetworkConfig {
        blocks: 1,
        channels: 16,
        value_channels: 8,
        value_hidden: 8,
    };
    let shape = BoardShape::new(7).expect("a board of 7x7");
    let network = Network::new(config, shape, 0);
    let ones = network.weights().iter().map(|(name, numbers)| {
        let number = if name.contains("mean") || name.contains("bias") {
            0.0
        } else {
            1.0
        };
        (name.clone(), vec![number; numbers.len()])
    });
    let network = Network::from_weights(*network.architecture(), ones.collect());
    let network = network.map_err(|error| NetworkError::Torch(error.to_string()))?;
    let kinds = (Kind::Uint8, tch::Device::Cpu);
    let planes = Tensor::f_ones([1, 7, 7, PLANES as i64], (Kind::Float, tch::Device::Cpu))?
        .f_permute([0, 3, 1, 2])?;
    let exact = Tower::plain(&network, Compute::F32, Device::Cpu)?;
    let ranges = exact.ranges(planes.shallow_clone())?;
    let rounded = Tower::quantized(&network.with_ranges(Some(ranges)), most)?;
    let inputs = StemPlane::PARTS as i64 * PLANES as i64;
    let parts = Tensor::f_full([1, 7, 7, inputs], 255, kinds)?.f_permute([0, 3, 1, 2])?;
    // The second part of each plane has weights of 0 here, as all weights fit the first.
    let (exact, rounded) = (exact.forward(planes)?, rounded.forward(parts)?);
    let error = (&exact - rounded).abs().max().f_double_value(&[])?;
    Ok(error <= 0.02 * exact.abs().max().f_double_value(&[])?)
}

/// Returns how large the outputs of stem and blocks become on positions of random games, one number for each convolution.
///
/// The games are the same on every machine: of all presets of the board's size.
///
/// # Errors
/// If libtorch fails.
pub(crate) fn ranges_on_random_games(network: &Network) -> Result<Vec<f32>, NetworkError> {
    use_one_core();
    let _guard = tch::no_grad_guard();
    let size = network.architecture().size();
    let planes = random_planes(size);
    let size = size as i64;
    let x = Tensor::f_from_slice(planes.as_slice().expect("a new array"))?
        .f_view([-1, size, size, PLANES as i64])?
        .f_permute([0, 3, 1, 2])?;
    Tower::plain(network, Compute::F32, Device::Cpu)?.ranges(x)
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
