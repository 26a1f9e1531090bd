//! What a study is to play.

use super::config::StudyConfig;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::{FieldChange, StudyKind};
use tafl_config::{Change, ConfigError};
use tafl_rules::Rules;
use tafl_training::{PlayerSource, RulesetVariant, load_all_rules};

/// A study to play.
#[derive(Debug)]
pub struct StudyPlan {
    /// What is compared.
    pub kind: StudyKind,
    /// All numbers of the study.
    pub config: StudyConfig,
    /// Who plays against itself, at all strengths.
    pub players: Vec<PlannedPlayer>,
    /// What is compared; of variants the base comes first.
    pub rulesets: Vec<PlannedRuleset>,
    /// Number of the first opening that is played; those before it are left to others.
    pub first_opening: u32,
}

/// A player of a study at one strength.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPlayer {
    /// Where it comes from.
    pub source: PlayerSource,
    /// The share of the openings that it plays, above 0 up to 1.
    pub share: f64,
}

/// A ruleset of a study.
#[derive(Debug, Clone)]
pub struct PlannedRuleset {
    /// Its rules.
    pub rules: Arc<Rules>,
    /// In what it differs from the base.
    pub change: Option<FieldChange>,
}

/// Reads the config of a study, applies changes such as `openings.count=50`, and checks all of it.
///
/// # Errors
/// Names everything that is wrong with the file, each with its line.
pub fn load(path: &Path, changes: &[Change]) -> anyhow::Result<StudyPlan> {
    let document = tafl_config::read::<StudyConfig>(path, changes)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let rules = load_all_rules(&document.config.rulesets, folder)
        .map_err(|error| ConfigError::new("rulesets", format!("{error:#}")));
    let players = document.config.planned_players(folder);
    let (rules, players) = match (rules, players) {
        (Ok(rules), Ok(players)) => {
            let checked = can_be_played(&rules, &players);
            checked.map_err(|error| document.faults(vec![error]))?;
            (rules, players)
        }
        (rules, players) => {
            let errors = rules.err().into_iter().chain(players.err());
            return Err(document.faults(errors.collect()).into());
        }
    };
    Ok(StudyPlan {
        kind: StudyKind::Rulesets,
        players,
        rulesets: rules.iter().map(PlannedRuleset::unchanged).collect(),
        config: document.config,
        first_opening: 0,
    })
}

/// Refuses rulesets whose games are over before they begin, and boards of several sizes where there is a checkpoint, which
/// knows one.
fn can_be_played(rules: &[Arc<Rules>], players: &[PlannedPlayer]) -> Result<(), ConfigError> {
    let refused = |reason: String| Err(ConfigError::new("rulesets", reason));
    let name = |rules: &Rules| rules.ruleset().name.clone();
    if let Some(over) = rules.iter().find(|it| !it.has_legal_move(&it.start())) {
        let reason = "the side to move has no legal move in the start position";
        return refused(format!("{}: {reason}", name(over)));
    }
    let mut pairs = rules.windows(2);
    let differ = pairs.find(|pair| pair[0].shape() != pair[1].shape());
    match (differ, players.iter().find_map(|it| it.source.folder())) {
        (Some([one, other]), Some(folder)) => refused(format!(
            "{} and {} have boards of different sizes, but {} plays on one; make a study for each",
            name(one),
            name(other),
            folder.display()
        )),
        _ => Ok(()),
    }
}

/// Reads the numbers of a config, or the defaults without one; its rulesets and players are not looked at.
///
/// # Errors
/// Names everything that is wrong with them.
pub fn load_numbers(path: Option<&Path>, changes: &[Change]) -> anyhow::Result<StudyConfig> {
    let document = match path {
        Some(path) => tafl_config::read::<StudyConfig>(path, changes)?,
        None => {
            let path = Path::new("study config");
            tafl_config::read_text(path, "", changes)?
        }
    };
    Ok(document.config)
}

impl StudyPlan {
    /// Returns the plan of a study of a base and its variants, where everyone plays everything.
    pub fn of_variants(
        config: StudyConfig,
        players: Vec<PlayerSource>,
        base: &Arc<Rules>,
        variants: Vec<RulesetVariant>,
    ) -> Self {
        let everything = |source| PlannedPlayer { source, share: 1.0 };
        let mut rulesets = vec![PlannedRuleset::unchanged(base)];
        rulesets.extend(variants.into_iter().map(|variant| PlannedRuleset {
            change: Some(variant.change),
            ..PlannedRuleset::unchanged(&variant.rules)
        }));
        Self {
            kind: StudyKind::Variants,
            config,
            players: players.into_iter().map(everything).collect(),
            rulesets,
            first_opening: 0,
        }
    }
}

impl PlannedRuleset {
    /// Returns a ruleset that is not a variant.
    fn unchanged(rules: &Arc<Rules>) -> Self {
        Self {
            rules: Arc::clone(rules),
            change: None,
        }
    }
}
