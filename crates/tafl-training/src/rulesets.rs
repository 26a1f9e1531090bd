//! Rulesets by name or from files.

use crate::hint::hinted;
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{PRESET_NAMES, Rules, Ruleset, RulesetFile, SMALL_BOARD_NAMES, preset};

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
        let known = names().join(", ");
        return Err(hinted(
            format!("unknown ruleset {name_or_path:?}"),
            format!("use one of {known}, or a path to a .toml file"),
        ));
    }
    read(&folder.join(name_or_path))
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

fn read(path: &Path) -> anyhow::Result<Ruleset> {
    let document = tafl_config::read::<RulesetFile>(path, &[])?;
    match document.config.clone().resolve() {
        Ok(ruleset) => Ok(ruleset),
        Err(error) => {
            document.refuse(vec![error.into()])?;
            unreachable!("an error is refused")
        }
    }
}
