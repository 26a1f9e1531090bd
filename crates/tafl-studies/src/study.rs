//! Balance studies: players that play themselves under some rulesets, and the resulting balance.

mod cells;
mod config;
mod difficulty;
mod people;
mod picture;
mod plan;
mod rows;
mod strength;
mod variants;

pub use config::{
    DifficultyConfig, FIVE_RULESETS, OpeningConfig, OpeningSource, StatisticsConfig,
    StrengthConfig, StudyConfig, StudyPlayerConfig, load, load_numbers,
};
pub use plan::{PlannedRuleset, StudyPlan};
pub use variants::plan as plan_variants;

use crate::players::enter;
use crate::rulesets::keep_ruleset;
use anyhow::{Context, ensure};
use cells::{Openings, StudyFolder, StudySettings};
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::{
    Probes, Sampling, Study, StudyCell, StudyKind, StudyPlayer, Summary, can_repeat, summarize,
};
use tafl_dataset::write_balance;
use tafl_rules::Rules;
use tafl_samples::StrengthUnit;
use tafl_store::{Manifest, Store, StoreKind, write_atomically};
use tafl_training::{Freed, Kept, Observer, OpenedPlayer, PlayerSource, fingerprint};

/// Plays the games missing in the study's folder, and writes and returns the results of all games.
///
/// # Errors
/// If the folder contains games with other settings, a player fails, or games cannot be stored.
pub fn play(plan: &StudyPlan, path: &Path, observer: &dyn Observer) -> anyhow::Result<Summary> {
    let rules: Vec<Arc<Rules>> = plan.rulesets.iter().map(|it| it.rules.clone()).collect();
    let players = plan.open_players(&rules)?;
    let policy = plan.policy_player(&players)?;
    plan.check_repeated(&players, policy)?;
    let store = Store::open_or_create(path, &plan.settings(policy))?;
    for planned in &plan.rulesets {
        let ruleset = planned.rules.ruleset();
        store.admit_ruleset(&ruleset.name, ruleset.fingerprint())?;
        keep_ruleset(path, &planned.rules)?;
    }
    for player in &players {
        store.admit_player(&player.name(), &player.card)?;
    }
    let folder = StudyFolder {
        store: &store,
        config: &plan.config,
        observer,
    };
    let openings = plan.openings(&rules, policy, &path.join("openings"))?;
    let base = rules.first().context("no ruleset to play")?;
    let mut cells = Vec::new();
    for (planned, openings) in plan.rulesets.iter().zip(&openings) {
        let rules = &planned.rules;
        for (player, share) in players.iter().zip(&plan.shares) {
            let openings = &openings.first(*share);
            let place = [cells.len() + 1, plan.rulesets.len() * players.len()];
            let played = folder.play_cell(place, player, rules, openings)?;
            let [games_files, samples_files] = [0, 1].map(|kind: usize| {
                let files = played.files.iter().map(|file| file.names()[kind].clone());
                files.collect()
            });
            cells.push(StudyCell {
                games: played.games,
                games_files,
                samples_files,
                trained: has_learned(player, planned, base),
                strength: None,
            });
        }
    }
    let strengths = strength::measure(&path.join("strength"), plan, &rules, observer)?;
    for (cell, strength) in cells.iter_mut().zip(strengths.into_iter().flatten()) {
        cell.strength = strength;
    }
    let difficulty = path.join("difficulty");
    let probes = difficulty::measure(&difficulty, plan, (&players, &cells), observer)?;
    let counts = openings.iter().map(Openings::count).collect();
    let mut summary = plan.summary(&players, counts, (cells, probes))?;
    summary.notes.extend(left_out(&store.manifest(), &summary));
    write(path, &summary)?;
    Ok(summary)
}

/// Removes from a run or a study what is not kept. Of a study that is what the searches of its games said, nearly
/// all of its room; its games and results stay, to be shown, but it cannot go on.
///
/// # Errors
/// If the folder is neither, or the operating system refuses; and as [`tafl_training::prune`].
pub fn prune(folder: &Path, kept: Kept) -> anyhow::Result<Freed> {
    if StoreKind::of_folder(folder)? != Some(StoreKind::Study) {
        return tafl_training::prune(folder, kept);
    }
    if kept.old_samples {
        return Ok(Freed::default());
    }
    let store: Store<StudySettings> = Store::open(folder)?;
    let mut there = store.files("samples/");
    there.retain(|path| path.exists());
    let sizes = there.iter().map(|path| path.metadata().map(|it| it.len()));
    let bytes = sizes.sum::<std::io::Result<u64>>()?;
    store.remove(&there)?;
    Ok(Freed {
        samples: there.len() as u64,
        checkpoints: 0,
        bytes,
    })
}

/// Returns what the folder holds of earlier studies that is not part of this one.
fn left_out(manifest: &Manifest<StudySettings>, summary: &Summary) -> Option<String> {
    let is_shown = |name: &str| {
        let rulesets = summary.rulesets.iter().map(|it| &it.name);
        let players = summary.players.iter().map(|it| &it.name);
        rulesets.chain(players).any(|it| it == name)
    };
    let names = manifest.rulesets.keys().chain(manifest.players.keys());
    let names: Vec<&str> = names
        .map(String::as_str)
        .filter(|it| !is_shown(it))
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "The folder was also used for {}, which are not part of this study.",
            names.join(", ")
        )
    })
}

/// Writes `summary.json`, `summary.parquet` and, where there is a verdict, its picture, `scores.svg`.
fn write(folder: &Path, summary: &Summary) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(summary)? + "\n";
    write_atomically(&folder.join("summary.json"), text.as_bytes())?;
    if let Some(picture) = picture::scores(summary) {
        write_atomically(&folder.join("scores.svg"), picture.as_bytes())?;
    }
    let path = folder.join("summary.parquet");
    Ok(write_balance(&path, &summary.study, &rows::rows(summary))?)
}

impl StudyPlan {
    /// Returns the player from whose policy or search openings are drawn, if they are.
    fn policy_player<'a>(
        &self,
        players: &'a [OpenedPlayer],
    ) -> anyhow::Result<Option<&'a OpenedPlayer>> {
        if self.config.openings.source == OpeningSource::Random {
            return Ok(None);
        }
        let network = players.iter().find(|it| it.card.weights_sha256.is_some());
        let source = self.config.openings.source.name();
        let advice =
            || format!("field `openings.source`: \"{source}\" needs a network among the players");
        network.with_context(advice).map(Some)
    }

    /// Returns the visits of the search from which openings are drawn, if they are.
    fn opening_visits(&self, policy: Option<&OpenedPlayer>) -> Option<u32> {
        let searcher = policy?.player.searcher()?;
        (self.config.openings.source == OpeningSource::Search).then_some(searcher.search.visits)
    }

    fn settings(&self, policy: Option<&OpenedPlayer>) -> StudySettings {
        let base = self
            .rulesets
            .first()
            .filter(|_| self.kind == StudyKind::Variants);
        StudySettings {
            kind: self.kind,
            base: base.map(|base| fingerprint(&base.rules)),
            seed: self.config.seed,
            opening_plies: self.config.openings.plies,
            opening_policy: policy.and_then(|it| it.card.weights_sha256.clone()),
            opening_visits: self.opening_visits(policy),
            max_plies: self.config.max_plies,
        }
    }

    /// Makes the players ready; no two may have one name.
    fn open_players(&self, rules: &[Arc<Rules>]) -> anyhow::Result<Vec<OpenedPlayer>> {
        let mut players: Vec<OpenedPlayer> = Vec::new();
        for source in &self.players {
            let player = open_player(source, &self.config, rules)?;
            enter(&mut players, player, source)?;
        }
        Ok(players)
    }

    /// Draws the openings of each ruleset; variants have those of their base, as far as they allow them.
    fn openings(
        &self,
        rules: &[Arc<Rules>],
        policy: Option<&OpenedPlayer>,
        folder: &Path,
    ) -> anyhow::Result<Vec<Openings>> {
        let draw = |rules: &Arc<Rules>| -> anyhow::Result<Openings> {
            let drawn = match policy {
                None => Openings::draw(rules, &self.config),
                Some(player) => {
                    let path = folder.join(format!("{}.txt", rules.ruleset().name));
                    Openings::of_policy(rules, &self.config, player, &path)?
                }
            };
            Ok(drawn.without_first(self.first_opening))
        };
        match (self.kind, rules.first()) {
            (StudyKind::Variants, Some(base)) => {
                let of_base = draw(base)?;
                let under = |rules: &Arc<Rules>| Ok(of_base.under(rules, base));
                rules.iter().map(under).collect()
            }
            _ => rules.iter().map(draw).collect(),
        }
    }

    fn cards(&self, opened: &[OpenedPlayer]) -> Vec<StudyPlayer> {
        let players = self.players.iter().zip(opened);
        players
            .map(|(source, player)| card(source, player))
            .collect()
    }

    /// Refuses to repeat a study of other players or rulesets.
    fn check_repeated(
        &self,
        opened: &[OpenedPlayer],
        policy: Option<&OpenedPlayer>,
    ) -> anyhow::Result<()> {
        let visits = self.opening_visits(policy);
        let mut others = self.repeats.iter().map(|known| known.opening_visits);
        ensure!(
            others.all(|it| it == visits),
            "field `repeats`: the openings of {} were drawn from a search with other visits",
            self.config.repeats
        );
        let rulesets: Vec<_> = self.rulesets.iter().map(|it| it.card(0)).collect();
        let mut known = self.repeats.iter();
        ensure!(
            known.all(|known| can_repeat(known, &rulesets, &self.cards(opened))),
            "field `repeats`: {} has no score of these players (with the same weights) under these rulesets",
            self.config.repeats
        );
        Ok(())
    }

    fn summary(
        &self,
        opened: &[OpenedPlayer],
        openings: Vec<u32>,
        (cells, probes): (Vec<StudyCell>, Vec<Probes>),
    ) -> anyhow::Result<Summary> {
        let config = &self.config;
        let sampling = Sampling {
            draws: config.statistics.draws,
            resamples: config.statistics.resamples,
            seed: config.seed,
        };
        let rulesets = self.rulesets.iter().zip(openings);
        let cards = with_own_titles(self.cards(opened));
        let policy = self.policy_player(opened)?;
        let opening_visits = self.opening_visits(policy);
        let policy = policy.map(|player| {
            let mut own = cards.iter().filter(|it| it.family == player.family);
            let title = own.next().map_or(&*player.family, |it| &it.title);
            title.split(',').next().unwrap_or_default().to_owned()
        });
        let study = Study {
            name: config.name.clone(),
            kind: self.kind,
            seed: config.seed,
            openings: config.openings.count.saturating_sub(self.first_opening),
            opening_plies: config.openings.plies,
            max_plies: config.max_plies,
            rulesets: rulesets
                .map(|(it, openings)| (it.card(openings), it.rules.ruleset().escape))
                .collect(),
            opening_policy: policy,
            opening_visits,
            players: cards,
            cells,
            probes,
            people: people::results(&sampling)?,
            repeats: self.repeats.clone(),
        };
        Ok(summarize(&study, &sampling))
    }
}

/// Makes a player of a study ready; the rulesets of a plan that a checkpoint plays have boards of one size.
fn open_player(
    source: &PlayerSource,
    config: &StudyConfig,
    rules: &[Arc<Rules>],
) -> anyhow::Result<OpenedPlayer> {
    let mut own = source.own_config()?;
    (own.device, own.precision) = (config.device, config.precision);
    // A draw is half of the score that is compared, also for a network that learned to shun it.
    own.search.attackers_draw_value = 0.0;
    let first = rules.first();
    source.open(&own, first.context("no ruleset to play")?)
}

/// Returns whether a network has learned a ruleset, or as a variant of `base` that differs in a field whose values it learned.
fn has_learned(player: &OpenedPlayer, planned: &PlannedRuleset, base: &Rules) -> Option<bool> {
    let learned = player.learned.as_ref()?;
    let has = |rules: &Rules| {
        let own = fingerprint(rules);
        learned.iter().any(|ruleset| ruleset.fingerprint == own)
    };
    let is_learned_change = planned.change.as_ref().is_some_and(|change| {
        let with_value = format!("{}={}", change.field, change.to);
        (player.rule_changes.iter()).any(|it| *it == change.field || *it == with_value)
    });
    Some(has(&planned.rules) || is_learned_change && has(base))
}

fn card(source: &PlayerSource, player: &OpenedPlayer) -> StudyPlayer {
    let (unit, strength) = match source {
        PlayerSource::Baseline(baseline) => {
            let of = baseline.family().strength();
            let unit = of.map_or(StrengthUnit::None, |strength| strength.unit);
            (unit, baseline.strength())
        }
        PlayerSource::Checkpoint { visits, .. } => (StrengthUnit::Visits, *visits),
    };
    let names = |learned: &Vec<tafl_network::RulesetCard>| {
        learned.iter().map(|ruleset| ruleset.name.clone()).collect()
    };
    StudyPlayer {
        name: player.name(),
        title: title(source, player, (unit, strength)),
        family: player.family.clone(),
        unit,
        strength,
        weights_sha256: player.card.weights_sha256.clone(),
        trained_on: player.learned.as_ref().map(names),
    }
}

/// Gives players that would share a title their names instead.
fn with_own_titles(mut players: Vec<StudyPlayer>) -> Vec<StudyPlayer> {
    let titles: Vec<String> = players.iter().map(|it| it.title.clone()).collect();
    for player in &mut players {
        if titles.iter().filter(|it| **it == player.title).count() > 1 {
            player.title.clone_from(&player.name);
        }
    }
    players
}

/// Returns what a player is called in sentences: a network by its folder, or by run and checkpoint.
fn title(
    source: &PlayerSource,
    player: &OpenedPlayer,
    (unit, strength): (StrengthUnit, Option<u32>),
) -> String {
    let is_number = |name: &str| name.bytes().all(|it| it.is_ascii_digit());
    let folder = source.folder().and_then(Path::file_name);
    let folder = folder.map(|name| name.to_string_lossy());
    let name = match folder.filter(|name| !is_number(name)) {
        Some(name) => format!("{name} net"),
        None => player.family.clone(),
    };
    match (unit, strength) {
        (_, None) | (StrengthUnit::None, _) => name,
        (StrengthUnit::Visits, Some(1)) => format!("{name}, 1 visit"),
        (StrengthUnit::Visits, Some(visits)) => format!("{name}, {visits} visits"),
        (StrengthUnit::Turns, Some(1)) => format!("{name}, 1 turn ahead"),
        (StrengthUnit::Turns, Some(turns)) => format!("{name}, {turns} turns ahead"),
    }
}
