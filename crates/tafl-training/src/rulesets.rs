//! Rulesets by name or from files.

mod variants;

use crate::error::SourceError;
use anyhow::{bail, ensure};
use std::path::Path;
use std::sync::Arc;
use tafl_config::load_ruleset;
use tafl_rules::{Rules, preset_named};
use toml::Value;

pub(crate) use variants::with_variants;
pub use variants::{AllVariants, RulesetVariant, all_variants, variants};

/// Returns the rules of a preset, as [`preset_named`] reads its name, or of the file at that path.
///
/// Paths (anything with a slash or the ending `.toml`) are relative to `folder`.
///
/// # Errors
/// If there is no such ruleset, or the file is wrong; names the file and the field.
pub fn load_rules(name_or_path: &str, folder: &Path) -> anyhow::Result<Arc<Rules>> {
    if let Some(rules) = preset_named(name_or_path).and_then(Rules::preset) {
        return Ok(rules);
    }
    if !name_or_path.contains('/') && !name_or_path.ends_with(".toml") {
        return Err(SourceError::Ruleset(name_or_path.to_owned()).into());
    }
    let path = folder.join(name_or_path);
    if !path.exists() && Path::new(name_or_path).exists() {
        let (path, folder) = (path.display(), folder.display());
        bail!(
            "reading {path}: no such file; paths in a config are relative to its folder, {folder}"
        );
    }
    Ok(load_ruleset(&path)?)
}

/// Returns the rules of several rulesets, none of which may be given twice.
///
/// # Errors
/// As [`load_rules`], for the first one that is wrong.
pub fn load_all(names: &[String], folder: &Path) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut rules: Vec<Arc<Rules>> = Vec::new();
    for name in names {
        add(&mut rules, load_rules(name, folder)?)?;
    }
    Ok(rules)
}

/// Adds rules to others, none of which may have their name.
///
/// # Errors
/// If one has it.
pub fn add(all: &mut Vec<Arc<Rules>>, next: Arc<Rules>) -> anyhow::Result<()> {
    let own = next.ruleset();
    let name = &own.name;
    if let Some(other) = all.iter().find(|it| it.ruleset().name == *name) {
        ensure!(other.ruleset() != own, "{name:?} is given twice");
        bail!(
            "two rulesets are named {name:?}; a line `name = \"other\"` in the file of one gives it another"
        );
    }
    all.push(next);
    Ok(())
}

/// Returns the fingerprint of a ruleset as files write it: 16 hexadecimal digits.
pub fn fingerprint(rules: &Rules) -> String {
    format!("{:016x}", rules.ruleset().fingerprint())
}

/// Returns what no other ruleset is called: the name of a shipped one, else a name with its fingerprint.
pub fn told(rules: &Rules) -> String {
    let ruleset = rules.ruleset();
    match tafl_rules::preset(&ruleset.name).is_some_and(|shipped| shipped == *ruleset) {
        true => ruleset.name.clone(),
        false => format!("{} ({})", ruleset.name, fingerprint(rules)),
    }
}

/// Returns a value of a ruleset file without quotes.
pub fn word(value: &Value) -> String {
    let word = value.as_str().map(str::to_owned);
    word.unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::preset;

    #[test]
    fn a_preset_is_found_by_its_name_in_words() {
        let rules = load_rules("Ard Ri", Path::new(".")).expect("a preset");
        assert_eq!(rules.ruleset().name, "ard-ri");
    }

    #[test]
    fn a_file_needs_only_what_differs() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writable");
            load_ruleset(&path).map(|rules| rules.ruleset().clone())
        };
        let text = "base = \"copenhagen\"\ncaptureless_limit = 40\n";
        let mut expected = preset("copenhagen").expect("a preset");
        expected.captureless_limit = std::num::NonZeroU32::new(40);
        for (file, text, name) in [
            ("open.toml", text.to_owned(), "open"),
            ("x.toml", format!("name = \"own\"\n{text}"), "own"),
        ] {
            expected.name = name.to_owned();
            assert_eq!(write(file, &text).expect("a ruleset"), expected);
        }
        let refused = |file: &str| format!("{:#}", write(file, text).expect_err("its name"));
        let error = refused("copenhagen.toml");
        assert!(
            error.contains("is the name of a shipped ruleset"),
            "{error}"
        );
        write("copenhagen.toml", "base = \"copenhagen\"").expect("the same rules");
        let elsewhere = load_rules("Cargo.toml", folder.path()).expect_err("it is here");
        let elsewhere = elsewhere.to_string();
        let advice = "Cargo.toml: no such file; paths in a config are relative to its folder, ";
        assert!(elsewhere.contains(advice), "{elsewhere}");
        let error = refused("my rules.toml");
        assert!(error.contains("my rules.toml: field `name`: "), "{error}");
        let how = "; it is taken from the file's name; a line `name = \"mine\"` gives another";
        assert!(error.ends_with(how), "{error}");
        let own = write("x.toml", "name = \"a b\"\nbase = \"fetlar\"").expect_err("its name");
        assert!(!own.to_string().contains("file's"), "{own}");
    }
}
