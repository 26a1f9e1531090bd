//! The rules that networks learned and games were played by: compiled in, or kept beside the network or the games.

use crate::config::{self, Loaded, RUN_CONFIG};
use crate::error::{SourceError, StoredConfigFor};
use crate::player::run_config_of;
use crate::rulesets::{fingerprint, variants};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tafl_config::load_ruleset;
use tafl_network::{ModelCard, Provenance, RulesetCard};
use tafl_rules::Rules;
use tafl_samples::GameRecord;

/// Rules with what [`crate::load_rules`] finds them by: a name, or the path of a file.
#[derive(Debug, Clone)]
pub struct FoundRules {
    /// The rules.
    pub rules: Arc<Rules>,
    /// Their name, or the path of their file.
    pub source: String,
}

impl FoundRules {
    fn by_name(rules: Arc<Rules>) -> Self {
        let source = rules.ruleset().name.clone();
        Self { rules, source }
    }
}

/// Returns the rulesets that a checkpoint learned, in their order: those that are compiled in, or those of its run.
///
/// # Errors
/// If one of them is in neither, or the config of the run cannot be read.
pub fn learned_rules(checkpoint: &Path, card: &ModelCard) -> anyhow::Result<Vec<FoundRules>> {
    let learned = card.provenance.rulesets.iter();
    learned
        .map(|wanted| learned_one(checkpoint, wanted))
        .collect()
}

/// Returns the ruleset that a checkpoint learned first, or is to learn first.
///
/// # Errors
/// As [`learned_rules`]; and if it learned none.
pub fn first_learned(checkpoint: &Path, card: &ModelCard) -> anyhow::Result<FoundRules> {
    match card.provenance.rulesets.first() {
        Some(wanted) => learned_one(checkpoint, wanted),
        None => Err(SourceError::NothingLearned(checkpoint.to_owned()).into()),
    }
}

/// Returns a ruleset of that name that a checkpoint learned, if there is one.
///
/// # Errors
/// As [`learned_rules`], of that ruleset.
pub fn learned_by_name(
    checkpoint: &Path,
    card: &ModelCard,
    name: &str,
) -> anyhow::Result<Option<FoundRules>> {
    let mut learned = card.provenance.rulesets.iter();
    let wanted = learned.find(|it| it.name == name);
    wanted.map(|it| learned_one(checkpoint, it)).transpose()
}

/// Returns the fingerprints of the rulesets that a checkpoint learned, those of their variants included whose base is found.
pub fn learned_fingerprints(checkpoint: &Path, from: &Provenance) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for wanted in &from.rulesets {
        all.push(wanted.fingerprint.clone());
        for change in &from.rule_changes {
            let base = learned_one(checkpoint, wanted).ok();
            let found = base.and_then(|base| variants(base.rules.ruleset(), change).ok());
            all.extend(found.into_iter().flatten().map(|it| fingerprint(&it.rules)));
        }
    }
    all
}

fn learned_one(checkpoint: &Path, wanted: &RulesetCard) -> anyhow::Result<FoundRules> {
    if let Some(rules) = compiled_in(wanted) {
        return Ok(FoundRules::by_name(rules));
    }
    let found = match run_config_of(checkpoint) {
        Some(config) => in_run(&config, wanted)?,
        None => None,
    };
    found.ok_or_else(|| {
        let error = SourceError::LearnedRuleset {
            checkpoint: checkpoint.to_owned(),
            name: wanted.name.clone(),
            fingerprint: wanted.fingerprint.clone(),
        };
        error.into()
    })
}

fn compiled_in(wanted: &RulesetCard) -> Option<Arc<Rules>> {
    Rules::preset(&wanted.name).filter(|rules| RulesetCard::of(rules) == *wanted)
}

/// Returns a ruleset of a run, or a variant of one, which has no file.
fn in_run(config: &Path, wanted: &RulesetCard) -> anyhow::Result<Option<FoundRules>> {
    let Loaded { rules, files, .. } = config::load_stored_file(config, StoredConfigFor::Rules)?;
    let number = rules.iter().position(|it| RulesetCard::of(it) == *wanted);
    Ok(number.map(|number| {
        let mut found = FoundRules::by_name(Arc::clone(&rules[number]));
        if let Some(Some(file)) = files.get(number) {
            found.source = file.display().to_string();
        }
        found
    }))
}

/// The rules of stored games, each looked up once.
#[derive(Debug, Default)]
pub struct RulesOfGames {
    /// By name and fingerprint.
    found: BTreeMap<(String, u64), Arc<Rules>>,
}

impl RulesOfGames {
    /// Returns the rules of a game of a file: compiled in, or kept by the run, tournament or study in whose folder the file is.
    ///
    /// # Errors
    /// If they are in neither.
    pub fn of(&mut self, game: &GameRecord, file: &Path) -> anyhow::Result<Arc<Rules>> {
        let key = (game.ruleset.clone(), game.ruleset_fingerprint);
        if let Some(rules) = self.found.get(&key) {
            return Ok(Arc::clone(rules));
        }
        let wanted = RulesetCard {
            name: key.0.clone(),
            fingerprint: format!("{:016x}", key.1),
        };
        let rules = match compiled_in(&wanted) {
            Some(rules) => rules,
            None => kept_above(file, &wanted)?,
        };
        self.found.insert(key, Arc::clone(&rules));
        Ok(rules)
    }
}

/// Returns a ruleset that a folder around a file keeps.
fn kept_above(file: &Path, wanted: &RulesetCard) -> anyhow::Result<Arc<Rules>> {
    let whole = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    for folder in whole.ancestors().skip(1) {
        let own = folder
            .join("rulesets")
            .join(format!("{}.toml", wanted.name));
        if own.is_file() {
            let rules = load_ruleset(&own)?;
            if RulesetCard::of(&rules) == *wanted {
                return Ok(rules);
            }
        }
        let config = folder.join(RUN_CONFIG);
        if config.is_file()
            && let Ok(Some(found)) = in_run(&config, wanted)
        {
            return Ok(found.rules);
        }
    }
    Err(SourceError::PlayedRuleset {
        file: file.to_owned(),
        name: wanted.name.clone(),
        fingerprint: wanted.fingerprint.clone(),
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_knows_the_variants_with_which_it_learned() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/brandubh");
        let mut from = tafl_network::load_card(&folder).expect("a card").provenance;
        from.rule_changes = ["king_armed", "captureless_limit=40"]
            .map(str::to_owned)
            .to_vec();
        let known = learned_fingerprints(&folder, &from);
        let mut ruleset = tafl_rules::preset("brandubh").expect("a preset");
        let knows = |ruleset: &tafl_rules::Ruleset| {
            known.contains(&fingerprint(&Rules::new(ruleset.clone()).expect("sound")))
        };
        assert!(knows(&ruleset));
        ruleset.captureless_limit = std::num::NonZeroU32::new(40);
        assert!(knows(&ruleset));
        ruleset.captureless_limit = std::num::NonZeroU32::new(41);
        assert!(!knows(&ruleset));
    }
}
