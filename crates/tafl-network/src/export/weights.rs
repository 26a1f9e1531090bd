//! The tensors of an export: what play needs, batch norms folded.

use super::job::{ExportError, StoredAs};
use crate::Network;
use crate::architecture::Parameter;
use crate::network::{FoldedConv, NORM_EPSILON};
use half::f16;
use safetensors::tensor::Dtype;

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
    let mut weights = Vec::new();
    for FoldedConv {
        layer,
        weight,
        bias,
    } in network.folded()
    {
        let mut add = |part: &str, shape: Vec<usize>, values| {
            let name = format!("{}.{part}", layer.name);
            weights.push(Weight {
                name,
                shape,
                values,
            });
        };
        let kernels = vec![layer.outputs, layer.inputs, layer.kernel, layer.kernel];
        add("weight", kernels, weight);
        add("bias", vec![layer.outputs], bias);
    }
    let parameters = network.architecture().parameters().into_iter();
    let linear = parameters
        .filter(|it| it.name.starts_with("value.hidden.") || it.name.starts_with("value.output."));
    weights.extend(linear.map(|Parameter { name, shape, .. }| Weight {
        values: network.tensor(&name).to_vec(),
        name,
        shape,
    }));
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
    metadata: &[(&str, String)],
) -> Result<Vec<u8>, ExportError> {
    let tensors = play_weights(network).into_iter().map(|weight| {
        let bytes = weight.bytes(stored)?;
        Ok((weight.name, weight.shape, bytes))
    });
    let tensors = tensors.collect::<Result<Vec<_>, ExportError>>()?;
    let dtype = match stored {
        StoredAs::F32 => Dtype::F32,
        StoredAs::F16 => Dtype::F16,
    };
    let metadata = metadata.iter();
    let metadata = metadata.map(|(key, value)| ((*key).to_owned(), value.clone()));
    crate::checkpoint::safetensors(dtype, &tensors, Some(metadata.collect()))
        .map_err(|error| ExportError::Format(error.to_string()))
}
