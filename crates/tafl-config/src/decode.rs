//! From tables to configs, with everything that is wrong.

use crate::path::{self, is_along};
use crate::schema::whole;
use crate::validate::validate;
use crate::{Config, ConfigError};
use schemars::generate::Contract;
use serde::Serialize;
use toml::Table;

/// Checks a config that was made in Rust: its ranges and its relations.
///
/// # Errors
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
    let completed = |sound: &Table| {
        let mut whole = sound.clone();
        complete(&mut whole);
        whole
    };
    let mut whole = completed(given);
    let mut errors = validate::<T>(&whole, &schema);
    // Defaults take the places of what is wrong, so that types and relations show what they refuse beyond that.
    let mut sound = given.clone();
    for error in &errors {
        path::remove(&mut sound, &error.field);
        whole = completed(&sound);
    }
    let config = loop {
        let error = match serde_path_to_error::deserialize(toml::Value::Table(whole)) {
            Ok(config) => break Some::<T>(config),
            Err(error) => error,
        };
        let field = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        if !errors.iter().any(|known| is_along(&known.field, &field)) {
            errors.push(ConfigError::new(&field, error.inner().message()));
        }
        if !path::remove(&mut sound, &field) {
            break None;
        }
        whole = completed(&sound);
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
