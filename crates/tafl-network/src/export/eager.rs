//! What libtorch executes: safetensors and `TorchScript` files that were read back, and the reference of all exports.

use super::onnx::OUTPUTS;
use super::weights::{StoredAs, Weight, play_weights};
use super::{ExportError, Named};
use crate::architecture::{Architecture, VALUE_OUTPUTS};
use crate::model::{self, MOVES_LEFT_SCALE, Mode};
use crate::{Compute, Network, NetworkError, use_one_core};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use tafl_samples::PLANES;
use tch::{CModule, IValue, Kind, TchError, Tensor};

type Tensors = BTreeMap<String, Tensor>;

/// Returns what the network says of positions, as it is trained: f32, batch norms by themselves.
///
/// `planes` are `[batch, PLANES, size, size]`.
pub(super) fn reference(network: &Network, planes: &[f32]) -> Result<Named, NetworkError> {
    use_one_core();
    let _guard = tch::no_grad_guard();
    let architecture = network.architecture();
    let mut weights = Tensors::new();
    for parameter in architecture.parameters() {
        let values = network.tensor(&parameter.name);
        weights.insert(parameter.name, tensor(values, &parameter.shape)?);
    }
    let x = input(architecture, planes)?;
    let outputs = model::forward(architecture, &weights, &x, Compute::F32, Mode::Evaluate)?;
    let moves_left = outputs
        .moves_left
        .f_mul_scalar(f64::from(MOVES_LEFT_SCALE))?;
    named([
        outputs.policy,
        outputs.wdl.f_softmax(1, Kind::Float)?,
        moves_left,
    ])
}

fn tensor(values: &[f32], shape: &[usize]) -> Result<Tensor, TchError> {
    let shape: Vec<i64> = shape.iter().map(|&length| length as i64).collect();
    Tensor::f_from_slice(values)?.f_view(&shape[..])
}

fn input(architecture: &Architecture, planes: &[f32]) -> Result<Tensor, TchError> {
    let size = architecture.size() as i64;
    Tensor::f_from_slice(planes)?.f_view([-1, PLANES as i64, size, size])
}

fn named(outputs: [Tensor; 3]) -> Result<Named, NetworkError> {
    let mut named = Named::new();
    for (name, tensor) in OUTPUTS.into_iter().zip(outputs) {
        let flat = tensor.f_contiguous()?.f_view([-1])?;
        named.insert(name, Vec::<f32>::try_from(&flat)?);
    }
    Ok(named)
}

/// Computes policy, win/draw/loss and moves left of `x` from the tensors of an export.
fn forward(
    architecture: &Architecture,
    weights: &Tensors,
    x: &Tensor,
) -> Result<[Tensor; 3], TchError> {
    let weight = |name: &str| weights[name].f_to_kind(Kind::Float);
    let convolve = |layer: &str, x: &Tensor| {
        let w = weight(&format!("{layer}.weight"))?;
        let bias = weight(&format!("{layer}.bias"))?;
        let pad = w.size()[2] / 2;
        x.f_conv2d(&w, Some(&bias), [1, 1], [pad, pad], [1, 1], 1)
    };
    let linear = |layer: &str, x: &Tensor| {
        let w = weight(&format!("{layer}.weight"))?;
        x.f_linear(&w, Some(weight(&format!("{layer}.bias"))?))
    };
    let mut h = convolve("stem", x)?.f_relu()?;
    for block in 0..architecture.network.blocks {
        let first = convolve(&format!("blocks.{block}.first"), &h)?.f_relu()?;
        let second = convolve(&format!("blocks.{block}.second"), &first)?;
        h = second.f_add(&h)?.f_relu()?;
    }
    let moves = architecture.policy_len() as i64 - 1;
    let planes = convolve("policy", &h)?;
    let policy = planes.f_permute([0, 2, 3, 1])?.f_reshape([-1, moves])?;
    let planes = convolve("value", &h)?.f_relu()?;
    let means = planes.f_mean_dim([2, 3].as_slice(), false, Kind::Float)?;
    let pooled = Tensor::f_cat(&[means, planes.f_amax([2, 3], false)?], 1)?;
    let hidden = linear("value.hidden", &pooled)?.f_relu()?;
    let values = linear("value.output", &hidden)?;
    let end = values.f_narrow(1, VALUE_OUTPUTS as i64 - 1, 1)?;
    let moves_left = values.f_narrow(1, 3, 1)?.f_softplus()?;
    Ok([
        Tensor::f_cat(&[policy, end], 1)?,
        values.f_narrow(1, 0, 3)?.f_softmax(1, Kind::Float)?,
        moves_left.f_mul_scalar(f64::from(MOVES_LEFT_SCALE))?,
    ])
}

/// Returns the bytes of a safetensors file, with what is to be known of it in its header.
pub(super) fn safetensors(
    network: &Network,
    stored: StoredAs,
    metadata: &[(String, String)],
) -> Result<Vec<u8>, ExportError> {
    let weights = play_weights(network);
    let mut contents = Vec::with_capacity(weights.len());
    for weight in &weights {
        contents.push(weight.bytes(stored)?);
    }
    let failed = |error: safetensors::SafeTensorError| ExportError::Format(error.to_string());
    let mut views = Vec::new();
    for (Weight { name, shape, .. }, bytes) in weights.iter().zip(&contents) {
        let view = TensorView::new(dtype(stored), shape.clone(), bytes).map_err(failed)?;
        views.push((name, view));
    }
    let metadata: HashMap<String, String> = metadata.iter().cloned().collect();
    safetensors::serialize(views, Some(metadata)).map_err(failed)
}

const fn dtype(stored: StoredAs) -> Dtype {
    match stored {
        StoredAs::F32 => Dtype::F32,
        StoredAs::F16 => Dtype::F16,
    }
}

const fn kind(stored: StoredAs) -> Kind {
    match stored {
        StoredAs::F32 => Kind::Float,
        StoredAs::F16 => Kind::Half,
    }
}

/// Rebuilds the network from a safetensors file and computes with it.
///
/// # Errors
/// If the file holds other tensors than the architecture has, or libtorch fails.
pub(super) fn run_safetensors(
    bytes: &[u8],
    network: &Network,
    stored: StoredAs,
    planes: &[f32],
) -> Result<Named, String> {
    let architecture = network.architecture();
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let expected = play_weights(network);
    if file.names().len() != expected.len() {
        return Err(format!("{} tensors", file.names().len()));
    }
    let mut weights = Tensors::new();
    for Weight { name, shape, .. } in expected {
        let view = file.tensor(&name).map_err(|error| error.to_string())?;
        if view.dtype() != dtype(stored) || view.shape() != shape {
            return Err(format!("tensor {name} is of another type or shape"));
        }
        let shape: Vec<i64> = shape.iter().map(|&length| length as i64).collect();
        let tensor = Tensor::f_from_data_size(view.data(), &shape, kind(stored));
        weights.insert(name, tensor.map_err(said)?);
    }
    let _guard = tch::no_grad_guard();
    let x = input(architecture, planes).map_err(said)?;
    let outputs = forward(architecture, &weights, &x).map_err(said)?;
    named(outputs).map_err(|error| error.to_string())
}

fn said(error: TchError) -> String {
    NetworkError::from(error).to_string()
}

/// Loads a `TorchScript` program and computes with it.
///
/// # Errors
/// If libtorch cannot load or run it.
pub(super) fn run_torchscript(
    path: &Path,
    network: &Network,
    planes: &[f32],
) -> Result<Named, String> {
    use_one_core();
    let _guard = tch::no_grad_guard();
    let module = CModule::load(path).map_err(said)?;
    let x = input(network.architecture(), planes).map_err(said)?;
    let result = module.forward_is(&[IValue::Tensor(x)]).map_err(said)?;
    let IValue::Tuple(values) = result else {
        return Err("the program gave no tuple".to_owned());
    };
    match <[IValue; 3]>::try_from(values) {
        Ok(
            [
                IValue::Tensor(policy),
                IValue::Tensor(wdl),
                IValue::Tensor(moves_left),
            ],
        ) => named([policy, wdl, moves_left]).map_err(|error| error.to_string()),
        _ => Err("the program gave not three tensors".to_owned()),
    }
}
