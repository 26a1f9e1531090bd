//! What a study is to play.

use super::config::StudyConfig;
use std::sync::Arc;
use tafl_arena::balance::{FieldChange, StudyKind, StudyRuleset};
use tafl_rules::Rules;
use tafl_training::{PlayerSource, fingerprint, ruleset_text};

/// A study to play.
#[derive(Debug)]
pub struct StudyPlan {
    /// What is compared.
    pub kind: StudyKind,
    /// All numbers of the study.
    pub config: StudyConfig,
    /// Who plays against itself, at all strengths.
    pub players: Vec<PlayerSource>,
    /// What is compared; of variants the base comes first.
    pub rulesets: Vec<PlannedRuleset>,
}

/// A ruleset of a study.
#[derive(Debug, Clone)]
pub struct PlannedRuleset {
    /// Its rules.
    pub rules: Arc<Rules>,
    /// In what it differs from the base.
    pub change: Option<FieldChange>,
    /// Its file, where it is not built in.
    pub text: Option<String>,
}

impl PlannedRuleset {
    /// Returns a ruleset that is not a variant.
    ///
    /// # Errors
    /// If no ruleset file can describe it.
    pub fn of(rules: &Arc<Rules>) -> anyhow::Result<Self> {
        let ruleset = rules.ruleset();
        let is_built_in = tafl_rules::preset(&ruleset.name).is_some_and(|own| own == *ruleset);
        let text = (!is_built_in).then(|| ruleset_text(ruleset)).transpose()?;
        Ok(Self {
            rules: Arc::clone(rules),
            change: None,
            text,
        })
    }

    pub(super) fn card(&self, openings: u32) -> StudyRuleset {
        let name = &self.rules.ruleset().name;
        StudyRuleset {
            name: name.clone(),
            fingerprint: fingerprint(&self.rules),
            file: self.text.is_some().then(|| format!("rulesets/{name}.toml")),
            change: self.change.clone(),
            openings,
        }
    }
}
