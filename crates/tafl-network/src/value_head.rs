//! The last layers of the value head, in plain Rust.
//!
//! They are too small to be worth libtorch's calls, and computed position by position they give the same
//! numbers in a batch of any size, which libtorch's matrix products do not.

use crate::Network;
use crate::architecture::VALUE_OUTPUTS;

/// Pooling and two linear layers: value planes in, five numbers out.
#[derive(Debug, Clone)]
pub(crate) struct ValueHead {
    channels: usize,
    /// Planes of the policy head, which lie before those of the value head on every square.
    policy_planes: usize,
    /// `[hidden, 2 * channels]`: means, then maxima.
    hidden: Vec<f32>,
    hidden_bias: Vec<f32>,
    /// `[VALUE_OUTPUTS, hidden]`.
    output: Vec<f32>,
    output_bias: Vec<f32>,
    pooled: Vec<f32>,
    activations: Vec<f32>,
}

impl ValueHead {
    pub(crate) fn new(network: &Network) -> Self {
        let tensor = |name: &str| network.tensor(name).to_vec();
        Self {
            channels: network.architecture().network.value_channels as usize,
            policy_planes: network.architecture().policy_planes(),
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
    /// `planes` are one position's, `[squares, policy planes + channels]`, not rectified yet.
    pub(crate) fn apply<T: Copy + Into<f32>>(&mut self, planes: &[T]) -> [f32; VALUE_OUTPUTS] {
        let channels = self.channels;
        self.pooled.clear();
        self.pooled.resize(2 * channels, 0.0);
        let (sums, maxima) = self.pooled.split_at_mut(channels);
        let row = self.policy_planes + channels;
        for square in planes.chunks_exact(row) {
            let own = &square[self.policy_planes..];
            for ((sum, maximum), &x) in sums.iter_mut().zip(&mut *maxima).zip(own) {
                // The rectifier, whose least output is 0, as is that of the maxima.
                let x = x.into().max(0.0);
                *sum += x;
                *maximum = maximum.max(x);
            }
        }
        let squares = (planes.len() / row) as f32;
        sums.iter_mut().for_each(|sum| *sum /= squares);
        self.activations.clear();
        let rows = self.hidden.chunks_exact(2 * channels);
        let rows = rows.zip(&self.hidden_bias);
        self.activations
            .extend(rows.map(|(row, bias)| (dot(row, &self.pooled) + bias).max(0.0)));
        let rows = self.output.chunks_exact(self.activations.len());
        let rows = rows.zip(&self.output_bias);
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
