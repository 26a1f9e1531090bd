//! Convolutions as ordinary operations, which any device has, and as cuDNN fuses them.

use crate::play::{Conv, Play};
use crate::{Compute, Device};
use tafl_graph::Unit;
use tafl_samples::PLANES;
use tch::{Kind, TchError, Tensor};

/// Weight, `[outputs, inputs, kernel, kernel]`, and bias of a convolution.
pub(super) type Layer = [Tensor; 2];

/// Computes a convolution of the tower, of its input and of what is added.
pub(super) type Convolve = fn(&Unit, &Layer, &Tensor, Option<&Tensor>) -> Result<Tensor, TchError>;

/// How far off outputs of fused convolutions may be, relative to the largest: bf16 has 8 bits, and sums are rounded elsewhere.
pub(super) const MOST_OFF: f64 = 0.05;

pub(super) fn layer(conv: &Conv, compute: Compute, device: Device) -> Result<Layer, TchError> {
    let [inputs, outputs] = conv.unit.planes.map(|planes| planes as i64);
    let kernel = conv.unit.kernel as i64;
    let tensor = |numbers: &[f32], shape: &[i64]| {
        let tensor = Tensor::f_from_slice(numbers)?.f_view(shape)?;
        tensor.f_to(device.torch())?.f_to_kind(compute.kind())
    };
    let mut weight = tensor(&conv.weight, &[outputs, inputs, kernel, kernel])?;
    if let Device::Cuda(_) = device {
        // As the planes lie in memory; else each launch would order them anew.
        let ordered = weight.f_permute([0, 2, 3, 1])?.f_contiguous()?;
        weight = ordered.f_permute([0, 3, 1, 2])?;
    }
    Ok([weight, tensor(&conv.bias, &[outputs])?])
}

/// Returns planes of two positions with ones here and there: `[2, PLANES, size, size]`, channels-last in memory.
pub(super) fn some_planes(size: i64, compute: Compute, device: Device) -> Result<Tensor, TchError> {
    let count = 2 * size * size * PLANES as i64;
    let numbers = Tensor::f_arange(count, (Kind::Int64, device.torch()))?;
    let ones = numbers.f_remainder(7)?.f_eq(0)?.f_to_kind(compute.kind())?;
    let planes = ones.f_view([2, size, size, PLANES as i64])?;
    planes.f_permute([0, 3, 1, 2])
}

/// One operation after the other.
pub(super) fn apart(
    unit: &Unit,
    layer: &Layer,
    x: &Tensor,
    added: Option<&Tensor>,
) -> Result<Tensor, TchError> {
    let mut y = convolve(layer, x, unit.kernel)?;
    if let Some(added) = added {
        let _ = y.f_add_(added)?;
    }
    if unit.relu {
        let _ = y.f_relu_()?;
    }
    Ok(y)
}

/// The same in one launch of cuDNN, which has it for rectified outputs.
pub(super) fn fused(
    unit: &Unit,
    layer: &Layer,
    x: &Tensor,
    added: Option<&Tensor>,
) -> Result<Tensor, TchError> {
    if !unit.relu {
        return apart(unit, layer, x, added);
    }
    let [weight, bias] = layer;
    let (bias, padding) = (Some(bias), [(unit.kernel / 2) as i64; 2]);
    match added {
        Some(added) => {
            x.f_cudnn_convolution_add_relu(weight, added, 1.0, bias, [1, 1], padding, [1, 1], 1)
        }
        None => x.f_cudnn_convolution_relu(weight, bias, [1, 1], padding, [1, 1], 1),
    }
}

fn convolve([weight, bias]: &Layer, x: &Tensor, kernel: usize) -> Result<Tensor, TchError> {
    let padding = [(kernel / 2) as i64; 2];
    x.f_conv2d(weight, Some(bias), [1, 1], padding, [1, 1], 1)
}

/// Computes the heads' planes; shows `see` what each convolution of the tower gives.
pub(super) fn forward_plain(
    play: &Play,
    layers: &[Layer],
    compute: Convolve,
    x: Tensor,
    mut see: impl FnMut(&Tensor) -> Result<(), TchError>,
) -> Result<Tensor, TchError> {
    let (tower, heads) = layers.split_at(play.tower.len());
    let mut values = vec![x];
    for (index, (conv, layer)) in play.tower.iter().zip(tower).enumerate() {
        let unit = &conv.unit;
        let added = unit.added.map(|added| &values[added]);
        let y = compute(unit, layer, &values[unit.from], added)?;
        see(&y)?;
        values.push(y);
        for value in [Some(unit.from), unit.added].into_iter().flatten() {
            if !play.is_read_after(value, index) {
                values[value] = Tensor::new();
            }
        }
    }
    let heads = play.heads.iter().zip(heads);
    let heads =
        heads.map(|(conv, layer)| convolve(layer, &values[conv.unit.from], conv.unit.kernel));
    let heads = heads.collect::<Result<Vec<_>, _>>()?;
    match &heads[..] {
        [heads] => Ok(heads.shallow_clone()),
        heads => Tensor::f_cat(heads, 1),
    }
}
