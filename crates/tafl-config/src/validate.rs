//! What the schema of a config refuses, in our words.

use crate::fields::{kind_of, words};
use crate::path::join;
use crate::schema::{FLOAT, shortest};
use crate::{Config, ConfigError, Meant, display, meant, nearest, similar, spelled};
use regex_lite::Regex;
use serde_json::Value as Json;
use std::cmp::Ordering;
use toml::{Table, Value};

/// Returns what the schema refuses, no more than one thing for a field.
pub(crate) fn validate<T: Config>(table: &Table, schema: &Json) -> Vec<ConfigError> {
    let mut walk = Walk {
        schema,
        words: T::WORDS,
        none_such: T::NONE_SUCH,
        found: Vec::new(),
        meant: Vec::new(),
    };
    walk.section("", table, schema);
    let Walk {
        mut found, meant, ..
    } = walk;
    // A field whose name is misspelled is not missing as well.
    found.retain(|(error, is_missing)| !is_missing || !meant.contains(&error.field));
    let mut errors: Vec<ConfigError> = found.into_iter().map(|(error, _)| error).collect();
    errors.sort_by(|one, other| one.field.cmp(&other.field));
    errors.dedup_by(|one, other| one.field == other.field);
    errors
}

/// Returns whether a value by itself, without what is in it if it is a section or a list, is one of the schema, as far as
/// that is checked: `mistakes` names what is not.
pub(crate) fn fits(value: &Value, schema: &Json) -> bool {
    let value = &as_stored(value, schema);
    let mut keywords = schema.as_object().into_iter().flatten();
    keywords.all(|(keyword, limit)| allows(keyword, limit, value).unwrap_or(true))
}

/// Returns the number that a field holds: one of 32 bits has fewer digits, and may be nothing or infinite where the number
/// that was given is not.
fn as_stored(value: &Value, schema: &Json) -> Value {
    match number_of(value).filter(|_| schema["format"] == FLOAT) {
        Some(wide) => Value::Float(shortest(wide as f32)),
        None => value.clone(),
    }
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    }
}

/// Returns what the schemas of a field and of those in it say that is checked nowhere.
pub(crate) fn unchecked(field: &str, schema: &Json) -> Vec<ConfigError> {
    let mut found = Vec::new();
    for (keyword, limit) in schema.as_object().into_iter().flatten() {
        let inner = limit.as_object().into_iter().flatten();
        let choices = limit.as_array().into_iter().flatten();
        let is_checked = match &**keyword {
            "properties" => {
                found.extend(inner.flat_map(|(name, inner)| unchecked(&join(field, name), inner)));
                true
            }
            "items" => {
                found.extend(unchecked(&format!("{field}[]"), limit));
                limit.is_object()
            }
            "oneOf" => {
                found.extend(choices.clone().flat_map(|choice| unchecked(field, choice)));
                let is_deep =
                    |choice: &Json| choice.get("properties").or(choice.get("items")).is_some();
                !choices.into_iter().any(is_deep)
            }
            "anyOf" => ways(limit).all(|way| way.keys().eq(["required"])),
            "additionalProperties" => *limit == false,
            _ => allows(keyword, limit, &"".into()).is_some(),
        };
        let error = ConfigError::new(field, format!("nothing checks its `{keyword}`"));
        found.extend((!is_checked).then_some(error));
    }
    found
}

/// Returns whether a keyword allows a value; `None` if it is unknown here.
fn allows(keyword: &str, limit: &Json, value: &Value) -> Option<bool> {
    let is = |word: &Json| Value::try_from(word).is_ok_and(|word| word == *value);
    let mut choices = limit.as_array().into_iter().flatten();
    let number = || compared(value, limit);
    let length = || compared(&count(value.as_str()?.chars().count()), limit);
    let items = || compared(&count(value.as_array()?.len()), limit);
    Some(match keyword {
        "type" => has_type(value, limit),
        "const" => is(limit),
        "enum" => choices.any(is),
        "oneOf" => choices.any(|choice| fits(value, choice)),
        "minimum" => number().is_none_or(Ordering::is_ge),
        "exclusiveMinimum" => number().is_none_or(Ordering::is_gt),
        "maximum" => number().is_none_or(Ordering::is_le),
        "exclusiveMaximum" => number().is_none_or(Ordering::is_lt),
        "minLength" => length().is_none_or(Ordering::is_ge),
        "maxLength" => length().is_none_or(Ordering::is_le),
        "minItems" => items().is_none_or(Ordering::is_ge),
        "maxItems" => items().is_none_or(Ordering::is_le),
        "pattern" => {
            let pattern = Regex::new(limit.as_str()?).ok()?;
            value.as_str().is_none_or(|text| pattern.is_match(text))
        }
        // Of what is in a section or a list.
        "properties" | "additionalProperties" | "required" | "anyOf" | "items" => true,
        "$schema" | "title" | "description" | "default" | "x-form" | "x-fixed" => true,
        // Numbers are compared as that; see `as_stored`.
        "format" => *limit == FLOAT,
        _ => return None,
    })
}

fn has_type(value: &Value, name: &Json) -> bool {
    match name.as_str() {
        Some("object") => value.is_table(),
        Some("array") => value.is_array(),
        Some("string") => value.is_str(),
        Some("boolean") => value.is_bool(),
        Some("integer") => value.is_integer(),
        Some("number") => value.is_integer() || value.as_float().is_some_and(f64::is_finite),
        _ => false,
    }
}

/// Compares a number with a limit; `None` if the value is no number.
fn compared(value: &Value, limit: &Json) -> Option<Ordering> {
    match value {
        // Exact, where an f64 is not.
        Value::Integer(number) if limit.is_i64() => Some(number.cmp(&limit.as_i64()?)),
        Value::Integer(number) => (*number as f64).partial_cmp(&limit.as_f64()?),
        Value::Float(number) => number.partial_cmp(&limit.as_f64()?),
        _ => None,
    }
}

fn count(count: usize) -> Value {
    Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Returns the ways to be right of an `anyOf`.
fn ways(limit: &Json) -> impl Iterator<Item = &serde_json::Map<String, Json>> {
    limit
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_object)
}

/// A walk through a config and its schema.
struct Walk<'a> {
    schema: &'a Json,
    /// What names of other programs mean.
    words: &'static str,
    /// What is said of names that mean nothing.
    none_such: &'a str,
    /// Each with whether a field is missing.
    found: Vec<(ConfigError, bool)>,
    /// Fields that unknown ones were meant to be.
    meant: Vec<String>,
}

impl Walk<'_> {
    fn value(&mut self, field: &str, value: &Value, schema: &Json) {
        if !fits(value, schema) {
            self.add(field, expected(value, schema), false);
        }
        match value {
            Value::Table(table) if schema["type"] == "object" => self.section(field, table, schema),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(&format!("{field}[{index}]"), item, &schema["items"]);
                }
            }
            _ => {}
        }
    }

    fn section(&mut self, section: &str, table: &Table, schema: &Json) {
        for (name, value) in table {
            match schema["properties"].get(name) {
                Some(inner) => self.value(&join(section, name), value, inner),
                None if schema["additionalProperties"] == false => {
                    self.unknown(section, name, &schema["properties"]);
                }
                None => {}
            }
        }
        for name in missing(&schema["required"], table) {
            let reason = "missing; it has no default".to_owned();
            self.add(&join(section, name), reason, true);
        }
        let ways = ways(&schema["anyOf"]).map(|way| missing(&way["required"], table));
        let ways: Vec<Vec<&str>> = ways.collect();
        if !ways.is_empty() && ways.iter().all(|names| !names.is_empty()) {
            let names = |names: &Vec<&str>| format!("`{}`", names.join("`, `"));
            let ways: Vec<String> = ways.iter().map(names).collect();
            self.add(section, format!("missing: {}", ways.join(", or ")), true);
        }
    }

    fn unknown(&mut self, section: &str, name: &str, known: &Json) {
        let typed = join(section, name);
        let mut paths = Vec::new();
        collect(self.schema, "", &mut paths);
        // Those of entries of lists.
        let known = known.as_object().into_iter().flatten();
        paths.extend(known.map(|(name, _)| join(section, name)));
        paths.sort();
        paths.dedup();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        // A field in another spelling comes before words of other programs, and they before slips.
        let found = spelled(&typed, &paths).or_else(|| meant(self.words, name));
        let found = found.or_else(|| similar(&typed, &paths));
        let reason = match &found {
            Some(meant) => format!("unknown field; {}", meant.advice()),
            None if self.none_such.is_empty() => "unknown field".to_owned(),
            None => format!("unknown field; {}", self.none_such),
        };
        if let Some(Meant::Fields(paths)) = found {
            self.meant.extend(paths.into_iter().map(str::to_owned));
        }
        self.add(&typed, reason, false);
    }

    fn add(&mut self, field: &str, reason: String, is_missing: bool) {
        self.found
            .push((ConfigError::new(field, reason), is_missing));
    }
}

/// Returns those of some required fields that a section lacks.
fn missing<'a>(required: &'a Json, table: &Table) -> Vec<&'a str> {
    let required = required.as_array().into_iter().flatten();
    let names = required.filter_map(Json::as_str);
    names.filter(|name| !table.contains_key(*name)).collect()
}

/// Collects the paths of a section's fields and of what is in them.
fn collect(schema: &Json, section: &str, paths: &mut Vec<String>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = join(section, name);
        collect(inner, &path, paths);
        paths.push(path);
    }
}

/// Returns what a field should be, and what it is.
fn expected(value: &Value, schema: &Json) -> String {
    // One of more than 64 bits comes as the text that it was.
    let is_whole = |text: &&str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_number = ["integer", "number"].iter().any(|it| schema["type"] == *it);
    let text = value.as_str().filter(|_| is_number);
    let is_large = |text: &&str| is_whole(text) && text.parse::<i64>().is_err();
    let large = text.filter(is_large);
    let quoted = text.filter(|text| large.is_none() && text.parse::<f64>().is_ok());
    let found = large.map_or_else(|| display(value), str::to_owned);
    let found = match found.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &found[..end]),
        None => found,
    };
    let words = words(schema);
    let hint = nearest(&found, words.iter().map(String::as_str));
    let hint = hint.map(|meant| format!("; did you mean {meant}?"));
    let hint = hint.or_else(|| large.map(|_| format!("; whole numbers end at {}", i64::MAX)));
    let hint = hint.or_else(|| quoted.map(|_| ", in quotes: numbers have none".to_owned()));
    let hint = hint.or_else(|| match as_stored(value, schema).as_float()? {
        0.0 if number_of(value) != Some(0.0) => Some(", which is rounded to 0".to_owned()),
        stored if stored.is_infinite() => Some(", which is too large".to_owned()),
        _ => None,
    });
    let hint = hint.or_else(|| most(value, schema).map(|most| format!("; the largest is {most}")));
    let kind = kind_of(schema);
    format!("expected {kind}, found {found}{}", hint.unwrap_or_default())
}

/// Returns the greatest number that a field can hold, of a whole number above one so great that it is not told else.
fn most(value: &Value, schema: &Json) -> Option<u64> {
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let mut all = std::iter::once(schema).chain(choices);
    let most = all.find_map(|it| it["maximum"].as_u64())?;
    let is_above = value.as_integer()? > i64::try_from(most).ok()?;
    (is_above && most >= u64::from(u32::MAX)).then_some(most)
}
