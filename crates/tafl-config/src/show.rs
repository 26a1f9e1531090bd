//! Configs shown, compared and made short.

use crate::path::{join, put, value};
use crate::validate::{unchecked, validate};
use crate::{Config, ConfigError, Field, fields};
use serde::Serialize;
use toml::{Table, Value};

/// Returns every field of a config as TOML, in the order in which they are declared.
///
/// # Errors
/// Returns an error for a number that TOML cannot hold, which [`check`](crate::check) refuses as well.
pub fn show<T: Serialize>(config: &T) -> Result<String, ConfigError> {
    // Text that cannot be read again is not shown.
    table(config)?;
    to_text(config)
}

/// Returns every field of a config.
///
/// # Errors
/// Returns an error for a number that TOML cannot hold, which [`check`](crate::check) refuses as well.
pub fn table<T: Serialize>(config: &T) -> Result<Table, ConfigError> {
    // By way of the text, in which an f32 of 0.1 is 0.1 and not 0.10000000149011612.
    to_text(config)?.parse().map_err(|error: toml::de::Error| {
        let json = serde_json::to_value(config).unwrap_or_default();
        match too_large(&json, "") {
            Some(field) => ConfigError::new(field, "a config file holds numbers below 2^63"),
            None => ConfigError::new("", error.message()),
        }
    })
}

fn to_text<T: Serialize>(config: &T) -> Result<String, ConfigError> {
    toml::to_string(config).map_err(|error| ConfigError::new("", error.to_string()))
}

/// Returns the path of a whole number that TOML cannot hold.
fn too_large(value: &serde_json::Value, path: &str) -> Option<String> {
    if let Some(fields) = value.as_object() {
        let mut fields = fields.iter();
        return fields.find_map(|(name, value)| too_large(value, &join(path, name)));
    }
    if let Some(items) = value.as_array() {
        let mut items = items.iter().enumerate();
        return items.find_map(|(index, value)| too_large(value, &format!("{path}[{index}]")));
    }
    (value.is_u64() && !value.is_i64()).then(|| path.to_owned())
}

/// Returns a value as people write it.
pub fn display(value: &Value) -> String {
    match value {
        Value::Float(number)
            if *number != 0.0 && !(1e-4..1e16).contains(&number.abs()) && number.is_finite() =>
        {
            format!("{number:e}")
        }
        _ => value.to_string(),
    }
}

/// Returns the default of every field that has one, but for those of sections that are off.
pub fn defaults<T: Config>() -> Table {
    let mut table = Table::new();
    for field in values::<T>().into_iter().filter(|field| field.is_on) {
        if let Some(default) = field.default {
            put_known(&mut table, &field.path, default);
        }
    }
    table
}

/// Returns every field of a config with its value, but for those of sections that are off.
///
/// # Errors
/// Returns an error for a number that TOML cannot hold.
pub fn flat<T: Config + Serialize>(config: &T) -> Result<Vec<(String, Value)>, ConfigError> {
    let whole = table(config)?;
    let found = values::<T>().into_iter().filter_map(|Field { path, .. }| {
        let value = value(&whole, &path)?.clone();
        Some((path, value))
    });
    Ok(found.collect())
}

/// A field in which configs differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The field.
    pub field: String,
    /// Its value in each config; nothing where its section is off.
    pub values: Vec<Option<Value>>,
}

/// Returns the fields in which configs differ, in the order in which they are declared.
///
/// # Errors
/// Returns an error for a number that TOML cannot hold.
pub fn difference<T: Config + Serialize>(configs: &[&T]) -> Result<Vec<Difference>, ConfigError> {
    let tables = configs.iter().map(|config| table(*config));
    let tables = tables.collect::<Result<Vec<_>, _>>()?;
    let fields = values::<T>().into_iter().map(|field| field.path);
    Ok(difference_of_tables(fields, &tables))
}

/// Returns those of some fields in which tables differ.
pub fn difference_of_tables(
    fields: impl IntoIterator<Item = String>,
    tables: &[Table],
) -> Vec<Difference> {
    let difference = |field: String| {
        let values = tables.iter().map(|table| value(table, &field).cloned());
        let values: Vec<Option<Value>> = values.collect();
        let are_equal = values.windows(2).all(|pair| pair[0] == pair[1]);
        (!are_equal).then_some(Difference { field, values })
    };
    fields.into_iter().filter_map(difference).collect()
}

/// Returns what is wrong with the declaration of a config, for its tests: fields that are not documented, defaults
/// outside of their range, sections whose default is not what their own fields have, what their schemas say that nothing checks.
pub fn mistakes<T: Config>() -> Vec<ConfigError> {
    let mut found = Vec::new();
    for field in fields::<T>() {
        if field.documentation().is_empty() {
            found.push(ConfigError::new(&field.path, "not documented"));
        }
        let own = field.schema.get("default");
        let own = own.and_then(|own| Value::try_from(own).ok());
        if !field.is_section() && own.is_some() && own != field.default {
            let reason = "the default of its section has another value";
            found.push(ConfigError::new(&field.path, reason));
        }
    }
    let schema = crate::schema::<T>();
    found.extend(unchecked("", &schema));
    let defaults = defaults::<T>();
    let wrong = validate::<T>(&defaults, &schema).into_iter();
    found.extend(wrong.filter(|error| value(&defaults, &error.field).is_some()));
    found
}

/// Returns all fields that are values of the config: no sections, and no fields of the entries of lists.
fn values<T: Config>() -> Vec<Field> {
    let mut fields = fields::<T>();
    fields.retain(|field| !field.is_section() && !field.is_of_entries());
    fields
}

fn put_known(table: &mut Table, field: &str, value: Value) {
    put(table, field, value).expect("the schema has sections around its fields");
}
