//! The texts of an export, of the templates beside this file: `README.md`, a module of PyTorch, and what each operation is in
//! other programs.

use super::card::Card;
use super::job::ExportError;
use crate::architecture::{LEARNED, REPLY};
use crate::card::PROGRAM;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value, context};
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_graph::{Graph, OUTPUTS, Operation, OperationKind};
use tafl_rules::{Rules, preset};
use tafl_samples::{FRACTION_PLANES, PLANES};

/// Lines of `KIND LANGUAGE TEMPLATE`.
const OPERATIONS: &str = include_str!("operations.txt");

/// Returns a template's text with the values in their places.
pub(super) fn render(template: &str, values: Value) -> Result<String, Error> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.render_str(template, values)
}

/// Returns the card for people.
pub(super) fn readme(
    card: &Card,
    (parameters, rules): (u64, &[Arc<Rules>]),
) -> Result<String, ExportError> {
    // A tenth of its rows shows the course of training.
    let all = &card.checkpoint.provenance.history;
    let (every, last) = (all.len().div_ceil(10).max(1), all.len().saturating_sub(1));
    let history = all.iter().enumerate();
    let history = history.filter(|(row, _)| row % every == 0 || *row == last);
    let numbers = card.outputs.iter().map(|it| &card.example.outputs[it.name]);
    let numbers = numbers.flatten().map(|number| format!("{number:.4}"));
    let checked = &card.verification;
    let graph = card.graph.as_ref();
    let first = graph.and_then(|graph| graph.operations.first());
    let first_operation = first.map(serde_json::to_string).transpose()?;
    let own = rules.iter().map(|it| it.ruleset());
    let own = own.filter(|it| preset(&it.name).as_ref() != Some(*it));
    let own = own.map(|it| {
        let (name, file) = (&it.name, it.to_toml());
        format!("\n\n```toml\n# As a file of its own this is ruleset {name}.\n{file}```")
    });
    let values = context! {
        card => Value::from(Serde(card)),
        history => Value::from(Serde(&history.map(|(_, it)| it).collect::<Vec<_>>())),
        numbers => numbers.collect::<Vec<_>>().join(" "),
        own_planes => PLANES,
        fractions => FRACTION_PLANES.to_vec(),
        parameters,
        own_rules => own.collect::<String>(),
        differences => checked.differences.to_string(),
        bound => format!("{:.0e}", checked.bound),
        left_out => checked.left_out.as_ref().map(ToString::to_string),
        first_operation,
    };
    Ok(render(include_str!("readme.md"), values)?)
}

/// Returns the text of a PyTorch module whose parameters and statistics are those of a graph.
pub(super) fn module(graph: &Graph, size: usize) -> Result<String, Error> {
    let reply = graph.operation(REPLY).map(|it| &*it.name);
    let learned: Vec<&str> = LEARNED.into_iter().chain(reply).collect();
    let own = graph.needed(&learned);
    let mut rest = graph.needed(&OUTPUTS);
    let is_own = |it: &Operation| own.operation(&it.name).is_some();
    rest.operations.retain(|it| !is_own(it));
    let weighted = graph.operations.iter();
    let weighted = weighted.filter(|it| !it.parameters().is_empty());
    let layers = weighted.map(|it| {
        let layer = operation_in("layer", it, context! {})?;
        Ok(context! { name => it.name.clone(), layer })
    });
    let layers = layers.collect::<Result<Vec<_>, Error>>()?;
    let values = context! {
        program => PROGRAM,
        size,
        layers,
        logits => lines("pytorch", &own)?,
        learned => learned.into_iter().map(variable).collect::<Vec<_>>(),
        outputs => lines("pytorch", &rest)?,
    };
    render(include_str!("model.py"), values)
}

/// Returns a line in Python's syntax for each value, `name = expression`; one that only a batch norm or a rectifier reads stands
/// within the expression of that.
pub(super) fn lines(language: &str, graph: &Graph) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    let mut within = BTreeMap::new();
    for operation in &graph.operations {
        let from = operation.from.iter();
        let from = from.map(|name| within.remove(name).unwrap_or_else(|| variable(name)));
        let from: Vec<String> = from.collect();
        let mut module = "self".to_owned();
        for part in operation.name.split('.') {
            let is_number = part.parse::<usize>().is_ok();
            let kind = if is_number { "number" } else { "name" };
            module = filled(kind, language, context! { module, part })?;
        }
        let values = context! { x => from[0].clone(), from, module };
        let value = operation_in(language, operation, values)?;
        let mut readers = graph.readers(&operation.name);
        let is_within =
            |it: &Operation| matches!(it.kind, OperationKind::Norm { .. } | OperationKind::Relu);
        if readers.next().is_some_and(is_within) && readers.next().is_none() {
            within.insert(&operation.name, value);
        } else {
            lines.push(format!("{} = {value}", variable(&operation.name)));
        }
    }
    Ok(lines)
}

/// Returns the variable that holds a value.
fn variable(name: &str) -> String {
    name.replace('.', "_")
}

/// Returns what an operation is in a language, with its fields as `of`.
pub(super) fn operation_in(
    language: &str,
    operation: &Operation,
    values: Value,
) -> Result<String, Error> {
    let kind = Value::from(Serde(&operation.kind));
    let name = match kind.kind() {
        ValueKind::Map => kind.try_iter()?.next().unwrap_or_default(),
        _ => kind.clone(),
    };
    let of = kind.get_item(&name).unwrap_or_default();
    let values = context! { name => operation.name.clone(), of, ..values };
    filled(&name.to_string(), language, values)
}

/// Returns the lines of [`OPERATIONS`] for a kind in a language, filled in.
fn filled(kind: &str, language: &str, values: Value) -> Result<String, Error> {
    let lines = OPERATIONS.lines().filter_map(|line| {
        let (own, line) = line.split_once(' ')?;
        let (own_language, template) = line.split_once(' ')?;
        (own == kind && own_language == language).then(|| template.trim_start())
    });
    let template = lines.collect::<Vec<_>>().join("\n");
    if template.is_empty() {
        let reason = format!("nothing is {kind} in {language}");
        return Err(Error::new(ErrorKind::TemplateNotFound, reason));
    }
    render(&template, values)
}
