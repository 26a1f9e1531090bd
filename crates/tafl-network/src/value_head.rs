//! The last layers of the value head, in plain Rust.
//!
//! They are too small to be worth libtorch's calls, and computed position by position they give the same
//! numbers in a batch of any size, which libtorch's matrix products do not.

use crate::Network;
use crate::architecture::VALUE_OUTPUTS;

/// Pooling and two linear layers: value planes in, five numbers out. There may be one for each role.
#[derive(Debug, Clone)]
pub(crate) struct ValueHead {
    heads: usize,
    channels: usize,
    /// `[heads * hidden, 2 * channels]`: means, then maxima.
    hidden: Vec<f32>,
    hidden_bias: Vec<f32>,
    /// `[heads * VALUE_OUTPUTS, hidden]`.
    output: Vec<f32>,
    output_bias: Vec<f32>,
    pooled: Vec<f32>,
    activations: Vec<f32>,
}

impl ValueHead {
    pub(crate) fn new(network: &Network) -> Self {
        let tensor = |name: &str| network.tensor(name).to_vec();
        Self {
            heads: network.architecture().network.heads.count(),
            channels: network.architecture().network.value_channels as usize,
            hidden: tensor("value.hidden.weight"),
            hidden_bias: tensor("value.hidden.bias"),
            output: tensor("value.output.weight"),
            output_bias: tensor("value.output.bias"),
            pooled: Vec::new(),
            activations: Vec::new(),
        }
    }

    /// Returns win, draw and loss logits, moves left before its softplus, and the logit of `end`.
    ///
    /// `planes` are one position's, `[squares, heads * channels]`; `head` is the number of its head.
    pub(crate) fn apply<T: Copy + Into<f32>>(
        &mut self,
        planes: &[T],
        head: usize,
    ) -> [f32; VALUE_OUTPUTS] {
        let channels = self.channels;
        self.pooled.clear();
        self.pooled.resize(2 * channels, 0.0);
        let (sums, maxima) = self.pooled.split_at_mut(channels);
        // The planes come out of a rectifier, so that 0 is the least maximum.
        for square in planes.chunks_exact(self.heads * channels) {
            let own = &square[head * channels..][..channels];
            for ((sum, maximum), &x) in sums.iter_mut().zip(&mut *maxima).zip(own) {
                let x = x.into();
                *sum += x;
                *maximum = maximum.max(x);
            }
        }
        let squares = (planes.len() / (self.heads * channels)) as f32;
        sums.iter_mut().for_each(|sum| *sum /= squares);
        self.activations.clear();
        let width = self.hidden_bias.len() / self.heads;
        let rows = self.hidden.chunks_exact(2 * channels);
        let rows = rows.zip(&self.hidden_bias).skip(head * width).take(width);
        self.activations
            .extend(rows.map(|(row, bias)| (dot(row, &self.pooled) + bias).max(0.0)));
        let rows = self.output.chunks_exact(width).zip(&self.output_bias);
        let rows = rows.skip(head * VALUE_OUTPUTS);
        let mut outputs = [0.0; VALUE_OUTPUTS];
        for (output, (row, bias)) in outputs.iter_mut().zip(rows) {
            *output = dot(row, &self.activations) + bias;
        }
        outputs
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
