//! Building an ONNX graph (onnx.proto, IR version 8), value by value.

use crate::protobuf::Message;
use std::str::FromStr;

/// The version of ONNX's operators that the graph uses; wonnx takes none later.
const OPSET: i64 = 15;

/// The version of the file's layout that belongs to [`OPSET`].
const IR_VERSION: i64 = 8;

/// The file's own description.
const DOC: &str =
    "A policy/value network for Hnefatafl; the metadata describes inputs and outputs.";

/// ONNX's numbers for types.
pub(super) const FLOAT: i64 = 1;
const INT32: i64 = 6;
const INT64: i64 = 7;
pub(super) const FLOAT16: i64 = 10;

/// A graph that is being built. Values are named; each node has one output and is named after it.
pub(super) struct Onnx(Message);

impl Onnx {
    pub(super) fn new() -> Self {
        Self(Message::default().text(2, "tafl"))
    }

    fn push(&mut self, tag: u32, message: Message) {
        self.0 = std::mem::take(&mut self.0).message(tag, message);
    }

    /// Declares an input (tag 11) or an output (tag 12) of 32-bit floats, `[batch, shape..]`.
    pub(super) fn declare(&mut self, tag: u32, name: &str, shape: &[usize], meaning: &str) {
        let lengths = Message::default().message(1, Message::default().text(2, "batch"));
        let lengths = lengths.each(shape, |it, &length| {
            it.message(1, Message::default().number(1, length as i64))
        });
        let tensor = Message::default().number(1, FLOAT).message(2, lengths);
        let value = Message::default()
            .text(1, name)
            .message(2, Message::default().message(1, tensor))
            .text(3, meaning);
        self.push(tag, value);
    }

    /// Adds a constant tensor of a type of ONNX's, given by its little-endian numbers.
    pub(super) fn constant(&mut self, name: &str, shape: &[usize], kind: i64, numbers: Vec<u8>) {
        let tensor = Message::default()
            .each(shape, |it, &length| it.number(1, length as i64))
            .number(2, kind)
            .text(8, name)
            .bytes(9, numbers);
        self.push(5, tensor);
    }

    /// Adds constant 32-bit floats.
    pub(super) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.constant(name, shape, FLOAT, bytes.collect());
    }

    /// Adds a value for each line: `name = Operator<attribute=1 list=1,2>(value, value)`, or a constant,
    /// `name = int64[2] 1,2`.
    pub(super) fn add(&mut self, lines: &str) {
        for (name, value) in lines.lines().filter_map(|line| line.split_once(" = ")) {
            match value.trim_end_matches(')').split_once('(') {
                Some((operator, inputs)) => self.node(name, operator, inputs),
                None => self.numbers(name, value),
            }
        }
    }

    fn node(&mut self, name: &str, operator: &str, inputs: &str) {
        let (operator, attributes) = operator.split_once('<').unwrap_or((operator, ""));
        let attributes = attributes.trim_end_matches('>').split_whitespace();
        let node = Message::default()
            .each(inputs.split(", "), |it, input| it.text(1, input))
            .text(2, name)
            .text(3, name)
            .text(4, operator)
            .each(attributes, |it, text| it.message(5, attribute(text)));
        self.push(1, node);
    }

    fn numbers(&mut self, name: &str, value: &str) {
        let (form, values) = value.split_once(' ').unwrap_or((value, ""));
        let (kind, shape) = form.split_once('[').unwrap_or((form, ""));
        let shape: Vec<usize> = list(shape.trim_end_matches(']'));
        let (kind, bytes) = match kind {
            "int32" => (INT32, bytes_of(values, i32::to_le_bytes)),
            "int64" => (INT64, bytes_of(values, i64::to_le_bytes)),
            _ => (FLOAT, bytes_of(values, f32::to_le_bytes)),
        };
        self.constant(name, &shape, kind, bytes);
    }

    /// Returns the file's bytes.
    pub(super) fn finish(self, metadata: &[(&str, String)]) -> Vec<u8> {
        let operators = Message::default().text(1, "").number(2, OPSET);
        let model = Message::default()
            .number(1, IR_VERSION)
            .text(2, "tafl")
            .text(3, env!("CARGO_PKG_VERSION"))
            .text(6, DOC)
            .message(7, self.0)
            .message(8, operators)
            .each(metadata, |it, (key, value)| {
                it.message(14, Message::default().text(1, key).text(2, value))
            });
        model.0
    }
}

/// Returns the numbers of a list with commas.
fn list<T: FromStr>(text: &str) -> Vec<T> {
    text.split(',').filter_map(|it| it.parse().ok()).collect()
}

fn bytes_of<T: FromStr, const N: usize>(text: &str, bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    list(text).into_iter().flat_map(bytes).collect()
}

/// Returns an attribute of one integer, `axis=1`, or of several, `pads=0,0,0,1`.
fn attribute(text: &str) -> Message {
    let (name, numbers) = text.split_once('=').unwrap_or((text, ""));
    let own = Message::default().text(1, name);
    match list(numbers)[..] {
        [number] => own.number(3, number).number(20, 2),
        ref numbers => own
            .each(numbers, |it, &number| it.number(8, number))
            .number(20, 7),
    }
}
