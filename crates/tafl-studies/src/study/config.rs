//! The config of a balance study.

#[cfg(test)]
mod tests;

use super::PlannedPlayer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use tafl_config::{Config, ConfigError, FolderName};
use tafl_network::{Device, Precision};
use tafl_play::{MatchConfig, RunnerConfig};
use tafl_samples::{Baseline, Family};
use tafl_store::is_checkpoint;
use tafl_training::PlayerSource;

/// A study config. A file states what differs from the defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StudyConfig {
    /// Name of the study, and of its folder in `balance/` unless another one is given: letters, digits, `.`, `-` and
    /// `_`.
    #[schemars(with = "FolderName")]
    pub name: String,
    /// Random seed of openings, games and intervals. Default 1.
    pub seed: u64,
    /// Rulesets to compare: names of presets, or paths relative to this file. Checkpoints need rulesets with their
    /// board size. Default `copenhagen`.
    #[schemars(length(min = 1))]
    pub rulesets: Vec<String>,
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
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
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

impl Default for StudyConfig {
    fn default() -> Self {
        Self {
            name: "study".to_owned(),
            seed: 1,
            rulesets: vec!["copenhagen".to_owned()],
            device: Device::Cpu,
            precision: Precision::Auto,
            max_plies: 400,
            runner: RunnerConfig::default(),
            openings: OpeningConfig::default(),
            strength: StrengthConfig::default(),
            difficulty: DifficultyConfig::default(),
            players: Vec::new(),
        }
    }
}

impl Config for StudyConfig {
    const REMOVED: &'static [(&'static str, &'static str)] = &[
        ("statistics", "its numbers are constants now; remove it"),
        ("repeats", "notebook 05 compares two studies; remove it"),
    ];

    const WORDS: &'static str = "\
simulations sims visits playouts depths strength = players[].strengths
max_moves move_limit ply_limit max_game_length = max_plies
games opening opening_count = openings.count
threads cpus = runner.workers
ruleset rules variants = rulesets
agents engines nets = players
";

    fn relations(&self) -> Vec<ConfigError> {
        let rename = |error: ConfigError| ConfigError::new("openings.plies", error.reason);
        self.matches().relations().into_iter().map(rename).collect()
    }
}

impl StudyConfig {
    /// Returns all players, each at its strengths, which rise; paths are relative to `folder`.
    pub(super) fn planned_players(&self, folder: &Path) -> Result<Vec<PlannedPlayer>, ConfigError> {
        if self.players.is_empty() {
            return Err(ConfigError::new("players", "at least one is needed"));
        }
        let mut planned: Vec<PlannedPlayer> = Vec::new();
        for (index, entry) in self.players.iter().enumerate() {
            let within = |error: ConfigError| error.within(&format!("players[{index}]"));
            for source in entry.sources(folder).map_err(within)? {
                if planned.iter().any(|it| it.source == source) {
                    let reason = format!("{source} is given twice");
                    return Err(ConfigError::new(format!("players[{index}]"), reason));
                }
                let share = entry.share;
                planned.push(PlannedPlayer { source, share });
            }
        }
        Ok(planned)
    }

    /// Returns how matches are played; visits are each player's own.
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
        if is_whole && let Ok(whole) = self.player.parse::<Baseline>() {
            return Ok(vec![PlayerSource::Baseline(whole)]);
        }
        let refused = |reason: String| Err(ConfigError::new("strengths", reason));
        let strengths: BTreeSet<u32> = self.strengths.iter().copied().collect();
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
        // Strengths are no question of what is no player.
        if family.is_none() {
            self.check_checkpoint(folder)?;
        }
        if most > 0 && strengths.is_empty() {
            return refused("at least one is needed".to_owned());
        }
        if let Some(wrong) = strengths.iter().find(|it| !(1..=most).contains(*it)) {
            return refused(format!("{wrong} is not from 1 to {most}"));
        }
        let baseline = |family, strength| {
            let baseline = Baseline::new(family, strength).map(PlayerSource::Baseline);
            baseline.map_err(|error| ConfigError::new("player", error.to_string()))
        };
        let strengths = strengths.into_iter();
        match family {
            Some(family) if most == 0 => Ok(vec![baseline(family, None)?]),
            Some(family) => strengths.map(|it| baseline(family, Some(it))).collect(),
            None => {
                let folder = folder.join(&self.player);
                let of_visits = |visits| PlayerSource::Checkpoint {
                    folder: folder.clone(),
                    visits: Some(visits),
                };
                Ok(strengths.map(of_visits).collect())
            }
        }
    }

    /// Checks that the player is the folder of a checkpoint.
    fn check_checkpoint(&self, folder: &Path) -> Result<(), ConfigError> {
        let checkpoint = folder.join(&self.player);
        if !is_checkpoint(&checkpoint) {
            let reason = format!(
                "{:?} is neither {} nor a checkpoint ({} has no model.json)",
                self.player,
                Family::forms(),
                checkpoint.display()
            );
            return Err(ConfigError::new("player", reason));
        }
        Ok(())
    }
}
