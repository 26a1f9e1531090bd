//! The convolutions of a network, ready to run: fused and packed for CPUs, or one operation after another.

use crate::play::{Conv, Play};
use crate::quantized::{MOST_ACTIVATION, QuantizedConv, ranges_on_random_games};
use crate::{Compute, Device, Network, NetworkError, program};
use tch::{CModule, IValue, Kind, TchError, Tensor};

/// Stem, blocks and the heads' convolutions.
pub(crate) enum Tower {
    /// oneDNN's fused operations on packed weights (CPU only).
    Fused {
        module: CModule,
        weights: Vec<Tensor>,
    },
    /// Ordinary operations, on any device.
    Plain { play: Play, layers: Vec<Layer> },
}

/// Weight, `[outputs, inputs, kernel, kernel]`, and bias of a convolution.
type Layer = [Tensor; 2];

impl Tower {
    pub(crate) fn fused(network: &Network, compute: Compute) -> Result<Self, NetworkError> {
        let (play, ..) = Play::new(network)?;
        let size = i64::from(network.architecture().board_size);
        let module = load(&program::fused(&play))?;
        let mut weights = Vec::new();
        for conv in play.tower.iter().chain(&play.heads) {
            weights.extend(packed(conv, compute, size)?);
        }
        Ok(Self::Fused { module, weights })
    }

    /// Stem and blocks in 8-bit integers, the heads in f32, as oneDNN's fused operations; `most` is the largest weight.
    ///
    /// The input is [`StemPlane`](crate::quantized::StemPlane)s as `u8`.
    pub(crate) fn quantized(network: &Network, most: f32) -> Result<Self, NetworkError> {
        let (mut play, ..) = Play::new(network)?;
        let size = i64::from(network.architecture().board_size);
        let scales = value_scales(network)?;
        let mut weights = quantized_weights(&play.tower, &scales, (most, size))?;
        for head in &mut play.heads {
            // The heads read integers as they are: their weights take the scale.
            let scale = scales[head.unit.from];
            head.weight
                .iter_mut()
                .for_each(|it| *it = (f64::from(*it) * scale) as f32);
            weights.extend(packed(head, Compute::F32, size)?);
        }
        let module = load(&program::quantized(&play, &scales))?;
        Ok(Self::Fused { module, weights })
    }

    pub(crate) fn plain(
        network: &Network,
        compute: Compute,
        device: Device,
    ) -> Result<Self, NetworkError> {
        let (play, ..) = Play::new(network)?;
        let convs = play.tower.iter().chain(&play.heads);
        let layers = convs.map(|conv| layer(conv, compute, device));
        Ok(Self::Plain {
            layers: layers.collect::<Result<_, _>>()?,
            play,
        })
    }

    /// Returns the largest outputs of stem and blocks for `x`, `[batch, planes, size, size]`, one number for each
    /// convolution.
    pub(crate) fn ranges(&self, x: Tensor) -> Result<Vec<f32>, NetworkError> {
        let Self::Plain { play, layers } = self else {
            return Err(NetworkError::Torch(
                "only plain layers show their outputs".to_owned(),
            ));
        };
        let mut ranges = Vec::new();
        let _heads = forward_plain(play, layers, x, |outputs| {
            ranges.push(outputs.f_max()?.f_double_value(&[])? as f32);
            Ok(())
        })?;
        Ok(ranges)
    }

    /// Computes the heads' planes of `x`, `[batch, planes, size, size]`, see [`Heads`](crate::play::Heads), in a tensor of
    /// the same form.
    pub(crate) fn forward(&self, x: Tensor) -> Result<Tensor, NetworkError> {
        match self {
            Self::Plain { play, layers } => Ok(forward_plain(play, layers, x, |_| Ok(()))?),
            Self::Fused { module, weights } => {
                // A list would not be Send; its making costs less than a microsecond.
                let weights = weights.iter().map(Tensor::shallow_clone).collect();
                match module.forward_is(&[IValue::Tensor(x), IValue::TensorList(weights)])? {
                    IValue::Tensor(heads) => Ok(heads),
                    _ => Err(NetworkError::Torch("the program gave no tensor".to_owned())),
                }
            }
        }
    }
}

fn load(mut program: &[u8]) -> Result<CModule, TchError> {
    tch::jit::f_set_profiling_mode(false)?;
    CModule::load_data(&mut program)
}

/// Returns weight, packed as oneDNN likes it, and bias of a convolution on boards of a size.
fn packed(conv: &Conv, compute: Compute, size: i64) -> Result<[Tensor; 2], TchError> {
    let [weight, bias] = layer(conv, compute, Device::Cpu)?;
    let weight = weight.f_to_mkldnn(None::<Kind>)?;
    // One packing serves every batch size.
    let input = [64, conv.unit.planes[0] as i64, size, size];
    let padding = [(conv.unit.kernel / 2) as i64; 2];
    let packed =
        weight.f_mkldnn_reorder_conv2d_weight(padding, [1, 1], [1, 1], 1, input.as_slice())?;
    Ok([packed, bias])
}

/// Returns what 1 is worth in each value that is stored in 8 bits.
fn value_scales(network: &Network) -> Result<Vec<f64>, NetworkError> {
    let ranges = match network.ranges() {
        Some(ranges) => ranges.to_vec(),
        None => ranges_on_random_games(network)?,
    };
    let mut scales = vec![1.0 / MOST_ACTIVATION];
    scales.extend(ranges.iter().map(|&range| scale(range)));
    Ok(scales)
}

/// Returns packed weight, scales, zeros and bias of each convolution of the tower; `most` is the largest weight,
/// `size` the board's.
fn quantized_weights(
    convs: &[Conv],
    scales: &[f64],
    (most, size): (f32, i64),
) -> Result<Vec<Tensor>, NetworkError> {
    let quantized = convs.iter().map(|conv| match conv.unit.from {
        0 => QuantizedConv::of_stem(conv, most),
        _ => QuantizedConv::of(conv, most),
    });
    let quantized: Vec<QuantizedConv> = quantized.collect();
    let mut unpacked = Vec::new();
    for (it, conv) in quantized.iter().zip(convs) {
        let kernel = conv.unit.kernel as i64;
        let shape = [it.scales.len() as i64, it.inputs as i64, kernel, kernel];
        unpacked.push(Tensor::f_from_slice(&it.weight)?.f_view(shape)?);
        unpacked.push(Tensor::f_from_slice(&it.scales)?);
    }
    let inputs: Vec<usize> = quantized.iter().map(|it| it.inputs).collect();
    let packing = load(&program::packing(convs, scales, (&inputs, size)))?;
    let IValue::TensorList(packed) = packing.forward_is(&[IValue::TensorList(unpacked)])? else {
        return Err(NetworkError::Torch("the program gave no list".to_owned()));
    };
    let mut all = Vec::new();
    for ((weight, it), conv) in packed.into_iter().zip(&quantized).zip(convs) {
        let outputs = it.scales.len() as i64;
        all.push(weight);
        all.push(Tensor::f_from_slice(&it.scales)?);
        all.push(Tensor::f_zeros([outputs], (Kind::Int, tch::Device::Cpu))?);
        all.push(Tensor::f_from_slice(&conv.bias)?);
    }
    Ok(all)
}

/// Returns what 1 is worth in 8-bit numbers that reach from 0 to `range`.
fn scale(range: f32) -> f64 {
    if range > 0.0 {
        f64::from(range) / MOST_ACTIVATION
    } else {
        1.0
    }
}

fn layer(conv: &Conv, compute: Compute, device: Device) -> Result<Layer, TchError> {
    let [inputs, outputs] = conv.unit.planes.map(|planes| planes as i64);
    let kernel = conv.unit.kernel as i64;
    let tensor = |numbers: &[f32], shape: &[i64]| {
        let tensor = Tensor::f_from_slice(numbers)?.f_view(shape)?;
        tensor.f_to(device.torch())?.f_to_kind(compute.kind())
    };
    Ok([
        tensor(&conv.weight, &[outputs, inputs, kernel, kernel])?,
        tensor(&conv.bias, &[outputs])?,
    ])
}

fn convolve([weight, bias]: &Layer, x: &Tensor, kernel: usize) -> Result<Tensor, TchError> {
    let padding = [(kernel / 2) as i64; 2];
    x.f_conv2d(weight, Some(bias), [1, 1], padding, [1, 1], 1)
}

/// Computes the heads' planes; shows `see` what each convolution of the tower gives.
fn forward_plain(
    play: &Play,
    layers: &[Layer],
    x: Tensor,
    mut see: impl FnMut(&Tensor) -> Result<(), TchError>,
) -> Result<Tensor, TchError> {
    let (tower, heads) = layers.split_at(play.tower.len());
    let mut values = vec![x];
    for (index, (conv, layer)) in play.tower.iter().zip(tower).enumerate() {
        let unit = &conv.unit;
        let mut y = convolve(layer, &values[unit.from], unit.kernel)?;
        if let Some(added) = unit.added {
            let _ = y.f_add_(&values[added])?;
        }
        if unit.relu {
            let _ = y.f_relu_()?;
        }
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
