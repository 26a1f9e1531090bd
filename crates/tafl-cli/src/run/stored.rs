//! The config that a run keeps, when the program has other fields.
//!
//! Nothing is filled in silently. Whoever resumes a run names its missing fields by `--set`, which are stored
//! with the others, and by `--unset` those that are no more. The error says which fields these are, and the value
//! that changes nothing where the field's documentation knows one (`x-before` in the schema).

use crate::config::schema::Field;
use crate::config::{self, Drift, Loaded};
use crate::failure::hinted;
use crate::toml_file::changed_field;
use std::path::Path;

/// Reads the config of a run, with those of the changes that give or drop what makes it older than the program;
/// returns also whether there were any.
pub(super) fn load(
    path: &Path,
    changes: &[String],
    unset: &[String],
) -> anyhow::Result<(Loaded, bool)> {
    let Drift { missing, unknown } = config::drift(path)?;
    let is_unknown = |field: &&String| unknown.iter().any(|(name, _)| name == *field);
    if let Some(field) = unset.iter().find(|field| !is_unknown(field)) {
        anyhow::bail!(
            "--unset {field}: {} has no such field that the program lacks",
            path.display()
        );
    }
    let gives = |change: &str, field: &Field| changed_field(change) == field.path;
    let is_given = |field: &&Field| changes.iter().any(|change| gives(change, field));
    let lacking: Vec<&Field> = missing.iter().filter(|field| !is_given(field)).collect();
    let is_left = |(field, _): &&(String, String)| !unset.contains(field);
    let left: Vec<&(String, String)> = unknown.iter().filter(is_left).collect();
    if !lacking.is_empty() || !left.is_empty() {
        return Err(outdated(path, &lacking, &left));
    }
    let is_fill = |change: &&String| missing.iter().any(|field| gives(change, field));
    let fills: Vec<String> = changes.iter().filter(is_fill).cloned().collect();
    let loaded = config::load_without(path, &fills, unset)?;
    Ok((loaded, !fills.is_empty() || !unset.is_empty()))
}

fn outdated(path: &Path, lacking: &[&Field], left: &[&(String, String)]) -> anyhow::Error {
    let mut parts = Vec::new();
    if !lacking.is_empty() {
        let names = quoted(lacking.iter().map(|field| field.path.clone()));
        parts.push(format!("it lacks {names}"));
    }
    if !left.is_empty() {
        let names = quoted(
            left.iter()
                .map(|(field, value)| format!("{field} = {value}")),
        );
        parts.push(format!("it has {names}, which this version does not know"));
    }
    let set = |field: &&Field| {
        let value = field.before().unwrap_or_else(|| "VALUE".to_owned());
        format!("--set {}={value}", field.path)
    };
    let unset = left.iter().map(|(field, _)| format!("--unset {field}"));
    let arguments: Vec<String> = lacking.iter().map(set).chain(unset).collect();
    let unclear = lacking.iter().find(|field| field.before().is_none());
    let advice =
        unclear.map(|field| format!("; `tafl config explain {}` helps with VALUE", field.path));
    hinted(
        format!(
            "{}: the run is from another version: {}",
            path.display(),
            parts.join(", ")
        ),
        format!(
            "`tafl train CONFIG --resume {}` goes on as before{}",
            arguments.join(" "),
            advice.unwrap_or_default()
        ),
    )
}

fn quoted(names: impl Iterator<Item = String>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(" and ")
}
