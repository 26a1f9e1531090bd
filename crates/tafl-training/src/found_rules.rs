//! The rules that networks learned and games were played by: compiled in, or kept beside the network or the games.

use crate::config::{self, Loaded, RULESETS, RUN_CONFIG};
use crate::differences::differing_rules;
use crate::error::{SourceError, StoredConfigFor};
use crate::observer::{Notice, Observer};
use crate::player::run_config_of;
use crate::rulesets::{fingerprint, variants};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_config::load_ruleset;
use tafl_network::{ModelCard, Provenance, RulesetCard};
use tafl_rules::{Rules, Ruleset};
use tafl_samples::GameRecord;
use tafl_store::{write_atomically, write_new};

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

/// The rulesets that a network learned, with those of their variants whose base is found.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// In its run; nothing of an untrained network, which names those that it is to learn.
    now: Vec<RulesetCard>,
    /// Before its run, which began with weights of another.
    before: Vec<RulesetCard>,
}

impl Learned {
    /// Returns those of a checkpoint.
    pub fn of(checkpoint: &Path, from: &Provenance) -> Self {
        let origin = from.origin.as_ref();
        let origin = origin.map(|it| (&it.rulesets, &it.rule_changes));
        let with_variants = |(rulesets, changes): (&Vec<RulesetCard>, &Vec<String>)| {
            let mut all = rulesets.clone();
            let bases = rulesets
                .iter()
                .filter_map(|it| learned_one(checkpoint, it).ok());
            for base in bases {
                let of_field = |change| variants(base.rules.ruleset(), change).unwrap_or_default();
                let found = changes.iter().flat_map(|change| of_field(change));
                all.extend(found.map(|it| RulesetCard::of(&it.rules)));
            }
            all
        };
        Self {
            now: match from.generation {
                0 => Vec::new(),
                _ => with_variants((&from.rulesets, &from.rule_changes)),
            },
            before: origin.map_or_else(Vec::new, with_variants),
        }
    }

    /// Returns whether it learned a ruleset, whatever that was called, and whenever.
    pub fn has(&self, rules: &Rules) -> bool {
        let mut all = self.now.iter().chain(&self.before);
        all.any(|it| it.fingerprint == fingerprint(rules))
    }

    /// Tells of the rules by which a checkpoint of a run is to play, but which it did not learn, or not in its run.
    pub(crate) fn tell_doubts(
        &self,
        (run, generation): (&str, u32),
        rules: &[Arc<Rules>],
        observer: &dyn Observer,
    ) {
        for doubt in rules.iter().filter_map(|rules| self.doubt(rules)) {
            observer.noticed(&Notice::Warning(&format!("{run} {generation} {doubt}")));
        }
    }

    /// Returns what is to be said of a trained network under rules that it did not learn, or not in its run.
    pub fn doubt(&self, rules: &Rules) -> Option<String> {
        let (own, name) = (fingerprint(rules), &rules.ruleset().name);
        let mut all = self.now.iter().chain(&self.before).peekable();
        if all.peek().is_none() || self.now.iter().any(|it| it.fingerprint == own) {
            return None;
        }
        if self.has(rules) {
            // The first checkpoint of a run has lost nothing yet.
            let last = &self.now.first()?.name;
            return Some(format!(
                "learned {name} before it went on with {last}, and may have lost some of it"
            ));
        }
        let but = match all.any(|it| it.name == *name) {
            true => ", but other rules under this name",
            false => "",
        };
        Some(format!(
            "has not learned {name}{but}; its values mean little there, and int8 may be far from f32"
        ))
    }
}

fn learned_one(checkpoint: &Path, wanted: &RulesetCard) -> anyhow::Result<FoundRules> {
    if let Some(rules) = compiled_in(wanted) {
        return Ok(FoundRules::by_name(rules));
    }
    let found = match run_config_of(checkpoint) {
        Some(config) => in_run(&config, wanted)?,
        None => None,
    };
    let unknown = || SourceError::LearnedRuleset(checkpoint.to_owned(), wanted.clone());
    Ok(found.ok_or_else(unknown)?)
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
    /// Those that all games must have been played by.
    given: Option<Arc<Rules>>,
    /// By name and fingerprint.
    found: BTreeMap<(String, u64), Arc<Rules>>,
}

impl RulesOfGames {
    /// Returns the rules of games that were played by those given, if any are, whatever the games call them.
    pub fn new(given: Option<Arc<Rules>>) -> Self {
        Self {
            given,
            ..Self::default()
        }
    }

    /// Returns the rules of a game of a file: those given, or compiled in, or kept by the run, tournament or study in whose
    /// folder the file is.
    ///
    /// # Errors
    /// If they are nowhere, or others are given.
    pub fn of(&mut self, game: &GameRecord, file: &Path) -> anyhow::Result<Arc<Rules>> {
        if let Some(unlike) = self.unlike(game, file) {
            let is_kept = self.own(game, file).is_ok();
            let error = SourceError::OtherRules {
                file: file.to_owned(),
                unlike,
                is_kept,
            };
            return Err(error.into());
        }
        match &self.given {
            Some(given) => Ok(Arc::clone(given)),
            None => self.own(game, file),
        }
    }

    /// Says that a game of a file was played by other rules than those given, and names the fields that differ, where its own
    /// rules are found; nothing where none are given.
    pub fn unlike(&mut self, game: &GameRecord, file: &Path) -> Option<String> {
        let given = self.given.clone()?;
        let given = given.ruleset();
        if given.fingerprint() == game.ruleset_fingerprint {
            return None;
        }
        let own = self.own(game, file).ok();
        let fields = own.map(|own| differing_rules(given, own.ruleset()));
        let fields = fields.map_or_else(String::new, |it| format!(": {}", it.join(", ")));
        // Plies of a game mean nothing from another position.
        let from = match game.start == given.setup() {
            true => "",
            false => "; it begins as there",
        };
        Some(format!(
            "game {} was played under {:?} ({:016x}), which differs from the given {:?} ({:016x}){fields}{from}",
            game.game_id,
            game.ruleset,
            game.ruleset_fingerprint,
            given.name,
            given.fingerprint()
        ))
    }

    /// Returns the rules by which a game of a file was played, whatever is given.
    ///
    /// # Errors
    /// If they are nowhere.
    pub fn own(&mut self, game: &GameRecord, file: &Path) -> anyhow::Result<Arc<Rules>> {
        let key = (game.ruleset.clone(), game.ruleset_fingerprint);
        if let Some(rules) = self.found.get(&key) {
            return Ok(Arc::clone(rules));
        }
        let wanted = RulesetCard {
            name: key.0.clone(),
            fingerprint: format!("{:016x}", key.1),
        };
        let rules = found_around(file, &wanted)?;
        self.found.insert(key, Arc::clone(&rules));
        Ok(rules)
    }
}

/// Returns the files in which a folder may keep a ruleset: one of its name, which another of that name may have, and one of its
/// name and fingerprint.
fn kept_as(folder: &Path, card: &RulesetCard) -> [PathBuf; 2] {
    let RulesetCard { name, fingerprint } = card;
    let file = |stem: &str| folder.join(format!("{RULESETS}{stem}.toml"));
    [file(name), file(&format!("{name}-{fingerprint}"))]
}

/// Keeps rulesets in a folder of games by them, where [`RulesOfGames`] finds them, but for those that are compiled in. The first of
/// a name has it, also where several processes write at once; later ones have their fingerprint behind it.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn keep_rules(folder: &Path, rules: &[Arc<Rules>]) -> anyhow::Result<()> {
    for rules in rules {
        let card = RulesetCard::of(rules);
        if compiled_in(&card).is_some() {
            continue;
        }
        let [file, beside] = kept_as(folder, &card);
        let text = rules.ruleset().to_toml();
        let is_there = || load_ruleset(&file).is_ok_and(|it| RulesetCard::of(&it) == card);
        if !write_new(&file, text.as_bytes())? && !is_there() {
            write_atomically(&beside, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Returns a ruleset that is compiled in, or that a folder around a file keeps.
///
/// # Errors
/// If it is neither.
pub(crate) fn found_around(file: &Path, wanted: &RulesetCard) -> anyhow::Result<Arc<Rules>> {
    if let Some(rules) = compiled_in(wanted) {
        return Ok(rules);
    }
    let whole = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let mut changed = None;
    for folder in whole.ancestors().skip(1) {
        let kept = kept_as(folder, wanted).into_iter();
        for own in kept.filter(|it| it.is_file()) {
            let rules = load_ruleset(&own)?;
            if fingerprint(&rules) == wanted.fingerprint {
                // A copy that says no name has that of its file.
                return Ok(Rules::new(Ruleset {
                    name: wanted.name.clone(),
                    ..rules.ruleset().clone()
                })?);
            }
            changed = changed.or(Some(own));
        }
        let config = folder.join(RUN_CONFIG);
        if config.is_file()
            && let Ok(Some(found)) = in_run(&config, wanted)
        {
            return Ok(found.rules);
        }
    }
    let (file, ruleset) = (file.to_owned(), wanted.clone());
    let error = match changed {
        Some(kept) => SourceError::ChangedRuleset {
            kept,
            file,
            ruleset,
        },
        None => SourceError::PlayedRuleset(file, ruleset),
    };
    Err(error.into())
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
        let known = Learned::of(&folder, &from);
        let mut ruleset = tafl_rules::preset("brandubh").expect("a preset");
        let knows =
            |ruleset: &tafl_rules::Ruleset| known.has(&Rules::new(ruleset.clone()).expect("sound"));
        assert!(knows(&ruleset));
        ruleset.captureless_limit = std::num::NonZeroU32::new(40);
        assert!(knows(&ruleset));
        ruleset.captureless_limit = std::num::NonZeroU32::new(41);
        assert!(!knows(&ruleset));
    }

    #[test]
    fn rules_of_one_name_that_are_kept_at_once_are_all_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let all: Vec<Arc<Rules>> = (20..28)
            .map(|limit| {
                let mut ruleset = tafl_rules::preset("brandubh").expect("a preset");
                ruleset.name = "mine".to_owned();
                ruleset.captureless_limit = std::num::NonZeroU32::new(limit);
                Rules::new(ruleset).expect("sound")
            })
            .collect();
        std::thread::scope(|scope| {
            for rules in &all {
                let folder = folder.path();
                scope.spawn(move || {
                    keep_rules(folder, std::slice::from_ref(rules)).expect("written")
                });
            }
        });
        let file = folder.path().join("games.parquet");
        for rules in &all {
            let found = found_around(&file, &RulesetCard::of(rules)).expect("they are kept");
            assert_eq!(found.ruleset(), rules.ruleset());
        }
        // A copy of one more that was moved away need not say its name.
        let more = RulesetCard {
            name: "mine".to_owned(),
            fingerprint: {
                let mut ruleset = all[0].ruleset().clone();
                ruleset.captureless_limit = std::num::NonZeroU32::new(40);
                format!("{:016x}", ruleset.fingerprint())
            },
        };
        let [_, copy] = kept_as(folder.path(), &more);
        std::fs::write(copy, "base = \"brandubh\"\ncaptureless_limit = 40\n").expect("written");
        let found = found_around(&file, &more).expect("it is there");
        assert_eq!(RulesetCard::of(&found), more);
    }

    #[test]
    fn what_was_learned_before_the_run_is_not_called_unknown() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/brandubh");
        let mut card = tafl_network::load_card(&folder).expect("a card");
        let rules = |name: &str| Rules::preset(name).expect("a preset");
        // Tablut, then brandubh, then skalk: whoever goes on remembers all before it.
        for [before, last] in [["tablut", "brandubh"], ["brandubh", "skalk"]] {
            card.provenance.rulesets = vec![RulesetCard::of(&rules(before))];
            card.provenance.origin = Some(tafl_network::Origin::of(&card));
            card.provenance.rulesets = vec![RulesetCard::of(&rules(last))];
        }
        let learned = Learned::of(&folder, &card.provenance);
        let doubts =
            ["skalk", "brandubh", "tablut", "copenhagen"].map(|it| learned.doubt(&rules(it)));
        let before = |name: &str| {
            Some(format!(
                "learned {name} before it went on with skalk, and may have lost some of it"
            ))
        };
        let never = "has not learned copenhagen; its values mean little there, and int8 may be far from f32".to_owned();
        assert_eq!(
            doubts,
            [None, before("brandubh"), before("tablut"), Some(never)]
        );
        // A run begins with what its origin had learned.
        card.provenance.generation = 0;
        let first = Learned::of(&folder, &card.provenance);
        let known = ["skalk", "brandubh"].map(|it| first.has(&rules(it)));
        assert_eq!(known, [false, true]);
        assert_eq!(first.doubt(&rules("brandubh")), None);
        assert!(first.doubt(&rules("skalk")).is_some());
    }
}
