//! Files with changes from the command line.

use crate::decode::decode;
use crate::path::{self, Step, join, put, steps};
use crate::schema::{at, whole};
use crate::{Config, ConfigError, Fault, Faults, MOST_CONFIG_BYTES, display};
use schemars::generate::Contract;
use serde_json::Value;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use toml::Table;
use toml::de::{DeTable, DeValue};

/// A change of a field, written `search.visits=32`, or of some of a section, `search={visits=32}`; `search.puct=` takes a field or a section out, so that it has its default.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The field, with the sections around it.
    pub field: String,
    /// What it is set to.
    pub value: toml::Value,
    /// A number, a date, `true` or `false` as it was written: a text, where the field holds one.
    pub written: Option<String>,
    /// By what it was given, as messages name it: an option of a command, for example.
    pub given_by: String,
}

impl FromStr for Change {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let named = text
            .split_once('=')
            .map(|(field, value)| (field.trim(), value));
        let Some((field, value)) = named.filter(|(field, _)| !field.split('.').any(str::is_empty))
        else {
            let reason = format!("{text:?} is not a change such as search.visits=32");
            return Err(ConfigError::new("", reason));
        };
        // A word without quotes is a string, so that the shell's quotes suffice.
        let parsed = format!("v = {value}").parse::<Table>();
        let parsed = parsed.ok().and_then(|mut table| table.remove("v"));
        let parsed = parsed.or_else(|| number_of(value.trim()));
        let is_single = |it: &toml::Value| !(it.is_str() || it.is_array() || it.is_table());
        let written = parsed.as_ref().is_some_and(is_single);
        Ok(Self {
            written: written.then(|| value.trim().to_owned()),
            field: field.to_owned(),
            value: parsed.unwrap_or_else(|| toml::Value::String(value.to_owned())),
            given_by: "change".to_owned(),
        })
    }
}

/// Returns a number that has a zero too few or too many for TOML, such as `.1` or `01`.
fn number_of(text: &str) -> Option<toml::Value> {
    if text.contains('.') {
        return text.parse().ok().map(toml::Value::Float);
    }
    text.parse().ok().map(toml::Value::Integer)
}

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.field, display(&self.value))
    }
}

/// A config and the file that it is from.
#[derive(Debug, Clone)]
pub struct Document<T> {
    /// The config, checked.
    pub config: T,
    source: Source,
}

impl<T> Document<T> {
    /// Returns faults that only the owner of the config can find, such as a file it names that is not there, with
    /// their lines.
    pub fn faults(&self, errors: Vec<ConfigError>) -> Faults {
        self.source.faults(errors)
    }
}

/// Reads a config from a TOML file and applies changes, of which the last to a field counts.
///
/// # Errors
/// Returns everything that is wrong with the file and the changes at once.
pub fn read<T: Config>(file: &Path, changes: &[Change]) -> Result<Document<T>, Faults> {
    let text = tafl_store::read_text(file, MOST_CONFIG_BYTES);
    let text = text.map_err(|error| Faults::whole(error.to_string()))?;
    read_text(file, &text, changes)
}

/// Does what [`read`] does with the text of a file.
///
/// # Errors
/// Returns everything that is wrong with the text and the changes at once.
pub fn read_text<T: Config>(
    file: &Path,
    text: &str,
    changes: &[Change],
) -> Result<Document<T>, Faults> {
    let source = Source {
        file: file.to_owned(),
        text: text.to_owned(),
        changes: changes.to_vec(),
        called_as_file: T::CALLED_AS_FILE,
    };
    let mut table = source.table()?;
    let schema = whole::<T>(Contract::Deserialize).to_value();
    let is_kept = file
        .file_name()
        .is_some_and(|name| T::KEPT_AS.iter().any(|own| name == *own));
    if is_kept {
        T::translate(&mut table);
        for (field, _) in T::REMOVED {
            path::remove(&mut table, field);
        }
    }
    let refused = changes
        .iter()
        .filter_map(|it| apply(it, &mut table, &schema));
    let mut errors: Vec<ConfigError> = refused.collect();
    let removed = T::REMOVED.iter();
    let removed = removed.filter(|(field, _)| path::remove(&mut table, field));
    errors.extend(removed.map(|(field, advice)| no_longer(field, advice)));
    let config = match decode(&table, |table| T::complete(table, file)) {
        Ok(config) if errors.is_empty() => config,
        decoded => {
            errors.extend(decoded.err().into_iter().flatten());
            return Err(source.faults(errors));
        }
    };
    Ok(Document { config, source })
}

/// Returns what is wrong with a field that earlier versions had.
pub fn no_longer(field: &str, advice: &str) -> ConfigError {
    ConfigError::new(field, format!("no longer a field; {advice}"))
}

/// Applies a change, or returns why it cannot be.
fn apply(change: &Change, table: &mut Table, schema: &Value) -> Option<ConfigError> {
    let Change { field, value, .. } = change;
    let mut outer = field
        .match_indices(['.', '['])
        .map(|(end, _)| &field[..end]);
    if let Some(list) = outer.find(|outer| at(schema, outer)["type"] == "array") {
        let reason = format!("`{list}` is a list, which is set as a whole: {list}=[...]");
        return Some(ConfigError::new(field, reason));
    }
    if value.as_str() == Some("") && !at(schema, field).is_null() {
        path::remove(table, field);
        return None;
    }
    // Of a section that is there, what is not in the braces stays.
    let is_section = at(schema, field)["properties"].is_object();
    if let (Some(inner), true) = (value.as_table(), is_section)
        && path::value(table, field).is_some_and(toml::Value::is_table)
    {
        return inner.iter().find_map(|(name, value)| {
            let of_field = Change {
                field: join(field, name),
                value: value.clone(),
                written: None,
                given_by: String::new(),
            };
            apply(&of_field, table, schema)
        });
    }
    let written = change.written.as_ref();
    let text = written.filter(|_| at(schema, field)["type"] == "string");
    let value = text.map_or_else(|| value.clone(), |text| text.as_str().into());
    let refused = put(table, field, value).err();
    refused.map(|name| ConfigError::new(field, format!("`{name}` is not a section")))
}

/// Returns the path of the first integer of more than 64 bits below a field.
fn too_large(value: &DeValue<'_>, field: &str) -> Option<String> {
    match value {
        DeValue::Integer(number) => {
            let read = i64::from_str_radix(number.as_str(), number.radix());
            read.is_err().then(|| field.to_owned())
        }
        DeValue::Table(table) => table
            .iter()
            .find_map(|(name, value)| too_large(value.get_ref(), &join(field, name.get_ref()))),
        DeValue::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| too_large(item.get_ref(), &format!("{field}[{index}]")))
        }
        _ => None,
    }
}

/// Returns what is wrong with a line whose value is a word of letters, `-` and `_` that TOML does not have.
fn about_bare_word(line: &str) -> Option<String> {
    let (_, value) = line.split_once('=')?;
    let word = value.split('#').next()?.trim();
    let is_word = |it: char| it.is_ascii_alphabetic() || "-_".contains(it);
    if word.is_empty() || !word.chars().all(is_word) {
        return None;
    }
    match &*word.to_lowercase() {
        known @ ("true" | "false" | "nan" | "inf") => {
            (word != known).then(|| format!("{word} is written in lower case, {known}"))
        }
        _ => Some(format!("words need quotes: \"{word}\"")),
    }
}

/// Where the fields of a config come from.
#[derive(Debug, Clone)]
struct Source {
    file: PathBuf,
    text: String,
    changes: Vec<Change>,
    called_as_file: Option<&'static str>,
}

impl Source {
    fn table(&self) -> Result<Table, Faults> {
        self.text.parse().map_err(|error: toml::de::Error| {
            if let Some(field) = self.too_large() {
                return self.faults(vec![ConfigError::new(
                    field,
                    format!("the number is too large: they end at {}", i64::MAX),
                )]);
            }
            let span = error.span().unwrap_or_default();
            let (file, line) = (self.file.display(), self.line_at(span.start));
            let bare = self.text.lines().nth(line - 1).and_then(about_bare_word);
            let reason = bare.as_deref().unwrap_or(error.message());
            let mut text = format!("{file}: line {line}: {reason}");
            if error.message() == "duplicate key" {
                text += &format!(" `{}`", &self.text[span]);
            }
            if error.message().contains("inline table") {
                text += "; a section in braces is whole: put the field into them, or write the section as [section]";
            }
            Faults::whole(text)
        })
    }

    /// Returns the first field with an integer that is none of TOML's, which are of 64 bits.
    fn too_large(&self) -> Option<String> {
        let document = DeTable::parse(&self.text).ok()?;
        too_large(&DeValue::Table(document.into_inner()), "")
    }

    fn faults(&self, errors: Vec<ConfigError>) -> Faults {
        let faults = errors.into_iter().map(|error| self.fault(error));
        let mut faults: Vec<_> = faults.collect();
        faults.sort_by_key(|(place, _)| *place);
        Faults(faults.into_iter().map(|(_, fault)| fault).collect())
    }

    /// Returns a fault behind what orders it: the line of the file, of changes the number.
    fn fault(&self, error: ConfigError) -> ([usize; 2], Fault) {
        let file = self.file.display();
        let (line, is_exact) = self.line(&error.field);
        let leads = |from: &str, to: &str| {
            let rest = to.strip_prefix(from);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        // A section that the file lacks was made by the change of a field in it.
        let is_from = |(_, change): &(usize, &Change)| {
            leads(&change.field, &error.field) || !is_exact && leads(&error.field, &change.field)
        };
        let mut changes = self.changes.iter().enumerate().rev();
        let change = changes.clone().find(is_from);
        let change = change.or_else(|| changes.find(|(_, it)| error.names(&it.field)));
        let (place, text) = match (change, line) {
            (Some((number, change)), _) => {
                let reason = match change.field == error.field {
                    true => error.reason.clone(),
                    false => error.to_string(),
                };
                let Change {
                    field, given_by, ..
                } = change;
                (
                    [usize::MAX, number],
                    format!("{given_by} {field}: {reason}"),
                )
            }
            (None, Some(line)) => ([line, 0], format!("{file}: line {line}: {error}")),
            (None, None) if self.is_called_as_file(&error.field) => {
                let how = format!(
                    "it is taken from the file's name; a line `{} = \"mine\"` gives another",
                    error.field
                );
                ([0, 0], format!("{file}: {error}; {how}"))
            }
            // A field is missing outside all sections.
            (None, None) => ([0, 0], format!("{file}: {error}")),
        };
        (place, Fault { text, error })
    }

    fn is_called_as_file(&self, field: &str) -> bool {
        self.called_as_file == Some(field) && self.file.file_stem().is_some()
    }

    /// Returns the line of a field or of the innermost section around it, and whether it is the field's.
    fn line(&self, field: &str) -> (Option<usize>, bool) {
        let Ok(document) = DeTable::parse(&self.text) else {
            return (None, false);
        };
        let root = DeValue::Table(document.into_inner());
        let mut value = &root;
        let mut offset = None;
        for step in steps(field) {
            let inner = match (step, value) {
                (Step::Name(name), DeValue::Table(table)) => table
                    .get_key_value(name)
                    .map(|(name, value)| (name.span().start, value)),
                (Step::Index(index), DeValue::Array(items)) => {
                    items.get(index).map(|value| (value.span().start, value))
                }
                _ => None,
            };
            let Some((start, inner)) = inner else {
                return (offset, false);
            };
            offset = Some(self.line_at(start));
            value = inner.get_ref();
        }
        (offset, !field.is_empty())
    }

    fn line_at(&self, offset: usize) -> usize {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }
}
