//! The tower in 8-bit integers as oneDNN convolves it.
//!
//! Activations and weights are those of [`tafl_forward`]'s, but for the stem, and for processors that add products in 16 bits:
//! there weights have 7 bits.

use crate::libtorch::use_one_core;
use crate::play::Conv;
use crate::tower::Tower;
use crate::{Compute, Device, Network, NetworkConfig, NetworkError};
use std::sync::OnceLock;
use tafl_forward::{MOST_WEIGHT, rounded};
use tafl_rules::BoardShape;
use tafl_samples::{PLANES, Plane};
use tch::{Kind, Tensor};

/// The largest number that a weight may hold, from 8 bits and from 7.
///
/// With AVX2 alone, sums of two products are kept in 16 bits: twice 255 by 63 fits there, twice 255 by 127 does not.
const MOST_WEIGHTS: [f32; 2] = [MOST_WEIGHT, 63.0];

/// The largest number that the second part of an input plane is multiplied by: that part is 0 or 1.
const MOST_REST: f32 = 127.0;

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
        let [inputs, outputs] = conv.unit.planes;
        let (weight, scales) = rounded(&conv.weight, outputs, most);
        Self {
            weight,
            inputs,
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
