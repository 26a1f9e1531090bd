//! The network as an ONNX graph.

use super::graph::{Builder, FLOAT, FLOAT16, int, ints};
use super::job::{OutputCard, StoredAs};
use super::stored::Stored;
use super::taflzero::{Adapter, PLANES as TAFLZERO_PLANES};
use crate::architecture::destinations;
use tafl_graph::{INPUT, OUTPUTS, Operation, OperationKind};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// Returns an ONNX file of the network, with the inputs and outputs of `TaflZero` if there is an adapter to them.
pub(super) fn write(
    stored: &Stored,
    shape: BoardShape,
    (adapter, outputs): (Option<&Adapter>, &[OutputCard; 3]),
    metadata: &[(&str, String)],
) -> Vec<u8> {
    let size = usize::from(shape.size());
    let prefix = if adapter.is_some() { "own/" } else { "" };
    let mut builder = Builder::new(prefix);
    let (planes, meaning) = match adapter {
        None => (
            PLANES,
            "the planes that the metadata `planes` names; ranks, then files",
        ),
        Some(_) => (TAFLZERO_PLANES, "the base planes of TaflZero"),
    };
    builder.input(INPUT, &[planes, size, size], meaning);
    if let Some(adapter) = adapter {
        adapter.add_planes(&mut builder, size);
    }
    add_network(&mut builder, stored, shape);
    if let Some(adapter) = adapter {
        adapter.add_outputs(&mut builder);
    }
    for OutputCard { name, len, meaning } in outputs {
        builder.output(name, &[*len], meaning);
    }
    builder.finish(metadata)
}

/// Adds the network, with its weights.
fn add_network(builder: &mut Builder, stored: &Stored, shape: BoardShape) {
    for weight in &stored.weights {
        let bytes = stored.bytes(weight);
        match stored.precision {
            StoredAs::F32 => {
                builder.initializer(&weight.name, &weight.shape, FLOAT, bytes);
            }
            StoredAs::F16 => {
                // Arithmetic is in 32 bits.
                let half = format!("{}.f16", weight.name);
                builder.initializer(&half, &weight.shape, FLOAT16, bytes);
                builder.node("Cast", &[&half], &weight.name, vec![int("to", FLOAT)]);
            }
        }
    }
    for operation in stored.graph.needed(&OUTPUTS).operations {
        add(builder, &operation, shape);
    }
}

/// Adds an operation.
fn add(builder: &mut Builder, operation: &Operation, shape: BoardShape) {
    let name = builder.own(&operation.name);
    let from: Vec<String> = operation
        .from
        .iter()
        .map(|name| builder.own(name))
        .collect();
    let mut from: Vec<&str> = from.iter().map(String::as_str).collect();
    let parameters = operation.parameters();
    from.extend(parameters.iter().map(|parameter| &*parameter.name));
    let axis = || vec![int("axis", 1)];
    let part = |part: &str| format!("{name}.{part}");
    match operation.kind {
        OperationKind::Convolution { kernel, .. } => {
            let kernel = kernel as i64;
            let pads = ints("pads", &[kernel / 2; 4]);
            let attributes = vec![ints("kernel_shape", &[kernel; 2]), pads];
            builder.node("Conv", &from, &name, attributes)
        }
        OperationKind::Norm { .. } => builder.node("BatchNormalization", &from, &name, vec![]),
        OperationKind::Relu => builder.node("Relu", &from, &name, vec![]),
        OperationKind::Add => builder.node("Add", &from, &name, vec![]),
        OperationKind::Pool => {
            let pool = || vec![ints("axes", &[2, 3]), int("keepdims", 0)];
            let mean = builder.node("ReduceMean", &from, &part("mean"), pool());
            let most = builder.node("ReduceMax", &from, &part("most"), pool());
            builder.node("Concat", &[&mean, &most], &name, axis())
        }
        OperationKind::Linear { .. } => builder.node("Gemm", &from, &name, vec![int("transB", 1)]),
        OperationKind::Squares => {
            let order = vec![ints("perm", &[0, 2, 3, 1])];
            let squares = builder.node("Transpose", &from, &part("squares"), order);
            builder.node("Flatten", &[&squares], &name, axis())
        }
        OperationKind::Destinations => {
            // One row of numbers for each position, with a 0 behind them for moves that leave the board.
            let rows = builder.node("Flatten", &from, &part("flat"), axis());
            let pads = builder.integers(&part("pads"), &[0, 0, 0, 1]);
            let padded = builder.node("Pad", &[&rows, &pads], &part("padded"), vec![]);
            let places = builder.indices(&part("places"), &destinations(shape));
            builder.node("Gather", &[&padded, &places], &name, axis())
        }
        OperationKind::Columns { first, count } => {
            let bounds = [("from", first), ("to", first + count), ("axis", 1)];
            let [first, last, axis] =
                bounds.map(|(bound, number)| builder.integers(&part(bound), &[number as i64]));
            builder.node("Slice", &[from[0], &first, &last, &axis], &name, vec![])
        }
        OperationKind::Concat => builder.node("Concat", &from, &name, axis()),
        OperationKind::Softplus => builder.node("Softplus", &from, &name, vec![]),
        OperationKind::Softmax => builder.node("Softmax", &from, &name, axis()),
        OperationKind::Times(factor) => {
            let factor = builder.floats(&part("factor"), &[], &[factor as f32]);
            builder.node("Mul", &[from[0], &factor], &name, vec![])
        }
    };
}
