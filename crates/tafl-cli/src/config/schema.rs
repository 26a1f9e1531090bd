//! What config files may hold: JSON schemas made from the documentation and the ranges at the fields.

use super::RunConfig;
use crate::balance::config::StudyConfig;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;
use tafl_rules::RulesetFile;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// A run config.
    Run,
    /// A ruleset.
    Ruleset,
    /// A balance study.
    Balance,
}

/// The keyword with the value that a field newer than a run has in it, as it changes nothing there.
const BEFORE: &str = "x-before";

/// Returns the JSON schema (draft 7, which editors know) of a kind of files.
pub(crate) fn schema(kind: Kind) -> Schema {
    let (mut schema, title) = match kind {
        Kind::Run => (generate::<RunConfig>(), "Taflforge run config"),
        Kind::Ruleset => (generate::<RulesetFile>(), "Taflforge ruleset"),
        Kind::Balance => (generate::<StudyConfig>(), "Taflforge balance study"),
    };
    RecursiveTransform(tidy).transform(&mut schema);
    schema.insert("title".to_owned(), title.into());
    schema
}

fn generate<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// Joins the lines of documentation, and gives integers the range of their type in place of its name.
fn tidy(schema: &mut Schema) {
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        let paragraphs = text.split("\n\n").map(|it| it.split_whitespace());
        let joined: Vec<String> = paragraphs
            .map(|words| words.collect::<Vec<_>>().join(" "))
            .collect();
        schema.insert("description".to_owned(), joined.join("\n\n").into());
    }
    let most = match schema.remove("format").as_ref().and_then(Value::as_str) {
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        // TOML's numbers end there.
        Some("uint" | "uint64") => i64::MAX as u64,
        _ => return,
    };
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), most.into());
    }
}

/// A field or a section as its documentation and its type describe it.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// Its name with those of the sections around it, such as `search.visits`.
    pub(crate) path: String,
    schema: Value,
}

/// Returns all fields and sections of a kind of files in the order in which they are declared, sections before their fields.
pub(crate) fn fields(kind: Kind) -> Vec<Field> {
    let mut fields = Vec::new();
    collect("", schema(kind).as_value(), &mut fields);
    fields
}

fn collect(section: &str, schema: &Value, fields: &mut Vec<Field>) {
    let Some(properties) = schema["properties"].as_object() else {
        return;
    };
    // Properties are sorted by name, but the list of required ones is as declared.
    let declared = schema["required"].as_array();
    let declared = declared.or_else(|| schema["anyOf"].as_array()?.last()?["required"].as_array());
    let declared: Vec<&str> = declared
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let others = properties.keys().map(String::as_str);
    let others = others.filter(|name| !declared.contains(name));
    for name in declared.iter().copied().chain(others) {
        let path = join(section, name);
        let schema = &properties[name];
        fields.push(Field {
            path: path.clone(),
            schema: schema.clone(),
        });
        collect(&path, schema, fields);
        // Entries of a list of sections, such as `[[players]]`.
        collect(&format!("{path}[]"), &schema["items"], fields);
    }
}

/// Returns the path of a field in a section; that of the file itself is empty.
fn join(section: &str, name: &str) -> String {
    match section {
        "" => name.to_owned(),
        _ => format!("{section}.{name}"),
    }
}

impl Field {
    /// Returns what stands at the field in the source.
    pub(crate) fn documentation(&self) -> &str {
        self.schema["description"].as_str().unwrap_or_default()
    }

    /// Returns whether it is a section with fields of its own.
    pub(crate) fn is_section(&self) -> bool {
        self.schema["properties"].is_object()
    }

    /// Returns whether it is a field of each entry of a list.
    pub(crate) fn is_of_entries(&self) -> bool {
        self.path.contains("[]")
    }

    /// Returns the value that changes nothing for files from before the field, as TOML writes it, if one is known.
    pub(crate) fn before(&self) -> Option<String> {
        self.schema.get(BEFORE).map(Value::to_string)
    }

    /// Returns the words that it may hold, each with its meaning.
    pub(crate) fn choices(&self) -> Vec<(String, &str)> {
        let choices = self.schema["oneOf"].as_array().into_iter().flatten();
        choices
            .filter_map(|choice| {
                let word = match &choice["const"] {
                    Value::String(word) => format!("{word:?}"),
                    _ => type_of(choice),
                };
                Some((word, choice["description"].as_str()?))
            })
            .collect()
    }

    /// Returns its type and range in words, such as "number from 0 to 100".
    pub(crate) fn kind(&self) -> String {
        if self.is_section() {
            return "section".to_owned();
        }
        if self.schema["items"]["properties"].is_object() {
            return "list of sections".to_owned();
        }
        type_of(&self.schema)
    }

    /// Returns whether a file may leave it out.
    pub(crate) fn has_default(&self) -> bool {
        self.schema.get("default").is_some()
    }
}

/// Returns a type and its range in words.
fn type_of(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        return format!("one of {}", listed(words.iter()));
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let words = choices.iter().filter(|choice| choice["const"].is_string());
        let others = choices.iter().filter(|choice| !choice["const"].is_string());
        let words = words.map(|choice| choice["const"].to_string());
        let all: Vec<String> = words.chain(others.map(type_of)).collect();
        return all.join(" | ");
    }
    match schema["type"].as_str().unwrap_or_default() {
        "array" => {
            let items = type_of(&schema["items"]);
            match (&schema["minItems"], &schema["maxItems"]) {
                (Value::Number(least), Value::Number(most)) if least == most => {
                    format!("list of {least}, each: {items}")
                }
                (Value::Number(least), _) => format!("list of {least} or more, each: {items}"),
                _ => format!("list, each: {items}"),
            }
        }
        "boolean" => "true | false".to_owned(),
        name => format!("{name}{}", range_of(schema)),
    }
}

fn listed<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    values.map(Value::to_string).collect::<Vec<_>>().join(", ")
}

fn range_of(schema: &Value) -> String {
    // The last number of a type is no limit that somebody set.
    let is_set =
        |most: &&Value| !matches!(most.as_u64(), Some(most) if most >= u64::from(u32::MAX));
    let least = schema.get("minimum").map(number);
    let above = schema.get("exclusiveMinimum").map(number);
    let most = schema.get("maximum").filter(is_set).map(number);
    let below = schema.get("exclusiveMaximum").map(number);
    let low = match (&least, &above) {
        (Some(least), _) => format!(" from {least}"),
        (_, Some(above)) => format!(" above {above}"),
        _ => String::new(),
    };
    match (most, below) {
        (Some(most), _) => format!("{low} to {most}"),
        (_, Some(below)) => format!("{low} to below {below}"),
        _ if least.is_some() => format!("{low} up"),
        _ => low,
    }
}

/// Returns a number without the point that whole ones do not need.
fn number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => number.to_string(),
        _ => value.to_string(),
    }
}
