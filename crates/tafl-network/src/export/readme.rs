//! `README.md` of an export: the card for people.

use super::card::Card;
use super::job::ExportError;
use crate::GenerationCard;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use tafl_samples::{FRACTION_PLANES, PLANES};

/// The text, with what differs between exports in the places of Jinja.
const README: &str = include_str!("readme.md");

/// Returns the text.
pub(super) fn write(card: &Card) -> Result<String, ExportError> {
    let failed = |error: minijinja::Error| ExportError::Format(error.to_string());
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .map_err(failed)?;
    let mut environment = Environment::new();
    environment.set_syntax(syntax);
    // A tenth of its rows shows the course of training.
    let all = &card.checkpoint.provenance.history;
    let (every, last) = (all.len().div_ceil(10).max(1), all.len().saturating_sub(1));
    let history = all.iter().enumerate();
    let history = history.filter(|(row, _)| row % every == 0 || *row == last);
    let history: Vec<&GenerationCard> = history.map(|(_, it)| it).collect();
    let numbers = card.outputs.iter().map(|it| &card.example.outputs[it.name]);
    let numbers = numbers.flatten().map(|number| format!("{number:.4}"));
    let checked = &card.verification;
    let text = environment.render_str(
        README,
        context! {
            card => Value::from(Serde(card)),
            history => Value::from(Serde(&history)),
            numbers => numbers.collect::<Vec<_>>().join(" "),
            own_planes => PLANES,
            fractions => FRACTION_PLANES.to_vec(),
            parameters => card.checkpoint.architecture.parameter_count(),
            differences => checked.differences.to_string(),
            bound => format!("{:.0e}", checked.bound),
            left_out => checked.left_out.as_ref().map(ToString::to_string),
        },
    );
    text.map_err(failed)
}
