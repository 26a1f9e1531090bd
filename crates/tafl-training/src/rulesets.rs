//! Rulesets by name or from files.

mod clauses;
mod variants;

use crate::error::SourceError;
use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use tafl_config::{Config, ConfigError};
use tafl_rules::{
    PRESET_NAMES, RankOrder, Rules, Ruleset, RulesetError, RulesetFile, SMALL_BOARD_NAMES, preset,
};

pub use clauses::clauses;
pub(crate) use variants::with_variants;
pub use variants::{RulesetVariant, variants};

/// Returns the preset of that name, or the ruleset in the file at that path.
///
/// Paths (anything with a slash or the ending `.toml`) are relative to `folder`.
///
/// # Errors
/// If there is no such ruleset, or the file is wrong; names the file and the field.
pub fn load(name_or_path: &str, folder: &Path) -> anyhow::Result<Ruleset> {
    if let Some(ruleset) = preset(name_or_path) {
        return Ok(ruleset);
    }
    if !name_or_path.contains('/') && !name_or_path.ends_with(".toml") {
        return Err(SourceError::Ruleset(name_or_path.to_owned()).into());
    }
    load_file(&folder.join(name_or_path))
}

/// Returns the rules of a preset or of a ruleset file, ready to play.
///
/// # Errors
/// As [`load`], or if the ruleset cannot be played.
pub fn load_rules(name_or_path: &str, folder: &Path) -> anyhow::Result<Arc<Rules>> {
    let ruleset = load(name_or_path, folder)?;
    Rules::new(ruleset).with_context(|| format!("ruleset {name_or_path}"))
}

/// Returns the rules of several rulesets, none of which may be given twice.
///
/// # Errors
/// As [`load_rules`], for the first one that is wrong.
pub fn load_all(names: &[String], folder: &Path) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut rules: Vec<Arc<Rules>> = Vec::new();
    for name in names {
        let next = load_rules(name, folder)?;
        let name = &next.ruleset().name;
        if rules.iter().any(|other| other.ruleset().name == *name) {
            anyhow::bail!("{name:?} is given twice");
        }
        rules.push(next);
    }
    Ok(rules)
}

/// Returns the names of all rulesets that are compiled in.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let all = PRESET_NAMES.iter().chain(&SMALL_BOARD_NAMES);
    all.copied().collect()
}

/// Returns the fingerprint of a ruleset as files write it: 16 hexadecimal digits.
#[must_use]
pub fn fingerprint(rules: &Rules) -> String {
    format!("{:016x}", rules.ruleset().fingerprint())
}

/// Returns the fields and values in the order of the files, but for the start position.
#[must_use]
pub fn fields(ruleset: &Ruleset) -> Vec<(&'static str, String)> {
    let size = ruleset.start.shape.size();
    let limit = ruleset
        .captureless_limit
        .map_or("none".to_owned(), |limit| limit.to_string());
    vec![
        ("name", ruleset.name.clone()),
        ("board", format!("{size}x{size}")),
        ("shieldwall", word(&ruleset.shieldwall)),
        ("edge_fort", word(&ruleset.edge_fort)),
        ("encirclement", word(&ruleset.encirclement)),
        ("ranks", word(&ruleset.ranks)),
        ("jump_hostile", word(&ruleset.jump_hostile)),
        ("chain", word(&ruleset.chain)),
        ("no_move", word(&ruleset.no_move)),
        ("repetition", word(&ruleset.repetition)),
        ("captureless_limit", limit),
        ("captureless_reason", word(&ruleset.captureless_reason)),
        ("match", word(&ruleset.match_format)),
        ("escape", word(&ruleset.escape)),
        ("king_capture", word(&ruleset.king_capture)),
        ("king_armed", word(&ruleset.king_armed)),
        ("throne_hostile", word(&ruleset.throne_hostile)),
        ("moves_first", word(&ruleset.start.side)),
    ]
}

/// Returns a value as ruleset files write it, without quotes.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}

/// Returns a ruleset file with all fields, in the order of those that come with the program.
#[must_use]
pub fn file_text(ruleset: &Ruleset) -> String {
    let mut text = String::new();
    for (field, value) in fields(ruleset) {
        let bare = match field {
            "board" => continue,
            "name" => false,
            "captureless_limit" => value != "none",
            _ => matches!(value.as_str(), "true" | "false"),
        };
        let quote = if bare { "" } else { "\"" };
        text += &format!("{field} = {quote}{value}{quote}\n");
    }
    let start = ruleset.start.to_text(RankOrder::HighestFirst);
    text + &format!("start = \"{start}\"\n")
}

/// A ruleset file as a config.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RulesetDocument(pub RulesetFile);

impl Config for RulesetDocument {
    fn relations(&self) -> Vec<ConfigError> {
        let mut file = self.0.clone();
        if file.name.is_empty() {
            // It gets the file's own, which is not known here.
            file.name = "unnamed".to_owned();
        }
        let error = file.resolve().err();
        error.into_iter().map(named).collect()
    }
}

fn named(error: RulesetError) -> ConfigError {
    ConfigError::new(error.field(), error.to_string())
}

impl RulesetDocument {
    /// Returns the ruleset, which is called as the file at `path` is unless it has a name.
    ///
    /// # Errors
    /// If it cannot be played; names the field.
    pub fn resolve(self, path: &Path) -> Result<Ruleset, RulesetError> {
        let mut file = self.0;
        if file.name.is_empty() {
            let stem = path.file_stem().unwrap_or_default();
            file.name = stem.to_string_lossy().into_owned();
        }
        file.resolve()
    }
}

/// Returns the ruleset in a file, which is called as the file is unless it has a name.
///
/// # Errors
/// Names everything that is wrong with the file, each with its line.
pub fn load_file(path: &Path) -> anyhow::Result<Ruleset> {
    let document = tafl_config::read::<RulesetDocument>(path, &[])?;
    let ruleset = document.config.resolve(path).map_err(named);
    let ruleset = ruleset.with_context(|| path.display().to_string())?;
    let name = &ruleset.name;
    anyhow::ensure!(
        preset(name).is_none_or(|shipped| shipped == ruleset),
        "{}: field `name`: {name:?} is the name of a shipped ruleset, whose rules differ; give it another",
        path.display()
    );
    let rules = Rules::new(ruleset.clone()).with_context(|| path.display().to_string())?;
    anyhow::ensure!(
        rules.has_legal_move(&rules.start()),
        "{}: field `start`: the side to move has no legal move",
        path.display()
    );
    Ok(ruleset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use tafl_rules::Switch;

    #[test]
    fn words_are_those_of_the_files() {
        let ruleset = preset("copenhagen-tournament").expect("a preset");
        let fields: HashMap<_, _> = fields(&ruleset).into_iter().collect();
        assert_eq!(fields["match"], "two-sets");
        assert_eq!(fields["shieldwall"], "true");
        assert_eq!(fields["captureless_limit"], "none");
        assert_eq!(fields["king_capture"], "four-sides");
    }

    #[test]
    fn a_file_needs_only_what_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writable");
            load_file(&path)
        };
        let text = "base = \"copenhagen\"\nedge_fort = false\n";
        let mut expected = preset("copenhagen").expect("a preset");
        expected.edge_fort = Switch::Off;
        for (file, text, name) in [
            ("open.toml", text.to_owned(), "open"),
            ("x.toml", format!("name = \"own\"\n{text}"), "own"),
        ] {
            expected.name = name.to_owned();
            assert_eq!(write(file, &text).expect("a ruleset"), expected);
        }
        let error = format!(
            "{:#}",
            write("copenhagen.toml", text).expect_err("a shipped name")
        );
        assert!(
            error.contains("is the name of a shipped ruleset"),
            "{error}"
        );
        write("copenhagen.toml", "base = \"copenhagen\"").expect("the same rules");
        let error = format!("{:#}", write("my rules.toml", text).expect_err("a space"));
        assert!(
            error.contains("my rules.toml: field `name`: \"my rules\""),
            "{error}"
        );
    }
}
