//! The tensors of an export: what play needs, batch norms folded.

use super::ExportError;
use crate::Network;
use crate::architecture::VALUE_OUTPUTS;
use crate::network::NORM_EPSILON;
use half::f16;
use safetensors::SafeTensorError;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;

/// How the weights of an export are stored. Arithmetic is in f32 either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoredAs {
    /// 4 bytes each, as they were trained.
    F32,
    /// 2 bytes each, rounded to the nearest; half the file.
    F16,
}

impl StoredAs {
    /// Returns `f32` or `f16`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
        }
    }

    /// Returns how far outputs may be from the network's, as a share of the output's largest magnitude or of 1.
    #[must_use]
    pub const fn bound(self) -> f32 {
        match self {
            Self::F32 => 1e-4,
            Self::F16 => 1e-2,
        }
    }
}

impl std::fmt::Display for StoredAs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A tensor of an export.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weight {
    /// Such as `blocks.0.first.weight` or `value.hidden.bias`.
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

/// Returns all tensors that play needs, in order of computation.
pub(super) fn play_weights(network: &Network) -> Vec<Weight> {
    let config = network.architecture().network;
    let mut weights = Vec::new();
    let mut add = |name: String, shape: Vec<usize>, values: Vec<f32>| {
        weights.push(Weight {
            name,
            shape,
            values,
        });
    };
    for conv in network.folded() {
        let layer = &conv.layer;
        let shape = vec![layer.outputs, layer.inputs, layer.kernel, layer.kernel];
        add(format!("{}.weight", layer.name), shape, conv.weight);
        add(
            format!("{}.bias", layer.name),
            vec![layer.outputs],
            conv.bias,
        );
    }
    let (pooled, hidden) = (
        2 * config.value_channels as usize,
        config.value_hidden as usize,
    );
    for (layer, inputs, outputs) in [
        ("hidden", pooled, hidden),
        ("output", hidden, VALUE_OUTPUTS),
    ] {
        for (part, shape) in [("weight", vec![outputs, inputs]), ("bias", vec![outputs])] {
            let name = format!("value.{layer}.{part}");
            let values = network.tensor(&name).to_vec();
            add(name, shape, values);
        }
    }
    weights
}

impl Weight {
    /// Returns the numbers as they are stored, little-endian.
    ///
    /// # Errors
    /// If a number is too large for f16.
    pub(super) fn bytes(&self, stored: StoredAs) -> Result<Vec<u8>, ExportError> {
        match stored {
            StoredAs::F32 => Ok(self.values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            StoredAs::F16 => {
                let halves: Vec<f16> = self.values.iter().map(|&v| f16::from_f32(v)).collect();
                if !halves.iter().all(|half| half.is_finite()) {
                    return Err(ExportError::TooLarge {
                        tensor: self.name.clone(),
                    });
                }
                Ok(halves.iter().flat_map(|half| half.to_le_bytes()).collect())
            }
        }
    }
}

/// Returns the network that an export holds: batch norms folded, its numbers as they are stored.
///
/// # Errors
/// If folding gave a number that is not finite.
pub(super) fn as_stored(network: &Network, stored: StoredAs) -> Result<Network, ExportError> {
    let mut weights = network.weights().clone();
    for conv in network.folded() {
        let name = &conv.layer.name;
        let mut set = |part: &str, values| weights.insert(format!("{name}.{part}"), values);
        set("conv.weight", conv.weight);
        if conv.layer.norm {
            let each = |value| vec![value; conv.layer.outputs];
            set("norm.bias", conv.bias);
            set("norm.weight", each(1.0));
            set("norm.running_mean", each(0.0));
            set("norm.running_var", each((1.0 - NORM_EPSILON) as f32));
        }
    }
    if stored == StoredAs::F16 {
        let rounded = |(name, _): &(&String, &mut Vec<f32>)| {
            !name.ends_with("norm.running_var") && !name.starts_with("reply.")
        };
        for (_, values) in weights.iter_mut().filter(rounded) {
            for value in values {
                *value = f16::from_f32(*value).to_f32();
            }
        }
    }
    Network::from_weights(*network.architecture(), weights)
        .map_err(|error| ExportError::Format(error.to_string()))
}

/// Returns the bytes of a safetensors file, with what is to be known of it in its header.
///
/// # Errors
/// If a number is too large for f16.
pub(super) fn safetensors(
    network: &Network,
    stored: StoredAs,
    metadata: &[(String, String)],
) -> Result<Vec<u8>, ExportError> {
    let weights = play_weights(network);
    let contents: Result<Vec<_>, _> = weights.iter().map(|weight| weight.bytes(stored)).collect();
    let contents = contents?;
    let failed = |error: SafeTensorError| ExportError::Format(error.to_string());
    let dtype = match stored {
        StoredAs::F32 => Dtype::F32,
        StoredAs::F16 => Dtype::F16,
    };
    let mut views = Vec::new();
    for (Weight { name, shape, .. }, bytes) in weights.iter().zip(&contents) {
        let view = TensorView::new(dtype, shape.clone(), bytes).map_err(failed)?;
        views.push((name, view));
    }
    let metadata: HashMap<String, String> = metadata.iter().cloned().collect();
    safetensors::serialize(views, Some(metadata)).map_err(failed)
}
