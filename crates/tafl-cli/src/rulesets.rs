//! Rulesets by name or from files.

use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{PRESET_NAMES, Rules, Ruleset, RulesetFile, SMALL_BOARD_NAMES, preset};

/// Returns the preset of that name, or the ruleset in the file at that path.
///
/// Paths (anything with a slash or the ending `.toml`) are relative to `folder`.
pub(crate) fn load(name_or_path: &str, folder: &Path) -> anyhow::Result<Ruleset> {
    if let Some(ruleset) = preset(name_or_path) {
        return Ok(ruleset);
    }
    if !name_or_path.contains('/') && !name_or_path.ends_with(".toml") {
        return Err(Unknown(name_or_path.to_owned()).into());
    }
    read(&folder.join(name_or_path))
}

/// Returns the rules of a preset or of a ruleset file, ready to play.
pub(crate) fn load_rules(name_or_path: &str, folder: &Path) -> anyhow::Result<Arc<Rules>> {
    let ruleset = load(name_or_path, folder)?;
    Rules::new(ruleset).with_context(|| format!("ruleset {name_or_path}"))
}

/// Returns the names of all rulesets that are compiled in.
pub(crate) fn names() -> Vec<&'static str> {
    PRESET_NAMES
        .iter()
        .chain(&SMALL_BOARD_NAMES)
        .copied()
        .collect()
}

/// A name that no ruleset has.
#[derive(Debug, thiserror::Error)]
#[error("unknown ruleset {0:?} (give one of {list}, or a path to a .toml file)", list = names().join(", "))]
pub(crate) struct Unknown(String);

fn read(path: &Path) -> anyhow::Result<Ruleset> {
    let (file, source) = crate::toml_file::read_changed::<RulesetFile>(path, &[])?;
    file.resolve()
        .map_err(|error| source.field_error(&error.to_string()))
}
