//! The shape of the network: what layers there are, and what they are called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_rules::{BoardShape, Direction};
use tafl_samples::PLANES;

/// The size of the network; section `[network]` of a run config.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Residual blocks of two 3x3 convolutions, 1 to 64. Default 5. AlphaZero: 19 or 39; 4 learn in minutes on a CPU.
    #[schemars(range(min = 1, max = MOST_BLOCKS))]
    pub blocks: u32,
    /// Channels of the tower, 8 to 1024; multiples of 16 are fastest. Default 48. AlphaZero: 256.
    #[schemars(range(min = 8, max = 1_024))]
    pub channels: u32,
    /// Channels of the value head before pooling, 1 to 256. Default 16. AlphaZero: 1; lc0: 32.
    #[schemars(range(min = 1, max = 256))]
    pub value_channels: u32,
    /// Width of the value head's hidden layer, 1 to 1024. Default 64. AlphaZero: 256; lc0: 128.
    #[schemars(range(min = 1, max = 1_024))]
    pub value_hidden: u32,
}

/// Blocks of a network, at most.
pub(crate) const MOST_BLOCKS: u32 = 64;

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            blocks: 5,
            channels: 48,
            value_channels: 16,
            value_hidden: 64,
        }
    }
}

/// Which auxiliary heads a network has. They are trained beside the others and never evaluated in play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Auxiliary {
    /// The other side's next move.
    pub reply: bool,
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
    /// Heads that only shape the tower.
    pub auxiliary: Auxiliary,
}

/// What a tensor of the network is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A weight of a convolution or a linear layer; decays.
    Weight,
    /// A bias, or scale or shift of a batch norm; does not decay.
    Bias,
    /// A running mean or variance of a batch norm; has no gradient.
    Statistic,
}

/// One named tensor of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Its name in files, such as `blocks.0.first.conv.weight`.
    pub(crate) name: String,
    /// Its shape.
    pub(crate) shape: Vec<usize>,
    /// What it is for.
    pub(crate) role: Role,
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

/// Convolutions of the heads, behind those of stem and blocks.
pub(crate) const HEADS: usize = 3;

/// The name of the convolution to the planes of destinations, one for each direction.
pub(crate) const DESTINATIONS: &str = "destinations";

/// The auxiliary head's name.
pub(crate) const REPLY: &str = "reply";

impl Architecture {
    /// Returns the architecture of a network for a board, without auxiliary heads.
    #[must_use]
    pub const fn new(network: NetworkConfig, shape: BoardShape) -> Self {
        Self {
            board_size: shape.size(),
            planes: PLANES as u32,
            network,
            auxiliary: Auxiliary { reply: false },
        }
    }

    /// Returns the same with other auxiliary heads.
    #[must_use]
    pub const fn with_auxiliary(self, auxiliary: Auxiliary) -> Self {
        Self { auxiliary, ..self }
    }

    /// Returns the board's shape.
    pub(crate) fn shape(&self) -> Option<BoardShape> {
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
    pub(crate) const fn moves_per_square(&self) -> usize {
        4 * (self.size() - 1)
    }

    /// Returns the number of policy outputs, `end` included; [`BoardShape::policy_len`].
    #[must_use]
    pub const fn policy_len(&self) -> usize {
        self.squares() * self.moves_per_square() + 1
    }

    /// Returns the planes of the policy head: of moves by the square that they leave, then of destinations by direction.
    pub(crate) const fn policy_planes(&self) -> usize {
        self.moves_per_square() + Direction::ALL.len()
    }

    /// Returns the planes of both heads together.
    const fn head_planes(&self) -> usize {
        self.policy_planes() + self.network.value_channels as usize
    }

    /// Returns the numbers of one position in the heads' memory, see [`Self::policy_places`].
    pub(crate) const fn head_row(&self) -> usize {
        self.squares() * self.head_planes()
    }

    /// Returns, for each policy output but `end`, the two places in the heads' memory whose numbers add up to its logit: on
    /// the square that the move leaves, in the plane of its direction and distance, and on its destination, in the plane of
    /// its direction. Those of moves that would leave the board mean nothing.
    ///
    /// The memory holds, square by square, the planes of the policy head, then those of the value head.
    pub(crate) fn policy_places(&self) -> Vec<[usize; 2]> {
        let (moves, row) = (self.moves_per_square(), self.head_planes());
        let places = |output: usize| {
            let from = output / moves;
            let (plane, to) = self.destination(output, Direction::ALL);
            [
                from * row + output % moves,
                to.unwrap_or(from) * row + moves + plane,
            ]
        };
        (0..self.policy_len() - 1).map(places).collect()
    }

    /// Returns, for each policy output but `end`, its place among the planes of destinations, `[directions, squares]`,
    /// or the place behind them where the move would leave the board.
    ///
    /// `directions` is the order of the planes and of the outputs.
    pub(crate) fn destinations(&self, directions: [Direction; 4]) -> Vec<i32> {
        let squares = self.squares();
        let place = |output: usize| {
            let (plane, to) = self.destination(output, directions);
            to.map_or(directions.len() * squares, |to| plane * squares + to) as i32
        };
        (0..self.policy_len() - 1).map(place).collect()
    }

    /// Returns the number of a policy output's direction, and the square that its move leads to if that is on the board.
    fn destination(&self, output: usize, directions: [Direction; 4]) -> (usize, Option<usize>) {
        let distances = self.size() - 1;
        let (line, distance) = (output / distances, output % distances + 1);
        let (from, plane) = (line / directions.len(), line % directions.len());
        let shape = self.shape().expect("networks are made for boards");
        let to = directions[plane].leap(shape.square(from), distance as u8, shape);
        (plane, to.map(|to| shape.index(to)))
    }

    /// Returns the convolutions that play needs, in the order in which they are computed; the last [`HEADS`] are the heads'.
    pub(crate) fn convolutions(&self) -> Vec<ConvLayer> {
        let NetworkConfig {
            blocks,
            channels,
            value_channels,
            ..
        } = self.network;
        let (channels, value_channels) = (channels as usize, value_channels as usize);
        let layer = |name: &str, inputs, outputs, kernel, norm| ConvLayer {
            name: name.to_owned(),
            inputs,
            outputs,
            kernel,
            norm,
        };
        let mut layers = vec![layer("stem", self.planes as usize, channels, 3, true)];
        for block in 0..blocks {
            for part in ["first", "second"] {
                let name = format!("blocks.{block}.{part}");
                layers.push(layer(&name, channels, channels, 3, true));
            }
        }
        layers.push(layer("policy", channels, self.moves_per_square(), 1, false));
        let directions = Direction::ALL.len();
        layers.push(layer(DESTINATIONS, channels, directions, 1, false));
        layers.push(layer("value", channels, value_channels, 1, true));
        layers
    }

    /// Returns the convolution of the auxiliary head, if the network has it.
    pub(crate) fn auxiliary_convolution(&self) -> Option<ConvLayer> {
        self.auxiliary.reply.then(|| ConvLayer {
            name: REPLY.to_owned(),
            inputs: self.network.channels as usize,
            outputs: self.moves_per_square(),
            kernel: 1,
            norm: false,
        })
    }

    /// Returns the number of learned numbers, running statistics left out.
    #[must_use]
    pub fn parameter_count(&self) -> u64 {
        let parameters = self.parameters();
        let learned = parameters.iter().filter(|it| it.role != Role::Statistic);
        learned
            .map(|it| it.shape.iter().product::<usize>() as u64)
            .sum()
    }

    /// Returns every tensor of the network, in the order in which they are made.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> = self
            .convolutions()
            .iter()
            .flat_map(ConvLayer::parameters)
            .collect();
        let NetworkConfig {
            value_channels,
            value_hidden,
            ..
        } = self.network;
        let (pooled, hidden) = (2 * value_channels as usize, value_hidden as usize);
        parameters.extend(linear("value.hidden", pooled, hidden));
        parameters.extend(linear("value.output", hidden, VALUE_OUTPUTS));
        let auxiliary = self.auxiliary_convolution();
        parameters.extend(auxiliary.iter().flat_map(ConvLayer::parameters));
        parameters
    }
}

fn parameter(layer: &str, part: &str, shape: Vec<usize>, role: Role) -> Parameter {
    let name = format!("{layer}.{part}");
    Parameter { name, shape, role }
}

/// Returns weight and bias of a linear layer.
fn linear(layer: &str, inputs: usize, outputs: usize) -> [Parameter; 2] {
    [
        parameter(layer, "weight", vec![outputs, inputs], Role::Weight),
        parameter(layer, "bias", vec![outputs], Role::Bias),
    ]
}

impl ConvLayer {
    fn parameters(&self) -> Vec<Parameter> {
        let kernels = vec![self.outputs, self.inputs, self.kernel, self.kernel];
        let of_outputs = |part, role| parameter(&self.name, part, vec![self.outputs], role);
        let mut parameters = vec![parameter(&self.name, "conv.weight", kernels, Role::Weight)];
        if self.norm {
            parameters.extend([
                of_outputs("norm.weight", Role::Bias),
                of_outputs("norm.bias", Role::Bias),
                of_outputs("norm.running_mean", Role::Statistic),
                of_outputs("norm.running_var", Role::Statistic),
            ]);
        } else {
            parameters.push(of_outputs("conv.bias", Role::Bias));
        }
        parameters
    }
}
