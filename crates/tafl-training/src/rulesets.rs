//! Rulesets by name or from files.

mod variants;

use crate::error::SourceError;
use anyhow::{Context, ensure};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use tafl_config::{Config, ConfigError};
use tafl_rules::{RULESET_NAMES, Rules, Ruleset, preset};
use toml::{Table, Value};

pub(crate) use variants::with_variants;
pub use variants::{RulesetVariant, all_variants, variants};

/// Returns the rules of a preset, or of the file at that path.
///
/// Paths (anything with a slash or the ending `.toml`) are relative to `folder`.
///
/// # Errors
/// If there is no such ruleset, or the file is wrong; names the file and the field.
pub fn load_rules(name_or_path: &str, folder: &Path) -> anyhow::Result<Arc<Rules>> {
    if let Some(rules) = Rules::preset(name_or_path) {
        return Ok(rules);
    }
    if !name_or_path.contains('/') && !name_or_path.ends_with(".toml") {
        return Err(SourceError::Ruleset(name_or_path.to_owned()).into());
    }
    load_file(&folder.join(name_or_path))
}

/// Returns the rules of a ruleset file, which are called as the file is unless it has a name.
///
/// # Errors
/// Names everything that is wrong with the file, each with its line.
pub fn load_file(path: &Path) -> anyhow::Result<Arc<Rules>> {
    rules_of(path, tafl_config::read(path, &[])?.config)
}

/// Returns the rules of the text of a ruleset file.
///
/// # Errors
/// As [`load_file`].
pub fn read_rules(path: &Path, text: &str) -> anyhow::Result<Arc<Rules>> {
    rules_of(path, tafl_config::read_text(path, text, &[])?.config)
}

fn rules_of(path: &Path, RulesetFile(ruleset): RulesetFile) -> anyhow::Result<Arc<Rules>> {
    let (file, name) = (path.display(), &ruleset.name);
    ensure!(
        preset(name).is_none_or(|shipped| shipped == ruleset),
        "{file}: field `name`: {name:?} is the name of a shipped ruleset, whose rules differ; give it another",
    );
    let rules = Rules::new(ruleset).with_context(|| file.to_string())?;
    ensure!(
        rules.has_legal_move(&rules.start()),
        "{file}: field `start`: the side to move has no legal move",
    );
    Ok(rules)
}

/// Returns the rules of several rulesets, none of which may be given twice.
///
/// # Errors
/// As [`load_rules`], for the first one that is wrong.
pub fn load_all(names: &[String], folder: &Path) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut rules: Vec<Arc<Rules>> = Vec::new();
    for name in names {
        let next = load_rules(name, folder)?;
        let name = &next.ruleset().name;
        let is_new = rules.iter().all(|other| other.ruleset().name != *name);
        ensure!(is_new, "{name:?} is given twice");
        rules.push(next);
    }
    Ok(rules)
}

/// Returns the fingerprint of a ruleset as files write it: 16 hexadecimal digits.
#[must_use]
pub fn fingerprint(rules: &Rules) -> String {
    format!("{:016x}", rules.ruleset().fingerprint())
}

/// Returns a ruleset's fields with their values, in the order of the files.
///
/// # Panics
/// Never: a ruleset's own file can be read.
#[must_use]
pub fn table(ruleset: &Ruleset) -> Table {
    let table = ruleset.to_toml().parse();
    table.expect("a ruleset's own file can be read")
}

/// Returns a value of a ruleset file without quotes.
#[must_use]
pub fn word(value: &Value) -> String {
    let word = value.as_str().map(str::to_owned);
    word.unwrap_or_else(|| value.to_string())
}

/// A ruleset file as a config: a complete one, or one with a `base`, a preset, and the fields that differ.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RulesetFile(pub Ruleset);

impl Config for RulesetFile {
    const WORDS: &'static str = include_str!("rulesets/words.txt");
    const NONE_SUCH: &'static str = "rulesets have no such rule";

    /// Adds the fields of the base, and the file's own name where it says no other.
    fn complete(fields: &mut Table, file: &Path) {
        let base = fields.get("base").and_then(Value::as_str);
        if let Some(inherited) = base.and_then(preset) {
            fields.remove("base");
            for (field, value) in table(&inherited) {
                if field != "name" {
                    fields.entry(field).or_insert(value);
                }
            }
        }
        if let Some(stem) = file.file_stem() {
            let name = fields.entry("name");
            name.or_insert_with(|| stem.to_string_lossy().into_owned().into());
        }
    }

    fn relations(&self) -> Vec<ConfigError> {
        let error = self.0.check().err();
        let named = error.map(|it| ConfigError::new(it.field(), it.to_string()));
        named.into_iter().collect()
    }
}

/// The fields of [`Ruleset`], of which those are optional that a base gives.
impl JsonSchema for RulesetFile {
    fn schema_name() -> Cow<'static, str> {
        "RulesetFile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Ruleset::json_schema(generator);
        let fields = schema.get_mut("properties");
        if let Some(fields) = fields.and_then(|it| it.as_object_mut()) {
            let base = json_schema!({
                "type": "string",
                "description": "The preset from which fields not given here are taken.",
                "enum": RULESET_NAMES,
            });
            fields.insert("base".to_owned(), base.to_value());
        }
        let mut every_field = schema.remove("required").unwrap_or_default();
        if let Some(fields) = every_field.as_array_mut() {
            // The file's own, unless it says another.
            fields.retain(|field| field != "name");
        }
        let about =
            "A ruleset file: a complete one, or one with a `base` and the fields that differ.";
        schema.insert("description".to_owned(), about.into());
        let either = serde_json::json!([{ "required": ["base"] }, { "required": every_field }]);
        schema.insert("anyOf".to_owned(), either);
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_needs_only_what_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writable");
            load_file(&path).map(|rules| rules.ruleset().clone())
        };
        let text = "base = \"copenhagen\"\nedge_fort = false\n";
        let mut expected = preset("copenhagen").expect("a preset");
        expected.edge_fort = false.into();
        for (file, text, name) in [
            ("open.toml", text.to_owned(), "open"),
            ("x.toml", format!("name = \"own\"\n{text}"), "own"),
        ] {
            expected.name = name.to_owned();
            assert_eq!(write(file, &text).expect("a ruleset"), expected);
        }
        let refused = |file: &str| format!("{:#}", write(file, text).expect_err("its name"));
        let error = refused("copenhagen.toml");
        assert!(
            error.contains("is the name of a shipped ruleset"),
            "{error}"
        );
        write("copenhagen.toml", "base = \"copenhagen\"").expect("the same rules");
        let error = refused("my rules.toml");
        assert!(error.contains("my rules.toml: field `name`: "), "{error}");
    }
}
