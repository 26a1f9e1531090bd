//! In what configs and rulesets differ, in words.

use tafl_config::{Difference, difference_of_tables, display, ruleset_table};
use tafl_rules::Ruleset;
use toml::Value;

/// Returns the fields in which a ruleset differs from a stored one, its name left out, each with both values.
pub fn differing_rules(given: &Ruleset, stored: &Ruleset) -> Vec<String> {
    let tables = [given, stored].map(ruleset_table);
    let fields = tables[1].keys().filter(|field| *field != "name");
    let differing = difference_of_tables(fields.cloned(), &tables);
    differing.iter().map(in_words).collect()
}

/// Returns a field with its values in a config and in that of a run.
pub(crate) fn in_words(Difference { field, values }: &Difference) -> String {
    let [here, there] = texts(values);
    format!(
        "`{field}` (there {}, here {})",
        or_none(&there),
        or_none(&here)
    )
}

/// Returns the values of a field as texts; one that is not there is empty.
pub(crate) fn texts(values: &[Option<Value>]) -> [String; 2] {
    [0, 1].map(|which| values[which].as_ref().map_or_else(String::new, display))
}

/// Returns a text of [`texts`], or what is said of one that is not there.
pub(crate) fn or_none(value: &str) -> &str {
    if value.is_empty() { "none" } else { value }
}
