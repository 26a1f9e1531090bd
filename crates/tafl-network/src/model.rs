//! The network's forward pass as libtorch computes it, operation by operation: the one that is trained, and the reference of
//! [`crate::Inference`].

use crate::architecture::{Architecture, LEARNED, REPLY, destinations};
use crate::libtorch::use_one_core;
use crate::network::{NORM_EPSILON, Weights};
use crate::{Compute, Device, NetworkError};
use std::collections::BTreeMap;
use tafl_graph::{Graph, INPUT, OUTPUTS, Operation, OperationKind, Parameter};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;
use tch::{Kind, TchError, Tensor};

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
    /// In units of [`MOVES_LEFT_SCALE`](tafl_graph::MOVES_LEFT_SCALE), `[batch]`.
    pub(crate) moves_left: Tensor,
    /// Logits of the other side's next move, `[batch, policy_len - 1]`; it is never `end`.
    pub(crate) reply: Option<Tensor>,
}

/// Returns the numbers of parameters as tensors on a device.
pub(crate) fn tensors(
    parameters: &[Parameter],
    numbers: &BTreeMap<String, Vec<f32>>,
    device: Device,
) -> Result<Tensors, TchError> {
    let each = parameters.iter().map(|Parameter { name, shape, .. }| {
        let shape: Vec<i64> = shape.iter().map(|&len| len as i64).collect();
        let tensor = Tensor::f_from_slice(&numbers[name])?.f_view(&shape[..])?;
        Ok((name.clone(), tensor.f_to(device.torch())?))
    });
    each.collect()
}

/// Returns the outputs that operations compute in f32 of planes, `[batch, PLANES, size, size]`, in the order of [`OUTPUTS`].
pub(crate) fn outputs(
    graph: &Graph,
    weights: &Weights,
    size: usize,
    planes: &[f32],
) -> Result<[Vec<f32>; OUTPUTS.len()], NetworkError> {
    use_one_core();
    let _guard = tch::no_grad_guard();
    let (planes_len, size) = (PLANES as i64, size as i64);
    let x = Tensor::f_from_slice(planes)?.f_view([-1, planes_len, size, size])?;
    let graph = graph.needed(&OUTPUTS);
    let weights = tensors(&graph.parameters(), weights, Device::Cpu)?;
    let outputs = run(&graph, &weights, (INPUT, x), &OUTPUTS, Mode::Evaluate)?;
    let mut flat = OUTPUTS.map(|_| Vec::new());
    for (flat, output) in flat.iter_mut().zip(outputs) {
        *flat = Vec::try_from(&output.f_contiguous()?.f_view([-1])?)?;
    }
    Ok(flat)
}

/// Computes the outputs of `x`, `[batch, planes, size, size]` in f32.
pub(crate) fn forward(
    architecture: &Architecture,
    weights: &Tensors,
    x: &Tensor,
    compute: Compute,
    mode: Mode,
) -> Result<Outputs, TchError> {
    let reply = architecture.auxiliary.reply.then_some(REPLY);
    let outputs: Vec<&str> = LEARNED.into_iter().chain(reply).collect();
    let graph = architecture.graph().needed(&outputs);
    let x = x.f_to_kind(compute.kind())?;
    let outputs = run(&graph, weights, (INPUT, x), &outputs, mode)?;
    let mut outputs = outputs.into_iter();
    let mut next = || outputs.next().ok_or_else(|| missing(REPLY));
    Ok(Outputs {
        policy: next()?,
        wdl: next()?,
        moves_left: next()?.f_squeeze_dim(1)?,
        reply: next().ok(),
    })
}

fn missing(value: &str) -> TchError {
    TchError::Shape(format!("nothing computes {value}"))
}

/// Computes operations in order, of one value that is given by name; returns some values.
///
/// Convolutions compute in the given value's format, rows of numbers are f32. Values go as soon as nothing reads them any more.
pub(crate) fn run(
    graph: &Graph,
    weights: &Tensors,
    (name, given): (&str, Tensor),
    outputs: &[&str],
    mode: Mode,
) -> Result<Vec<Tensor>, TchError> {
    let mut values = BTreeMap::from([(name, given)]);
    for (index, operation) in graph.operations.iter().enumerate() {
        let later = &graph.operations[index + 1..];
        let mut take = |name: &String| -> Result<(Tensor, bool), TchError> {
            let is_read = later.iter().any(|it| it.from.contains(name));
            let value = values.get(&**name).ok_or_else(|| missing(name))?;
            let value = value.shallow_clone();
            let is_last = !is_read && !outputs.contains(&&**name);
            if is_last {
                values.remove(&**name);
            }
            // In place where no gradient needs what was there, and nobody else has it: less memory to go through.
            let made_by = graph.operation(name).map(|it| it.kind);
            Ok((value, is_last && made_by.is_some_and(may_be_changed)))
        };
        let inputs = operation.from.iter().map(&mut take);
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        values.insert(&operation.name, compute(operation, inputs, weights, mode)?);
    }
    let mut output = |name| values.remove(name).ok_or_else(|| missing(name));
    outputs.iter().copied().map(&mut output).collect()
}

/// Returns whether the gradient of an operation does without its value.
const fn may_be_changed(kind: OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::Convolution { .. }
            | OperationKind::Norm { .. }
            | OperationKind::Add
            | OperationKind::Linear { .. }
            | OperationKind::Destinations
    )
}

/// Computes an operation of its inputs, each with whether it may be changed in place.
fn compute(
    operation: &Operation,
    inputs: Vec<(Tensor, bool)>,
    weights: &Tensors,
    mode: Mode,
) -> Result<Tensor, TchError> {
    let tensor = |part: &str| &weights[&format!("{}.{part}", operation.name)];
    let (x, in_place) = inputs.first().ok_or_else(|| missing(&operation.name))?;
    let (mut x, in_place) = (x.shallow_clone(), *in_place);
    match operation.kind {
        OperationKind::Convolution { kernel, bias, .. } => {
            let kind = x.f_kind()?;
            let bias = bias.then(|| tensor("bias").f_to_kind(kind)).transpose()?;
            let weight = tensor("weight").f_to_kind(kind)?;
            let padding = [(kernel / 2) as i64; 2];
            x.f_conv2d(&weight, bias.as_ref(), [1, 1], padding, [1, 1], 1)
        }
        OperationKind::Norm { .. } => normalize(&x, tensor, mode),
        OperationKind::Relu if in_place => x.f_relu_(),
        OperationKind::Relu => x.f_relu(),
        OperationKind::Add if in_place => x.f_add_(&inputs[1].0),
        OperationKind::Add => x.f_add(&inputs[1].0),
        OperationKind::Pool => {
            let planes = x.f_to_kind(Kind::Float)?;
            let means = planes.f_mean_dim([2, 3].as_slice(), false, Kind::Float)?;
            Tensor::f_cat(&[means, planes.f_amax([2, 3], false)?], 1)
        }
        OperationKind::Linear { .. } => x.f_linear(tensor("weight"), Some(tensor("bias"))),
        OperationKind::Squares => {
            let squares = x.f_to_kind(Kind::Float)?.f_permute([0, 2, 3, 1])?;
            squares.f_reshape([x.size()[0], -1])
        }
        OperationKind::Destinations => arriving(&x.f_to_kind(Kind::Float)?),
        OperationKind::Columns { first, count } => x.f_narrow(1, first as i64, count as i64),
        OperationKind::Concat => {
            let rows: Vec<&Tensor> = inputs.iter().map(|(row, _)| row).collect();
            Tensor::f_cat(&rows, 1)
        }
        OperationKind::Softplus => x.f_softplus(),
        OperationKind::Softmax => x.f_softmax(1, Kind::Float),
        OperationKind::Times(factor) => x.f_mul_scalar(i64::from(factor)),
    }
}

fn normalize<'a>(
    x: &Tensor,
    tensor: impl Fn(&str) -> &'a Tensor,
    mode: Mode,
) -> Result<Tensor, TchError> {
    let newest = match mode {
        Mode::Measure(share) => share,
        Mode::Train | Mode::Evaluate => NORM_MOMENTUM,
    };
    x.f_batch_norm(
        Some(tensor("weight")),
        Some(tensor("bias")),
        Some(tensor("running_mean")),
        Some(tensor("running_var")),
        mode != Mode::Evaluate,
        newest,
        NORM_EPSILON,
        true,
    )
}

/// Returns, for each move, the number of its direction where it ends; one that leaves the board gets the 0 behind the planes.
fn arriving(planes: &Tensor) -> Result<Tensor, TchError> {
    let size = planes.size()[2];
    let shape = u8::try_from(size).ok().and_then(BoardShape::new);
    let shape = shape.ok_or_else(|| TchError::Shape(format!("{size} is no size of a board")))?;
    let ends = planes.f_flatten(1, -1)?.f_constant_pad_nd([0, 1])?;
    let places = Tensor::f_from_slice(&destinations(shape))?;
    ends.f_index_select(1, &places.f_to(ends.device())?)
}
