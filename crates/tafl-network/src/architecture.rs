//! The shape of the network: what layers there are, and what they are called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// The size of the network; section `[network]` of a run config.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkConfig {
    /// Residual blocks of two 3x3 convolutions, 1 to 64. AlphaZero: 19 or 39; 4 learn in minutes on a CPU.
    #[schemars(range(min = 1, max = 64))]
    pub blocks: u32,
    /// Channels of the tower, 8 to 1024; multiples of 16 are fastest. AlphaZero: 256.
    #[schemars(range(min = 8, max = 1_024))]
    pub channels: u32,
    /// Channels of the value head before pooling, 1 to 256. AlphaZero: 1; lc0: 32.
    #[schemars(range(min = 1, max = 256))]
    pub value_channels: u32,
    /// Width of the value head's hidden layer, 1 to 1024. AlphaZero: 256; lc0: 128.
    #[schemars(range(min = 1, max = 1_024))]
    pub value_hidden: u32,
}

/// A field of [`NetworkConfig`] that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{field}`: {value} is not from {least} to {most}")]
pub struct NetworkConfigError {
    field: &'static str,
    value: u32,
    least: u32,
    most: u32,
}

impl NetworkConfig {
    /// Checks the range of every field.
    ///
    /// # Errors
    /// Names the field that is out of range.
    pub const fn check(&self) -> Result<(), NetworkConfigError> {
        let fields = [
            ("blocks", self.blocks, 1, 64),
            ("channels", self.channels, 8, 1024),
            ("value_channels", self.value_channels, 1, 256),
            ("value_hidden", self.value_hidden, 1, 1024),
        ];
        let mut i = 0;
        while i < fields.len() {
            let (field, value, least, most) = fields[i];
            if value < least || value > most {
                return Err(NetworkConfigError {
                    field,
                    value,
                    least,
                    most,
                });
            }
            i += 1;
        }
        Ok(())
    }
}

/// A network's size, the board it plays on and the planes it reads: all that decides its tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Files (and ranks) of the board: 7, 9 or 11.
    pub board_size: u8,
    /// Input planes.
    pub planes: u32,
    /// Width and depth.
    pub network: NetworkConfig,
}

/// What a tensor of the network is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A weight of a convolution or a linear layer; decays.
    Weight,
    /// A bias, or scale or shift of a batch norm; does not decay.
    Bias,
    /// A running mean or variance of a batch norm; has no gradient.
    Statistic,
}

/// One named tensor of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in files, such as `blocks.0.first.conv.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// What it is for.
    pub role: Role,
}

/// A convolution, followed by a batch norm or with a bias of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConvLayer {
    pub(crate) name: String,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// 1 or 3.
    pub(crate) kernel: usize,
    /// Whether a batch norm follows.
    pub(crate) norm: bool,
}

/// Numbers that the value head puts out: win, draw, loss, moves left, end of a chain.
pub(crate) const VALUE_OUTPUTS: usize = 5;

impl Architecture {
    /// Returns the architecture of a network for a board.
    #[must_use]
    pub const fn new(network: NetworkConfig, shape: BoardShape) -> Self {
        Self {
            board_size: shape.size(),
            planes: PLANES as u32,
            network,
        }
    }

    /// Returns the board's shape.
    #[must_use]
    pub fn shape(&self) -> Option<BoardShape> {
        BoardShape::new(self.board_size)
    }

    /// Returns the files (and ranks) of the board.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.board_size as usize
    }

    /// Returns the squares of the board.
    #[must_use]
    pub const fn squares(&self) -> usize {
        self.size() * self.size()
    }

    /// Returns the policy outputs of one square: 4 directions, `size - 1` distances.
    #[must_use]
    pub const fn moves_per_square(&self) -> usize {
        4 * (self.size() - 1)
    }

    /// Returns the number of policy outputs, `end` included; [`BoardShape::policy_len`].
    #[must_use]
    pub const fn policy_len(&self) -> usize {
        self.squares() * self.moves_per_square() + 1
    }

    /// Returns the convolutions in the order in which they are computed; the last two are the heads'.
    pub(crate) fn convolutions(&self) -> Vec<ConvLayer> {
        let NetworkConfig {
            blocks,
            channels,
            value_channels,
            ..
        } = self.network;
        let (channels, value_channels) = (channels as usize, value_channels as usize);
        let layer = |name: String, inputs, outputs, kernel, norm| ConvLayer {
            name,
            inputs,
            outputs,
            kernel,
            norm,
        };
        let mut layers = vec![layer(
            "stem".to_owned(),
            self.planes as usize,
            channels,
            3,
            true,
        )];
        for block in 0..blocks {
            for part in ["first", "second"] {
                layers.push(layer(
                    format!("blocks.{block}.{part}"),
                    channels,
                    channels,
                    3,
                    true,
                ));
            }
        }
        layers.push(layer(
            "policy".to_owned(),
            channels,
            self.moves_per_square(),
            1,
            false,
        ));
        layers.push(layer("value".to_owned(), channels, value_channels, 1, true));
        layers
    }

    /// Returns every tensor of the network, in the order in which they are made.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut add = |name: String, shape: Vec<usize>, role: Role| {
            parameters.push(Parameter { name, shape, role });
        };
        for layer in self.convolutions() {
            let ConvLayer {
                name,
                inputs,
                outputs,
                kernel,
                norm,
            } = layer;
            let shape = vec![outputs, inputs, kernel, kernel];
            add(format!("{name}.conv.weight"), shape, Role::Weight);
            if norm {
                add(format!("{name}.norm.weight"), vec![outputs], Role::Bias);
                add(format!("{name}.norm.bias"), vec![outputs], Role::Bias);
                add(
                    format!("{name}.norm.running_mean"),
                    vec![outputs],
                    Role::Statistic,
                );
                add(
                    format!("{name}.norm.running_var"),
                    vec![outputs],
                    Role::Statistic,
                );
            } else {
                add(format!("{name}.conv.bias"), vec![outputs], Role::Bias);
            }
        }
        let NetworkConfig {
            value_channels,
            value_hidden,
            ..
        } = self.network;
        let (pooled, hidden) = (2 * value_channels as usize, value_hidden as usize);
        add(
            "value.hidden.weight".to_owned(),
            vec![hidden, pooled],
            Role::Weight,
        );
        add("value.hidden.bias".to_owned(), vec![hidden], Role::Bias);
        add(
            "value.output.weight".to_owned(),
            vec![VALUE_OUTPUTS, hidden],
            Role::Weight,
        );
        add(
            "value.output.bias".to_owned(),
            vec![VALUE_OUTPUTS],
            Role::Bias,
        );
        parameters
    }
}
