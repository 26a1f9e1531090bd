//! Balance studies: players that play themselves under some rulesets, and the resulting balance.

mod cell;
mod config;
mod difficulty;
mod openings;
mod people;
mod plan;
mod strength;

pub use config::{
    DifficultyConfig, OpeningConfig, OpeningSource, StrengthConfig, StudyConfig, StudyPlayerConfig,
};
pub use plan::{PlannedPlayer, PlannedRuleset, StudyPlan, load, load_numbers};

use crate::error::StudiesError;
use crate::players::enter;
use crate::rulesets::{admit_rulesets, file_of, with_fields_of_base};
use anyhow::Context;
use cell::{CellToPlay, StudySettings};
use openings::StudyOpenings;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_arena::balance::{
    Sampling, Study, StudyKind, StudyPlayer, StudyRuleset, Summary, summarize,
};
use tafl_dataset::{EnteredGames, read_games};
use tafl_network::RulesetCard;
use tafl_rules::Rules;
use tafl_samples::StrengthUnit;
use tafl_store::{MOST_TEXT_BYTES, Manifest, Store, StoreKind, read_text, write_json};
use tafl_training::{
    Freed, Kept, Notice, Observer, OpenedPlayer, PlayerSource, fingerprint, remove_samples,
};

/// Plays the games missing in the study's folder, and writes and returns the results of all games.
///
/// # Errors
/// If the folder contains games with other settings, a player fails, or games cannot be stored.
pub fn play(plan: &StudyPlan, path: &Path, observer: &dyn Observer) -> anyhow::Result<Summary> {
    let players = plan.open_players()?;
    let policy = plan.policy_player(&players)?;
    let store = Store::open_or_create(path, &plan.settings(policy));
    let store = store.map_err(|error| match plan.rulesets.first() {
        Some(base) => with_fields_of_base(error, path, base.rules.ruleset()),
        None => error,
    })?;
    must_go_on(&store, &players)?;
    must_keep_results(path, plan)?;
    admit_rulesets(&store, plan.rulesets.iter().map(|it| &it.rules))?;
    for player in &players {
        store.admit_player(&player.card.name, &player.opened.card)?;
    }
    let openings = plan.openings(policy, &path.join("openings"))?;
    let (mut cells, mut others) = (Vec::new(), 0);
    for (ruleset, openings) in plan.rulesets.iter().zip(&openings) {
        for player in &players {
            let cell = CellToPlay {
                store: &store,
                config: &plan.config,
                observer,
                number: cells.len() + 1,
                count: plan.rulesets.len() * players.len(),
                player: &player.opened,
                rules: &ruleset.rules,
                openings: &openings.first(player.share),
            };
            let (mut played, uncounted) = cell.play()?;
            others += uncounted;
            let opened = &player.opened;
            let learned = opened.learned.as_ref();
            played.trained = learned.map(|_| opened.known.has(&ruleset.rules));
            cells.push(played);
        }
    }
    strength::measure(&path.join("strength"), plan, &players, &mut cells, observer)?;
    let difficulty = path.join("difficulty");
    let difficulties = difficulty::measure(&difficulty, plan, &players, &cells, observer)?;
    let sampling = Sampling::of_seed(plan.config.seed);
    let study = plan.study(&players, &openings, &sampling);
    let mut summary = summarize(study, &cells, difficulties, &sampling);
    if let Some(note) = left_out(&store.manifest(), &summary, others) {
        observer.noticed(&Notice::Uncounted(&note));
        summary.notes.push(note);
    }
    write_json(&path.join("summary.json"), &summary)?;
    Ok(summary)
}

/// Refuses to go on with players whose searches were removed, whatever else of them is otherwise than it was.
fn must_go_on(store: &Store<StudySettings>, players: &[StudyMember]) -> anyhow::Result<()> {
    let known = store.manifest().players;
    let is_known = players.iter().any(|it| known.contains_key(&it.card.name));
    let games = store.files("games/");
    if is_known && !games.is_empty() && games.iter().all(|path| store.is_pruned(path)) {
        return Err(StudiesError::Pruned(store.folder().to_owned()).into());
    }
    Ok(())
}

/// Refuses to write results in place of those that had more rulesets. Variants are measured one after the other.
fn must_keep_results(folder: &Path, plan: &StudyPlan) -> anyhow::Result<()> {
    let summary = folder.join("summary.json");
    // What cannot be read is written anew.
    let read = read_text(&summary, MOST_TEXT_BYTES).map(|text| Summary::of_json(&text));
    let (Ok(Ok(Summary { study, .. })), StudyKind::Rulesets) = (read, plan.kind) else {
        return Ok(());
    };
    let planned = |name: &String| {
        plan.rulesets
            .iter()
            .any(|it| it.rules.ruleset().name == *name)
    };
    let mut left = study.rulesets;
    left.retain(|it| !planned(&it.name));
    if left.is_empty() {
        return Ok(());
    }
    let renamed = left.iter().find_map(|it| {
        let mut rules = plan.rulesets.iter().map(|planned| &planned.rules);
        let same = rules.find(|rules| fingerprint(rules) == it.fingerprint)?;
        Some([it.name.clone(), same.ruleset().name.clone()])
    });
    let rulesets = left.into_iter().map(|it| it.name).collect();
    Err(StudiesError::LeavesOut {
        summary,
        rulesets,
        renamed,
    }
    .into())
}

/// Removes from a run or a study what is not kept. Of a study that is what the searches of its games said, nearly
/// all of its room; its games and results stay, to be shown, but it cannot go on.
///
/// # Errors
/// If the folder is neither, the results of a study leave out games, or the operating system refuses; and as
/// [`tafl_training::prune`].
pub fn prune(folder: &Path, kept: Kept) -> anyhow::Result<Freed> {
    if StoreKind::of_folder(folder)? != Some(StoreKind::Study) {
        return tafl_training::prune(folder, kept);
    }
    if kept.old_samples {
        return Ok(Freed::default());
    }
    let store: Store<StudySettings> = Store::open(folder)?;
    let EnteredGames { there, .. } = EnteredGames::of(&store);
    must_count_all(folder, &there)?;
    remove_samples(&store, &there)
}

/// Refuses to remove searches of games that the results leave out: they could not be counted any more.
fn must_count_all(folder: &Path, files: &[PathBuf]) -> anyhow::Result<()> {
    let mut stored = 0;
    for file in files {
        stored += read_games(file)?.len() as u64;
    }
    let text = read_text(&folder.join("summary.json"), MOST_TEXT_BYTES);
    let summary = text.ok().and_then(|text| Summary::of_json(&text).ok());
    let cells = summary.iter().flat_map(|it| &it.cells);
    let counted: u64 = cells.map(|it| it.results.games() + it.repeated).sum();
    if counted < stored {
        let folder = folder.to_owned();
        return Err(StudiesError::NotCounted {
            folder,
            counted,
            stored,
        }
        .into());
    }
    Ok(())
}

/// Returns what the folder holds of earlier studies that is not part of this one, games of other openings among it.
fn left_out(manifest: &Manifest<StudySettings>, summary: &Summary, games: usize) -> Option<String> {
    let rulesets = summary.study.rulesets.iter().map(|it| &it.name);
    let players = summary.study.players.iter().map(|it| &it.name);
    let shown: BTreeSet<&String> = rulesets.chain(players).collect();
    let names = manifest.rulesets.keys().chain(manifest.players.keys());
    let others = names.filter(|it| !shown.contains(it)).map(|it| &**it);
    let others = others.collect::<Vec<&str>>().join(", ");
    let used = (!others.is_empty()).then(|| format!("was also used for {others}"));
    let held = (games > 0).then(|| format!("holds games of other openings ({games})"));
    let all = used.into_iter().chain(held);
    let all = all.collect::<Vec<String>>().join(", and ");
    (!all.is_empty()).then(|| format!("The folder {all}, which are not part of this study."))
}

/// A player that is ready to play itself.
pub(crate) struct StudyMember {
    pub(crate) opened: OpenedPlayer,
    pub(crate) card: StudyPlayer,
    /// The share of the openings that it plays, above 0 up to 1.
    pub(crate) share: f64,
}

impl StudyPlan {
    /// Makes the players ready; no two may have one name.
    fn open_players(&self) -> anyhow::Result<Vec<StudyMember>> {
        let mut opened = Vec::new();
        for PlannedPlayer { source, .. } in &self.players {
            enter(&mut opened, self.open_player(source)?, source)?;
        }
        let ready = opened.into_iter().zip(&self.players);
        let member = |(opened, planned): (OpenedPlayer, &PlannedPlayer)| StudyMember {
            card: card(&planned.source, &opened),
            share: planned.share,
            opened,
        };
        let mut players: Vec<StudyMember> = ready.map(member).collect();
        let titles: Vec<String> = players.iter().map(|it| it.card.title.clone()).collect();
        for StudyMember { card, .. } in &mut players {
            // Players that would share a title have their names instead.
            if titles.iter().filter(|it| **it == card.title).count() > 1 {
                card.title.clone_from(&card.name);
            }
        }
        Ok(players)
    }

    /// Makes a player of the study ready; the rulesets that a checkpoint plays have boards of one size.
    fn open_player(&self, source: &PlayerSource) -> anyhow::Result<OpenedPlayer> {
        let mut own = source.own_config()?;
        (own.device, own.precision) = (self.config.device, self.config.precision);
        // A draw is half of the score that is compared, also for a network that learned to shun it.
        own.search.attackers_draw_value = 0.0;
        let first = self.rulesets.first();
        source.open(&own, &first.context("no ruleset to play")?.rules)
    }

    /// Returns the player from whose policy or search openings are drawn, if they are.
    fn policy_player<'a>(
        &self,
        players: &'a [StudyMember],
    ) -> anyhow::Result<Option<&'a StudyMember>> {
        let source = self.config.openings.source;
        if source == OpeningSource::Random {
            return Ok(None);
        }
        let network = players.iter().find(|it| it.card.weights_sha256.is_some());
        let missing =
            || format!("field `openings.source`: \"{source}\" needs a network among the players");
        network.with_context(missing).map(Some)
    }

    /// Returns the visits of the search from which openings are drawn, if they are.
    fn opening_visits(&self, policy: Option<&StudyMember>) -> Option<u32> {
        let searcher = policy?.opened.player.searcher()?;
        (self.config.openings.source == OpeningSource::Search).then_some(searcher.search.visits)
    }

    fn settings(&self, policy: Option<&StudyMember>) -> StudySettings {
        let base = match self.kind {
            StudyKind::Rulesets => None,
            StudyKind::Variants => self.rulesets.first(),
        };
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

    /// Draws the openings of each ruleset; variants have those of their base, as far as they allow them.
    fn openings(
        &self,
        policy: Option<&StudyMember>,
        folder: &Path,
    ) -> anyhow::Result<Vec<StudyOpenings>> {
        let draw = |rules: &Arc<Rules>| -> anyhow::Result<StudyOpenings> {
            let drawn = match policy {
                None => StudyOpenings::draw(rules, &self.config),
                Some(player) => {
                    let path = folder.join(format!("{}.txt", rules.ruleset().name));
                    StudyOpenings::of_policy(rules, &self.config, &player.opened, &path)?
                }
            };
            Ok(drawn.without_first(self.first_opening))
        };
        let rules = self.rulesets.iter().map(|it| &it.rules);
        match (self.kind, self.rulesets.first()) {
            (StudyKind::Variants, Some(PlannedRuleset { rules: base, .. })) => {
                let of_base = draw(base)?;
                let of_variant = |rules: &Arc<Rules>| {
                    let own = of_base.under(rules, base);
                    if own.count() == 0 && of_base.count() > 0 {
                        let variant = rules.ruleset().name.clone();
                        let count = of_base.count();
                        return Err(StudiesError::NoOpening { variant, count }.into());
                    }
                    Ok(own)
                };
                rules.map(of_variant).collect()
            }
            _ => rules.map(draw).collect(),
        }
    }

    /// Returns what is played and by whom.
    fn study(
        &self,
        players: &[StudyMember],
        openings: &[StudyOpenings],
        sampling: &Sampling,
    ) -> Study {
        let config = &self.config;
        let cards: Vec<StudyPlayer> = players.iter().map(|it| it.card.clone()).collect();
        let policy = self.policy_player(players).ok().flatten();
        let title = |member: &StudyMember| {
            let title = member.card.title.split(',').next();
            title.unwrap_or_default().to_owned()
        };
        let rulesets = self.rulesets.iter().zip(openings);
        let rulesets = rulesets.map(
            |(PlannedRuleset { rules, change }, openings)| StudyRuleset {
                name: rules.ruleset().name.clone(),
                fingerprint: fingerprint(rules),
                file: file_of(rules),
                change: change.clone(),
                openings: openings.count(),
            },
        );
        Study {
            name: config.name.clone(),
            kind: self.kind,
            seed: config.seed,
            openings: config.openings.count.saturating_sub(self.first_opening),
            opening_plies: config.openings.plies,
            opening_policy: policy.map(title),
            opening_visits: self.opening_visits(policy),
            max_plies: config.max_plies,
            rulesets: rulesets.collect(),
            players: cards,
            people: people::results(sampling),
        }
    }
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
    let name = |ruleset: &RulesetCard| ruleset.name.clone();
    let learned = player.learned.as_ref();
    let learned = learned.map(|all| all.iter().map(name).collect());
    let with_strength = strength.map_or_else(String::new, |count| {
        let plural = if count == 1 { "" } else { "s" };
        match unit {
            StrengthUnit::Visits => format!(", {count} visit{plural}"),
            StrengthUnit::Turns => format!(", {count} turn{plural} ahead"),
            StrengthUnit::None => String::new(),
        }
    });
    StudyPlayer {
        name: player.name(),
        title: family_title(source, player) + &with_strength,
        family: player.family.clone(),
        unit,
        strength,
        weights_sha256: player.card.weights_sha256.clone(),
        precision: player.card.precision.map(|it| it.to_string()),
        trained_on: learned,
    }
}

/// Returns what a player is called in sentences, whatever its strength: a network by its folder, or by run and checkpoint.
fn family_title(source: &PlayerSource, player: &OpenedPlayer) -> String {
    let is_number = |name: &str| name.bytes().all(|it| it.is_ascii_digit());
    let folder = source.folder().and_then(Path::file_name);
    match folder.map(|name| name.to_string_lossy()) {
        Some(name) if !is_number(&name) => format!("{name} net"),
        _ => player.family.clone(),
    }
}
