//! Variants of a ruleset that differ from it in one field.

use super::PlannedRuleset;
use anyhow::{Context, bail};
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::FieldChange;
use tafl_config::{Change, Field, nearest};
use tafl_rules::{Rules, Ruleset};
use tafl_training::{RulesetDocument, hinted, ruleset_fields as fields, ruleset_text as file_text};

/// Fields that a variant cannot differ in.
const FIXED: [&str; 3] = ["name", "base", "start"];

/// Returns the base and its variants: for `FIELD=VALUE` the one with that value, for `FIELD` one for each other value.
///
/// # Errors
/// If there is no such field or value, or it is the base's own.
pub fn plan(base: &Arc<Rules>, wanted: &[String]) -> anyhow::Result<Vec<PlannedRuleset>> {
    let mut planned = vec![PlannedRuleset::of(base)];
    for text in wanted {
        let context = || format!("--field {text}");
        let (field, value) = match text.split_once('=') {
            Some((field, value)) => (field.trim(), Some(value)),
            None => (text.trim(), None),
        };
        let values = match value {
            Some(_) => vec![text.parse::<Change>()?.value],
            None => other_values(base.ruleset(), field).with_context(context)?,
        };
        for value in values {
            let next = variant(base.ruleset(), field, value).with_context(context)?;
            let name = &next.rules.ruleset().name;
            if planned.iter().any(|it| it.rules.ruleset().name == *name) {
                bail!("--field {text}: given twice");
            }
            planned.push(next);
        }
    }
    Ok(planned)
}

/// Returns the values other than that of a ruleset that a field of words or of `true` and `false` may hold.
fn other_values(ruleset: &Ruleset, field: &str) -> anyhow::Result<Vec<toml::Value>> {
    let own = value_of(ruleset, field)?;
    let others = |words: Vec<String>| -> Vec<toml::Value> {
        let others = words.into_iter().filter(|word| *word != own);
        others.map(|word| value_of_word(&word)).collect()
    };
    if matches!(own.as_str(), "true" | "false") {
        return Ok(others(vec!["true".to_owned(), "false".to_owned()]));
    }
    let described = tafl_config::fields::<RulesetDocument>();
    let described = described.iter().find(|it| it.path == field);
    let words = described.map(Field::choices).unwrap_or_default();
    if words.is_empty() || field == "captureless_limit" {
        bail!("give a value, such as {field}=50");
    }
    let plain = |(word, _): (String, &str)| word.trim_matches('"').to_owned();
    Ok(others(words.into_iter().map(plain).collect()))
}

/// Parses a word: `true` and `false` as booleans, others as text.
fn value_of_word(word: &str) -> toml::Value {
    match word.parse() {
        Ok(truth) => toml::Value::Boolean(truth),
        Err(_) => toml::Value::String(word.to_owned()),
    }
}

/// Returns what a ruleset holds in a field, as files write it.
fn value_of(ruleset: &Ruleset, field: &str) -> anyhow::Result<String> {
    let fields = fields(ruleset);
    if FIXED.contains(&field) {
        bail!("a variant cannot change `{field}`");
    }
    let changeable = |name: &&str| *name != "board" && !FIXED.contains(name);
    let all = fields.iter().map(|(name, _)| *name).filter(changeable);
    if let Some((_, own)) = fields
        .iter()
        .find(|(name, _)| *name == field && changeable(name))
    {
        return Ok(own.clone());
    }
    let hint = match nearest(field, all.clone()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("fields: {}", all.collect::<Vec<_>>().join(", ")),
    };
    let refused = format!("{field:?} is not a field of rulesets");
    Err(hinted(refused, hint))
}

/// Returns a ruleset with one field changed.
fn variant(base: &Ruleset, field: &str, value: toml::Value) -> anyhow::Result<PlannedRuleset> {
    let from = value_of(base, field)?;
    let mut table: toml::Table = file_text(base).parse()?;
    let written = match &value {
        toml::Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let name = name_of(&base.name, field, &written);
    table.insert("name".to_owned(), name.into());
    table.insert(field.to_owned(), value);
    let text = table.to_string();
    let read = tafl_config::read_text::<RulesetDocument>(Path::new(""), &text, &[]);
    let file = read.map_err(|faults| match faults.0.into_iter().next() {
        Some(fault) => anyhow::anyhow!("{}", fault.error.reason),
        None => anyhow::anyhow!("the variant cannot be played"),
    })?;
    let ruleset = file.config.0.resolve()?;
    if ruleset.fingerprint() == base.fingerprint() {
        bail!("{} already has `{field}` {from}", base.name);
    }
    let rules = Rules::new(ruleset)?;
    let change = FieldChange {
        field: field.to_owned(),
        from,
        to: value_of(rules.ruleset(), field)?,
    };
    Ok(PlannedRuleset {
        change: Some(change),
        ..PlannedRuleset::of(&rules)
    })
}

/// Returns the name of a variant, such as `copenhagen_shieldwall-false`; too long ones end early.
fn name_of(base: &str, field: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let plain = |c: char| if is_plain(c) { c } else { '-' };
    let value: String = value.chars().map(plain).collect();
    format!("{base}_{field}-{value}").chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copenhagen() -> Arc<Rules> {
        Rules::preset("copenhagen").expect("a preset")
    }

    fn variants(wanted: &[&str]) -> anyhow::Result<Vec<(String, String)>> {
        let wanted: Vec<String> = wanted.iter().map(|&text| text.to_owned()).collect();
        let planned = plan(&copenhagen(), &wanted)?;
        assert_eq!(planned[0].change, None);
        let name = |it: &PlannedRuleset| {
            let change = it.change.clone().expect("a variant");
            let name = it.rules.ruleset().name.clone();
            (name, format!("{} {}", change.from, change.to))
        };
        Ok(planned[1..].iter().map(name).collect())
    }

    #[test]
    fn a_field_alone_stands_for_all_its_other_values() {
        let found = variants(&["shieldwall", "chain", "captureless_limit=40"]).expect("variants");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "copenhagen_shieldwall-false",
            "copenhagen_chain-optional",
            "copenhagen_chain-forced",
            "copenhagen_captureless_limit-40",
        ];
        assert_eq!(names, expected);
        assert_eq!(found[0].1, "true false");
        assert_eq!(found[3].1, "100 40");
    }

    #[test]
    fn variants_differ_from_the_base_in_that_field_alone_and_their_files_are_read_back() {
        let wanted = [
            "edge_fort=false",
            "repetition=draw",
            "king_capture",
            "king_armed",
            "throne_hostile",
            "moves_first",
        ];
        let wanted: Vec<String> = wanted.map(str::to_owned).into();
        let base = copenhagen();
        let planned = plan(&base, &wanted).expect("variants");
        // The king's capture has two other values.
        assert_eq!(planned.len(), 1 + wanted.len() + 1);
        for planned in &planned[1..] {
            let own = planned.rules.ruleset();
            let [old, new] = [base.ruleset(), own].map(fields);
            let differing: Vec<&str> = old
                .iter()
                .zip(&new)
                .filter(|(one, other)| one.1 != other.1)
                .map(|(one, _)| one.0)
                .collect();
            let field = &planned.change.as_ref().expect("a variant").field;
            assert_eq!(differing, ["name", field]);
            let text = &file_text(own);
            let file = tafl_config::read_text::<RulesetDocument>(Path::new(""), text, &[])
                .expect("a ruleset file");
            assert_eq!(&file.config.0.resolve().expect("a ruleset"), own);
        }
    }

    #[test]
    fn unknown_fields_and_values_are_refused() {
        for (wanted, expected) in [
            ("shieldwal", "\"shieldwal\" is not a field of rulesets"),
            ("name=x", "a variant cannot change `name`"),
            ("captureless_limit", "give a value"),
            (
                "shieldwall=true",
                "copenhagen already has `shieldwall` true",
            ),
            ("shieldwall=maybe", "expected true | false, found \"maybe\""),
            (
                "chain=sometimes",
                "expected \"none\" | \"optional\" | \"forced\", found \"sometimes\"",
            ),
            (
                "captureless_limit=0",
                "expected \"none\" | whole number from 1 up, found 0",
            ),
            ("shieldwall shieldwall=false", "given twice"),
        ] {
            let error = variants(&wanted.split(' ').collect::<Vec<_>>()).expect_err("it is wrong");
            let message = format!("{error:#}");
            assert!(message.contains(expected), "{wanted:?}: {message}");
            assert!(message.contains("--field"), "{message}");
        }
    }
}
