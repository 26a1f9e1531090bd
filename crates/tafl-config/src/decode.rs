//! From tables to configs, with everything that is wrong.

use crate::fields::{kind_of, words};
use crate::path::{self, is_along, join};
use crate::schema::{at, whole};
use crate::{Config, ConfigError, display, nearest};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::{Location, LocationSegment};
use schemars::generate::Contract;
use serde::Serialize;
use serde_json::Value;
use toml::Table;

/// Checks a config that was made in Rust: its ranges and its relations.
///
/// # Errors
///
/// Returns everything that is wrong with it.
pub fn check<T: Config + Serialize>(config: &T) -> Result<(), Vec<ConfigError>> {
    let table = crate::table(config).map_err(|error| vec![error])?;
    decode::<T>(&table, |_| {}).map(|_| ())
}

/// Turns a table into what it describes, or returns everything that is wrong with it.
pub(crate) fn decode<T: Config>(
    given: &Table,
    complete: impl Fn(&mut Table),
) -> Result<T, Vec<ConfigError>> {
    let schema = whole::<T>(Contract::Deserialize).to_value();
    let mut table = given.clone();
    complete(&mut table);
    let mut errors = validate(&table, &schema);
    // Defaults take the places of what is wrong, so that types and relations show what they refuse beyond that.
    let mut sound = given.clone();
    for error in &errors {
        path::remove(&mut sound, &error.field);
    }
    let config = loop {
        let mut whole = sound.clone();
        complete(&mut whole);
        let error = match serde_path_to_error::deserialize(toml::Value::Table(whole)) {
            Ok(config) => break Some::<T>(config),
            Err(error) => error,
        };
        let field = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        if !errors.iter().any(|known| is_along(&known.field, &field)) {
            // Of whole numbers the schema allows 3.0 for 3.
            let reason = match at(&schema, &field)["type"].as_str() {
                Some("integer") => expected(&table, &schema, &field),
                _ => error.inner().message().to_owned(),
            };
            errors.push(ConfigError::new(&field, reason));
        }
        if !path::remove(&mut sound, &field) {
            break None;
        }
    };
    for error in config.iter().flat_map(T::relations) {
        // What is wrong beside a default that is there for something else is not wrong.
        let is_known =
            |known: &ConfigError| is_along(&known.field, &error.field) || error.names(&known.field);
        if !errors.iter().any(is_known) {
            errors.push(error);
        }
    }
    match config {
        Some(config) if errors.is_empty() => Ok(config),
        _ => Err(errors),
    }
}

/// Returns what the schema refuses, no more than one thing for a field.
pub(crate) fn validate(table: &Table, schema: &Value) -> Vec<ConfigError> {
    let validator = jsonschema::draft7::new(schema).expect("schemars makes schemas");
    let json = to_json(&toml::Value::Table(table.clone()));
    let mut faults = Faults {
        table,
        schema,
        found: Vec::new(),
        meant: Vec::new(),
    };
    for error in validator.iter_errors(&json) {
        faults.note(&error);
    }
    let Faults {
        mut found, meant, ..
    } = faults;
    // A field whose name is misspelled is not missing as well.
    found.retain(|(error, is_missing)| !is_missing || !meant.contains(&error.field));
    let mut errors: Vec<ConfigError> = found.into_iter().map(|(error, _)| error).collect();
    errors.sort_by(|one, other| one.field.cmp(&other.field));
    errors.dedup_by(|one, other| one.field == other.field);
    errors
}

/// What is not a number or is a date becomes null, which no field may be.
fn to_json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(_) => Value::Null,
        toml::Value::Array(items) => items.iter().map(to_json).collect(),
        toml::Value::Table(fields) => {
            let fields = fields.iter();
            fields
                .map(|(name, it)| (name.clone(), to_json(it)))
                .collect()
        }
    }
}

/// What a validator finds, in our words.
struct Faults<'a> {
    table: &'a Table,
    schema: &'a Value,
    /// Each with whether a field is missing.
    found: Vec<(ConfigError, bool)>,
    /// Fields that unknown ones were meant to be.
    meant: Vec<String>,
}

impl Faults<'_> {
    fn note(&mut self, error: &ValidationError<'_>) {
        let field = field_of(error.instance_path());
        let schema = at(self.schema, &field);
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                for name in unexpected {
                    self.unknown(&field, name);
                }
            }
            Kind::Required { property } => {
                let field = join(&field, property.as_str().unwrap_or_default());
                let reason = "missing; it has no default";
                self.found.push((ConfigError::new(field, reason), true));
            }
            Kind::AnyOf { context } if context.iter().flatten().all(is_missing) => {
                let ways = context.iter().map(|way| missing(way));
                let reason = format!("missing: {}", ways.collect::<Vec<_>>().join(", or "));
                self.found.push((ConfigError::new(field, reason), true));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context }
                if schema["properties"].is_object() =>
            {
                // Of the ways to be right, the one that is nearest.
                let nearest = context.iter().min_by_key(|errors| errors.len());
                nearest.into_iter().flatten().for_each(|it| self.note(it));
            }
            _ => {
                let reason = expected(self.table, self.schema, &field);
                self.found.push((ConfigError::new(field, reason), false));
            }
        }
    }

    fn unknown(&mut self, section: &str, name: &str) {
        let mut reason = "unknown field".to_owned();
        let known = at(self.schema, section)["properties"].as_object();
        let known = known.into_iter().flat_map(serde_json::Map::keys);
        if let Some(meant) = nearest(name, known.map(String::as_str)) {
            let meant = join(section, meant);
            reason += &format!("; did you mean `{meant}`?");
            self.meant.push(meant);
        } else {
            let mut elsewhere = Vec::new();
            find(self.schema, "", name, &mut elsewhere);
            if !elsewhere.is_empty() {
                reason += &format!("; did you mean `{}`?", elsewhere.join("` or `"));
            }
        }
        let error = ConfigError::new(join(section, name), reason);
        self.found.push((error, false));
    }
}

fn is_missing(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), Kind::Required { .. })
}

/// Returns the fields that are missing, by name.
fn missing(errors: &[ValidationError<'_>]) -> String {
    let names = errors.iter().filter_map(|error| match error.kind() {
        Kind::Required { property } => Some(format!("`{}`", property.as_str()?)),
        _ => None,
    });
    names.collect::<Vec<_>>().join(", ")
}

/// Finds the fields of this name in all sections.
fn find(schema: &Value, section: &str, name: &str, found: &mut Vec<String>) {
    for (inner, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = join(section, inner);
        find(schema, &path, name, found);
        if inner == name {
            found.push(path);
        }
    }
}

/// Returns what a field should be, and what it is.
fn expected(table: &Table, schema: &Value, field: &str) -> String {
    let schema = at(schema, field);
    let value = path::value(table, field);
    let found: String = value.map(display).unwrap_or_default();
    let found = match found.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &found[..end]),
        None => found,
    };
    let words = words(schema);
    let hint = nearest(&found, words.iter().map(String::as_str));
    let hint = hint.map(|meant| format!("; did you mean {meant}?"));
    let kind = kind_of(schema);
    format!("expected {kind}, found {found}{}", hint.unwrap_or_default())
}

fn field_of(location: &Location) -> String {
    let mut field = String::new();
    for segment in location {
        match segment {
            LocationSegment::Property(name) => field = join(&field, &name),
            LocationSegment::Index(index) => field += &format!("[{index}]"),
        }
    }
    field
}
