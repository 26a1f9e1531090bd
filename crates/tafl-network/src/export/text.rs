//! A network as lines of a program in Python's syntax.

use tafl_graph::{Graph, Operation, OperationKind};

/// Returns a line for each value, `name = expression`; one that only a batch norm or a rectifier reads stands within the
/// expression of that.
pub(super) fn lines(
    graph: &Graph,
    indent: &str,
    expression: impl Fn(&Operation, &[String]) -> String,
) -> String {
    let mut text = String::new();
    let mut values = std::collections::BTreeMap::new();
    for operation in &graph.operations {
        let from = operation.from.iter();
        let from = from.map(|name| values.remove(name).unwrap_or_else(|| variable(name)));
        let value = expression(operation, &from.collect::<Vec<String>>());
        let mut readers = graph.readers(&operation.name);
        let is_within =
            |it: &Operation| matches!(it.kind, OperationKind::Norm { .. } | OperationKind::Relu);
        if readers.next().is_some_and(is_within) && readers.next().is_none() {
            values.insert(operation.name.clone(), value);
        } else {
            text += &format!("{indent}{} = {value}\n", variable(&operation.name));
        }
    }
    text
}

/// Returns the variable that holds a value.
pub(super) fn variable(name: &str) -> String {
    name.replace('.', "_")
}
