//! Other programs as players of tournaments.

use anyhow::Context;
use std::sync::Arc;
use std::time::Duration;
use tafl_engine::{EngineCommand, PlyLimit, RunningEngine};
use tafl_play::{ForfeitReport, Player};
use tafl_rules::Rules;
use tafl_samples::PlayerId;
use tafl_training::{OpenedPlayer, PlayerCard, hinted};

/// A limit as it is written: `nodes=N` or `movetime=MILLISECONDS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineLimit(pub PlyLimit);

impl std::str::FromStr for EngineLimit {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || format!("{text:?} is not nodes=N or movetime=MILLISECONDS, N at least 1");
        let (word, number) = text.split_once('=').with_context(refused)?;
        let number = number.parse().ok().filter(|&number: &u32| number > 0);
        match (word, number.with_context(refused)?) {
            ("nodes", nodes) => Ok(Self(PlyLimit::Nodes(nodes))),
            ("movetime", time) => Ok(Self(PlyLimit::MoveTime(Duration::from_millis(time.into())))),
            _ => anyhow::bail!(refused()),
        }
    }
}

impl std::fmt::Display for EngineLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            PlyLimit::Nodes(nodes) => write!(f, "nodes={nodes}"),
            PlyLimit::MoveTime(time) => write!(f, "movetime={}", time.as_millis()),
        }
    }
}

/// How another program is started and configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its command line, as it was given.
    pub line: String,
    /// The same in parts, with protocol and options.
    pub command: EngineCommand,
    /// Its limit per ply, if its protocol has limits.
    pub limit: Option<EngineLimit>,
    /// Its name in tables and files; default: its own name and its limit.
    pub name: Option<String>,
}

impl EngineSpec {
    /// Starts the engine once, checks that it plays the rulesets, and makes it a player; `report` gets the reason when
    /// it forfeits a game.
    ///
    /// # Errors
    /// If it cannot be started, or refuses a ruleset.
    pub fn open(
        &self,
        rulesets: &[Arc<Rules>],
        report: ForfeitReport,
    ) -> anyhow::Result<OpenedPlayer> {
        let name = self.try_out(rulesets)?;
        let id = PlayerId::Other(name.clone());
        Ok(OpenedPlayer {
            player: Arc::new(Player::engine(id, self.command.clone(), report)),
            card: PlayerCard {
                kind: "engine".to_owned(),
                weights_sha256: None,
                search: None,
                engine: Some(self.fields()),
            },
            family: name,
            learned: None,
        })
    }

    /// Starts the engine once, and checks that it plays the rulesets; returns its name.
    fn try_out(&self, rulesets: &[Arc<Rules>]) -> anyhow::Result<String> {
        let failed = || format!("--engine {:?}", self.line);
        let mut engine = RunningEngine::start(&self.command)
            .map_err(|error| {
                let advice = "run its command line alone, and check --protocol";
                hinted(error.to_string(), advice)
            })
            .with_context(failed)?;
        for rules in rulesets {
            let name = &rules.ruleset().name;
            let begun = engine.begin(rules);
            begun
                .with_context(|| format!("ruleset {name}"))
                .with_context(failed)?;
        }
        Ok(match (&self.name, self.limit) {
            (Some(name), _) => name.clone(),
            (None, Some(limit)) => format!("{}@{limit}", engine.name()),
            (None, None) => engine.name().to_owned(),
        })
    }

    /// Returns what makes the engine this player, as the fields of its card.
    fn fields(&self) -> serde_json::Value {
        let options: Vec<String> = self
            .command
            .options
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        serde_json::json!({
            "command": self.line,
            "protocol": self.command.protocol.name(),
            "limit": self.limit.map(|limit| limit.to_string()),
            "options": options,
        })
    }
}
