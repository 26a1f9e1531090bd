//! What a study is to play.

use super::config::StudyConfig;
use crate::rulesets::file_of;
use std::sync::Arc;
use tafl_arena::balance::{FieldChange, StudyKind, StudyRuleset, Summary};
use tafl_rules::Rules;
use tafl_training::{PlayerSource, fingerprint};

/// A study to play.
#[derive(Debug)]
pub struct StudyPlan {
    /// What is compared.
    pub kind: StudyKind,
    /// All numbers of the study.
    pub config: StudyConfig,
    /// Who plays against itself, at all strengths.
    pub players: Vec<PlayerSource>,
    /// The share of the openings that each of them plays, above 0 up to 1.
    pub shares: Vec<f64>,
    /// What is compared; of variants the base comes first.
    pub rulesets: Vec<PlannedRuleset>,
    /// The results of a study that this one repeats, if it does.
    pub repeats: Option<Summary>,
    /// Number of the first opening that is played; those before it are left to others.
    pub first_opening: u32,
}

impl StudyPlan {
    /// Returns the plan of a study of variants, of which the first is the base, where everyone plays everything.
    #[must_use]
    pub fn of_variants(
        config: StudyConfig,
        players: Vec<PlayerSource>,
        rulesets: Vec<PlannedRuleset>,
    ) -> Self {
        Self {
            kind: StudyKind::Variants,
            config,
            shares: vec![1.0; players.len()],
            players,
            rulesets,
            repeats: None,
            first_opening: 0,
        }
    }
}

/// A ruleset of a study.
#[derive(Debug, Clone)]
pub struct PlannedRuleset {
    /// Its rules.
    pub rules: Arc<Rules>,
    /// In what it differs from the base.
    pub change: Option<FieldChange>,
}

impl PlannedRuleset {
    /// Returns a ruleset that is not a variant.
    #[must_use]
    pub fn of(rules: &Arc<Rules>) -> Self {
        Self {
            rules: Arc::clone(rules),
            change: None,
        }
    }

    pub(super) fn card(&self, openings: u32) -> StudyRuleset {
        let name = &self.rules.ruleset().name;
        StudyRuleset {
            name: name.clone(),
            fingerprint: fingerprint(&self.rules),
            file: file_of(&self.rules),
            change: self.change.clone(),
            openings,
        }
    }
}
