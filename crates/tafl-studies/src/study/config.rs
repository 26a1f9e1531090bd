//! The config of a balance study, read and checked once.

#[cfg(test)]
mod tests;

use super::plan::{PlannedRuleset, StudyPlan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::balance::{StudyKind, Summary};
use tafl_config::{Change, Config, ConfigError, FolderName};
use tafl_network::{Device, Precision};
use tafl_play::{MatchConfig, RunnerConfig};
use tafl_rules::Rules;
use tafl_samples::{Baseline, Family};
use tafl_training::{PlayerSource, load_all_rules};

/// The study of the repository.
pub const FIVE_RULESETS: &str = include_str!("../../../../configs/balance/five-rulesets.toml");

/// A study config. A file states what differs from the defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StudyConfig {
    /// Name of the study, and of its folder in `balance/` unless `--folder` is given: letters, digits, `.`, `-` and
    /// `_`.
    #[schemars(with = "FolderName")]
    pub name: String,
    /// Random seed of openings, games and intervals. Default 1.
    pub seed: u64,
    /// Rulesets to compare: names of presets, or paths relative to this file. Checkpoints need rulesets with their
    /// board size. Default `copenhagen`.
    #[schemars(length(min = 1))]
    pub rulesets: Vec<String>,
    /// Folder of a study, relative to this file, whose scores this one's are compared with: do games from other openings bear it
    /// out? Both need the same `openings` but for their number, the same `max_plies`, and another seed. Default: none.
    pub repeats: String,
    /// Device of the networks: `cpu`, `cuda` or `cuda:1`. Default `cpu`.
    pub device: Device,
    /// Number format: `f32`, `bf16`, `int8`, or `auto`: the fastest that is not weaker at equal time here. Default `auto`.
    pub precision: Precision,
    /// Plies (opening included) after which an unfinished game is cut and counts as a draw, 1 to 100,000. A study with
    /// many cut games says little. The default, 400, is enough for players that search.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_plies: u32,
    /// Parallel games and workers.
    pub runner: RunnerConfig,
    /// Start of games.
    pub openings: OpeningConfig,
    /// How strong the players are.
    pub strength: StrengthConfig,
    /// How hard each side is to play.
    pub difficulty: DifficultyConfig,
    /// How intervals and probabilities are computed.
    pub statistics: StatisticsConfig,
    /// Players, each of which plays against itself; at least one.
    pub players: Vec<StudyPlayerConfig>,
}

/// Section `[openings]`: what makes the games of one player differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningConfig {
    /// Openings for each ruleset, 1 to 1,000,000; every player plays each once against itself. May be raised later;
    /// then only the new ones are played. Default 200: the interval of a score is 7 % to either side; with 1,000 it is
    /// 3 %.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: u32,
    /// Where they come from. Default `random`.
    pub source: OpeningSource,
    /// Random plies of an opening, 0 to 1,000 and below `max_plies`; with source `policy` the greatest number. With
    /// few, the games of a player are alike (with 0 there is one game); with many, chance decides them. Default 6.
    #[schemars(range(min = 0, max = 1_000))]
    pub plies: u32,
}

/// Where openings come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSource {
    /// Random moves. Most of them hurt the side that plays them, and attackers more often.
    #[default]
    Random,
    /// Moves drawn from the policy of the study's first network: games as it would begin them.
    Policy,
    /// Moves drawn from a search by that network with the lowest of its `strengths`: all games begin in the start position,
    /// and their first `plies` have temperature 1.
    Search,
}

impl OpeningSource {
    /// Returns its name in a config.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Policy => "policy",
            Self::Search => "search",
        }
    }
}

/// Section `[difficulty]`: how many visits the study's first network needs to find the moves of a deep search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DifficultyConfig {
    /// Positions for each ruleset and side, 0 to 1,000,000, one of a game of that network; there are fewer if there are fewer
    /// games. Default 0 turns it off.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub positions: u32,
    /// Visits of the deepest search, 2 to 1,000,000. Default 1,024.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub visits: u32,
}

/// Section `[strength]`: matches of each player with a fixed one, under each ruleset, with both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StrengthConfig {
    /// The reference opponent, which never changes. Default `rollouts:100`.
    pub reference: Baseline,
    /// Openings of a match against it, each played with both sides, 0 to 1,000,000; with 0 strength is not measured.
    /// Default 20.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub openings: u32,
    /// Elo points above the reference opponent, -2,000 to 2,000, that a player needs to measure the ruleset's balance; the
    /// study warns unless its whole interval is at or above them. Default 0.
    #[schemars(range(min = -2_000.0, max = 2_000.0))]
    pub least_elo: f64,
}

/// Section `[statistics]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatisticsConfig {
    /// Samples from the posterior of each score, 1,000 to 1,000,000. Default 20,000. Probabilities are exact to 0.01
    /// with 10,000.
    #[schemars(range(min = 1_000, max = 1_000_000))]
    pub draws: u32,
    /// Resamples for bootstrap intervals, 100 to 1,000,000. Default 2,000.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub resamples: u32,
}

/// An entry of `[[players]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyPlayerConfig {
    /// The folder of a checkpoint, relative to this file, or the name of a reference opponent. A checkpoint uses the search settings of its run; without a run, those of the quickstart.
    pub player: String,
    /// Visits per move of a checkpoint, 1 to 1,000,000, or what stands behind the name of a reference opponent; none (the
    /// default) where nothing does, and where `player` has it, as in `alphabeta:2`.
    /// More may be added later; then only the new ones are played.
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 1_000_000)))]
    pub strengths: Vec<u32>,
    /// Share of the openings that this player plays, the first ones, above 0 up to 1: fewer for players that take long. Default 1.
    #[serde(default = "all")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub share: f64,
}

const fn all() -> f64 {
    1.0
}

impl Default for OpeningConfig {
    fn default() -> Self {
        Self {
            count: 200,
            source: OpeningSource::Random,
            plies: 6,
        }
    }
}

impl Default for StrengthConfig {
    fn default() -> Self {
        Self {
            reference: Baseline::rollouts(100),
            openings: 20,
            least_elo: 0.0,
        }
    }
}

impl Default for DifficultyConfig {
    fn default() -> Self {
        Self {
            positions: 0,
            visits: 1_024,
        }
    }
}

impl Default for StatisticsConfig {
    fn default() -> Self {
        Self {
            draws: 20_000,
            resamples: 2_000,
        }
    }
}

impl Default for StudyConfig {
    fn default() -> Self {
        Self {
            name: "study".to_owned(),
            seed: 1,
            rulesets: vec!["copenhagen".to_owned()],
            repeats: String::new(),
            device: Device::Cpu,
            precision: Precision::Auto,
            max_plies: 400,
            runner: RunnerConfig::default(),
            openings: OpeningConfig::default(),
            strength: StrengthConfig::default(),
            difficulty: DifficultyConfig::default(),
            statistics: StatisticsConfig::default(),
            players: Vec::new(),
        }
    }
}

/// Reads a config, applies changes such as `openings.count=50`, and checks all of it.
///
/// # Errors
/// Names everything that is wrong with the file, each with its line.
pub fn load(path: &Path, changes: &[Change]) -> anyhow::Result<StudyPlan> {
    let document = tafl_config::read::<StudyConfig>(path, changes)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let config = &document.config;
    let rules = load_all_rules(&config.rulesets, folder)
        .map_err(|error| ConfigError::new("rulesets", format!("{error:#}")));
    let players = config.sources(folder);
    let rules = match (rules, &players) {
        (Ok(rules), Ok(players)) => can_be_played(&rules, players).map(|()| rules),
        (rules, _) => rules,
    };
    let repeats = config
        .repeated(folder)
        .map_err(|reason| ConfigError::new("repeats", reason));
    match (rules, players, repeats) {
        (Ok(rules), Ok(players), Ok(repeats)) => Ok(StudyPlan {
            kind: StudyKind::Rulesets,
            shares: config.shares(folder, &players),
            players,
            rulesets: rules.iter().map(PlannedRuleset::of).collect(),
            config: document.config,
            repeats,
            first_opening: 0,
        }),
        (rules, players, repeats) => {
            let errors = rules.err().into_iter().chain(players.err());
            let errors = errors.chain(repeats.err());
            Err(document.faults(errors.collect()).into())
        }
    }
}

/// Refuses rulesets whose games are over before they begin, and boards of several sizes where there is a checkpoint, which
/// knows one.
fn can_be_played(rules: &[Arc<Rules>], players: &[PlayerSource]) -> Result<(), ConfigError> {
    let refused = |reason: String| Err(ConfigError::new("rulesets", reason));
    let name = |rules: &Rules| rules.ruleset().name.clone();
    if let Some(over) = rules.iter().find(|it| !it.has_legal_move(&it.start())) {
        let reason = "the side to move has no legal move in the start position";
        return refused(format!("{}: {reason}", name(over)));
    }
    let mut pairs = rules.windows(2);
    let differ = pairs.find(|pair| pair[0].shape() != pair[1].shape());
    match (differ, players.iter().find_map(PlayerSource::folder)) {
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

impl Config for StudyConfig {
    fn relations(&self) -> Vec<ConfigError> {
        let rename = |error: ConfigError| ConfigError::new("openings.plies", error.reason);
        self.matches().relations().into_iter().map(rename).collect()
    }
}

impl StudyConfig {
    /// Returns all players, each at its strengths, which rise; paths are relative to `folder`.
    fn sources(&self, folder: &Path) -> Result<Vec<PlayerSource>, ConfigError> {
        if self.players.is_empty() {
            return Err(ConfigError::new("players", "at least one is needed"));
        }
        let mut sources: Vec<PlayerSource> = Vec::new();
        for (index, entry) in self.players.iter().enumerate() {
            let within = |error: ConfigError| error.within(&format!("players[{index}]"));
            let found = entry.sources(folder).map_err(within)?;
            if let Some(twice) = found.iter().find(|source| sources.contains(source)) {
                let reason = format!("{twice} is given twice");
                return Err(ConfigError::new(format!("players[{index}]"), reason));
            }
            sources.extend(found);
        }
        Ok(sources)
    }

    /// Reads the results of the study that this one repeats, if it does.
    fn repeated(&self, folder: &Path) -> Result<Option<Summary>, String> {
        if self.repeats.is_empty() {
            return Ok(None);
        }
        let name = &self.repeats;
        let text = std::fs::read_to_string(folder.join(name).join("summary.json"));
        let text = text.map_err(|error| format!("{name}: no study with results there: {error}"))?;
        let known = Summary::of_json(&text).map_err(|it| format!("{name}/summary.json: {it}"))?;
        let differs = |field: &str, other: String| {
            Err(format!(
                "{name} had another `{field}`, {other}, so its scores cannot be compared"
            ))
        };
        if known.kind != StudyKind::Rulesets {
            return Err(format!("{name} compares variants, not rulesets"));
        }
        let source = match (&known.opening_policy, known.opening_visits) {
            (None, _) => OpeningSource::Random,
            (Some(_), None) => OpeningSource::Policy,
            (Some(_), Some(_)) => OpeningSource::Search,
        };
        if source != self.openings.source {
            return differs("openings.source", format!("{:?}", source.name()));
        }
        if known.opening_plies != self.openings.plies {
            return differs("openings.plies", known.opening_plies.to_string());
        }
        if known.max_plies != self.max_plies {
            return differs("max_plies", known.max_plies.to_string());
        }
        if known.seed == self.seed {
            return Err(format!(
                "{name} has the seed {} too, so its games would be played again; give another `seed`",
                self.seed
            ));
        }
        Ok(Some(known))
    }

    /// Returns the share of the openings that each of these players plays.
    fn shares(&self, folder: &Path, players: &[PlayerSource]) -> Vec<f64> {
        let share_of = |player: &PlayerSource| {
            let is_of = |entry: &&StudyPlayerConfig| {
                let own = entry.sources(folder);
                own.is_ok_and(|own| own.contains(player))
            };
            self.players.iter().find(is_of).map_or(1.0, |it| it.share)
        };
        players.iter().map(share_of).collect()
    }

    /// Returns how matches are played; visits are each player's own.
    #[must_use]
    pub fn matches(&self) -> MatchConfig {
        MatchConfig {
            openings: self.openings.count,
            opening_plies: self.openings.plies,
            max_plies: self.max_plies,
            ..MatchConfig::default()
        }
    }
}

impl StudyPlayerConfig {
    /// Returns the player at its strengths.
    fn sources(&self, folder: &Path) -> Result<Vec<PlayerSource>, ConfigError> {
        let is_whole = self.strengths.is_empty() && self.player.contains(':');
        if let (true, Ok(whole)) = (is_whole, self.player.parse::<Baseline>()) {
            return Ok(vec![PlayerSource::Baseline(whole)]);
        }
        let strengths: BTreeSet<u32> = self.strengths.iter().copied().collect();
        let refused = |reason: String| Err(ConfigError::new("strengths", reason));
        if strengths.len() < self.strengths.len() {
            return refused("a number is given twice".to_owned());
        }
        let family = Family::ALL.into_iter().find(|it| it.name() == self.player);
        let most = match family.map(Family::strength) {
            Some(None) if strengths.is_empty() => 0,
            Some(None) => return refused(format!("{} has none", self.player)),
            Some(Some(of)) => of.most,
            None => 1_000_000,
        };
        if most > 0 && strengths.is_empty() {
            return refused("at least one is needed".to_owned());
        }
        if let Some(wrong) = strengths.iter().find(|it| !(1..=most).contains(*it)) {
            return refused(format!("{wrong} is not from 1 to {most}"));
        }
        let Some(family) = family else {
            return self.checkpoints(folder, strengths);
        };
        let baseline = |strength| {
            let baseline = Baseline::new(family, strength);
            let baseline = baseline.map(PlayerSource::Baseline);
            baseline.map_err(|error| ConfigError::new("player", error.to_string()))
        };
        match most {
            0 => Ok(vec![baseline(None)?]),
            _ => strengths.into_iter().map(|it| baseline(Some(it))).collect(),
        }
    }

    fn checkpoints(
        &self,
        folder: &Path,
        visits: BTreeSet<u32>,
    ) -> Result<Vec<PlayerSource>, ConfigError> {
        let checkpoint = folder.join(&self.player);
        if !checkpoint.join("model.json").is_file() {
            let reason = format!(
                "{:?} is neither {} nor a checkpoint ({} has no model.json)",
                self.player,
                Family::forms(),
                checkpoint.display()
            );
            return Err(ConfigError::new("player", reason));
        }
        let source = |visits| PlayerSource::Checkpoint {
            folder: checkpoint.clone(),
            visits: Some(visits),
        };
        Ok(visits.into_iter().map(source).collect())
    }
}
