//! TOML files read so that an error names file, line, field and reason.

use crate::failure::hinted;
use anyhow::{Context, bail};
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
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
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
    // Without changes the text itself is read, because its errors know their lines.
    let value = if source.changes.is_empty() {
        let document = toml::Deserializer::parse(&source.text)?;
        serde_path_to_error::deserialize(document)
    } else {
        serde_path_to_error::deserialize(toml::Value::Table(table))
    };
    let value = value.map_err(|error| {
        let field = error.path().to_string();
        source.error(&field, error.inner().message())
    })?;
    Ok((value, source))
}

impl Source {
    /// Returns an error about one field, which is named with its file and line.
    pub(crate) fn error(&self, field: &str, reason: &str) -> anyhow::Error {
        let file = self.path.display();
        if self.changes.iter().any(|(changed, _)| changed == field) {
            return anyhow::anyhow!("--set {field}: {reason}");
        }
        let line = line_of(&self.text, field).map(|line| format!(" line {line}:"));
        let line = line.unwrap_or_default();
        match field {
            "" | "." => anyhow::anyhow!("{file}:{line} {reason}"),
            _ => anyhow::anyhow!("{file}:{line} field `{field}`: {reason}"),
        }
    }

    /// Returns an error whose text may begin with the field, as in "field `start`: ...".
    pub(crate) fn field_error(&self, text: &str) -> anyhow::Error {
        let (field, reason) = split_field(text);
        self.error(field, reason)
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

fn set(table: &mut toml::Table, field: &str, value: toml::Value) -> anyhow::Result<()> {
    let (section, name) = match field.rsplit_once('.') {
        Some((section, name)) => (section, name),
        None => ("", field),
    };
    let mut place = table;
    for key in section.split('.').filter(|key| !key.is_empty()) {
        match place.get_mut(key) {
            Some(toml::Value::Table(inner)) => place = inner,
            _ => bail!("--set {field}: no section `{key}`"),
        }
    }
    // A number for a field of fractions may be written without its point.
    let value = match (place.get(name), value) {
        (None, _) => bail!("--set {field}: no such field"),
        (Some(toml::Value::Float(_)), toml::Value::Integer(number)) => {
            toml::Value::Float(number as f64)
        }
        (_, value) => value,
    };
    place.insert(name.to_owned(), value);
    Ok(())
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
            "--set search.visit: no such field"
        );
        let kind = message(GOOD, &["search.visits=-1"]);
        assert!(
            kind.starts_with("--set search.visits: invalid value"),
            "{kind}"
        );
    }
}
