//! What another config says otherwise than that of a run.

use super::Run;
use crate::config::{self, Loaded, RUN_CONFIG, RunConfig};
use crate::differences::{differing_rules, in_words, or_none, texts};
use crate::error::{RunError, StoredConfigFor};
use crate::pool;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tafl_config::{Difference, Field};
use tafl_network::Precision;
use tafl_rules::Ruleset;
use tafl_store::{Manifest, RunSettings};

/// Returns what a config says otherwise than that of the run in a folder, each field with both values; how a run computes on its
/// machine is left to it.
///
/// # Errors
/// If the run's config cannot be read, or its rulesets are others.
pub fn differing_fields(loaded: &Loaded, folder: &Path) -> anyhow::Result<Vec<String>> {
    let stored = config::load_stored(folder, StoredConfigFor::Resume)?;
    let mut given = as_kept(&loaded.config, &stored.config)?;
    given.name.clone_from(&stored.config.name);
    check_rules(loaded, &stored, folder)?;
    let found = tafl_config::difference(&[&given, &stored.config])?;
    Ok(found.iter().map(in_words).collect())
}

/// Returns what was changed in the config of the run in a folder while it went on, each field with its values.
///
/// # Errors
/// If the manifest of the run cannot be read.
pub fn changed_fields(folder: &Path) -> anyhow::Result<Vec<String>> {
    let stages = Manifest::<RunSettings>::read(folder)?.settings.stages;
    let of_stage = stages.iter().flat_map(|stage| {
        let changes = stage.changes.iter();
        changes.map(|[field, before, after]| {
            let [before, after] = [before, after].map(|it| or_none(it));
            let from = stage.checkpoint;
            format!("`{field}` ({before}, from checkpoint {from} on {after})")
        })
    });
    Ok(of_stage.collect())
}

impl Run {
    /// Returns the samples of a step in a generation, and how often each sample was to be learned from, by the config of
    /// then.
    pub(crate) fn pace_in(&self, generation: u32) -> (u64, f64) {
        let (settings, now) = (self.store.settings(), &self.config.training_loop);
        let batch_size = settings.value_in("loop.batch_size", generation);
        let batch_size = batch_size.and_then(|it| it.parse().ok());
        let reuse = settings.value_in("loop.reuse", generation);
        let reuse = reuse.and_then(|it| it.parse().ok());
        (
            batch_size.unwrap_or(now.batch_size.into()),
            reuse.unwrap_or(now.reuse),
        )
    }
}

/// Returns a config with what a run decided for its machine, and with the names that the run gave to its copies.
pub(super) fn as_kept(given: &RunConfig, kept: &RunConfig) -> anyhow::Result<RunConfig> {
    let mut given = given.clone();
    given.rulesets.clone_from(&kept.rulesets);
    given.runner = kept.runner;
    if given.precision == Precision::Auto && given.device == kept.device {
        given.precision = kept.precision;
    }
    given.ladder.pool = kept_pool(&given)?;
    Ok(given)
}

/// Returns the names that the players of a config's pool have in a run.
pub(super) fn kept_pool(config: &RunConfig) -> anyhow::Result<Vec<String>> {
    let names = config.ladder.pool.iter();
    names.map(|name| pool::kept(name)).collect()
}

/// Returns what a config changes in that of a run: each field with the value before and the one from now on.
///
/// # Errors
/// If it changes what the run must keep.
pub(super) fn changes(
    given: &RunConfig,
    stored: &RunConfig,
    folder: &Path,
) -> anyhow::Result<Vec<[String; 3]>> {
    let fields = tafl_config::fields::<RunConfig>().into_iter();
    let fixed_ones: Vec<_> = fields.filter(Field::is_fixed).collect();
    let (mut changes, mut kept) = (Vec::new(), Vec::new());
    for difference in tafl_config::difference(&[given, stored])? {
        let Difference { field, values } = &difference;
        let [after, before] = texts(values);
        let is_in = |section: &Field| {
            let rest = field.strip_prefix(&section.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_of_other_loop = field.starts_with("loop.") && values.contains(&None);
        match is_of_other_loop || fixed_ones.iter().any(is_in) {
            true => kept.push(in_words(&difference)),
            false => changes.push([field.clone(), before, after]),
        }
    }
    refuse(kept, folder)?;
    Ok(changes)
}

/// Checks that a config has the rulesets of a run, with the same rules.
///
/// # Errors
/// Names the rulesets, or the fields in which rules of one name differ, each with both values.
pub(super) fn check_rules(given: &Loaded, stored: &Loaded, folder: &Path) -> anyhow::Result<()> {
    let [own, kept] = [given, stored].map(by_name);
    let names = |of: &BTreeMap<&str, _>| of.keys().copied().collect::<Vec<_>>().join(", ");
    let [here, there] = [names(&own), names(&kept)];
    if here != there {
        let other = format!("`rulesets` (there {there}, here {here})");
        return refuse(vec![other], folder);
    }
    let mut other = Vec::new();
    for ((name, (ruleset, file)), (stored, _)) in own.iter().zip(kept.values()) {
        let place = file.map_or_else(|| (*name).to_owned(), |file| file.display().to_string());
        let differing = differing_rules(ruleset, stored).into_iter();
        other.extend(differing.map(|field| format!("ruleset {place}: {field}")));
    }
    refuse(other, folder)
}

/// Returns the rulesets of a config by name, with their files.
fn by_name(loaded: &Loaded) -> BTreeMap<&str, (&Ruleset, Option<&PathBuf>)> {
    let listed = loaded.rules.listed().iter().zip(&loaded.files);
    let of = listed.map(|(rules, file)| {
        let ruleset = rules.ruleset();
        (ruleset.name.as_str(), (ruleset, file.as_ref()))
    });
    of.collect()
}

fn refuse(other: Vec<String>, folder: &Path) -> anyhow::Result<()> {
    match other.is_empty() {
        true => Ok(()),
        false => Err(RunError::OtherFields(folder.join(RUN_CONFIG), other).into()),
    }
}
