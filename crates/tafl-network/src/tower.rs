//! The convolutions of a network, ready to run: fused and packed for CPUs, or one operation after another.

use crate::network::FoldedConv;
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
            let layer = Layer::new(&conv, compute, Device::Cpu)?;
            let inputs = conv.layer.inputs as i64;
            let packed = layer
                .weight
                .f_to_mkldnn(None::<Kind>)?
                .f_mkldnn_reorder_conv2d_weight(
                    [layer.padding; 2],
                    [1, 1],
                    [1, 1],
                    1,
                    // One packing serves every batch size.
                    [64, inputs, size, size].as_slice(),
                )?;
            weights.extend([packed, layer.bias]);
        }
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

    /// Computes the heads' planes of `x`, `[batch, planes, size, size]`: the policy head's, then the value head's before
    /// its rectifier, in a tensor of the same form.
    pub(crate) fn forward(&self, x: Tensor) -> Result<Tensor, NetworkError> {
        match self {
            Self::Plain { layers } => Ok(forward_plain(layers, &x)?),
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
    if let (Some(value), Some(policy)) = (convs.pop(), convs.last_mut()) {
        policy.layer.outputs += value.layer.outputs;
        policy.weight.extend(value.weight);
        policy.bias.extend(value.bias);
    }
    convs
}

fn forward_plain(layers: &[Layer], x: &Tensor) -> Result<Tensor, TchError> {
    let [stem, blocks @ .., heads] = layers else {
        return Err(TchError::Shape(
            "a tower has at least two layers".to_owned(),
        ));
    };
    let mut h = stem.apply(x)?.f_relu()?;
    for block in blocks.chunks_exact(2) {
        let t = block[0].apply(&h)?.f_relu()?;
        h = (block[1].apply(&t)?.f_add(&h)?).f_relu()?;
    }
    heads.apply(&h)
}
