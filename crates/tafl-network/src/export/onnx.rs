//! The network as an ONNX graph.

use super::graph::{Builder, int, ints};
use super::job::{ExportError, StoredAs};
use super::lines;
use super::taflzero::{Adapter, DIRECTIONS, LINES, MOVES_LEFT_PLIES, PLANES as TAFLZERO_PLANES};
use super::weights::{Weight, play_weights};
use crate::Network;
use crate::architecture::DESTINATIONS;
use crate::model::MOVES_LEFT_SCALE;
use serde::Serialize;
use std::collections::BTreeMap;
use tafl_rules::Direction;
use tafl_samples::PLANES;

/// The input's name.
pub(super) const INPUT: &str = "planes";

/// The outputs' names: logits, win/draw/loss probabilities, plies.
pub(super) const OUTPUTS: [&str; 3] = ["policy", "wdl", "moves_left"];

/// An output of an exported network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutputCard {
    /// Its name.
    pub name: &'static str,
    /// Numbers of each position.
    pub len: usize,
    /// What they mean.
    pub meaning: &'static str,
}

/// Returns the outputs of a file, in order.
pub(super) fn outputs(network: &Network, adapter: Option<&Adapter>) -> [OutputCard; 3] {
    let logits =
        "logits of all moves, legal or not: leave out the illegal ones, then take the softmax";
    let outputs = match adapter {
        Some(adapter) => [
            ("policy", adapter.policy_len(), logits),
            (
                "value",
                1,
                "expected result of the side to move, from -1 (loss) to 1 (win)",
            ),
            ("moves_left", 1, "plies until the game ends, divided by 100"),
        ],
        None => [
            (OUTPUTS[0], network.architecture().policy_len(), logits),
            (
                OUTPUTS[1],
                3,
                "win, draw and loss of the side to move, probabilities",
            ),
            (OUTPUTS[2], 1, "plies until the game ends"),
        ],
    };
    outputs.map(|(name, len, meaning)| OutputCard { name, len, meaning })
}

/// What the graph is made of while it is being written.
struct Writer<'a> {
    builder: Builder,
    weights: BTreeMap<String, Weight>,
    network: &'a Network,
    adapter: Option<&'a Adapter>,
}

/// Returns an ONNX file of the network, with the inputs and outputs of `TaflZero` if there is an adapter to them.
pub(super) fn write(
    network: &Network,
    stored: StoredAs,
    adapter: Option<&Adapter>,
    metadata: &[(&str, String)],
) -> Result<Vec<u8>, ExportError> {
    let weights = play_weights(network);
    let mut writer = Writer {
        builder: Builder::new("tafl", stored),
        weights: weights.into_iter().map(|w| (w.name.clone(), w)).collect(),
        network,
        adapter,
    };
    let planes = writer.input();
    let h = writer.tower(&planes)?;
    let policy = writer.policy(&h)?;
    let values = writer.values(&h)?;
    match adapter {
        None => writer.outputs(&policy, &values),
        Some(_) => writer.taflzero_outputs(&values),
    }
    for OutputCard { name, len, meaning } in outputs(network, adapter) {
        writer.builder.output(name, &[len], meaning);
    }
    Ok(writer.builder.finish(metadata))
}

impl Writer<'_> {
    /// Adds the input and returns the planes that the network reads.
    fn input(&mut self) -> String {
        let size = self.network.architecture().size();
        let (planes, meaning) = match self.adapter {
            None => (
                PLANES,
                "the planes that the metadata `planes` names; ranks, then files",
            ),
            Some(_) => (TAFLZERO_PLANES, "the base planes of TaflZero"),
        };
        self.builder.input(INPUT, &[planes, size, size], meaning);
        let Some(adapter) = self.adapter else {
            return INPUT.to_owned();
        };
        let (weight, bias) = (&adapter.weight, &adapter.bias);
        let builder = &mut self.builder;
        let told = lines::mix(builder, "adapter", INPUT, weight, bias);
        let walked = lines::add(builder, INPUT, size, adapter.lines());
        let mut own = told;
        for (walked, names) in walked.into_iter().zip(LINES) {
            let places = Adapter::places(names);
            let placed = format!("{walked}.own");
            let placed = lines::mix(builder, &placed, &walked, &places, &[0.0; PLANES]);
            own = builder.node("Add", &[&own, &placed], &format!("{placed}.sum"), vec![]);
        }
        own
    }

    /// Adds weight and bias of a layer and returns their names.
    fn pair(&mut self, layer: &str) -> Result<[String; 2], ExportError> {
        let [weight, bias] = ["weight", "bias"].map(|part| format!("{layer}.{part}"));
        let names = [
            self.builder.weight(&self.weights[&weight])?,
            self.builder.weight(&self.weights[&bias])?,
        ];
        Ok(names)
    }

    fn convolve(&mut self, layer: &str, from: &str) -> Result<String, ExportError> {
        let [weight, bias] = self.pair(layer)?;
        let kernel = self.weights[&weight].shape[2] as i64;
        let attributes = vec![
            ints("kernel_shape", &[kernel; 2]),
            ints("pads", &[kernel / 2; 4]),
        ];
        let output = format!("{layer}.out");
        Ok(self
            .builder
            .node("Conv", &[from, &weight, &bias], &output, attributes))
    }

    fn relu(&mut self, from: &str) -> String {
        self.builder
            .node("Relu", &[from], &format!("{from}.relu"), vec![])
    }

    fn tower(&mut self, planes: &str) -> Result<String, ExportError> {
        let stem = self.convolve("stem", planes)?;
        let mut h = self.relu(&stem);
        for block in 0..self.network.architecture().network.blocks {
            let first = self.convolve(&format!("blocks.{block}.first"), &h)?;
            let first = self.relu(&first);
            let second = self.convolve(&format!("blocks.{block}.second"), &first)?;
            let sum = format!("blocks.{block}.sum");
            let sum = self.builder.node("Add", &[&second, &h], &sum, vec![]);
            h = self.relu(&sum);
        }
        Ok(h)
    }

    /// Adds the logits of moves, `[batch, policy_len - 1]`.
    fn policy(&mut self, h: &str) -> Result<String, ExportError> {
        let architecture = *self.network.architecture();
        if let Some(adapter) = self.adapter {
            for layer in ["policy", DESTINATIONS] {
                for part in ["weight", "bias"] {
                    let weight = self.weights.get_mut(&format!("{layer}.{part}"));
                    weight.into_iter().for_each(|weight| adapter.turn(weight));
                }
            }
        }
        let directions = self.adapter.map_or(Direction::ALL, |_| DIRECTIONS);
        let planes = self.convolve("policy", h)?;
        let ends = self.convolve(DESTINATIONS, h)?;
        let builder = &mut self.builder;
        // One row of numbers for each position, with a 0 behind them for moves that leave the board.
        let part = |name: &str| format!("{DESTINATIONS}.{name}");
        let axis = vec![int("axis", 1)];
        let ends = builder.node("Flatten", &[&ends], &part("flat"), axis.clone());
        let pads = builder.integers(&part("pads"), &[0, 0, 0, 1]);
        let ends = builder.node("Pad", &[&ends, &pads], &part("padded"), vec![]);
        let places = builder.indices(&part("places"), &architecture.destinations(directions));
        let ends = builder.node("Gather", &[&ends, &places], &part("moves"), axis);
        let order = vec![ints("perm", &[0, 2, 3, 1])];
        let squares = builder.node("Transpose", &[&planes], "policy.squares", order);
        let len = architecture.policy_len() as i64 - 1;
        let shape = builder.integers("policy.shape", &[-1, len]);
        let leaving = builder.node("Reshape", &[&squares, &shape], "policy.leaving", vec![]);
        let output = if self.adapter.is_some() {
            "policy"
        } else {
            "policy.moves"
        };
        Ok(builder.node("Add", &[&leaving, &ends], output, vec![]))
    }

    /// Adds what the value head puts out, `[batch, VALUE_OUTPUTS]`.
    fn values(&mut self, h: &str) -> Result<String, ExportError> {
        let planes = self.convolve("value", h)?;
        let planes = self.relu(&planes);
        let pool = || vec![ints("axes", &[2, 3]), int("keepdims", 0)];
        let builder = &mut self.builder;
        let mean = builder.node("ReduceMean", &[&planes], "value.mean", pool());
        let most = builder.node("ReduceMax", &[&planes], "value.most", pool());
        let axis = vec![int("axis", 1)];
        let pooled = builder.node("Concat", &[&mean, &most], "value.pooled", axis);
        let hidden = self.linear("value.hidden", &pooled)?;
        let hidden = self.relu(&hidden);
        self.linear("value.output", &hidden)
    }

    fn linear(&mut self, layer: &str, from: &str) -> Result<String, ExportError> {
        let [weight, bias] = self.pair(layer)?;
        let output = format!("{layer}.out");
        let transposed = vec![int("transB", 1)];
        Ok(self
            .builder
            .node("Gemm", &[from, &weight, &bias], &output, transposed))
    }

    fn probabilities(&mut self, values: &str, output: &str) -> String {
        let logits = self.builder.columns(values, "wdl.logits", 0, 3);
        let axis = vec![int("axis", 1)];
        self.builder.node("Softmax", &[&logits], output, axis)
    }

    /// Adds the moves left, in units of a number of plies.
    fn moves_left(&mut self, values: &str, plies: f32) {
        let builder = &mut self.builder;
        let raw = builder.columns(values, "moves_left.raw", 3, 4);
        let units = builder.node("Softplus", &[&raw], "moves_left.units", vec![]);
        let scale = builder.floats("moves_left.scale", &[], &[MOVES_LEFT_SCALE / plies]);
        builder.node("Mul", &[&units, &scale], "moves_left", vec![]);
    }

    fn outputs(&mut self, policy: &str, values: &str) {
        let end = self.builder.columns(values, "policy.end", 4, 5);
        let axis = vec![int("axis", 1)];
        self.builder
            .node("Concat", &[policy, &end], OUTPUTS[0], axis);
        self.probabilities(values, OUTPUTS[1]);
        self.moves_left(values, 1.0);
    }

    fn taflzero_outputs(&mut self, values: &str) {
        let wdl = self.probabilities(values, "wdl");
        let weight = self
            .builder
            .floats("value.sign", &[3, 1], &[1.0, 0.0, -1.0]);
        self.builder.node("Gemm", &[&wdl, &weight], "value", vec![]);
        self.moves_left(values, MOVES_LEFT_PLIES);
    }
}
