//! The network's forward pass as it is trained, and as the reference of [`crate::Inference`].
//!
//! A stem of one 3x3 convolution, residual blocks of two (He et al. 2016, batch norm and rectifier as in
//! AlphaZero), and two heads of 1x1 convolutions. The policy head has a plane for each direction and distance,
//! so that its memory, square by square, is the order of [`tafl_rules::PolicyIndex`], and one for each direction
//! whose number on the square where a move ends is added: a pattern around that square is learned once, not for each
//! distance. The value head pools its planes to means and maxima; from these come win, draw and loss, moves left, and the
//! logit of `end`.
//!
//! An auxiliary head says what the other side answers. It only shapes the tower (Wu 2019), so the fast pass of
//! [`crate::Inference`] leaves it out.

use crate::architecture::{Architecture, ConvLayer, Parameter, VALUE_OUTPUTS};
use crate::device::use_one_core;
use crate::network::NORM_EPSILON;
use crate::{Compute, Device, Network, NetworkError};
use std::collections::BTreeMap;
use tafl_rules::Direction;
use tafl_samples::PLANES;
use tch::{Kind, TchError, Tensor};

/// Plies per unit of the moves-left output.
pub(crate) const MOVES_LEFT_SCALE: f32 = 40.0;

/// Share of the newest batch in running means and variances.
const NORM_MOMENTUM: f64 = 0.1;

/// Tensors by name.
pub(crate) type Tensors = BTreeMap<String, Tensor>;

/// Whether batch norms use the batch's statistics and update the running ones, or use those.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// Learns; running statistics are changed in place.
    Train,
    /// As [`Self::Train`], with this share of the batch in the running statistics.
    Measure(f64),
    /// Evaluates.
    Evaluate,
}

/// What the network says of a batch, in f32.
pub(crate) struct Outputs {
    /// `[batch, policy_len]`.
    pub(crate) policy: Tensor,
    /// Logits, `[batch, 3]`.
    pub(crate) wdl: Tensor,
    /// In units of [`MOVES_LEFT_SCALE`], `[batch]`.
    pub(crate) moves_left: Tensor,
    /// Logits of the other side's next move, `[batch, policy_len - 1]`; it is never `end`.
    pub(crate) reply: Option<Tensor>,
}

/// Returns the numbers of a network's parameters as tensors on a device.
pub(crate) fn tensors(
    architecture: &Architecture,
    numbers: &BTreeMap<String, Vec<f32>>,
    device: Device,
) -> Result<Tensors, TchError> {
    let parameters = architecture.parameters().into_iter();
    let each = parameters.map(|Parameter { name, shape, .. }| {
        let shape: Vec<i64> = shape.into_iter().map(|len| len as i64).collect();
        let tensor = Tensor::f_from_slice(&numbers[&name])?.f_view(&shape[..])?;
        Ok((name, tensor.f_to(device.torch())?))
    });
    each.collect()
}

/// Computes the outputs of `x` on the CPU in f32, as a reference; see [`forward`].
pub(crate) fn evaluate(network: &Network, x: &Tensor) -> Result<Outputs, TchError> {
    use_one_core();
    let _guard = tch::no_grad_guard();
    let architecture = network.architecture();
    let weights = tensors(architecture, network.weights(), Device::Cpu)?;
    forward(architecture, &weights, x, Compute::F32, Mode::Evaluate)
}

/// Returns whether what a network computes, of planes of ones, is finite; weights may be so large that it is not.
///
/// # Errors
/// If libtorch fails.
pub fn computes_numbers(network: &Network) -> Result<bool, NetworkError> {
    let size = network.architecture().size() as i64;
    let ones = Tensor::f_ones(
        [1, PLANES as i64, size, size],
        (Kind::Float, tch::Device::Cpu),
    )?;
    let outputs = evaluate(network, &ones)?;
    for output in [outputs.policy, outputs.wdl, outputs.moves_left] {
        if !bool::try_from(output.f_isfinite()?.f_all()?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Computes the outputs of `x`, `[batch, planes, size, size]` in f32.
pub(crate) fn forward(
    architecture: &Architecture,
    weights: &Tensors,
    x: &Tensor,
    compute: Compute,
    mode: Mode,
) -> Result<Outputs, TchError> {
    let convolutions = architecture.convolutions();
    let [stem, blocks @ .., policy, destinations, value] = &convolutions[..] else {
        return Err(TchError::Shape(
            "a network has at least four layers".to_owned(),
        ));
    };
    let apply = |layer: &ConvLayer, x: &Tensor| convolve(weights, layer, x, mode);
    // In place, as no gradient needs what was there: less memory to go through.
    let mut h = apply(stem, &x.f_to_kind(compute.kind())?)?.f_relu_()?;
    for block in blocks.chunks_exact(2) {
        let t = apply(&block[0], &h)?.f_relu_()?;
        h = apply(&block[1], &t)?.f_add_(&h)?.f_relu_()?;
    }
    let moves = |layer: &ConvLayer| {
        let planes = apply(layer, &h)?.f_to_kind(Kind::Float)?;
        let squares = planes.f_permute([0, 2, 3, 1])?;
        squares.f_reshape([x.size()[0], -1]) // [batch, policy_len - 1]
    };
    // Where each move ends; one that leaves the board gets the 0 behind the planes.
    let ends = apply(destinations, &h)?.f_to_kind(Kind::Float)?;
    let ends = ends.f_flatten(1, -1)?.f_constant_pad_nd([0, 1])?;
    let places = Tensor::f_from_slice(&architecture.destinations(Direction::ALL))?;
    let ends = ends.f_index_select(1, &places.f_to(ends.device())?)?;
    let policy = moves(policy)?.f_add(&ends)?;
    let layers = [
        "hidden.weight",
        "hidden.bias",
        "output.weight",
        "output.bias",
    ];
    let layers = layers.map(|name| weights[&format!("value.{name}")].shallow_clone());
    let planes = apply(value, &h)?.f_relu_()?;
    let values = value_outputs(&planes, &layers)?;
    let end = values.f_narrow(1, VALUE_OUTPUTS as i64 - 1, 1)?;
    let reply = architecture.auxiliary_convolution();
    Ok(Outputs {
        policy: Tensor::f_cat(&[policy, end], 1)?,
        wdl: values.f_narrow(1, 0, 3)?,
        moves_left: values.f_select(1, 3)?.f_softplus()?,
        reply: reply.map(|layer| moves(&layer)).transpose()?,
    })
}

/// Returns the value head's outputs, `[batch, VALUE_OUTPUTS]` in f32, of its planes, `[batch, value_channels, size,
/// size]`.
///
/// `layers` are weight and bias of the hidden and of the output layer.
pub(crate) fn value_outputs(planes: &Tensor, layers: &[Tensor; 4]) -> Result<Tensor, TchError> {
    let [weight, bias, output_weight, output_bias] = layers;
    let pooled = pool(planes)?; // [batch, 2 * value_channels]
    let hidden = pooled.f_linear(weight, Some(bias))?.f_relu()?;
    hidden.f_linear(output_weight, Some(output_bias))
}

/// Returns means and maxima of planes over the board, `[batch, 2 * planes]` in f32.
fn pool(planes: &Tensor) -> Result<Tensor, TchError> {
    let planes = planes.f_to_kind(Kind::Float)?;
    let means = planes.f_mean_dim([2, 3].as_slice(), false, Kind::Float)?;
    let maxima = planes.f_amax([2, 3], false)?;
    Tensor::f_cat(&[means, maxima], 1)
}

fn convolve(
    weights: &Tensors,
    layer: &ConvLayer,
    x: &Tensor,
    mode: Mode,
) -> Result<Tensor, TchError> {
    let tensor = |part: &str| &weights[&format!("{}.{part}", layer.name)];
    let kind = x.f_kind()?;
    let weight = tensor("conv.weight").f_to_kind(kind)?;
    let bias = if layer.norm {
        None
    } else {
        Some(tensor("conv.bias").f_to_kind(kind)?)
    };
    let padding = (layer.kernel / 2) as i64;
    let y = x.f_conv2d(&weight, bias.as_ref(), [1, 1], [padding; 2], [1, 1], 1)?;
    if !layer.norm {
        return Ok(y);
    }
    let newest = match mode {
        Mode::Measure(share) => share,
        Mode::Train | Mode::Evaluate => NORM_MOMENTUM,
    };
    y.f_batch_norm(
        Some(tensor("norm.weight")),
        Some(tensor("norm.bias")),
        Some(tensor("norm.running_mean")),
        Some(tensor("norm.running_var")),
        mode != Mode::Evaluate,
        newest,
        NORM_EPSILON,
        true,
    )
}
