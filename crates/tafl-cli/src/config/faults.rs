//! Everything that is wrong with a file at once, and not only the first thing.

use super::{RunConfig, load_rules, shipped};
use crate::balance::config::{self as study, StudyConfig};
use crate::toml_file::{self, Fault, Source};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::path::Path;
use tafl_rules::{Rules, RulesetFile};
use toml::Table;

/// Returns the name in a config or ruleset file that is sound, else its faults in the order of its lines.
pub(crate) fn examine(path: &Path) -> Result<String, Vec<anyhow::Error>> {
    let (table, source) = toml_file::open(path, &[]).map_err(|error| vec![error])?;
    let mut examination = Examination {
        source: &source,
        table,
        found: Vec::new(),
        mended: BTreeSet::new(),
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = if is_study(&examination.table) {
        examination.study(folder)
    } else if is_ruleset(&examination.table) {
        examination.ruleset()
    } else {
        examination.run_config(folder)
    };
    let mut found = examination.found;
    found.sort_by_key(|(line, _)| *line);
    match name {
        Some(name) if found.is_empty() => Ok(name),
        _ => Err(found.into_iter().map(|(_, error)| error).collect()),
    }
}

/// Neither run configs nor rulesets have one of these.
fn is_study(table: &Table) -> bool {
    ["players", "openings", "statistics"]
        .iter()
        .any(|name| table.contains_key(*name))
}

/// Run configs have sections, or at least rulesets.
fn is_ruleset(table: &Table) -> bool {
    !table.contains_key("rulesets") && !table.values().any(toml::Value::is_table)
}

/// A file that is mended, fault by fault, with values that are known to be good, until the rest shows its faults.
struct Examination<'a> {
    source: &'a Source,
    table: Table,
    found: Vec<(usize, anyhow::Error)>,
    /// What was put right; a field that is wrong again ends the search in its section.
    mended: BTreeSet<String>,
}

impl Examination<'_> {
    fn run_config(&mut self, folder: &Path) -> Option<String> {
        let good = shipped::QUICKSTART.parse().ok()?;
        loop {
            let fault = match self.decode::<RunConfig>().map(|it| (it.check(), it)) {
                Ok((Ok(()), config)) => {
                    let rules = load_rules(&config, folder, self.source);
                    self.found.extend(rules.err().map(|error| (0, error)));
                    return Some(config.name);
                }
                Ok((Err(fault), _)) | Err(fault) => fault,
            };
            if !self.note_and_mend(fault, &good) {
                return None;
            }
        }
    }

    fn study(&mut self, folder: &Path) -> Option<String> {
        let mut good: Table = study::FIVE_RULESETS.parse().ok()?;
        // Good wherever the file is, as a checkpoint of other people's is not.
        let baseline = toml::toml! {
            player = "greedy"
            strengths = []
        };
        good.insert("players".to_owned(), vec![baseline].into());
        loop {
            let checked = self.decode::<StudyConfig>().map(|config| {
                let checked = config.check();
                (checked.and_then(|()| config.specs(folder)), config)
            });
            let fault = match checked {
                Ok((Ok(_), config)) => {
                    let rules = study::load_rules(&config, folder, self.source);
                    self.found.extend(rules.err().map(|error| (0, error)));
                    return Some(config.name);
                }
                Ok((Err(fault), _)) | Err(fault) => fault,
            };
            if !self.note_and_mend(fault, &good) {
                return None;
            }
        }
    }

    fn ruleset(&mut self) -> Option<String> {
        let good = tafl_rules::preset_source("copenhagen")?.parse().ok()?;
        loop {
            let fault = match self.decode::<RulesetFile>().map(RulesetFile::resolve) {
                Ok(Ok(ruleset)) => {
                    let name = ruleset.name.clone();
                    let rules = Rules::new(ruleset);
                    self.found
                        .extend(rules.err().map(|error| (0, error.into())));
                    return Some(name);
                }
                Ok(Err(error)) => Fault::of_text(&error.to_string()),
                Err(fault) => fault,
            };
            if !self.note_and_mend(fault, &good) {
                return None;
            }
        }
    }

    fn decode<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        toml_file::decode(self.table.clone())
    }

    /// Notes a fault and puts the field right; returns whether that can have helped.
    fn note_and_mend(&mut self, fault: Fault, good: &Table) -> bool {
        let place = fault.place();
        // A field that is missing because its name is misspelt has been spoken of.
        let is_known = !self.mended.insert(place.clone());
        let meant = fault.meant();
        if let Some(meant) = meant.filter(|meant| toml_file::value(&self.table, meant).is_none()) {
            self.mended.insert(meant);
        }
        let mut mend = |place: &str| {
            toml_file::value(good, place)
                .is_some_and(|value| toml_file::put(&mut self.table, place, value.clone()).is_ok())
        };
        let has_helped = match place.split_once('.') {
            // A good value can be wrong beside the other values of the section, of which no more is said then.
            Some((section, _)) if is_known && !fault.is_missing() => {
                self.mended.insert(section.to_owned()) && mend(section)
            }
            None if is_known && !fault.is_missing() => false,
            _ if fault.is_unknown() => toml_file::remove(&mut self.table, &place),
            _ => mend(&place),
        };
        if !is_known {
            let line = self.source.line(&fault.field).unwrap_or(0);
            let error = self.source.error(&fault.field, &fault.advice());
            self.found.push((line, error));
        }
        has_helped
    }
}
