//! A network as the list of what it computes, for every program that computes it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of a network's input, `[batch, planes, size, size]`.
pub const INPUT: &str = "planes";

/// The outputs of a network that plays: logits of all moves, `[batch, policy_len]`; probabilities of win, draw and loss,
/// `[batch, 3]`; plies until the end, `[batch, 1]`.
pub const OUTPUTS: [&str; 3] = ["policy", "wdl", "moves_left"];

/// The value from which all outputs but the moves' logits come, `[batch, 5]`: logits of win, draw and loss, moves left before
/// its softplus, and the logit of the end of a chain.
pub const VALUES: &str = "value.output";

/// Plies per unit of moves left.
pub const MOVES_LEFT_SCALE: u32 = 40;

/// Numbers of [`VALUES`].
pub const VALUE_LEN: usize = 5;

/// The operations of a network, each after those whose values it takes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Graph {
    /// In the order in which their weights are drawn.
    pub operations: Vec<Operation>,
}

/// One step of a network's computation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The name of its value; those of its weights begin with it, as in `stem.conv.weight`.
    pub name: String,
    /// What it computes.
    pub kind: OperationKind,
    /// The values that it takes: [`INPUT`], or names of operations before it.
    pub from: Vec<String>,
}

/// What an operation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationKind {
    /// A convolution with zeros beyond the board, whose size stays.
    Convolution {
        /// Planes of its input.
        inputs: usize,
        /// Planes of its value.
        outputs: usize,
        /// Squares along a side of its kernel: 1 or 3.
        kernel: usize,
        /// Whether it has biases; none where a norm follows.
        bias: bool,
    },
    /// Batch norm of planes, with 1e-5 added to variances.
    Norm {
        /// How many there are.
        planes: usize,
    },
    /// Numbers below 0 become 0.
    Relu,
    /// The sum of two values.
    Add,
    /// Means of planes over the board, then their maxima: `[batch, 2 * planes]`.
    Pool,
    /// A linear layer.
    Linear {
        /// Numbers of its input.
        inputs: usize,
        /// Numbers of its value.
        outputs: usize,
    },
    /// Planes as one row of numbers, square by square: `[batch, squares * planes]`.
    Squares,
    /// Of a plane for each direction: for each square, direction and distance the direction's number on the square where such
    /// a move ends, 0 beyond the board: `[batch, squares * directions * (size - 1)]`.
    Destinations,
    /// Some numbers of a row.
    Columns {
        /// The first of them.
        first: usize,
        /// How many.
        count: usize,
    },
    /// Rows one behind the other.
    Concat,
    /// `ln(1 + exp(x))`.
    Softplus,
    /// Probabilities of a row of logits.
    Softmax,
    /// Its input, so many times.
    Times(u32),
}

/// What a tensor of a network is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A weight of a convolution or a linear layer; decays.
    Weight,
    /// A bias, or scale or shift of a batch norm; does not decay.
    Bias,
    /// A running mean or variance of a batch norm; has no gradient.
    Statistic,
}

/// One named tensor of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in files, such as `blocks.0.first.conv.weight`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// What it is for.
    pub role: Role,
}

impl Operation {
    /// Returns its tensors.
    pub fn parameters(&self) -> Vec<Parameter> {
        let tensor = |part: &str, shape: Vec<usize>, role| Parameter {
            name: format!("{}.{part}", self.name),
            shape,
            role,
        };
        match self.kind {
            OperationKind::Convolution {
                inputs,
                outputs,
                kernel,
                bias,
            } => {
                let shape = vec![outputs, inputs, kernel, kernel];
                let mut tensors = vec![tensor("weight", shape, Role::Weight)];
                tensors.extend(bias.then(|| tensor("bias", vec![outputs], Role::Bias)));
                tensors
            }
            OperationKind::Norm { planes } => [
                ("weight", Role::Bias),
                ("bias", Role::Bias),
                ("running_mean", Role::Statistic),
                ("running_var", Role::Statistic),
            ]
            .map(|(part, role)| tensor(part, vec![planes], role))
            .to_vec(),
            OperationKind::Linear { inputs, outputs } => vec![
                tensor("weight", vec![outputs, inputs], Role::Weight),
                tensor("bias", vec![outputs], Role::Bias),
            ],
            _ => Vec::new(),
        }
    }
}

impl Graph {
    /// Adds an operation and returns the name of its value.
    pub fn add(&mut self, name: &str, kind: OperationKind, from: &[&str]) -> String {
        self.operations.push(Operation {
            name: name.to_owned(),
            kind,
            from: from.iter().map(|&it| it.to_owned()).collect(),
        });
        name.to_owned()
    }

    /// Returns the operation of a value; none for [`INPUT`].
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|it| it.name == name)
    }

    /// Returns the operations that take a value.
    pub fn readers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Operation> {
        let operations = self.operations.iter();
        operations.filter(move |it| it.from.iter().any(|from| from == name))
    }

    /// Returns all tensors, in the order in which they are drawn.
    pub fn parameters(&self) -> Vec<Parameter> {
        let operations = self.operations.iter();
        operations.flat_map(Operation::parameters).collect()
    }

    /// Returns the operations that some values need, in the order in which they are computed: depth first, along the values
    /// that each takes. The order decides the last digits of gradients.
    pub fn needed(&self, values: &[&str]) -> Self {
        let (mut found, mut waiting) = (Self::default(), Vec::new());
        waiting.extend(values.iter().rev().map(|&name| (name, false)));
        let mut names = BTreeSet::new();
        while let Some((name, is_ready)) = waiting.pop() {
            let Some(operation) = self.operation(name).filter(|_| !names.contains(name)) else {
                continue;
            };
            if is_ready {
                names.insert(name);
                found.operations.push(operation.clone());
            } else {
                waiting.push((name, true));
                let from = operation.from.iter().rev();
                waiting.extend(from.map(|name| (&**name, false)));
            }
        }
        found
    }

    /// Returns the same graph with batch norms folded into the convolutions before them, which have biases then.
    pub fn folded(&self) -> Self {
        let is_norm = |it: &Operation| matches!(it.kind, OperationKind::Norm { .. });
        let operations = self.operations.iter().filter(|it| !is_norm(it)).cloned();
        let fold = |mut operation: Operation| {
            if let OperationKind::Convolution { bias, .. } = &mut operation.kind {
                *bias = true;
            }
            for from in &mut operation.from {
                if let Some(norm) = self.operation(from).filter(|it| is_norm(it)) {
                    from.clone_from(&norm.from[0]);
                }
            }
            operation
        };
        Self {
            operations: operations.map(fold).collect(),
        }
    }
}
