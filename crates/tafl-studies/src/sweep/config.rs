//! What a sweep trains: from a file, or from fields with their values.

use crate::error::StudiesError;
use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tafl_config::{Change, Config, ConfigError, FolderName, display};
use tafl_training::{Loaded, fingerprint, load};

/// A sweep config. A file states what differs from the defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SweepConfig {
    /// Name of the sweep, and of its folder in `sweeps/` unless another one is given: letters, digits, `.`, `-` and `_`.
    #[schemars(with = "FolderName")]
    pub name: String,
    /// The run config that the variants change, relative to this file.
    pub config: String,
    /// Every variant is trained once with each of these seeds. Default 1 alone, which says nothing about chance.
    #[schemars(length(min = 1))]
    pub seeds: Vec<u64>,
    /// Changes of the run config for all variants, such as `"loop.generations=15"`. Default none.
    pub set: Vec<String>,
    /// What is compared; the first one is what the others are measured against.
    pub variants: Vec<VariantConfig>,
}

/// An entry of `[[variants]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantConfig {
    /// Its name: letters, digits, `.`, `-` and `_`.
    #[schemars(with = "FolderName")]
    pub name: String,
    /// Its changes of the run config, such as `"search.visits=16"`. Default none.
    #[serde(default)]
    pub set: Vec<String>,
}

impl Default for SweepConfig {
    fn default() -> Self {
        Self {
            name: "sweep".to_owned(),
            config: String::new(),
            seeds: vec![1],
            set: Vec::new(),
            variants: Vec::new(),
        }
    }
}

impl Config for SweepConfig {
    const NONE_SUCH: &'static str = "a run config's fields go into `set`: set=['search.visits=16']";
}

/// A sweep to play.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Its name.
    pub name: String,
    /// The run config that is changed.
    pub config: PathBuf,
    /// The seeds of the runs of each variant.
    pub seeds: Vec<u64>,
    /// The variants; the first one is what the others are measured against.
    pub variants: Vec<Variant>,
}

/// Some changes of a run config.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// All changes, those of all variants included.
    pub changes: Vec<Change>,
}

/// Changes of one field of a run config, one for each value that it gets; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Vary(pub Vec<Change>);

impl Sweep {
    /// Returns the sweep that a file describes.
    ///
    /// # Errors
    /// Names everything that is wrong with the file or with a variant's config.
    pub fn load(path: &Path, changes: &[Change]) -> anyhow::Result<Self> {
        let document = tafl_config::read::<SweepConfig>(path, changes)?;
        let config = &document.config;
        let fault = |field: &str, reason: String| {
            anyhow::Error::from(document.faults(vec![ConfigError::new(field, reason)]))
        };
        let parsed = |field: &str, texts: &[String]| {
            let parse = |text: &String| -> Result<Change, ConfigError> {
                let change = text.parse::<Change>()?;
                Ok(Change {
                    given_by: format!("{}: {field}", path.display()),
                    ..change
                })
            };
            let all = texts.iter().map(parse).collect::<Result<Vec<_>, _>>();
            all.map_err(|error| fault(field, error.reason))
        };
        if config.config.is_empty() {
            return Err(fault(
                "config",
                "missing; a sweep changes a run config".to_owned(),
            ));
        }
        let common = parsed("set", &config.set)?;
        let mut variants = Vec::new();
        for (number, variant) in config.variants.iter().enumerate() {
            let own = parsed(&format!("variants[{number}].set"), &variant.set)?;
            if let Some(change) = own.iter().find(|change| is_of_matches(&change.field)) {
                let reason = format!(
                    "`{}`: the matches of a sweep are alike; give it in `set`",
                    change.field
                );
                return Err(fault("variants", reason));
            }
            variants.push(Variant {
                name: variant.name.clone(),
                changes: [common.clone(), own].concat(),
            });
        }
        let mut changes = variants.iter().flat_map(|variant| &variant.changes);
        if let Some(change) = changes.find(|change| is_own(&change.field)) {
            let reason = format!("`{}`: a sweep gives each run its own", change.field);
            return Err(fault("variants", reason));
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let sweep = Self {
            name: config.name.clone(),
            config: folder.join(&config.config),
            seeds: config.seeds.clone(),
            variants,
        };
        sweep
            .check()
            .map_err(|(field, reason)| fault(field, reason))?;
        sweep.load_all()?;
        Ok(sweep)
    }

    /// Returns the sweep of some fields, each of whose values meets each of the others', with `seeds` from that of the run
    /// config on.
    ///
    /// # Errors
    /// If a field is given twice, or the config of a variant is wrong.
    pub fn of_fields(
        config: &Path,
        common: &[Change],
        fields: &[Vary],
        seeds: u32,
    ) -> anyhow::Result<Self> {
        let base = load(config, common)?.config;
        let names = fields.iter().filter_map(|Vary(changes)| changes.first());
        let names: Vec<&str> = names.map(|change| change.field.as_str()).collect();
        let refused = |(field, reason)| StudiesError::Variants { field, reason };
        if let Some(own) = names.iter().find(|name| is_own(name)) {
            return Err(StudiesError::OwnField((*own).to_owned()).into());
        }
        if let Some(of_matches) = names.iter().find(|name| is_of_matches(name)) {
            return Err(StudiesError::OfMatches((*of_matches).to_owned()).into());
        }
        if let Some(name) = repeated(&names) {
            return Err(refused(("fields", format!("{name} is given twice"))).into());
        }
        let mut variants = vec![Variant {
            name: String::new(),
            changes: common.to_vec(),
        }];
        for Vary(changes) in fields {
            let with = |it| changes.iter().map(move |change| Variant::and(it, change));
            variants = variants.iter().flat_map(with).collect();
        }
        let names: BTreeSet<&str> = names.into_iter().collect();
        let of_fields = names
            .iter()
            .map(|name| name.rsplit('.').next().unwrap_or(name));
        let of_fields: String = of_fields.map(|name| format!("-{name}")).collect();
        let sweep = Self {
            name: base.name.clone() + &of_fields,
            config: config.to_owned(),
            seeds: (base.seed..).take(seeds as usize).collect(),
            variants,
        };
        sweep.check().map_err(refused)?;
        sweep.load_all()?;
        Ok(sweep)
    }

    /// Returns the run config of a variant with a seed; its ladder is left to the sweep.
    ///
    /// # Errors
    /// If it is wrong.
    pub fn loaded(&self, variant: &Variant, seed: u64) -> anyhow::Result<Loaded> {
        let mut changes = vec!["ladder.checkpoints=0".parse()?, "ladder.pool=[]".parse()?];
        changes.extend(variant.changes.iter().cloned());
        changes.push(format!("name='{}'", self.run_name(variant, seed)).parse()?);
        changes.push(format!("seed={seed}").parse()?);
        load(&self.config, &changes).with_context(|| format!("variant {}", variant.name))
    }

    /// Returns the name of the run of a variant with a seed.
    pub fn run_name(&self, variant: &Variant, seed: u64) -> String {
        format!("{}-seed-{seed}", variant.name)
    }

    /// Checks what does not need the run config; returns the field that is wrong, and why.
    fn check(&self) -> Result<(), (&'static str, String)> {
        if self.variants.len() < 2 {
            return Err(("variants", "a sweep compares at least two".to_owned()));
        }
        let mut known = BTreeMap::new();
        for variant in &self.variants {
            if let Some(other) = known.insert(&*variant.name, variant) {
                return Err(("variants", one_name(other, variant)));
            }
        }
        if let Some(seed) = repeated(&self.seeds) {
            return Err(("seeds", format!("{seed} is given twice")));
        }
        Ok(())
    }

    /// Reads the config of every variant, so that the last one's mistake is found before the first one is trained.
    ///
    /// They play each other under the rulesets of the first one, which all must have learned.
    fn load_all(&self) -> anyhow::Result<()> {
        let load = |variant| self.loaded(variant, self.seeds[0]);
        let all: Vec<Loaded> = self.variants.iter().map(load).collect::<Result<_, _>>()?;
        let first = all[0].rules.listed();
        for (variant, loaded) in self.variants.iter().zip(&all) {
            let own: Vec<String> = loaded.rules.iter().map(|it| fingerprint(it)).collect();
            if let Some(rules) = first.iter().find(|it| !own.contains(&fingerprint(it))) {
                let reason = format!(
                    "variant {} does not learn {}, under which all play against the first variant, {}",
                    variant.name,
                    rules.ruleset().name,
                    self.variants[0].name
                );
                let field = "rulesets";
                return Err(StudiesError::Variants { field, reason }.into());
            }
        }
        Ok(())
    }
}

/// Returns why two variants cannot have the name that both have.
fn one_name(one: &Variant, other: &Variant) -> String {
    let [own, others] = [(one, other), (other, one)].map(|(of, beside)| {
        let differs = of.changes.iter().filter(|it| !beside.changes.contains(it));
        let differs: Vec<String> = differs.map(ToString::to_string).collect();
        differs.join(" ")
    });
    match own.is_empty() && others.is_empty() {
        true => format!("{} is given twice", one.name),
        false => format!("two are named {}: `{own}` and `{others}`", one.name),
    }
}

/// Returns the first of some values that one before it equals.
fn repeated<T: Ord>(values: &[T]) -> Option<&T> {
    let mut known = BTreeSet::new();
    values.iter().find(|&value| !known.insert(value))
}

/// Returns whether a field differs from run to run of a sweep, whatever varies.
fn is_own(field: &str) -> bool {
    ["name", "seed"].contains(&field)
}

/// Returns whether a field is of the matches by which variants are compared.
fn is_of_matches(field: &str) -> bool {
    field == "arena" || field.starts_with("arena.")
}

impl Variant {
    /// Returns the variant with one more change, which its name has.
    fn and(&self, change: &Change) -> Self {
        let field = change.field.rsplit('.').next().unwrap_or(&change.field);
        let value = display(&change.value);
        let plain: String = value
            .chars()
            .map(|it| match it {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '.' => it,
                _ => '_',
            })
            .collect();
        let plain = plain.trim_matches('_');
        let own = format!("{field}-{}", if plain.is_empty() { "none" } else { plain });
        let name = match self.name.as_str() {
            "" => own,
            name => format!("{name}-{own}"),
        };
        let mut changes = self.changes.clone();
        changes.push(change.clone());
        Self { name, changes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_run_configs_is_sent_to_the_changes() {
        let changes = ["search.visits=3".parse().expect("a change")];
        let read = tafl_config::read_text::<SweepConfig>(Path::new("s.toml"), "", &changes);
        let refused = read.expect_err("no field of a sweep").to_string();
        assert!(refused.contains("fields go into `set`"), "{refused}");
    }

    #[test]
    fn fields_make_a_grid_of_named_variants() {
        let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
        let vary = |field: &str, values: &[&str]| {
            let change = |value: &&str| format!("{field}={value}").parse().expect("a change");
            Vary(values.iter().map(change).collect())
        };
        let baselines = vary("ladder.baselines", &["['random']", "['random','greedy']"]);
        let fields = [vary("search.visits", &["2", "4"]), baselines];
        let seeds = [vary("seed", &["4", "8"])];
        let refused = Sweep::of_fields(&config, &[], &seeds, 1).expect_err("a sweep's own");
        assert!(refused.to_string().ends_with("its own seed"), "{refused}");
        let sweep = Sweep::of_fields(&config, &[], &fields, 2).expect("sound");
        let names: Vec<&str> = sweep.variants.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "visits-2-baselines-random",
                "visits-2-baselines-random____greedy",
                "visits-4-baselines-random",
                "visits-4-baselines-random____greedy"
            ]
        );
        let loaded = sweep.loaded(&sweep.variants[3], 2).expect("sound").config;
        assert_eq!((loaded.search.visits, loaded.seed), (4, 2));
        assert_eq!(loaded.name, "visits-4-baselines-random____greedy-seed-2");
        let twice = [fields[0].clone(), fields[0].clone()];
        assert!(Sweep::of_fields(&config, &[], &twice, 2).is_err());
        for (field, second) in [
            ("search.visits", "0"),
            ("search.visits", "4"),
            ("search.vists", "8"),
        ] {
            let wrong = vary(field, &["4", second]);
            assert!(Sweep::of_fields(&config, &[], &[wrong], 1).is_err());
        }
    }
}
