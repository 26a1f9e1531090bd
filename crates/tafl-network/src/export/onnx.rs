//! The network as an ONNX graph.

use super::card::OutputCard;
use super::graph::{FLOAT, FLOAT16, Onnx};
use super::job::StoredAs;
use super::stored::Stored;
use super::taflzero::{Adapter, PLANES as TAFLZERO_PLANES};
use super::text::operation_in;
use minijinja::value::Serde;
use minijinja::{Error, Value, context};
use serde::Serialize;
use tafl_graph::{Graph, INPUT, OUTPUTS, Operation, OperationKind, Parameter};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// Returns an ONNX file of the network with these outputs and metadata; with an adapter, with the inputs of `TaflZero`, too.
pub(super) fn write(
    stored: &Stored,
    shape: BoardShape,
    adapter: Option<&Adapter>,
    outputs: &[OutputCard],
    metadata: &[(&'static str, String)],
) -> Result<Vec<u8>, Error> {
    let size = usize::from(shape.size());
    let mut graph = Onnx::new();
    let (planes, meaning, prefix) = match adapter {
        None => (
            PLANES,
            "the planes that the metadata `planes` names; ranks, then files",
            "",
        ),
        Some(_) => (TAFLZERO_PLANES, "the base planes of TaflZero", "own/"),
    };
    graph.declare(11, INPUT, &[planes, size, size], meaning);
    if let Some(adapter) = adapter {
        adapter.add_planes(&mut graph);
    }
    let directions = Value::from(Serde(shifts(size)));
    let needed = stored.graph.needed(&OUTPUTS);
    for operation in &needed.operations {
        if is_taken_apart(&needed, operation) {
            continue;
        }
        let part = Part::of(&needed, operation);
        part.add_weights(&mut graph, stored);
        let own = |name: &String| format!("{prefix}{name}");
        let from: Vec<String> = part.operation.from.iter().map(own).collect();
        let value = own(&operation.name);
        let directions = directions.clone();
        let values = context! { value, x => from[0].clone(), from, directions, size };
        graph.add(&operation_in("onnx", &part.operation, values)?);
    }
    if let Some(adapter) = adapter {
        adapter.add_outputs(&mut graph);
    }
    for OutputCard { name, len, meaning } in outputs {
        graph.declare(12, name, &[*len], meaning);
    }
    Ok(graph.finish(metadata))
}

/// Whether an operation is a linear layer of which only some numbers at a time are taken.
fn is_taken_apart(graph: &Graph, operation: &Operation) -> bool {
    let is_columns = |it: &Operation| matches!(it.kind, OperationKind::Columns { .. });
    matches!(operation.kind, OperationKind::Linear { .. })
        && graph.readers(&operation.name).all(is_columns)
}

/// An operation as it stands in the file. Some numbers of a linear layer are a layer of their own: whoever quantizes it gives
/// each a scale of its own, and few engines lack Gemm.
struct Part<'a> {
    operation: Operation,
    /// The operation that the weights belong to, and the first of its outputs.
    whole: &'a str,
    first: usize,
}

impl<'a> Part<'a> {
    fn of(graph: &'a Graph, operation: &'a Operation) -> Self {
        let mut part = Self {
            operation: operation.clone(),
            whole: &operation.name,
            first: 0,
        };
        if let OperationKind::Columns { first, count } = operation.kind
            && let Some(linear) = graph.operation(&operation.from[0])
            && let OperationKind::Linear { inputs, .. } = linear.kind
        {
            (part.whole, part.first) = (&linear.name, first);
            part.operation.from.clone_from(&linear.from);
            part.operation.kind = OperationKind::Linear {
                inputs,
                outputs: count,
            };
        }
        part
    }

    fn add_weights(&self, graph: &mut Onnx, stored: &Stored) {
        for Parameter { name, shape, .. } in self.operation.parameters() {
            let mut shape = shape;
            let bytes = stored.bytes(&name.replacen(&self.operation.name, self.whole, 1));
            let width = stored.precision.bytes();
            let row = shape[1..].iter().product::<usize>() * width;
            let rows = self.first * row..(self.first + shape[0]) * row;
            let mut bytes = bytes[rows].to_vec();
            if shape.len() == 2 {
                // Input by input: wonnx lacks Gemm's `transB`.
                let column = |at| bytes.chunks(row).flat_map(move |row| &row[at..at + width]);
                bytes = (0..row).step_by(width).flat_map(column).copied().collect();
                shape.reverse();
            }
            match stored.precision {
                StoredAs::F32 => graph.constant(&name, &shape, FLOAT, bytes),
                StoredAs::F16 => {
                    // Arithmetic is in 32 bits.
                    graph.constant(&format!("{name}.f16"), &shape, FLOAT16, bytes);
                    graph.add(&format!("{name} = Cast<to={FLOAT}>({name}.f16)"));
                }
            }
        }
    }
}

/// A convolution that has, of the plane of a direction, the numbers that lie 1, 2, .. squares further in that direction.
#[derive(Serialize)]
struct Shift {
    name: &'static str,
    shape: String,
    kernel: String,
    pads: String,
    numbers: String,
}

/// Returns the shifts of all directions: no index of a move is needed, which few engines take.
fn shifts(size: usize) -> Vec<Shift> {
    let shift = |(number, name): (usize, &'static str)| {
        let is_forward = number < 2;
        let kernel = if number % 2 == 0 {
            [size, 1]
        } else {
            [1, size]
        };
        // Zeros lie behind the edge that is moved to: above, right, below, left.
        let mut pads = [0; 4];
        pads[[2, 3, 0, 1][number]] = size - 1;
        let numbers = (1..size).flat_map(|distance| {
            let tap = if is_forward {
                distance
            } else {
                size - 1 - distance
            };
            (0..4 * size).map(move |place| u8::from(place == number * size + tap))
        });
        Shift {
            name,
            shape: format!("{},4,{}", size - 1, joined(kernel)),
            kernel: joined(kernel),
            pads: joined(pads),
            numbers: joined(numbers),
        }
    };
    let names = ["up", "right", "down", "left"];
    names.into_iter().enumerate().map(shift).collect()
}

fn joined<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    let numbers = numbers.into_iter().map(|it| it.to_string());
    numbers.collect::<Vec<_>>().join(",")
}
