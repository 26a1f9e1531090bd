//! What a config file is: a run config, a ruleset, a balance study or a sweep.

use crate::study::StudyConfig;
use crate::sweep::SweepConfig;
use serde::Serialize;
use std::path::Path;
use strum::{EnumMessage, IntoStaticStr, VariantArray};
use tafl_config::{Config, ConfigError, Field, RulesetFile};
use tafl_rules::known_names;
use tafl_training::{RunConfig, SHIPPED};
use toml::Table;

/// What a config file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ConfigKind {
    /// A run config.
    Run,
    /// A ruleset.
    Ruleset,
    /// A balance study.
    Balance,
    /// A sweep.
    Sweep,
}

impl ConfigKind {
    /// Returns what a file of the kind is.
    pub fn about(self) -> &'static str {
        let documentation = self.get_documentation().unwrap_or_default();
        documentation.trim_end_matches('.')
    }

    /// Returns what a file is, by what only files of its kind have.
    pub fn of(table: &Table) -> Self {
        let has = |names: [&str; 3]| names.iter().any(|name| table.contains_key(*name));
        if table.contains_key("variants") {
            Self::Sweep
        } else if has(["players", "openings", "difficulty"]) {
            Self::Balance
        } else if has(["base", "start", "king_capture"]) {
            Self::Ruleset
        } else {
            Self::Run
        }
    }

    /// Returns the section that the fields of other files than run configs are in where they are explained.
    pub fn section(self) -> &'static str {
        if self == Self::Run { "" } else { self.into() }
    }

    /// Returns the kind of the files that have a field.
    pub fn of_field(field: &Field) -> Self {
        let section = field.path.split('.').next();
        let mut others = [Self::Ruleset, Self::Balance, Self::Sweep].into_iter();
        let found = others.find(|kind| Some(kind.section()) == section);
        found.unwrap_or(Self::Run)
    }

    /// Returns the fields of files of this kind, as they are explained.
    pub fn fields(self) -> Vec<Field> {
        let own = match self {
            Self::Run => tafl_config::fields::<RunConfig>(),
            Self::Ruleset => tafl_config::fields::<RulesetFile>(),
            Self::Balance => tafl_config::fields::<StudyConfig>(),
            Self::Sweep => tafl_config::fields::<SweepConfig>(),
        };
        let named = |field: Field| field.within(self.section());
        own.into_iter().map(named).collect()
    }

    /// Returns what became of a field of earlier versions that is called `typed`, or of one that it is in.
    pub fn removed(self, typed: &str) -> Option<ConfigError> {
        let removed = match self {
            Self::Run => RunConfig::REMOVED,
            Self::Ruleset => RulesetFile::REMOVED,
            Self::Balance => StudyConfig::REMOVED,
            Self::Sweep => SweepConfig::REMOVED,
        };
        let path = match self.section() {
            "" => Some(typed),
            section => typed
                .strip_prefix(section)
                .and_then(|it| it.strip_prefix('.')),
        };
        let path = path.unwrap_or(typed);
        let is_it = |field: &str| {
            let rest = path.strip_prefix(field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || field.rsplit('.').next() == Some(path)
        };
        let (field, advice) = removed.iter().find(|(field, _)| is_it(field))?;
        Some(tafl_config::no_longer(field, advice))
    }

    /// Returns what a name of another program means in such a file, in words.
    pub fn meant(self, typed: &str) -> Option<String> {
        let words = match self {
            Self::Run => RunConfig::WORDS,
            Self::Ruleset => RulesetFile::WORDS,
            Self::Balance => StudyConfig::WORDS,
            Self::Sweep => SweepConfig::WORDS,
        };
        let name = typed.rsplit('.').next().unwrap_or(typed);
        let advice = tafl_config::meant(words, name)?.advice();
        Some(match self.section() {
            "" => advice,
            section => ["mean `", "or `"].iter().fold(advice, |advice, before| {
                advice.replace(before, &format!("{before}{section}."))
            }),
        })
    }

    /// Returns the files of this kind that come with the program, each with its name.
    pub fn shipped(self) -> Vec<(&'static str, &'static str)> {
        let ruleset = |name: &'static str| Some((name, tafl_rules::preset_source(name)?));
        match self {
            Self::Run => SHIPPED.to_vec(),
            Self::Ruleset => known_names().filter_map(ruleset).collect(),
            Self::Balance => {
                let file = include_str!("../../../configs/balance/five-rulesets.toml");
                vec![("five-rulesets", file)]
            }
            Self::Sweep => {
                let file = include_str!("../../../configs/sweeps/brandubh.toml");
                vec![("brandubh", file)]
            }
        }
    }

    /// Returns the fields of a file that was read, with the defaults (of a ruleset: the base's values) of those that it
    /// does not give, as far as the file is sound.
    pub fn with_defaults(self, path: &Path, text: &str, given: Table) -> Table {
        fn whole<T: Config + Serialize>(path: &Path, text: &str) -> anyhow::Result<Table> {
            let document = tafl_config::read_text::<T>(path, text, &[])?;
            Ok(tafl_config::table(&document.config)?)
        }
        let table = match self {
            Self::Run => whole::<RunConfig>(path, text),
            Self::Ruleset => whole::<RulesetFile>(path, text),
            Self::Balance => whole::<StudyConfig>(path, text),
            Self::Sweep => whole::<SweepConfig>(path, text),
        };
        let table = table.unwrap_or(given);
        match self.section() {
            "" => table,
            section => Table::from_iter([(section.to_owned(), table.into())]),
        }
    }

    /// Returns the JSON schema (draft 7, which editors know) of such files.
    pub fn schema(self) -> serde_json::Value {
        let mut schema = match self {
            Self::Run => tafl_config::schema::<RunConfig>(),
            Self::Ruleset => tafl_config::schema::<RulesetFile>(),
            Self::Balance => tafl_config::schema::<StudyConfig>(),
            Self::Sweep => tafl_config::schema::<SweepConfig>(),
        };
        schema["title"] = self.about().replacen('A', "Taflforge", 1).into();
        schema
    }
}
