//! Lines of tables: their fields, and the names of their columns.

use super::aagenielsen::{RecordedGameError, RecordedResult, read_captures};
use crate::Side;

/// Returns the fields of a line between separators.
pub(super) fn split(line: &str, separator: char) -> Vec<&str> {
    let fields = line.split(separator);
    fields.map(|field| field.trim().trim_matches('"')).collect()
}

/// Returns the fields of a line: between commas, or, where there is none, as tables are also written.
pub(super) fn fields_of(line: &str) -> Vec<&str> {
    // Tabs may stand between turns too.
    let is_table = |fields: &Vec<&str>| has_counts(fields);
    let others = [';', '\t'].map(|separator| split(line, separator));
    let table = others.into_iter().find(is_table);
    let table = table.filter(|_| !line.contains(','));
    table.unwrap_or_else(|| split(line, ','))
}

/// Returns whether fields are those of a line of [`COLUMNS`]: the second and the third are numbers.
pub(super) fn has_counts(fields: &[&str]) -> bool {
    let counts = fields.get(1..3).filter(|_| fields.len() >= COLUMNS.len());
    counts.is_some_and(|counts| counts.iter().all(|it| it.parse::<u32>().is_ok()))
}

/// The columns of lines that have no names above them.
pub(super) const COLUMNS: [&str; 4] = ["plies", "by attackers", "by defenders", "result"];

/// Returns the names of the columns below a line of names, and what is between them.
pub(super) fn columns_of(line: &str) -> Option<(char, Vec<String>)> {
    let mut separated = [',', ';', '\t'].into_iter().map(|separator| {
        let names = split(line, separator).into_iter();
        let names = names.map(|name| name.to_lowercase().replace(['_', '-'], " "));
        (separator, names.collect::<Vec<_>>())
    });
    let is_name = |name: &String| {
        let mut letters = name.chars();
        letters.next().is_some_and(char::is_alphabetic)
            && letters.all(|it| it.is_alphabetic() || it == ' ')
    };
    separated.find(|(_, names)| {
        let has_plies = names.iter().any(|name| is_plies(name));
        let has_four = names.len() > 3 && RecordedResult::of_word(&names[3]).is_none();
        names.len() > 1 && names.iter().all(is_name) && (has_plies || has_four)
    })
}

/// Returns how many pieces a side captured; nothing where a column that is called by the side alone has a player's name.
pub(super) fn captures_of(
    by: Side,
    column: &str,
    field: &str,
) -> Result<Option<u32>, RecordedGameError> {
    let is_name = field.is_empty() || field.contains(char::is_alphabetic);
    match is_name && !column.contains(' ') {
        true => Ok(None),
        false => read_captures(by, field).map(Some),
    }
}

pub(super) fn is_plies(column: &str) -> bool {
    ["plies", "moves", "turns"].contains(&column)
}
