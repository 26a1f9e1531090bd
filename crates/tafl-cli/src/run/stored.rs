//! The config that a run keeps, when the program has fields that it lacks.
//!
//! A field that is newer than the run has no hidden value: whoever resumes the run names one by `--set`, and it
//! is stored with the others. The error says which fields these are, and the value that changes nothing where
//! the field's documentation knows one (`x-before` in the schema).

use crate::config::schema::Field;
use crate::config::{self, Loaded};
use crate::failure::hinted;
use crate::toml_file::changed_field;
use std::path::Path;

/// Reads the config of a run; the result's `changes` are those of `changes` that give fields which it lacks.
pub(super) fn load(path: &Path, changes: &[String]) -> anyhow::Result<Loaded> {
    let missing = config::missing_fields(path)?;
    let gives = |change: &str, field: &Field| changed_field(change) == field.path;
    let lacking: Vec<&Field> = missing
        .iter()
        .filter(|field| !changes.iter().any(|change| gives(change, field)))
        .collect();
    if !lacking.is_empty() {
        return Err(outdated(path, &lacking));
    }
    let fills = changes
        .iter()
        .filter(|change| missing.iter().any(|field| gives(change, field)));
    config::load(path, &fills.cloned().collect::<Vec<_>>())
}

fn outdated(path: &Path, lacking: &[&Field]) -> anyhow::Error {
    let names: Vec<String> = lacking
        .iter()
        .map(|field| format!("`{}`", field.path))
        .collect();
    let settings: Vec<String> = lacking
        .iter()
        .map(|field| match field.before() {
            Some(value) => format!("--set {}={value}", field.path),
            None => format!("--set {}=VALUE", field.path),
        })
        .collect();
    let open: Vec<&str> = lacking
        .iter()
        .filter(|field| field.before().is_none())
        .map(|field| field.path.as_str())
        .collect();
    let mut hint = format!("{} goes on as before", settings.join(" "));
    if !open.is_empty() {
        hint += &format!(
            " with the right VALUE; `tafl config explain {}` helps",
            open[0]
        );
    }
    hinted(
        format!(
            "{} is older than the fields {}, which have no hidden value",
            path.display(),
            names.join(", ")
        ),
        hint,
    )
}
