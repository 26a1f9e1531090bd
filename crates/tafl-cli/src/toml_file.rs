//! TOML files read so that an error names file, line, field and reason.

mod fault;

pub(crate) use fault::Fault;

use crate::failure::hinted;
use anyhow::Context;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Where a value came from, to say what is wrong with one of its fields.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    path: PathBuf,
    text: String,
    changes: Vec<(String, toml::Value)>,
}

/// Reads a file and then sets fields, each change being `some.field=value`.
pub(crate) fn read_changed<T: DeserializeOwned>(
    path: &Path,
    changes: &[String],
) -> anyhow::Result<(T, Source)> {
    let (table, source) = open(path, changes)?;
    match decode(table) {
        Ok(value) => Ok((value, source)),
        Err(fault) => Err(source.error(&fault.field, &fault.advice())),
    }
}

/// Reads a file without regard to what its fields mean, and then sets fields.
pub(crate) fn open(path: &Path, changes: &[String]) -> anyhow::Result<(toml::Table, Source)> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    open_text(path, text, changes)
}

/// Does what [`open`] does with the text of a file.
pub(crate) fn open_text(
    path: &Path,
    text: String,
    changes: &[String],
) -> anyhow::Result<(toml::Table, Source)> {
    let changes = changes
        .iter()
        .map(|change| parse_change(change))
        .collect::<Result<_, _>>()?;
    let source = Source {
        path: path.to_owned(),
        text,
        changes,
    };
    let mut table = source.table()?;
    for (field, value) in &source.changes {
        set(&mut table, field, value.clone())?;
    }
    Ok((table, source))
}

/// Turns a table into what it describes.
pub(crate) fn decode<T: DeserializeOwned>(table: toml::Table) -> Result<T, Fault> {
    serde_path_to_error::deserialize(toml::Value::Table(table)).map_err(|error| {
        let path = error.path().to_string();
        Fault {
            field: if path == "." { String::new() } else { path },
            reason: error.inner().message().to_owned(),
        }
    })
}

impl Source {
    /// Returns an error about one field, which is named with its file and line.
    pub(crate) fn error(&self, field: &str, reason: &str) -> anyhow::Error {
        let file = self.path.display();
        let is_within = |changed: &str| {
            let rest = changed.strip_prefix(field);
            rest.is_some_and(|rest| rest.starts_with('.')) && reason.starts_with("unknown field")
        };
        let mut changed = self.changes.iter().map(|(changed, _)| changed);
        if let Some(changed) = changed.find(|changed| *changed == field || is_within(changed)) {
            return anyhow::anyhow!("--set {changed}: {reason}");
        }
        let line = self.line(field).map(|line| format!(" line {line}:"));
        let line = line.unwrap_or_default();
        match field {
            "" => anyhow::anyhow!("{file}:{line} {reason}"),
            _ => anyhow::anyhow!("{file}:{line} field `{field}`: {reason}"),
        }
    }

    /// Returns an error whose text may begin with the field, as in "field `start`: ...".
    pub(crate) fn field_error(&self, text: &str) -> anyhow::Error {
        let (field, reason) = split_field(text);
        self.error(field, reason)
    }

    /// Returns the line of a field, or of the innermost section around it that the text has.
    pub(crate) fn line(&self, field: &str) -> Option<usize> {
        line_of(&self.text, field)
    }

    fn table(&self) -> anyhow::Result<toml::Table> {
        self.text.parse().map_err(|error: toml::de::Error| {
            let line = error
                .span()
                .map_or(1, |span| line_at(&self.text, span.start));
            anyhow::anyhow!("{}: line {line}: {}", self.path.display(), error.message())
        })
    }
}

/// Splits "field `start`: reason" in field and reason; the field of other texts is empty.
pub(crate) fn split_field(text: &str) -> (&str, &str) {
    let named = text
        .strip_prefix("field `")
        .and_then(|rest| rest.split_once("`: "));
    named.unwrap_or(("", text))
}

/// Returns the field of a change such as `search.visits=32`.
pub(crate) fn changed_field(change: &str) -> &str {
    change.split('=').next().unwrap_or_default().trim()
}

fn parse_change(change: &str) -> anyhow::Result<(String, toml::Value)> {
    let advice = "write --set search.visits=32, with the sections' names in front of the field";
    let Some((field, value)) = change.split_once('=') else {
        return Err(hinted(format!("--set {change}: no `=` in it"), advice));
    };
    // A word without quotes is a string, so that the shell's quotes suffice.
    let value = format!("v = {value}")
        .parse::<toml::Table>()
        .ok()
        .and_then(|mut table| table.remove("v"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
    Ok((field.trim().to_owned(), value))
}

/// Sets a field, also one that the file lacks; whether there is such a field shows when the table is decoded.
fn set(table: &mut toml::Table, field: &str, value: toml::Value) -> anyhow::Result<()> {
    // A number for a field of fractions may be written without its point.
    let value = match (self::value(table, field), value) {
        (Some(toml::Value::Float(_)), toml::Value::Integer(number)) => {
            toml::Value::Float(number as f64)
        }
        (_, value) => value,
    };
    put(table, field, value).map_err(|key| anyhow::anyhow!("--set {field}: no section `{key}`"))
}

/// Returns the value at a path.
pub(crate) fn value<'a>(table: &'a toml::Table, field: &str) -> Option<&'a toml::Value> {
    match field.split_once('.') {
        Some((section, rest)) => value(table.get(section)?.as_table()?, rest),
        None => table.get(field),
    }
}

/// Returns a value as people write it.
pub(crate) fn display(value: &toml::Value) -> String {
    match value {
        toml::Value::Float(number) if *number != 0.0 && number.abs() < 1e-4 => {
            format!("{number:e}")
        }
        _ => value.to_string(),
    }
}

/// Puts a value at a path, in sections that are made where they are missing; the error names what is no section.
pub(crate) fn put(table: &mut toml::Table, field: &str, value: toml::Value) -> Result<(), String> {
    let Some((section, rest)) = field.split_once('.') else {
        table.insert(field.to_owned(), value);
        return Ok(());
    };
    let inner = table
        .entry(section)
        .or_insert_with(|| toml::Value::Table(toml::Table::new()));
    match inner.as_table_mut() {
        Some(inner) => put(inner, rest, value),
        None => Err(section.to_owned()),
    }
}

/// Returns the paths of all values that are no sections, by name.
pub(crate) fn paths(table: &toml::Table) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in table {
        match value {
            toml::Value::Table(inner) => {
                let within = paths(inner).into_iter();
                found.extend(within.map(|path| format!("{name}.{path}")));
            }
            _ => found.push(name.clone()),
        }
    }
    found
}

/// Removes what is at a path, and sections that it leaves empty; returns whether there was anything.
pub(crate) fn remove(table: &mut toml::Table, field: &str) -> bool {
    let Some((section, rest)) = field.split_once('.') else {
        return table.remove(field).is_some();
    };
    let Some(toml::Value::Table(inner)) = table.get_mut(section) else {
        return false;
    };
    let is_removed = remove(inner, rest);
    if inner.is_empty() {
        table.remove(section);
    }
    is_removed
}

/// Returns the line of a field, or of the innermost section around it that the text has.
fn line_of(text: &str, field: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let mut table = document.get_ref();
    let mut offset = None;
    for key in field.split('.') {
        let key = key.split('[').next().unwrap_or(key);
        let Some((name, value)) = table.get_key_value(key) else {
            break;
        };
        offset = Some(name.span().start);
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    offset.map(|offset| line_at(text, offset))
}

fn line_at(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct File {
        name: String,
        search: Search,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Search {
        visits: u32,
        noise: f32,
    }

    const GOOD: &str = "name = \"a\"\n\n[search]\nvisits = 16\nnoise = 0.25\n";

    fn read_text(text: &str, changes: &[&str]) -> anyhow::Result<File> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("c.toml");
        std::fs::write(&path, text).expect("written");
        let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
        read_changed(&path, &changes).map(|(file, _)| file)
    }

    fn message(text: &str, changes: &[&str]) -> String {
        let error = read_text(text, changes)
            .expect_err("the file is bad")
            .to_string();
        error
            .split_once("c.toml: ")
            .map_or(error.clone(), |(_, message)| message.to_owned())
    }

    #[test]
    fn errors_name_line_field_and_reason() {
        let unknown = message(&GOOD.replace("visits", "visit"), &[]);
        assert!(
            unknown.starts_with("line 4: field `search.visit`: unknown field"),
            "{unknown}"
        );
        let kind = message(&GOOD.replace("16", "\"many\""), &[]);
        assert!(
            kind.starts_with("line 4: field `search.visits`: invalid type"),
            "{kind}"
        );
        let missing = message(&GOOD.replace("noise = 0.25\n", ""), &[]);
        assert_eq!(missing, "line 3: field `search`: missing field `noise`");
        let syntax = message(&GOOD.replace("= 16", "16"), &[]);
        assert!(syntax.starts_with("line 4: "), "{syntax}");
    }

    #[test]
    fn changes_replace_fields_that_exist() {
        let file = read_text(GOOD, &["search.noise=1", "name=b c"]).expect("good");
        let search = Search {
            visits: 16,
            noise: 1.0,
        };
        assert_eq!(
            file,
            File {
                name: "b c".to_owned(),
                search
            }
        );
        assert_eq!(
            message(GOOD, &["search.visit=3"]),
            "--set search.visit: unknown field `visit`; did you mean `visits`?"
        );
        let kind = message(GOOD, &["search.visits=-1"]);
        assert!(
            kind.starts_with("--set search.visits: invalid value"),
            "{kind}"
        );
    }
}
