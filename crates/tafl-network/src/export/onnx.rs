//! The network as an ONNX graph.

use super::card::{Card, OutputCard};
use super::graph::{FLOAT, FLOAT16, Onnx};
use super::job::StoredAs;
use super::stored::Stored;
use super::taflzero::{Adapter, PLANES as TAFLZERO_PLANES};
use super::text::operation_in;
use crate::architecture::destinations;
use minijinja::{Error, Value, context};
use tafl_graph::{INPUT, OUTPUTS, Parameter};
use tafl_rules::BoardShape;
use tafl_samples::PLANES;

/// Returns an ONNX file of the network, with the inputs and outputs of `TaflZero` if there is an adapter to them.
pub(super) fn write(
    stored: &Stored,
    shape: BoardShape,
    adapter: Option<&Adapter>,
    card: &Card,
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
    for Parameter { name, shape, .. } in stored.graph.parameters() {
        let bytes = stored.bytes(&name);
        match stored.precision {
            StoredAs::F32 => graph.constant(&name, &shape, FLOAT, bytes),
            StoredAs::F16 => {
                // Arithmetic is in 32 bits.
                graph.constant(&format!("{name}.f16"), &shape, FLOAT16, bytes);
                graph.add(&format!("{name} = Cast<to={FLOAT}>({name}.f16)"));
            }
        }
    }
    let places = Value::from(destinations(shape));
    for operation in stored.graph.needed(&OUTPUTS).operations {
        let own = |name: &String| format!("{prefix}{name}");
        let from: Vec<String> = operation.from.iter().map(own).collect();
        let value = own(&operation.name);
        let places = places.clone();
        let values = context! { value, x => from[0].clone(), from, places };
        graph.add(&operation_in("onnx", &operation, values)?);
    }
    if let Some(adapter) = adapter {
        adapter.add_outputs(&mut graph);
    }
    for OutputCard { name, len, meaning } in &card.outputs {
        graph.declare(12, name, &[*len], meaning);
    }
    Ok(graph.finish(&card.metadata()))
}
