//! Building an ONNX graph (onnx.proto, IR version 8), node by node.

use prost::encoding::{bytes, int64, string};

/// The version of ONNX's operators that the graph uses.
const OPSET: i64 = 17;

/// The version of the file's layout that belongs to [`OPSET`].
const IR_VERSION: i64 = 8;

/// The file's own description.
const DOC: &str =
    "A policy/value network for Hnefatafl; the metadata describes inputs and outputs.";

/// The name of the dimension that is not fixed.
const BATCH: &str = "batch";

/// ONNX's number for 32-bit floats.
pub(super) const FLOAT: i64 = 1;
/// ONNX's number for 32-bit integers.
const INT32: i64 = 6;
/// ONNX's number for 64-bit integers.
const INT64: i64 = 7;
/// ONNX's number for 16-bit floats.
pub(super) const FLOAT16: i64 = 10;

/// A message of protocol buffers that is being written, field by field.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    fn number(mut self, tag: u32, value: i64) -> Self {
        int64::encode(tag, &value, &mut self.0);
        self
    }

    fn text(mut self, tag: u32, text: &str) -> Self {
        string::encode(tag, &text.to_owned(), &mut self.0);
        self
    }

    fn bytes(mut self, tag: u32, content: Vec<u8>) -> Self {
        bytes::encode(tag, &content, &mut self.0);
        self
    }

    fn message(self, tag: u32, message: Self) -> Self {
        self.bytes(tag, message.0)
    }

    fn each<T>(self, all: impl IntoIterator<Item = T>, add: impl Fn(Self, T) -> Self) -> Self {
        all.into_iter().fold(self, add)
    }
}

/// A graph that is being built. Values are named; each node has one output and is named after it.
pub(super) struct Builder {
    /// What the names of the network's own values begin with.
    prefix: &'static str,
    graph: Message,
}

impl Builder {
    pub(super) fn new(prefix: &'static str) -> Self {
        let graph = Message::default().text(2, "tafl");
        Self { prefix, graph }
    }

    /// Returns the name of a value of the network itself.
    pub(super) fn own(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn add(&mut self, tag: u32, message: Message) {
        self.graph = std::mem::take(&mut self.graph).message(tag, message);
    }

    /// Adds an input of 32-bit floats, `[batch, shape..]`.
    pub(super) fn input(&mut self, name: &str, shape: &[usize], meaning: &str) {
        self.add(11, value_info(name, shape, meaning));
    }

    /// Declares a value an output, `[batch, shape..]`.
    pub(super) fn output(&mut self, name: &str, shape: &[usize], meaning: &str) {
        self.add(12, value_info(name, shape, meaning));
    }

    /// Adds constant integers, one dimension of them.
    pub(super) fn integers(&mut self, name: &str, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.initializer(name, &[values.len()], INT64, bytes.collect())
    }

    /// Adds constant indices, one dimension of them.
    pub(super) fn indices(&mut self, name: &str, values: &[i32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.initializer(name, &[values.len()], INT32, bytes.collect())
    }

    /// Adds constant 32-bit floats.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.initializer(name, shape, FLOAT, bytes.collect())
    }

    /// Adds a constant tensor of a type of ONNX's, given by its little-endian numbers, and returns its name.
    pub(super) fn initializer(
        &mut self,
        name: &str,
        shape: &[usize],
        kind: i64,
        numbers: Vec<u8>,
    ) -> String {
        let tensor = Message::default()
            .each(shape, |it, &length| it.number(1, length as i64))
            .number(2, kind)
            .text(8, name)
            .bytes(9, numbers);
        self.add(5, tensor);
        name.to_owned()
    }

    /// Adds a node and returns its output's name.
    pub(super) fn node(
        &mut self,
        op: &str,
        inputs: &[&str],
        output: &str,
        attributes: Vec<Message>,
    ) -> String {
        let node = Message::default()
            .each(inputs, |it, name| it.text(1, name))
            .text(2, output)
            .text(3, output)
            .text(4, op)
            .each(attributes, |it, attribute| it.message(5, attribute));
        self.add(1, node);
        output.to_owned()
    }

    /// Returns the file's bytes.
    pub(super) fn finish(self, metadata: &[(&str, String)]) -> Vec<u8> {
        let operators = Message::default().text(1, "").number(2, OPSET);
        let model = Message::default()
            .number(1, IR_VERSION)
            .text(2, "tafl")
            .text(3, env!("CARGO_PKG_VERSION"))
            .text(6, DOC)
            .message(7, self.graph)
            .message(8, operators)
            .each(metadata, |it, (key, value)| {
                it.message(14, Message::default().text(1, key).text(2, value))
            });
        model.0
    }
}

/// Returns an attribute of one integer.
pub(super) fn int(name: &str, value: i64) -> Message {
    let attribute = Message::default().text(1, name).number(3, value);
    attribute.number(20, 2)
}

/// Returns an attribute of some integers.
pub(super) fn ints(name: &str, values: &[i64]) -> Message {
    let attribute = Message::default().text(1, name);
    let attribute = attribute.each(values, |it, &value| it.number(8, value));
    attribute.number(20, 7)
}

/// Returns what is said of an input or output of 32-bit floats, `[batch, shape..]`.
fn value_info(name: &str, shape: &[usize], meaning: &str) -> Message {
    let batch = Message::default().text(2, BATCH);
    let shape = Message::default()
        .message(1, batch)
        .each(shape, |it, &length| {
            it.message(1, Message::default().number(1, length as i64))
        });
    let tensor = Message::default().number(1, FLOAT).message(2, shape);
    Message::default()
        .text(1, name)
        .message(2, Message::default().message(1, tensor))
        .text(3, meaning)
}
