//! Rulesets that are not built in, kept beside the games that were played by them.

use anyhow::{Context, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tafl_config::{Difference, difference_of_tables, load_ruleset, ruleset_table};
use tafl_rules::{Rules, Ruleset};
use tafl_store::{Settings, Store, StoreError, write_atomically};
use tafl_training::{differing_rules, fingerprint, load_rules};
use toml::Table;

/// Returns the file of a ruleset within a folder; `None` of one that is built in.
pub(crate) fn file_of(rules: &Rules) -> Option<String> {
    let ruleset = rules.ruleset();
    let is_built_in = tafl_rules::preset(&ruleset.name).is_some_and(|own| own == *ruleset);
    (!is_built_in).then(|| format!("rulesets/{}.toml", ruleset.name))
}

/// Enters rulesets into a folder's manifest, and writes those into it that are not built in.
pub(crate) fn admit_rulesets<'a, S: Settings>(
    store: &Store<S>,
    rules: impl IntoIterator<Item = &'a Arc<Rules>>,
) -> anyhow::Result<()> {
    for rules in rules {
        let ruleset = rules.ruleset();
        let admitted = store.admit_ruleset(&ruleset.name, ruleset.fingerprint());
        admitted.map_err(|error| with_fields(error, ruleset))?;
        if let Some(file) = file_of(rules) {
            write_atomically(&store.folder().join(file), ruleset.to_toml().as_bytes())?;
        }
    }
    Ok(())
}

/// Adds the fields to an error that differ between a ruleset and that of its name which a folder keeps.
fn with_fields(mut error: StoreError, ruleset: &Ruleset) -> StoreError {
    if let StoreError::RulesetChanged { path, fields, .. } = &mut error
        && let Ok(stored) = load_ruleset(path)
    {
        *fields = differing_rules(ruleset, stored.ruleset());
    }
    error
}

/// Tells by its fields that the base of variants was edited, if the folder of the study keeps it as it was.
pub(crate) fn with_fields_of_base(error: StoreError, study: &Path, base: &Ruleset) -> StoreError {
    let path = study.join(format!("rulesets/{}.toml", base.name));
    let fields = load_ruleset(&path).map(|stored| differing_rules(base, stored.ruleset()));
    match (error, fields) {
        (StoreError::Differs { field, advice, .. }, Ok(fields))
            if field == "settings.base" && !fields.is_empty() =>
        {
            StoreError::RulesetChanged {
                path,
                name: base.name.clone(),
                fingerprint: format!("{:016x}", base.fingerprint()).into(),
                fields,
                advice,
            }
        }
        (error, _) => error,
    }
}

/// Returns the rules of the rulesets of a tournament's or a study's folder, given by name with their fingerprints.
///
/// # Errors
/// If one cannot be read or is another now, or is not there and not built in.
pub fn kept_rulesets(
    folder: &Path,
    rulesets: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<Arc<Rules>>> {
    let read = |(name, expected): (&String, &String)| {
        let file = format!("rulesets/{name}.toml");
        let is_kept = folder.join(&file).is_file();
        let rules = load_rules(if is_kept { &file } else { name }, folder)
            .with_context(|| folder.display().to_string())?;
        ensure!(
            fingerprint(&rules) == *expected,
            "{}: its games are of another ruleset named {name}",
            folder.display()
        );
        Ok(rules)
    };
    rulesets.iter().map(read).collect()
}

/// Returns the fields in which rulesets differ, their names left out.
pub fn ruleset_differences(rulesets: &[Arc<Rules>]) -> Vec<Difference> {
    let tables = rulesets.iter().map(|rules| ruleset_table(rules.ruleset()));
    let tables: Vec<Table> = tables.collect();
    let fields = tables.first().into_iter().flat_map(Table::keys);
    let says = |field: &String| rulesets.iter().all(|it| it.ruleset().says(field));
    let fields = fields
        .filter(|field| *field != "name" && says(field))
        .cloned();
    difference_of_tables(fields, &tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TournamentSettings;
    use std::num::NonZeroU32;

    #[test]
    fn a_ruleset_that_was_edited_is_told_by_its_fields() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = TournamentSettings {
            seed: 1,
            opening_plies: Some(4),
            openings_sha256: None,
            max_plies: 120,
            adjudicate: None,
        };
        let store = Store::open_or_create(folder.path(), &settings).expect("a store");
        let admit = |limit| {
            let ruleset = Ruleset {
                name: "mine".to_owned(),
                captureless_limit: NonZeroU32::new(limit),
                ..tafl_rules::preset("brandubh").expect("a preset")
            };
            admit_rulesets(&store, [&Rules::new(ruleset).expect("sound")])
        };
        admit(50).expect("it is new");
        let error = admit(40).expect_err("it was edited").to_string();
        let differs = "ruleset mine has changed since: `captureless_limit` (there 50, here 40)";
        assert!(error.ends_with(differs), "{error}");
        // Of variants the settings name the base, which the folder keeps.
        let base = Ruleset {
            name: "mine".to_owned(),
            captureless_limit: NonZeroU32::new(30),
            ..tafl_rules::preset("brandubh").expect("a preset")
        };
        let of = |field: &str| {
            let error = StoreError::Differs {
                path: folder.path().join("manifest.json"),
                field: field.to_owned(),
                stored: String::new(),
                wanted: String::new(),
                advice: "",
            };
            with_fields_of_base(error, folder.path(), &base).to_string()
        };
        let error = of("settings.base");
        assert!(error.ends_with("(there 50, here 30)"), "{error}");
        assert!(of("settings.seed").contains("`settings.seed`"));
    }
}
