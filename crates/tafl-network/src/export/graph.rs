//! Building an ONNX graph, node by node.

use super::message::{
    Attribute, Dimension, FLOAT, Graph, INT, INT32, INT64, INTS, Initializer, Model, Node,
    OperatorSet, Property, Shape, TensorType, ValueInfo, ValueType,
};
use prost::Message;

/// The version of ONNX's operators that the graph uses.
const OPSET: i64 = 17;

/// The version of the file's layout that belongs to [`OPSET`].
const IR_VERSION: i64 = 8;

/// The file's own description.
const DOC: &str =
    "A policy/value network for Hnefatafl; the metadata describes inputs and outputs.";

/// The name of the dimension that is not fixed.
const BATCH: &str = "batch";

/// A graph that is being built. Values are named; each node has one output and is named after it.
#[derive(Default)]
pub(super) struct Builder {
    /// What the names of the network's own values begin with.
    prefix: &'static str,
    graph: Graph,
}

impl Builder {
    pub(super) fn new(prefix: &'static str) -> Self {
        let graph = Graph {
            name: "tafl".to_owned(),
            ..Graph::default()
        };
        Self { prefix, graph }
    }

    /// Returns the name of a value of the network itself.
    pub(super) fn own(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Adds an input of 32-bit floats, `[batch, shape..]`.
    pub(super) fn input(&mut self, name: &str, shape: &[usize], meaning: &str) {
        self.graph.inputs.push(value_info(name, shape, meaning));
    }

    /// Declares a value an output, `[batch, shape..]`.
    pub(super) fn output(&mut self, name: &str, shape: &[usize], meaning: &str) {
        self.graph.outputs.push(value_info(name, shape, meaning));
    }

    /// Adds constant integers, one dimension of them.
    pub(super) fn integers(&mut self, name: &str, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.initializer(name, &[values.len()], INT64, bytes.collect());
        name.to_owned()
    }

    /// Adds constant indices, one dimension of them.
    pub(super) fn indices(&mut self, name: &str, values: &[i32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.initializer(name, &[values.len()], INT32, bytes.collect());
        name.to_owned()
    }

    /// Adds constant 32-bit floats.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.initializer(name, shape, FLOAT, bytes.collect());
        name.to_owned()
    }

    /// Adds a constant tensor of a type of ONNX's.
    pub(super) fn initializer(
        &mut self,
        name: &str,
        shape: &[usize],
        data_type: i32,
        raw_data: Vec<u8>,
    ) {
        self.graph.initializers.push(Initializer {
            dims: shape.iter().map(|&length| length as i64).collect(),
            data_type,
            name: name.to_owned(),
            raw_data,
        });
    }

    /// Adds a node and returns its output's name.
    pub(super) fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: Vec<Attribute>,
    ) -> String {
        self.graph.nodes.push(Node {
            inputs: inputs.iter().map(|&name| name.to_owned()).collect(),
            outputs: vec![output.to_owned()],
            name: output.to_owned(),
            op_type: op.to_owned(),
            attributes,
        });
        output.to_owned()
    }

    /// Returns the file's bytes.
    pub(super) fn finish(self, metadata: &[(&str, String)]) -> Vec<u8> {
        let property = |(key, value): &(&str, String)| Property {
            key: (*key).to_owned(),
            value: value.clone(),
        };
        let model = Model {
            ir_version: IR_VERSION,
            producer_name: "tafl".to_owned(),
            producer_version: env!("CARGO_PKG_VERSION").to_owned(),
            doc_string: DOC.to_owned(),
            graph: Some(self.graph),
            opset_import: vec![OperatorSet {
                domain: String::new(),
                version: OPSET,
            }],
            metadata_props: metadata.iter().map(property).collect(),
        };
        model.encode_to_vec()
    }
}

/// Returns an attribute of one integer.
pub(super) fn int(name: &str, value: i64) -> Attribute {
    Attribute {
        name: name.to_owned(),
        int: Some(value),
        kind: INT,
        ..Attribute::default()
    }
}

/// Returns an attribute of some integers.
pub(super) fn ints(name: &str, values: &[i64]) -> Attribute {
    Attribute {
        name: name.to_owned(),
        ints: values.to_vec(),
        kind: INTS,
        ..Attribute::default()
    }
}

/// Returns what is said of an input or output of 32-bit floats, `[batch, shape..]`.
fn value_info(name: &str, shape: &[usize], meaning: &str) -> ValueInfo {
    let batch = Dimension {
        length: None,
        name: Some(BATCH.to_owned()),
    };
    let fixed = shape.iter().map(|&length| Dimension {
        length: Some(length as i64),
        name: None,
    });
    let shape = Shape {
        dims: std::iter::once(batch).chain(fixed).collect(),
    };
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(ValueType {
            tensor: Some(TensorType {
                element: FLOAT,
                shape: Some(shape),
            }),
        }),
        doc_string: meaning.to_owned(),
    }
}
