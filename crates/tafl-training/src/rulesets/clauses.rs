//! Which clause of its document each field of a ruleset implements, from the comments of ruleset files.

use std::collections::HashMap;
use tafl_rules::preset_source;

/// Returns the comment behind each field of a ruleset file. Fields that the file does not set have the comment of the
/// preset it is based on, followed by `(as PRESET)`; fields without a comment have none.
#[must_use]
pub fn clauses(source: &str) -> HashMap<String, String> {
    let assignments: Vec<_> = source.lines().filter_map(assignment).collect();
    let base = assignments.iter().find(|(field, ..)| *field == "base");
    let inherited = base.map(|(_, name, _)| (*name, preset_source(name).unwrap_or_default()));
    let inherited = inherited.into_iter().flat_map(|(name, source)| {
        let assignments = source.lines().filter_map(assignment);
        // The name is the file's own.
        let assignments = assignments.filter(|(field, ..)| *field != "name");
        assignments.map(move |(field, _, comment)| (field, format!("{comment} (as {name})")))
    });
    let own = assignments.iter();
    let own = own.map(|(field, _, comment)| (*field, (*comment).to_owned()));
    inherited
        .chain(own)
        .map(|(field, comment)| (field.to_owned(), comment))
        .collect()
}

/// Splits `field = value # comment`; no value of a ruleset file contains a `#`.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let (field, rest) = line
        .split_once('=')
        .filter(|_| !line.trim_start().starts_with('#'))?;
    let (value, comment) = rest.split_once('#').unwrap_or((rest, ""));
    let value = value.trim().trim_matches(['"', '\'']);
    Some((field.trim(), value, comment.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulesets::{fields, names};
    use tafl_rules::preset;

    #[test]
    fn every_field_of_a_preset_has_its_clause() {
        for name in names() {
            let clauses = clauses(preset_source(name).expect("a preset"));
            let fields = fields(&preset(name).expect("a preset"));
            for (field, _) in fields
                .iter()
                .filter(|(f, _)| !["name", "board"].contains(f))
            {
                assert!(!clauses[*field].is_empty(), "{name}: {field}");
            }
        }
    }

    #[test]
    fn a_file_inherits_the_clauses_of_fields_that_it_does_not_set() {
        assert!(!clauses("base = \"fetlar\"").contains_key("name"));
        let file = "name = \"mine\"\nbase = \"fetlar\"\nedge_fort = true # mine\nranks = true\n";
        let clauses = clauses(file);
        assert_eq!(clauses["edge_fort"], "mine");
        assert_eq!(clauses["ranks"], "");
        assert!(clauses["encirclement"].ends_with("(as fetlar)"));
    }
}
