//! The convolutions of a network, ready to run: fused and packed for CPUs, or one operation after another.

mod plain;

use crate::in_rust::{InRust, ranges};
use crate::play::{Conv, Play};
use crate::{Compute, Device, Network, NetworkError, program};
use ndarray::{ArrayView1, ArrayView4};
use plain::{Convolve, Layer, MOST_OFF, apart, forward_plain, fused, layer, some_planes};
use tafl_forward::{IntegerHeads, Stem, activation_scale, rounded};
use tch::{CModule, IValue, Kind, TchError, Tensor};

/// Stem, blocks and the heads' convolutions.
pub(crate) enum Tower {
    /// oneDNN's fused operations on packed weights (CPU only).
    Fused {
        module: CModule,
        weights: Vec<Tensor>,
        /// What libtorch does not compute in 8 bits.
        ends: Option<Box<Ends>>,
    },
    /// Ordinary operations, on any device.
    Plain {
        play: Play,
        layers: Vec<Layer>,
        convolve: Convolve,
    },
    /// Not by libtorch, heads included: in 8 bits, where libtorch has none.
    InRust(Box<InRust>),
}

/// What is computed beside libtorch in 8 bits.
pub(crate) struct Ends {
    pub(crate) stem: Stem,
    pub(crate) heads: IntegerHeads,
}

impl Tower {
    pub(crate) fn fused(network: &Network, compute: Compute) -> Result<Self, NetworkError> {
        let (play, ..) = Play::new(network)?;
        let size = i64::from(network.architecture().board_size);
        let module = load(&program::fused(&play))?;
        let mut weights = Vec::new();
        for conv in play.tower.iter().chain(&play.heads) {
            weights.extend(packed(conv, compute, size)?);
        }
        Ok(Self::Fused {
            module,
            weights,
            ends: None,
        })
    }

    /// In 8-bit integers: between stem and heads as oneDNN's fused operations, if it has them and the network fits. `most` is the
    /// largest weight that oneDNN takes.
    pub(crate) fn in_8_bits(network: &Network, most: Option<f32>) -> Result<Self, NetworkError> {
        match most {
            Some(most) if Play::new(network)?.0.fits_8_bits() => Self::quantized(network, most),
            _ => Ok(Self::InRust(Box::new(InRust::new(network, Compute::Int8)?))),
        }
    }

    /// The input is what the stem of [`Self::ends`] gives, the output what their heads read.
    pub(crate) fn quantized(network: &Network, most: f32) -> Result<Self, NetworkError> {
        let (play, places, plan) = Play::new(network)?;
        let scales = value_scales(network)?;
        let convs: Vec<&Conv> = play.tower.iter().skip(1).collect();
        let size = i64::from(network.architecture().board_size);
        let weights = quantized_weights(&convs, &scales, (most, size))?;
        let Conv { unit, weight, bias } = &play.tower[0];
        let [inputs, outputs] = unit.planes;
        let weight = ArrayView4::from_shape((outputs, inputs, 3, 3), weight);
        let weight = weight.expect("the stem's kernel is 3");
        let scale = scales[play.heads[0].unit.from] as f32;
        let (_, numbers) = network.folded();
        let heads = IntegerHeads::new((&plan, places.shape), &numbers, scale);
        let ends = Ends {
            stem: Stem::new(weight, ArrayView1::from(bias), scales[1] as f32),
            heads: heads.map_err(|error| NetworkError::Torch(error.to_string()))?,
        };
        Ok(Self::Fused {
            module: load(&program::quantized(&play, &scales))?,
            weights,
            ends: Some(Box::new(ends)),
        })
    }

    pub(crate) fn plain(
        network: &Network,
        compute: Compute,
        device: Device,
    ) -> Result<Self, NetworkError> {
        let (play, ..) = Play::new(network)?;
        let convs = play.tower.iter().chain(&play.heads);
        let layers = convs.map(|conv| layer(conv, compute, device));
        let mut tower = Self::Plain {
            layers: layers.collect::<Result<_, _>>()?,
            play,
            convolve: apart,
        };
        if let Device::Cuda(_) = device {
            let size = i64::from(network.architecture().board_size);
            tower.fuse(&some_planes(size, compute, device)?)?;
        }
        Ok(tower)
    }

    /// Lets cuDNN add and rectify within its convolutions, if it can and gives the same for `x`; returns whether it does.
    pub(crate) fn fuse(&mut self, x: &Tensor) -> Result<bool, NetworkError> {
        let Self::Plain {
            play,
            layers,
            convolve,
        } = self
        else {
            return Ok(false);
        };
        let _guard = tch::no_grad_guard();
        let heads = |way: Convolve| forward_plain(play, layers, way, x.shallow_clone(), |_| Ok(()));
        let expected = heads(apart)?.f_to_kind(Kind::Float)?;
        // Some versions of cuDNN have no such engine for some shapes and kinds of numbers.
        let Ok(found) = heads(fused) else {
            return Ok(false);
        };
        let most = |it: &Tensor| it.f_abs()?.f_max()?.f_double_value(&[]);
        let off = most(&found.f_to_kind(Kind::Float)?.f_sub(&expected)?)?;
        let is_same = off <= MOST_OFF * most(&expected)?;
        if is_same {
            *convolve = fused;
        }
        Ok(is_same)
    }

    /// Returns the largest outputs of stem and blocks for `x`, `[batch, planes, size, size]`, one number for each
    /// convolution.
    pub(crate) fn ranges(&self, x: Tensor) -> Result<Vec<f32>, NetworkError> {
        let Self::Plain { play, layers, .. } = self else {
            return Err(NetworkError::Torch(
                "only plain layers show their outputs".to_owned(),
            ));
        };
        let mut ranges = Vec::new();
        let _heads = forward_plain(play, layers, apart, x, |outputs| {
            ranges.push(outputs.f_max()?.f_double_value(&[])? as f32);
            Ok(())
        })?;
        Ok(ranges)
    }

    /// Returns stem and heads, if libtorch computes only what lies between them.
    pub(crate) fn ends(&mut self) -> Option<&mut Ends> {
        match self {
            Self::Fused { ends, .. } => ends.as_deref_mut(),
            _ => None,
        }
    }

    /// Computes the heads' planes of `x`, `[batch, planes, size, size]`, see [`Heads`](crate::play::Heads), in a tensor of
    /// the same form; between [`Self::ends`], what the heads read of what the stem gave.
    pub(crate) fn forward(&self, x: Tensor) -> Result<Tensor, NetworkError> {
        match self {
            Self::Plain {
                play,
                layers,
                convolve,
            } => Ok(forward_plain(play, layers, *convolve, x, |_| Ok(()))?),
            Self::Fused {
                module, weights, ..
            } => {
                // A list would not be Send; its making costs less than a microsecond.
                let weights = weights.iter().map(Tensor::shallow_clone).collect();
                match module.forward_is(&[IValue::Tensor(x), IValue::TensorList(weights)])? {
                    IValue::Tensor(heads) => Ok(heads),
                    _ => Err(NetworkError::Torch("the program gave no tensor".to_owned())),
                }
            }
            Self::InRust(_) => Err(NetworkError::Torch("no tensors are computed".to_owned())),
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
    let mut scales = vec![1.0];
    scales.extend(
        ranges(network)?
            .into_iter()
            .map(|it| f64::from(activation_scale(it))),
    );
    Ok(scales)
}

/// Returns packed weight, scales, zeros and bias of each convolution; `most` is the largest weight, `size` the board's.
fn quantized_weights(
    convs: &[&Conv],
    scales: &[f64],
    (most, size): (f32, i64),
) -> Result<Vec<Tensor>, NetworkError> {
    let (mut unpacked, mut worths) = (Vec::new(), Vec::new());
    for Conv { unit, weight, .. } in convs {
        let [inputs, outputs] = unit.planes;
        let (weight, worth) = rounded(weight, outputs, most);
        let shape = [outputs, inputs, unit.kernel, unit.kernel].map(|it| it as i64);
        unpacked.push(Tensor::f_from_slice(&weight)?.f_view(shape)?);
        unpacked.push(Tensor::f_from_slice(&worth)?);
        worths.push(worth);
    }
    let packing = load(&program::packing(convs, scales, size))?;
    let IValue::TensorList(packed) = packing.forward_is(&[IValue::TensorList(unpacked)])? else {
        return Err(NetworkError::Torch("the program gave no list".to_owned()));
    };
    let mut all = Vec::new();
    for ((weight, worth), conv) in packed.into_iter().zip(worths).zip(convs) {
        all.push(weight);
        all.push(Tensor::f_from_slice(&worth)?);
        let zeros = Tensor::f_zeros([worth.len() as i64], (Kind::Int, tch::Device::Cpu));
        all.push(zeros?);
        all.push(Tensor::f_from_slice(&conv.bias)?);
    }
    Ok(all)
}
