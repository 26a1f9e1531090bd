//! The convolutions of a network, ready to run: fused and packed for CPUs, or one operation after another.

use crate::architecture::HEADS;
use crate::network::FoldedConv;
use crate::quantized::{MOST_ACTIVATION, QuantizedConv, ranges_on_random_games};
use crate::{Compute, Device, Network, NetworkError, program};
use tch::{CModule, IValue, Kind, TchError, Tensor};

/// Stem, blocks and the heads' convolutions, with batch norms folded in.
pub(crate) enum Tower {
    /// oneDNN's fused operations on packed weights (CPU only).
    Fused {
        module: CModule,
        weights: Vec<Tensor>,
    },
    /// Ordinary operations, on any device.
    Plain { layers: Vec<Layer> },
}

pub(crate) struct Layer {
    weight: Tensor,
    bias: Tensor,
    padding: i64,
}

impl Tower {
    pub(crate) fn fused(network: &Network, compute: Compute) -> Result<Self, NetworkError> {
        tch::jit::f_set_profiling_mode(false)?;
        let architecture = network.architecture();
        let program = program::fused(architecture.network.blocks as usize);
        let module = CModule::load_data(&mut program.as_slice())?;
        let size = architecture.size() as i64;
        let mut weights = Vec::new();
        for conv in convolutions(network) {
            weights.extend(packed(&conv, compute, size)?);
        }
        Ok(Self::Fused { module, weights })
    }

    /// Stem and blocks in 8-bit integers, the heads in f32, as oneDNN's fused operations; `most` is the largest weight.
    ///
    /// The input is [`StemPlane`](crate::quantized::StemPlane)s as `u8`.
    pub(crate) fn quantized(network: &Network, most: f32) -> Result<Self, NetworkError> {
        tch::jit::f_set_profiling_mode(false)?;
        let architecture = network.architecture();
        let (size, blocks) = (architecture.size() as i64, architecture.network.blocks);
        let scales = input_scales(network)?;
        let mut convs = convolutions(network);
        let mut heads = convs.pop().expect("a network has heads");
        let mut weights = quantized_weights(&convs, &scales, (most, size))?;
        // The heads read integers as they are: their weights take the scale.
        let scale = scales[convs.len()];
        heads
            .weight
            .iter_mut()
            .for_each(|it| *it = (f64::from(*it) * scale) as f32);
        weights.extend(packed(&heads, Compute::F32, size)?);
        let program = program::quantized(blocks as usize, &scales);
        let module = CModule::load_data(&mut program.as_slice())?;
        Ok(Self::Fused { module, weights })
    }

    pub(crate) fn plain(
        network: &Network,
        compute: Compute,
        device: Device,
    ) -> Result<Self, NetworkError> {
        let convs = convolutions(network);
        let layers = convs.iter().map(|conv| Layer::new(conv, compute, device));
        Ok(Self::Plain {
            layers: layers.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the largest outputs of stem and blocks for `x`, `[batch, planes, size, size]`, one number for each
    /// convolution.
    pub(crate) fn ranges(&self, x: &Tensor) -> Result<Vec<f32>, NetworkError> {
        let Self::Plain { layers } = self else {
            return Err(NetworkError::Torch(
                "only plain layers show their outputs".to_owned(),
            ));
        };
        let mut ranges = Vec::new();
        let _heads = forward_plain(layers, x, |outputs| {
            ranges.push(outputs.f_max()?.f_double_value(&[])? as f32);
            Ok(())
        })?;
        Ok(ranges)
    }

    /// Computes the heads' planes of `x`, `[batch, planes, size, size]`: the policy head's, then the value head's before
    /// its rectifier, in a tensor of the same form.
    pub(crate) fn forward(&self, x: Tensor) -> Result<Tensor, NetworkError> {
        match self {
            Self::Plain { layers } => Ok(forward_plain(layers, &x, |_| Ok(()))?),
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

/// Returns weight, packed as oneDNN likes it, and bias of a convolution on boards of a size.
fn packed(conv: &FoldedConv, compute: Compute, size: i64) -> Result<[Tensor; 2], TchError> {
    let layer = Layer::new(conv, compute, Device::Cpu)?;
    let weight = layer.weight.f_to_mkldnn(None::<Kind>)?;
    let inputs = conv.layer.inputs as i64;
    // One packing serves every batch size.
    let input = [64, inputs, size, size];
    let padding = [layer.padding; 2];
    let packed =
        weight.f_mkldnn_reorder_conv2d_weight(padding, [1, 1], [1, 1], 1, input.as_slice())?;
    Ok([packed, layer.bias])
}

/// Returns what 1 is worth in the input of each convolution, the heads' at last.
fn input_scales(network: &Network) -> Result<Vec<f64>, NetworkError> {
    let ranges = match network.ranges() {
        Some(ranges) => ranges.to_vec(),
        None => ranges_on_random_games(network)?,
    };
    let mut scales = vec![1.0 / MOST_ACTIVATION];
    scales.extend(ranges.iter().map(|&range| scale(range)));
    Ok(scales)
}

/// Returns packed weight, scales, zeros and bias of each convolution of stem and blocks; `most` is the largest weight,
/// `size` the board's.
fn quantized_weights(
    convs: &[FoldedConv],
    input_scales: &[f64],
    (most, size): (f32, i64),
) -> Result<Vec<Tensor>, NetworkError> {
    let quantized = convs.iter().enumerate().map(|(layer, conv)| match layer {
        0 => QuantizedConv::of_stem(conv, most),
        _ => QuantizedConv::of(conv, most),
    });
    let quantized: Vec<QuantizedConv> = quantized.collect();
    let mut unpacked = Vec::new();
    for it in &quantized {
        let shape = [it.scales.len() as i64, it.inputs as i64, 3, 3];
        unpacked.push(Tensor::f_from_slice(&it.weight)?.f_view(shape)?);
        unpacked.push(Tensor::f_from_slice(&it.scales)?);
    }
    let inputs: Vec<usize> = quantized.iter().map(|it| it.inputs).collect();
    let program = program::packing(input_scales, &inputs, size);
    let packing = CModule::load_data(&mut program.as_slice())?;
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
    match range > 0.0 {
        true => f64::from(range) / MOST_ACTIVATION,
        false => 1.0,
    }
}

impl Layer {
    fn new(conv: &FoldedConv, compute: Compute, device: Device) -> Result<Self, TchError> {
        let (outputs, inputs) = (conv.layer.outputs as i64, conv.layer.inputs as i64);
        let kernel = conv.layer.kernel as i64;
        let shape = [outputs, inputs, kernel, kernel];
        let (device, kind) = (device.torch(), compute.kind());
        Ok(Self {
            weight: Tensor::f_from_slice(&conv.weight)?
                .f_view(shape)?
                .f_to(device)?
                .f_to_kind(kind)?,
            bias: Tensor::f_from_slice(&conv.bias)?
                .f_to(device)?
                .f_to_kind(kind)?,
            padding: kernel / 2,
        })
    }

    fn apply(&self, x: &Tensor) -> Result<Tensor, TchError> {
        x.f_conv2d(
            &self.weight,
            Some(&self.bias),
            [1, 1],
            [self.padding; 2],
            [1, 1],
            1,
        )
    }
}

/// Returns the convolutions with those of the heads as one: they read the same planes, which takes longer than to
/// compute with them.
fn convolutions(network: &Network) -> Vec<FoldedConv> {
    let mut convs = network.folded();
    let heads = convs.len() - HEADS;
    for head in convs.split_off(heads + 1) {
        let first = &mut convs[heads];
        first.layer.outputs += head.layer.outputs;
        first.weight.extend(head.weight);
        first.bias.extend(head.bias);
    }
    convs
}

/// Computes the heads' planes; shows `see` the output of every convolution before them, after its rectifier.
fn forward_plain(
    layers: &[Layer],
    x: &Tensor,
    mut see: impl FnMut(&Tensor) -> Result<(), TchError>,
) -> Result<Tensor, TchError> {
    let [stem, blocks @ .., heads] = layers else {
        return Err(TchError::Shape(
            "a tower has at least two layers".to_owned(),
        ));
    };
    let mut h = stem.apply(x)?.f_relu()?;
    see(&h)?;
    for block in blocks.chunks_exact(2) {
        let t = block[0].apply(&h)?.f_relu()?;
        see(&t)?;
        h = (block[1].apply(&t)?.f_add(&h)?).f_relu()?;
        see(&h)?;
    }
    heads.apply(&h)
}
