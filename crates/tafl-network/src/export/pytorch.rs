//! The network as a module of PyTorch.

use super::stored::Stored;
use super::text::{lines, variable};
use crate::architecture::{LEARNED, REPLY};
use crate::card::PROGRAM;
use tafl_graph::{Graph, OUTPUTS, Operation, OperationKind};

/// The module's text; what is in braces is filled in.
const MODULE: &str = include_str!("model.py");

/// Returns the text of a module whose parameters and statistics are those of the file.
pub(super) fn write(stored: &Stored, size: usize) -> String {
    let graph = &stored.graph;
    let reply = graph.operation(REPLY).map(|it| &*it.name);
    let learned: Vec<&str> = LEARNED.into_iter().chain(reply).collect();
    let own = graph.needed(&learned);
    let rest = graph.needed(&OUTPUTS).operations.into_iter();
    let rest = Graph {
        operations: rest
            .filter(|it| own.operation(&it.name).is_none())
            .collect(),
    };
    let layers = graph.operations.iter().filter_map(layer);
    let names = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| variable(name)).collect();
        names.join(", ")
    };
    [
        ("{program}", PROGRAM.to_owned()),
        ("{size}", size.to_string()),
        ("{layers}", layers.collect::<String>()),
        ("{logits}", lines(&own, "        ", expression)),
        ("{learned}", names(&learned)),
        ("{some learned}", names(&LEARNED)),
        ("{outputs}", lines(&rest, "        ", expression)),
    ]
    .into_iter()
    .fold(MODULE.to_owned(), |text, (mark, words)| {
        text.replace(mark, words.trim_end())
    })
}

/// Returns the line that makes a layer, if an operation has weights.
fn layer(operation: &Operation) -> Option<String> {
    let layer = match operation.kind {
        OperationKind::Convolution {
            inputs,
            outputs,
            kernel,
            bias,
        } => {
            let (pad, bias) = (kernel / 2, if bias { "True" } else { "False" });
            format!("Conv2d({inputs}, {outputs}, {kernel}, padding={pad}, bias={bias})")
        }
        OperationKind::Norm { planes } => format!("BatchNorm2d({planes}, eps=1e-5, momentum=0.1)"),
        OperationKind::Linear { inputs, outputs } => format!("Linear({inputs}, {outputs})"),
        _ => return None,
    };
    let name = &operation.name;
    Some(format!("        add(self, \"{name}\", nn.{layer})\n"))
}

/// Returns what an operation computes.
fn expression(operation: &Operation, from: &[String]) -> String {
    let x = &from[0];
    match operation.kind {
        OperationKind::Convolution { .. }
        | OperationKind::Norm { .. }
        | OperationKind::Linear { .. } => {
            let parts = operation
                .name
                .split('.')
                .map(|part| match part.parse::<usize>() {
                    Ok(number) => format!("[{number}]"),
                    Err(_) => format!(".{part}"),
                });
            format!("self{}({x})", parts.collect::<String>())
        }
        OperationKind::Relu => format!("F.relu({x})"),
        OperationKind::Add => from.join(" + "),
        OperationKind::Pool => format!("torch.cat([{x}.mean((2, 3)), {x}.amax((2, 3))], 1)"),
        OperationKind::Squares => format!("{x}.permute(0, 2, 3, 1).flatten(1)"),
        OperationKind::Destinations => format!("F.pad({x}.flatten(1), (0, 1))[:, self.places]"),
        OperationKind::Columns { first, count } => format!("{x}[:, {first}:{}]", first + count),
        OperationKind::Concat => format!("torch.cat([{}], 1)", from.join(", ")),
        OperationKind::Softplus => format!("F.softplus({x})"),
        OperationKind::Softmax => format!("{x}.softmax(1)"),
        OperationKind::Times(factor) => format!("{factor} * {x}"),
    }
}
