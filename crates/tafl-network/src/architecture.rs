//! The network: its size, and all that it computes. A new layer is written here alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tafl_graph::{
    Graph, INPUT, MOVES_LEFT_SCALE, OUTPUTS, OperationKind, Parameter, Plan, Role, VALUE_LEN,
    VALUES,
};
use tafl_rules::{BoardShape, Direction, Move, PolicyIndex};
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

/// Convolutions whose planes are read: two of the policy head, one of the value head.
pub(crate) const HEADS: usize = 3;

/// The outputs that are learned: logits of moves, `[batch, policy_len]`; of win, draw and loss, `[batch, 3]`; moves left in
/// units of [`MOVES_LEFT_SCALE`], `[batch, 1]`.
pub(crate) const LEARNED: [&str; 3] = [OUTPUTS[0], "wdl.logits", "moves_left.units"];

/// The output of the auxiliary head: logits of the other side's next move, `[batch, policy_len - 1]`; it is never `end`.
pub(crate) const REPLY: &str = "reply";

/// The layer with a plane for each direction, which formats before 6 did not have.
pub(crate) const DESTINATIONS: &str = "destinations";

/// A graph that is being written.
#[derive(Default)]
struct Layers(Graph);

impl Layers {
    fn convolution(
        &mut self,
        name: &str,
        from: &str,
        [inputs, outputs]: [usize; 2],
        kernel: usize,
        bias: bool,
    ) -> String {
        let kind = OperationKind::Convolution {
            inputs,
            outputs,
            kernel,
            bias,
        };
        self.0.add(&format!("{name}.conv"), kind, &[from])
    }

    /// Adds a convolution with a batch norm.
    fn normed(&mut self, name: &str, from: &str, planes: [usize; 2], kernel: usize) -> String {
        let conv = self.convolution(name, from, planes, kernel, false);
        let kind = OperationKind::Norm { planes: planes[1] };
        self.0.add(&format!("{name}.norm"), kind, &[&conv])
    }

    fn relu(&mut self, name: &str, from: &str) -> String {
        self.0
            .add(&format!("{name}.relu"), OperationKind::Relu, &[from])
    }

    fn linear(&mut self, name: &str, from: &str, [inputs, outputs]: [usize; 2]) -> String {
        self.0
            .add(name, OperationKind::Linear { inputs, outputs }, &[from])
    }

    fn columns(&mut self, name: &str, first: usize, count: usize) -> String {
        self.0
            .add(name, OperationKind::Columns { first, count }, &[VALUES])
    }
}

/// Weights that a network cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// A network of another size.
    #[error("network size: expected {expected}, found {found}")]
    OtherSize {
        /// Its size.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// A variance below 0, of which there is no root.
    #[error("tensor {0} holds a variance below 0")]
    NegativeVariance(String),
    /// A weight is infinite or no number.
    #[error("tensor {0} holds a value that is not a finite number")]
    NotFinite(String),
}

impl Architecture {
    /// Returns how many convolutions there are besides those of the heads, see [`Network::ranges`](crate::Network::ranges).
    pub(crate) fn tower_len(&self) -> usize {
        let plan = Plan::new(&self.graph().folded());
        plan.map_or(0, |plan| plan.units.len() - HEADS)
    }

    /// Returns the architecture of a network for a board, without auxiliary heads.
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

    /// Returns that another network, from which weights were to come, has another size.
    pub(crate) fn other_size(&self, found: &Self) -> Option<WeightsError> {
        let words = |it: &Self| {
            let (size, it) = (it.board_size, it.network);
            format!(
                "{}x{} for {size}x{size} (value head {}, {})",
                it.blocks, it.channels, it.value_channels, it.value_hidden
            )
        };
        let is_other = self.board_size != found.board_size || self.network != found.network;
        is_other.then(|| WeightsError::OtherSize {
            found: words(found),
            expected: words(self),
        })
    }

    pub(crate) fn shape(&self) -> Option<BoardShape> {
        BoardShape::new(self.board_size)
    }

    /// Returns the files (and ranks) of the board.
    pub const fn size(&self) -> usize {
        self.board_size as usize
    }

    /// Returns the squares of the board.
    pub const fn squares(&self) -> usize {
        self.size() * self.size()
    }

    /// Returns the policy outputs of one square: 4 directions, `size - 1` distances.
    pub(crate) const fn moves_per_square(&self) -> usize {
        4 * (self.size() - 1)
    }

    /// Returns the number of policy outputs, `end` included; [`BoardShape::policy_len`].
    pub const fn policy_len(&self) -> usize {
        self.squares() * self.moves_per_square() + 1
    }

    /// Returns all that the network computes.
    ///
    /// A stem of one 3x3 convolution, residual blocks of two (He et al. 2016, batch norm and rectifier as in AlphaZero),
    /// and two heads of 1x1 convolutions. The policy head has a plane for each direction and distance, so that its planes,
    /// square by square, are in the order of [`tafl_rules::PolicyIndex`], and one for each direction whose number on the
    /// square where a move ends is added: a pattern around that square is learned once, not for each distance. The value
    /// head pools its planes to means and maxima; from these come win, draw and loss, moves left, and the logit of `end`.
    ///
    /// An auxiliary head says what the other side answers. It only shapes the tower (Wu 2019); play leaves it out.
    pub fn graph(&self) -> Graph {
        let mut net = Layers::default();
        let (channels, moves) = (self.network.channels as usize, self.moves_per_square());
        let stem = net.normed("stem", INPUT, [self.planes as usize, channels], 3);
        let mut h = net.relu("stem", &stem);
        for block in 0..self.network.blocks {
            let name = format!("blocks.{block}");
            let [first, second] = ["first", "second"].map(|part| format!("{name}.{part}"));
            let t = net.normed(&first, &h, [channels; 2], 3);
            let t = net.relu(&first, &t);
            let t = net.normed(&second, &t, [channels; 2], 3);
            let sum = net
                .0
                .add(&format!("{name}.sum"), OperationKind::Add, &[&t, &h]);
            h = net.relu(&name, &sum);
        }
        let leaving = net.convolution("policy", &h, [channels, moves], 1, true);
        let leaving = net
            .0
            .add("policy.leaving", OperationKind::Squares, &[&leaving]);
        let directions = [channels, Direction::ALL.len()];
        let arriving = net.convolution(DESTINATIONS, &h, directions, 1, true);
        let kind = OperationKind::Destinations;
        let arriving = net.0.add("policy.arriving", kind, &[&arriving]);
        let moves_logits = [&*arriving, &*leaving];
        let policy = net.0.add("policy.moves", OperationKind::Add, &moves_logits);
        self.value_head(&mut net, &h);
        let end = net.columns("policy.end", VALUE_LEN - 1, 1);
        net.0
            .add(LEARNED[0], OperationKind::Concat, &[&policy, &end]);
        if self.auxiliary.reply {
            let reply = net.convolution(REPLY, &h, [channels, moves], 1, true);
            net.0.add(REPLY, OperationKind::Squares, &[&reply]);
        }
        net.0
    }

    /// Adds what becomes of the tower's planes `h` in the value head.
    fn value_head(&self, net: &mut Layers, h: &str) {
        let NetworkConfig {
            channels,
            value_channels,
            value_hidden,
            ..
        } = self.network;
        let (planes, hidden) = (value_channels as usize, value_hidden as usize);
        let value = net.normed("value", h, [channels as usize, planes], 1);
        let value = net.relu("value", &value);
        let pooled = net.0.add("value.pooled", OperationKind::Pool, &[&value]);
        let t = net.linear("value.hidden", &pooled, [2 * planes, hidden]);
        let t = net.relu("value.hidden", &t);
        net.linear(VALUES, &t, [hidden, VALUE_LEN]);
        let wdl = net.columns(LEARNED[1], 0, 3);
        net.0.add(OUTPUTS[1], OperationKind::Softmax, &[&wdl]);
        let units = net.columns("moves_left.raw", 3, 1);
        let units = net.0.add(LEARNED[2], OperationKind::Softplus, &[&units]);
        net.0.add(
            OUTPUTS[2],
            OperationKind::Times(MOVES_LEFT_SCALE),
            &[&units],
        );
    }

    /// Returns the number of learned numbers, running statistics left out.
    pub fn parameter_count(&self) -> u64 {
        let parameters = self.parameters();
        let learned = parameters.iter().filter(|it| it.role != Role::Statistic);
        learned
            .map(|it| it.shape.iter().product::<usize>() as u64)
            .sum()
    }

    /// Returns every tensor of the network, in the order in which they are drawn.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        self.graph().parameters()
    }
}

/// Returns, for each policy output but `end`, its place among the planes of destinations, `[directions, squares]`,
/// or the place behind them where the move would leave the board.
pub(crate) fn destinations(shape: BoardShape) -> Vec<i32> {
    let squares = shape.squares();
    let place = |output: u16| {
        let mv = Move::from_policy_index(PolicyIndex(output), shape);
        let place = mv.map(|mv| mv.direction() as usize * squares + shape.index(mv.to()));
        place.unwrap_or(Direction::ALL.len() * squares) as i32
    };
    (0..shape.policy_len() as u16 - 1).map(place).collect()
}
