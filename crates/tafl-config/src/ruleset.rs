//! Ruleset files: the one reader of the program and of its page.

use crate::{Config, ConfigError, Document, Faults, read, read_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{Rules, Ruleset, known_names, name_refusal, preset, preset_named};
use toml::{Table, Value};

/// Returns the rules of a ruleset file, which are called as the file is unless it has a name.
///
/// # Errors
/// Names everything that is wrong with the file, each with its line.
pub fn load_ruleset(file: &Path) -> Result<Arc<Rules>, Faults> {
    rules_of(&read(file, &[])?)
}

/// Returns the rules of the text of a ruleset file.
///
/// # Errors
/// As [`load_ruleset`].
pub fn read_ruleset(file: &Path, text: &str) -> Result<Arc<Rules>, Faults> {
    rules_of(&read_text(file, text, &[])?)
}

fn rules_of(document: &Document<RulesetFile>) -> Result<Arc<Rules>, Faults> {
    let RulesetFile(ruleset) = &document.config;
    let refused =
        |field: &str, reason: String| document.faults(vec![ConfigError::new(field, reason)]);
    if let Some(reason) = name_refusal(ruleset) {
        return Err(refused("name", reason));
    }
    let rules = Rules::new(ruleset.clone());
    let rules = rules.map_err(|error| refused(error.field(), error.to_string()))?;
    if !rules.has_legal_move(&rules.start()) {
        let reason = "the side to move has no legal move".to_owned();
        return Err(refused("start", reason));
    }
    Ok(rules)
}

/// Returns a ruleset's fields with their values, in the order of the files.
///
/// # Panics
/// Never: a ruleset's own file can be read.
pub fn ruleset_table(ruleset: &Ruleset) -> Table {
    let table = ruleset.to_toml().parse();
    table.expect("a ruleset's own file can be read")
}

/// A ruleset file as a config: a complete one, or one with a `base`, a preset, and the fields that differ.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RulesetFile(pub Ruleset);

impl Config for RulesetFile {
    const WORDS: &'static str = include_str!("ruleset_words.txt");
    const NONE_SUCH: &'static str = "rulesets have no such rule";
    const CALLED_AS_FILE: Option<&'static str> = Some("name");

    /// Adds the fields of the base, and the file's own name where it says no other.
    fn complete(fields: &mut Table, file: &Path) {
        let base = fields.get("base").and_then(Value::as_str);
        if let Some(inherited) = base.and_then(preset_named).and_then(preset) {
            fields.remove("base");
            for (field, value) in ruleset_table(&inherited) {
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
                "enum": known_names().collect::<Vec<_>>(),
                "x-form": "name of a shipped ruleset, no file",
            });
            fields.insert("base".to_owned(), base.to_value());
            let form = "letters, digits, `-` and `_`, 64 characters at most";
            fields["name"]["x-form"] = form.into();
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
