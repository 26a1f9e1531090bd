//! The tower in 8-bit integers as oneDNN convolves it.
//!
//! Activations and weights are those of [`tafl_forward`]'s, whose stem and heads these are, but for
//! processors that add products in 16 bits: there weights have 7 bits.

use crate::libtorch::use_one_core;
use crate::tower::Tower;
use crate::{Compute, Device, Inference, Network, NetworkConfig, NetworkError};
use std::sync::OnceLock;
use tafl_forward::{MOST_ACTIVATION, MOST_WEIGHT};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;
use tch::{Kind, Tensor};

/// The largest number that a weight may hold, from 8 bits and from 7.
///
/// With AVX2 alone, sums of two products are kept in 16 bits: twice 255 by 63 fits there, twice 255 by 127 does not.
const MOST_WEIGHTS: [f32; 2] = [MOST_WEIGHT, 63.0];

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

/// Compares what the heads of a network read, whose weights are `most` and whose activations are as large as 8 bits allow, with the
/// range of the same in f32: it is the largest activation there.
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
    let planes = Tensor::f_ones([1, 7, 7, PLANES as i64], (Kind::Float, tch::Device::Cpu))?;
    let exact = Tower::plain(&network, Compute::F32, Device::Cpu)?;
    let ranges = exact.ranges(planes.f_permute([0, 3, 1, 2])?)?;
    let network = network.with_ranges(Some(ranges));
    let rounded = Tower::quantized(&network, most)?;
    let mut rounded = Inference::with(&network, (Device::Cpu, Compute::Int8), rounded, false)?;
    let largest = rounded.largest_read_of(&[1.0; 7 * 7 * PLANES])?;
    Ok(f64::from(MOST_ACTIVATION) - largest <= 0.02 * f64::from(MOST_ACTIVATION))
}
