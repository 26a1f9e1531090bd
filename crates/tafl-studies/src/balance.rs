//! Balance studies: players who meet themselves under some rulesets, and what that says of the rulesets.

pub(crate) mod config;
mod folder;
mod people;
mod play;
mod rows;
mod strength;
mod text;
mod variants;

pub(crate) use text::text;
pub(crate) use variants::plan as plan_variants;

use self::config::StudyConfig;
use self::folder::{Folder, Settings, fingerprint};
use self::play::{Openings, play_cell};
use crate::commands::rules::file_text;
use crate::players::{PlayerName, PlayerSpec, SearchArgs};
use crate::tournament::Entrant;
use anyhow::bail;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::{
    FieldChange, Sampling, StrengthUnit, Study, StudyCell, StudyKind, StudyPlayer, StudyRuleset,
    Summary, summarize,
};
use tafl_dataset::{create_folder, write_atomically, write_balance};
use tafl_rules::Rules;

/// A study to play.
pub(crate) struct Plan {
    pub(crate) kind: StudyKind,
    pub(crate) config: StudyConfig,
    pub(crate) players: Vec<PlayerSpec>,
    /// Of variants the base comes first.
    pub(crate) rulesets: Vec<PlannedRuleset>,
}

/// A ruleset of a study.
#[derive(Debug, Clone)]
pub(crate) struct PlannedRuleset {
    pub(crate) rules: Arc<Rules>,
    /// In what it differs from the base.
    pub(crate) change: Option<FieldChange>,
    /// Its file, where it is not built in.
    pub(crate) text: Option<String>,
}

impl PlannedRuleset {
    /// Returns a ruleset that is no variant.
    pub(crate) fn of(rules: &Arc<Rules>) -> anyhow::Result<Self> {
        let ruleset = rules.ruleset();
        let is_built_in = tafl_rules::preset(&ruleset.name).is_some_and(|own| own == *ruleset);
        let text = (!is_built_in).then(|| file_text(ruleset)).transpose()?;
        Ok(Self {
            rules: Arc::clone(rules),
            change: None,
            text,
        })
    }

    fn card(&self, openings: u32) -> StudyRuleset {
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

/// Plays what the study's folder does not hold yet, and writes and returns what all of it says.
pub(crate) fn play(plan: &Plan, path: &Path) -> anyhow::Result<Summary> {
    let (config, arena) = (&plan.config, plan.config.arena());
    let rules: Vec<Arc<Rules>> = plan.rulesets.iter().map(|it| it.rules.clone()).collect();
    let entrants = plan.entrants(&rules)?;
    let mut folder = Folder::open(path, &plan.settings())?;
    for planned in &plan.rulesets {
        folder.admit_ruleset(&planned.rules)?;
        if let Some(text) = &planned.text {
            create_folder(&path.join("rulesets"))?;
            let name = format!("rulesets/{}.toml", planned.rules.ruleset().name);
            write_atomically(&path.join(name), text.as_bytes())?;
        }
    }
    for entrant in &entrants {
        folder.admit(entrant)?;
    }
    folder.write()?;
    let openings = plan.openings(&rules);
    let mut cells = Vec::new();
    for (rules, openings) in rules.iter().zip(&openings) {
        for entrant in &entrants {
            let seed = config.seed;
            let played = play_cell(&mut folder, entrant, rules, openings, &arena, seed)?;
            let [games, samples] = [0, 1].map(|kind: usize| {
                let files = played.files.iter().map(|file| file.paths()[kind].clone());
                files.collect()
            });
            cells.push(StudyCell {
                games: played.games,
                games_files: games,
                samples_files: samples,
                trained: has_learned(entrant, rules),
                strength: None,
            });
        }
    }
    let strengths = strength::measure(&path.join("strength"), config, &plan.players, &rules)?;
    for (cell, strength) in cells.iter_mut().zip(strengths.into_iter().flatten()) {
        cell.strength = strength;
    }
    let counts = openings.iter().map(Openings::count);
    let summary = plan.summary(&entrants, counts.collect(), cells)?;
    write(folder.path(), &summary)?;
    Ok(summary)
}

/// Writes `summary.json` and `summary.parquet`.
fn write(folder: &Path, summary: &Summary) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(summary)? + "\n";
    write_atomically(&folder.join("summary.json"), text.as_bytes())?;
    let path = folder.join("summary.parquet");
    Ok(write_balance(&path, &summary.study, &rows::rows(summary))?)
}

impl Plan {
    fn settings(&self) -> Settings {
        let base = self
            .rulesets
            .first()
            .filter(|_| self.kind == StudyKind::Variants);
        Settings {
            kind: self.kind,
            base: base.map(|base| fingerprint(&base.rules)),
            seed: self.config.seed,
            opening_plies: self.config.openings.plies,
            max_plies: self.config.max_plies,
        }
    }

    /// Makes the players ready; no two may have one name.
    fn entrants(&self, rules: &[Arc<Rules>]) -> anyhow::Result<Vec<Entrant>> {
        let mut entrants: Vec<Entrant> = Vec::new();
        for spec in &self.players {
            let entrant = open_entrant(spec, &self.config, rules)?;
            if entrants.iter().any(|other| other.name == entrant.name) {
                bail!("{}: two players are called {:?}", spec.player, entrant.name);
            }
            entrants.push(entrant);
        }
        Ok(entrants)
    }

    /// Draws the openings of each ruleset; variants have those of their base, as far as they allow them.
    fn openings(&self, rules: &[Arc<Rules>]) -> Vec<Openings> {
        let arena = self.config.arena();
        let draw = |rules: &Arc<Rules>| Openings::draw(rules, &arena, self.config.seed);
        match (self.kind, rules.first()) {
            (StudyKind::Variants, Some(base)) => {
                let of_base = draw(base);
                rules.iter().map(|rules| of_base.under(rules)).collect()
            }
            _ => rules.iter().map(draw).collect(),
        }
    }

    fn summary(
        &self,
        entrants: &[Entrant],
        openings: Vec<u32>,
        cells: Vec<StudyCell>,
    ) -> anyhow::Result<Summary> {
        let config = &self.config;
        let sampling = Sampling {
            draws: config.statistics.draws,
            resamples: config.statistics.resamples,
            seed: config.seed,
        };
        let rulesets = self.rulesets.iter().zip(openings);
        let players = self.players.iter().zip(entrants);
        let study = Study {
            name: config.name.clone(),
            kind: self.kind,
            seed: config.seed,
            openings: config.openings.count,
            opening_plies: config.openings.plies,
            max_plies: config.max_plies,
            rulesets: rulesets
                .map(|(it, openings)| (it.card(openings), it.rules.ruleset().escape))
                .collect(),
            players: players.map(|(spec, entrant)| card(spec, entrant)).collect(),
            cells,
            people: people::results(&sampling)?,
        };
        Ok(summarize(&study, &sampling))
    }
}

/// Makes a player of a study ready; a checkpoint must fit the boards of all rulesets.
fn open_entrant(
    spec: &PlayerSpec,
    config: &StudyConfig,
    rules: &[Arc<Rules>],
) -> anyhow::Result<Entrant> {
    let mut own = SearchArgs::plain(config.seed).config_of(spec)?;
    (own.device, own.precision) = (config.device, config.precision);
    // A draw is half of the score that is compared, also for a network that learned to shun it.
    own.search.draw_value = 0.0;
    let Some((first, others)) = rules.split_first() else {
        bail!("{}: no ruleset to play", spec.player);
    };
    let other = others.iter().find(|other| other.shape() != first.shape());
    if let (PlayerName::Checkpoint(folder), Some(other)) = (&spec.player, other) {
        let [first, other] = [first, other].map(|rules| &rules.ruleset().name);
        let folder = folder.display();
        bail!("{folder}: cannot play {first} and {other}, whose boards are of different sizes");
    }
    Entrant::open(spec, &own, first)
}

fn has_learned(entrant: &Entrant, rules: &Rules) -> Option<bool> {
    let own = fingerprint(rules);
    let learned = entrant.learned()?;
    Some(learned.iter().any(|ruleset| ruleset.fingerprint == own))
}

fn card(spec: &PlayerSpec, entrant: &Entrant) -> StudyPlayer {
    use crate::baseline::Baseline;
    let (family, unit, strength) = match (&spec.player, spec.visits) {
        (PlayerName::Baseline(Baseline::Rollouts(visits)), _) => {
            ("rollouts", StrengthUnit::Visits, Some(*visits))
        }
        (PlayerName::Baseline(Baseline::AlphaBeta(depth)), _) => {
            ("alphabeta", StrengthUnit::Turns, Some(*depth))
        }
        (PlayerName::Baseline(_), _) => (entrant.family(), StrengthUnit::None, None),
        (PlayerName::Checkpoint(_), visits) => (entrant.family(), StrengthUnit::Visits, visits),
    };
    let names = |learned: &[tafl_network::RulesetCard]| {
        learned.iter().map(|ruleset| ruleset.name.clone()).collect()
    };
    StudyPlayer {
        name: entrant.name.clone(),
        family: family.to_owned(),
        unit,
        strength,
        weights_sha256: entrant.card.weights_sha256.clone(),
        trained_on: entrant.learned().map(names),
    }
}
