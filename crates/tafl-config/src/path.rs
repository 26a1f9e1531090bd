//! Fields by their paths, such as `search.visits` or `players[0].player`.

use toml::{Table, Value};

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// Returns the steps to a field.
pub(crate) fn steps(field: &str) -> impl Iterator<Item = Step<'_>> {
    let steps = field.split(['.', '[']).filter(|step| !step.is_empty());
    steps.map(|step| {
        let index = step.strip_suffix(']').and_then(|it| it.parse().ok());
        index.map_or(Step::Name(step), Step::Index)
    })
}

/// Returns the path of a field of a section; either may be empty.
pub(crate) fn join(section: &str, field: &str) -> String {
    let point = !section.is_empty() && !field.is_empty() && !field.starts_with('[');
    format!("{section}{}{field}", if point { "." } else { "" })
}

/// Returns the path of the section around a field, and its name there.
pub(crate) fn split(field: &str) -> (&str, &str) {
    field.rsplit_once('.').unwrap_or(("", field))
}

/// Returns whether one of two paths is the other or leads to it.
pub(crate) fn is_along(one: &str, other: &str) -> bool {
    steps(one)
        .zip(steps(other))
        .all(|(one, other)| one == other)
}

/// Returns the value of a field.
pub fn value<'a>(table: &'a Table, field: &str) -> Option<&'a Value> {
    let mut steps = steps(field);
    let Step::Name(first) = steps.next()? else {
        return None;
    };
    steps.try_fold(table.get(first)?, |value, step| match step {
        Step::Name(name) => value.get(name),
        Step::Index(index) => value.get(index),
    })
}

/// Puts a value at a path without lists, in sections that are made where they are missing; the error names what is not
/// a section.
pub(crate) fn put(table: &mut Table, field: &str, value: Value) -> Result<(), String> {
    let Some((section, rest)) = field.split_once('.') else {
        table.insert(field.to_owned(), value);
        return Ok(());
    };
    let inner = table
        .entry(section)
        .or_insert_with(|| Value::Table(Table::new()));
    match inner {
        Value::Table(inner) => put(inner, rest, value),
        _ => Err(section.to_owned()),
    }
}

/// Removes a field, of entries of a list the whole list; returns whether it was there.
pub(crate) fn remove(table: &mut Table, field: &str) -> bool {
    match field.split_once('.') {
        _ if field.is_empty() => false,
        Some((section, rest)) if !section.contains('[') => match table.get_mut(section) {
            Some(Value::Table(inner)) => remove(inner, rest),
            _ => false,
        },
        _ => {
            let name = field.split('[').next().unwrap_or(field);
            table.remove(name).is_some()
        }
    }
}
