//! The config of a balance study, read and checked once.

#[cfg(test)]
mod tests;

use crate::baseline::Baseline;
use crate::config::check_name;
use crate::players::{PlayerName, PlayerSpec};
use crate::rulesets;
use crate::toml_file::{self, Fault, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_arena::ArenaConfig;
use tafl_network::{Device, Precision};
use tafl_rules::Rules;
use tafl_selfplay::ConfigError;

/// The study of the repository.
pub(crate) const FIVE_RULESETS: &str =
    include_str!("../../../../configs/balance/five-rulesets.toml");

/// A study config file. Every field must be given; nothing has a hidden value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyConfig {
    /// Name of the study, and of its folder below `balance/` unless `--folder` says otherwise: letters, digits, `.`,
    /// `-` and `_`.
    #[schemars(length(min = 1, max = 100), extend("pattern" = "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"))]
    pub(crate) name: String,
    /// Where openings and everything random in games and intervals come from.
    pub(crate) seed: u64,
    /// Rulesets to compare: names of presets, or paths relative to this file. Those of a checkpoint have its board.
    #[schemars(length(min = 1))]
    pub(crate) rulesets: Vec<String>,
    /// Where networks compute: `cpu`, `cuda` or `cuda:1`.
    pub(crate) device: Device,
    /// In which number format: `f32`, `bf16`, or `auto`: bf16 where the device has fast instructions for it.
    pub(crate) precision: Precision,
    /// Plies (opening included) after which an unfinished game is cut and counts as drawn, 1 to 100,000. A study with
    /// many cut games says little; 400 suffices for players who search.
    #[schemars(range(min = 1, max = 100_000))]
    pub(crate) max_plies: u32,
    /// Games that one worker plays at the same time, 2 to 65,536; they are the largest batch of a network.
    #[schemars(range(min = 2, max = 65_536))]
    pub(crate) parallel_games: u32,
    /// Worker threads, 0 to 1,024; 0 for one a core. Results do not depend on it when evaluations do not depend on
    /// their batch.
    #[schemars(range(min = 0, max = 1_024))]
    pub(crate) workers: u32,
    /// From where games begin.
    pub(crate) openings: OpeningConfig,
    /// How strong the players are.
    pub(crate) strength: StrengthConfig,
    /// How intervals and probabilities are computed.
    pub(crate) statistics: StatisticsConfig,
    /// Who plays against itself.
    #[schemars(length(min = 1))]
    pub(crate) players: Vec<StudyPlayerConfig>,
}

/// Section `[openings]`: what makes the games of one player differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpeningConfig {
    /// Openings for each ruleset, 1 to 1,000,000; every player plays each once against itself. May be raised later:
    /// only the new ones are played then. The interval of a score is 10 % to either side with 100, 3 % with 1,000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) count: u32,
    /// Random plies of an opening, 0 to 1,000 and below `max_plies`. Few leave the games of a player alike (with 0
    /// there is one game), many decide them by chance. Sensible: 4 to 8.
    #[schemars(range(min = 0, max = 1_000))]
    pub(crate) plies: u32,
}

/// Section `[strength]`: matches of each player with a fixed one, under each ruleset, with both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StrengthConfig {
    /// The fixed player: `random`, `greedy`, `rollouts:VISITS` or `alphabeta:DEPTH`.
    pub(crate) yardstick: Baseline,
    /// Openings of such a match, each played with both sides, 0 to 1,000,000; with 0 strength is not measured.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub(crate) openings: u32,
    /// Elo points above the yardstick, -2,000 to 2,000, below which the study warns that a player is too weak to tell
    /// of the ruleset's balance.
    #[schemars(range(min = -2_000.0, max = 2_000.0))]
    pub(crate) least_elo: f64,
}

/// Section `[statistics]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StatisticsConfig {
    /// Draws from the posterior of each score, 1,000 to 1,000,000. Probabilities are exact to 0.01 with 10,000.
    #[schemars(range(min = 1_000, max = 1_000_000))]
    pub(crate) draws: u32,
    /// Times that games are drawn anew for the second intervals, 100 to 1,000,000.
    #[schemars(range(min = 100, max = 1_000_000))]
    pub(crate) resamples: u32,
}

/// An entry of `[[players]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StudyPlayerConfig {
    /// The folder of a checkpoint, relative to this file; or `rollouts`, `alphabeta`, `greedy` or `random`. A
    /// checkpoint searches as its run did, one without a run as the quickstart.
    pub(crate) player: String,
    /// Visits a move of a checkpoint or of `rollouts`, 1 to 1,000,000, or turns of `alphabeta`, 1 to 12; none for
    /// `greedy` and `random`. May be added to later: only the new ones are played then.
    #[schemars(inner(range(min = 1, max = 1_000_000)))]
    pub(crate) strengths: Vec<u32>,
}

/// A config with its rules and players, checked.
#[derive(Debug, Clone)]
pub(crate) struct LoadedStudy {
    pub(crate) config: StudyConfig,
    pub(crate) rules: Vec<Arc<Rules>>,
    pub(crate) players: Vec<PlayerSpec>,
}

/// Reads a config, applies changes such as `openings.count=50`, and checks all of it.
pub(crate) fn load(path: &Path, changes: &[String]) -> anyhow::Result<LoadedStudy> {
    let (table, source) = toml_file::open(path, changes)?;
    let config: StudyConfig =
        toml_file::decode(table).map_err(|fault| source.error(&fault.field, &fault.advice()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let players = config
        .check()
        .and_then(|()| config.specs(folder))
        .map_err(|fault| source.error(&fault.field, &fault.reason))?;
    let rules = load_rules(&config, folder, &source)?;
    Ok(LoadedStudy {
        config,
        rules,
        players,
    })
}

/// Reads the numbers of a config, those of the repository without one; its rulesets and players are not looked at.
pub(crate) fn load_numbers(path: Option<&Path>, changes: &[String]) -> anyhow::Result<StudyConfig> {
    let (table, source) = match path {
        Some(path) => toml_file::open(path, changes)?,
        None => {
            let path = Path::new("configs/balance/five-rulesets.toml");
            toml_file::open_text(path, FIVE_RULESETS.to_owned(), changes)?
        }
    };
    let config: StudyConfig =
        toml_file::decode(table).map_err(|fault| source.error(&fault.field, &fault.advice()))?;
    config
        .check()
        .map_err(|fault| source.error(&fault.field, &fault.reason))?;
    Ok(config)
}

/// Loads the rulesets of a config.
pub(crate) fn load_rules(
    config: &StudyConfig,
    folder: &Path,
    source: &Source,
) -> anyhow::Result<Vec<Arc<Rules>>> {
    let mut rules: Vec<Arc<Rules>> = Vec::new();
    for name in &config.rulesets {
        let next = rulesets::load_rules(name, folder).map_err(|error| {
            match error.downcast::<rulesets::Unknown>() {
                Ok(unknown) => source.error("rulesets", &unknown.to_string()),
                Err(error) => error,
            }
        })?;
        let name = &next.ruleset().name;
        if rules.iter().any(|other| other.ruleset().name == *name) {
            return Err(source.error("rulesets", &format!("{name:?} is given twice")));
        }
        rules.push(next);
    }
    Ok(rules)
}

impl StudyConfig {
    /// Checks every number.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        check_name(&self.name).map_err(|reason| fault("name", reason))?;
        if self.seed > i64::MAX as u64 {
            let reason = "a config file holds numbers below 2^63";
            return Err(fault("seed", reason.to_owned()));
        }
        if self.rulesets.is_empty() {
            return Err(fault("rulesets", "at least one is needed".to_owned()));
        }
        let million = 1_000_000;
        let most_plies = self.max_plies.saturating_sub(1).min(1_000);
        let (openings, statistics) = (&self.openings, &self.statistics);
        for (field, value, range) in [
            ("max_plies", self.max_plies, [1, 100_000]),
            ("parallel_games", self.parallel_games, [2, 65_536]),
            ("workers", self.workers, [0, 1_024]),
            ("openings.count", openings.count, [1, million]),
            ("openings.plies", openings.plies, [0, most_plies]),
            ("strength.openings", self.strength.openings, [0, million]),
            ("statistics.draws", statistics.draws, [1_000, million]),
            ("statistics.resamples", statistics.resamples, [100, million]),
        ] {
            let checked = ConfigError::check_range(field, value, range);
            checked.map_err(|error| Fault::of_text(&error.to_string()))?;
        }
        let least = self.strength.least_elo;
        if !(-2_000.0..=2_000.0).contains(&least) {
            let reason = format!("{least} is not a number from -2000 to 2000");
            return Err(fault("strength.least_elo", reason));
        }
        if self.players.is_empty() {
            return Err(fault("players", "at least one is needed".to_owned()));
        }
        Ok(())
    }

    /// Returns all players, each at its strengths, which rise; paths are relative to `folder`.
    pub(crate) fn specs(&self, folder: &Path) -> Result<Vec<PlayerSpec>, Fault> {
        let mut specs: Vec<PlayerSpec> = Vec::new();
        for (index, entry) in self.players.iter().enumerate() {
            let found = entry.specs(folder).map_err(|(field, reason)| Fault {
                field: format!("players[{index}].{field}"),
                reason,
            })?;
            if let Some(twice) = found.iter().find(|spec| specs.contains(spec)) {
                let reason = format!("{} is given twice", twice.player);
                return Err(fault(&format!("players[{index}]"), reason));
            }
            specs.extend(found);
        }
        Ok(specs)
    }

    /// Returns how matches are played; visits are each player's own.
    pub(crate) const fn arena(&self) -> ArenaConfig {
        ArenaConfig {
            openings: self.openings.count,
            opening_plies: self.openings.plies,
            visits: 1,
            max_plies: self.max_plies,
            parallel_games: self.parallel_games,
            workers: self.workers,
        }
    }
}

impl StudyPlayerConfig {
    /// Returns the player at its strengths, or the field that is wrong and why.
    fn specs(&self, folder: &Path) -> Result<Vec<PlayerSpec>, (&'static str, String)> {
        let strengths: BTreeSet<u32> = self.strengths.iter().copied().collect();
        let of = |error: String| ("strengths", error);
        let needed = || of("at least one is needed".to_owned());
        let checked = |most: u32| match strengths.iter().find(|it| !(1..=most).contains(*it)) {
            Some(wrong) => Err(of(format!("{wrong} is not a number from 1 to {most}"))),
            None if strengths.len() < self.strengths.len() => {
                Err(of("a number is given twice".to_owned()))
            }
            None => Ok(()),
        };
        let baseline = |baseline: Baseline| PlayerSpec {
            player: PlayerName::Baseline(baseline),
            visits: None,
        };
        match self.player.as_str() {
            "random" | "greedy" if !strengths.is_empty() => {
                Err(of(format!("{} has none; write []", self.player)))
            }
            "random" => Ok(vec![baseline(Baseline::Random)]),
            "greedy" => Ok(vec![baseline(Baseline::Greedy)]),
            _ if strengths.is_empty() => Err(needed()),
            "rollouts" => {
                checked(1_000_000)?;
                let players = strengths.into_iter().map(Baseline::Rollouts);
                Ok(players.map(baseline).collect())
            }
            "alphabeta" => {
                checked(crate::baseline::MOST_DEPTH)?;
                let players = strengths.into_iter().map(Baseline::AlphaBeta);
                Ok(players.map(baseline).collect())
            }
            path => {
                checked(1_000_000)?;
                let checkpoint = folder.join(path);
                if !checkpoint.join("model.json").is_file() {
                    let reason = format!(
                        "{path:?} is neither rollouts, alphabeta, greedy or random, nor a checkpoint ({} has no \
                         model.json)",
                        checkpoint.display()
                    );
                    return Err(("player", reason));
                }
                let spec = |visits| PlayerSpec {
                    player: PlayerName::Checkpoint(checkpoint.clone()),
                    visits: Some(visits),
                };
                Ok(strengths.into_iter().map(spec).collect())
            }
        }
    }
}

fn fault(field: &str, reason: String) -> Fault {
    Fault {
        field: field.to_owned(),
        reason,
    }
}
