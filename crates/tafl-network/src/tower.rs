//! The convolutions of a network, ready to run: fused and packed for CPUs, or one operation after another.

mod plain;

use crate::in_rust::{InRust, ranges};
use crate::play::{Conv, Play};
use crate::quantized::QuantizedConv;
use crate::{Compute, Device, Network, NetworkError, program};
use plain::{Convolve, Layer, MOST_OFF, apart, forward_plain, fused, layer, some_planes};
use tafl_forward::{MOST_ACTIVATION, activation_scale};
use tafl_samples::PLANES;
use tch::{CModule, IValue, Kind, TchError, Tensor};

/// Stem, blocks and the heads' convolutions.
pub(crate) enum Tower {
    /// oneDNN's fused operations on packed weights (CPU only).
    Fused {
        module: CModule,
        weights: Vec<Tensor>,
        /// In 8 bits.
        stem: Option<Stem>,
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
            stem: None,
        })
    }

    /// Stem and blocks in 8-bit integers, the heads in f32, as oneDNN's fused operations; `most` is the largest weight.
    ///
    /// The input is [`StemPlane`](crate::quantized::StemPlane)s as `u8`.
    pub(crate) fn quantized(network: &Network, most: f32) -> Result<Self, NetworkError> {
        let (mut play, ..) = Play::new(network)?;
        let size = i64::from(network.architecture().board_size);
        let scales = value_scales(network)?;
        let mut weights = quantized_weights(&play.tower, &scales, (most, size))?;
        let stem = Stem::new(&play, &scales, (most, size));
        for head in &mut play.heads {
            // The heads read integers as they are: their weights take the scale.
            let scale = scales[head.unit.from];
            head.weight
                .iter_mut()
                .for_each(|it| *it = (f64::from(*it) * scale) as f32);
            weights.extend(packed(head, Compute::F32, size)?);
        }
        let module = load(&program::quantized(&play, &scales))?;
        Ok(Self::Fused {
            module,
            weights,
            stem: Some(stem),
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

    /// Returns the planes that a stem in 8 bits reads, rising.
    pub(crate) fn planes(&self) -> &[usize] {
        match self {
            Self::Fused {
                stem: Some(stem), ..
            } => &stem.planes,
            _ => &[],
        }
    }

    /// Makes the stem, if it is in 8 bits, ready to read also those of the planes whose bits are set; returns which are read.
    pub(crate) fn read_planes(&mut self, needed: u64) -> Result<&[usize], NetworkError> {
        if let Self::Fused {
            stem: Some(stem),
            weights,
            ..
        } = self
            && let Some(packed) = stem.widen(needed)?
        {
            weights.splice(..packed.len(), packed);
        }
        Ok(self.planes())
    }

    /// Computes the heads' planes of `x`, `[batch, planes, size, size]`, see [`Heads`](crate::play::Heads), in a tensor of
    /// the same form.
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

/// Planes are read in groups of so many, whose weights fill whole vectors.
const PLANE_GROUP: usize = 8;

/// The stem in 8 bits, from which the weights of the planes that are needed are packed.
pub(crate) struct Stem {
    conv: Conv,
    rounded: QuantizedConv,
    /// That of the planes.
    scale: f64,
    /// Of the board.
    size: i64,
    /// The planes that are read, rising.
    planes: Vec<usize>,
}

impl Stem {
    /// Takes the first convolution, which reads all planes until [`Self::widen`] is called.
    fn new(play: &Play, scales: &[f64], (most, size): (f32, i64)) -> Self {
        let conv = &play.tower[0];
        Self {
            rounded: QuantizedConv::of_stem(conv, most),
            conv: Conv {
                unit: conv.unit.clone(),
                weight: Vec::new(),
                bias: conv.bias.clone(),
            },
            scale: scales[0],
            size,
            planes: match play.is_read_after(0, 0) {
                true => (0..PLANES).collect(),
                false => Vec::new(),
            },
        }
    }

    /// Reads planes from now on, and all that were needed before; returns new weights if those that there are lack one.
    fn widen(&mut self, needed: u64) -> Result<Option<Vec<Tensor>>, NetworkError> {
        let is_needed = |plane: &usize| needed >> plane & 1 != 0;
        let is_read = |plane: &usize| self.planes.contains(plane);
        let (mut read, mut others): (Vec<usize>, Vec<usize>) =
            (0..PLANES).partition(|plane| is_needed(plane) || is_read(plane));
        if !self.planes.is_empty() && read.len() == self.planes.len() {
            return Ok(None);
        }
        let full = read.len().max(1).next_multiple_of(PLANE_GROUP);
        others.truncate(full.min(PLANES) - read.len());
        read.extend(others);
        read.sort_unstable();
        let rounded = self.rounded.of_planes(&read);
        self.planes = read;
        let convs = [(&self.conv, &rounded)];
        packed_in_8_bits(&convs, &[self.scale], self.size).map(Some)
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
    let mut scales = vec![1.0 / f64::from(MOST_ACTIVATION)];
    scales.extend(
        ranges(network)?
            .into_iter()
            .map(|it| f64::from(activation_scale(it))),
    );
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
    let convs: Vec<_> = convs.iter().zip(&quantized).collect();
    packed_in_8_bits(&convs, scales, size)
}

/// Returns the same of convolutions that are rounded already.
fn packed_in_8_bits(
    convs: &[(&Conv, &QuantizedConv)],
    scales: &[f64],
    size: i64,
) -> Result<Vec<Tensor>, NetworkError> {
    let mut unpacked = Vec::new();
    for (conv, it) in convs {
        let kernel = conv.unit.kernel as i64;
        let shape = [it.scales.len() as i64, it.inputs as i64, kernel, kernel];
        unpacked.push(Tensor::f_from_slice(&it.weight)?.f_view(shape)?);
        unpacked.push(Tensor::f_from_slice(&it.scales)?);
    }
    let inputs: Vec<_> = convs.iter().map(|(conv, it)| (*conv, it.inputs)).collect();
    let packing = load(&program::packing(&inputs, scales, size))?;
    let IValue::TensorList(packed) = packing.forward_is(&[IValue::TensorList(unpacked)])? else {
        return Err(NetworkError::Torch("the program gave no list".to_owned()));
    };
    let mut all = Vec::new();
    for (weight, (conv, it)) in packed.into_iter().zip(convs) {
        let outputs = it.scales.len() as i64;
        all.push(weight);
        all.push(Tensor::f_from_slice(&it.scales)?);
        all.push(Tensor::f_zeros([outputs], (Kind::Int, tch::Device::Cpu))?);
        all.push(Tensor::f_from_slice(&conv.bias)?);
    }
    Ok(all)
}
