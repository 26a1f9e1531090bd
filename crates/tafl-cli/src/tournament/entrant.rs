//! A player of a tournament, and what makes it that player.

use crate::config::RunConfig;
use crate::engines::EngineSpec;
use crate::players::{Contestant, PlayerName, PlayerSpec};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tafl_arena::{Player, PlayerKind};
use tafl_engine::EngineCommand;
use tafl_network::RulesetCard;
use tafl_rules::Rules;
use tafl_search::SearchConfig;

/// A player with its name in tables and files.
pub(crate) struct Entrant {
    pub(crate) name: String,
    pub(crate) card: EntrantCard,
    kind: Kind,
}

enum Kind {
    Own {
        contestant: Contestant,
        search: SearchConfig,
    },
    Engine {
        command: EngineCommand,
        report: Box<dyn Fn(&str) + Sync>,
    },
}

/// What a player is: two with the same card play the same games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntrantCard {
    /// The baseline, `checkpoint`, or `engine`.
    pub(crate) kind: String,
    /// SHA-256 of a checkpoint's weights.
    pub(crate) weights_sha256: Option<String>,
    /// How a checkpoint searches, or an engine is started and told, field by field.
    pub(crate) search: Option<serde_json::Value>,
}

impl Entrant {
    /// Makes a player ready; a checkpoint must fit the board of `rules`.
    pub(crate) fn open(
        spec: &PlayerSpec,
        config: &RunConfig,
        rules: &Rules,
    ) -> anyhow::Result<Self> {
        let contestant = Contestant::open(&spec.player, config, rules)?;
        let search = config.arena.match_search(&config.search);
        let (name, card) = match &spec.player {
            PlayerName::Baseline(baseline) => {
                let card = EntrantCard {
                    kind: baseline.to_string(),
                    weights_sha256: None,
                    search: None,
                };
                (baseline.to_string(), card)
            }
            PlayerName::Checkpoint(folder) => {
                let weights = folder.join("weights.safetensors");
                let bytes = std::fs::read(&weights)
                    .with_context(|| format!("reading {}", weights.display()))?;
                let card = EntrantCard {
                    kind: "checkpoint".to_owned(),
                    weights_sha256: Some(tafl_dataset::sha256_hex(&bytes)),
                    search: Some(serde_json::to_value(&search)?),
                };
                (format!("{}@{}", contestant.name(), search.visits), card)
            }
        };
        Ok(Self {
            name,
            card,
            kind: Kind::Own { contestant, search },
        })
    }

    /// Makes another program a player, after starting it once; `report` is told why it loses games otherwise than on
    /// the board.
    pub(crate) fn engine(
        spec: &EngineSpec,
        rulesets: &[Arc<Rules>],
        report: Box<dyn Fn(&str) + Sync>,
    ) -> anyhow::Result<Self> {
        let card = EntrantCard {
            kind: "engine".to_owned(),
            weights_sha256: None,
            search: Some(spec.fields()),
        };
        Ok(Self {
            name: spec.try_out(rulesets)?,
            card,
            kind: Kind::Engine {
                command: spec.command.clone(),
                report,
            },
        })
    }

    /// Returns what its name would be without its strength.
    pub(crate) fn family(&self) -> &str {
        match &self.kind {
            Kind::Own { contestant, .. } => contestant.name(),
            Kind::Engine { .. } => &self.name,
        }
    }

    /// Returns the rulesets that its network learned; nothing without a network.
    pub(crate) fn learned(&self) -> Option<&[RulesetCard]> {
        match &self.kind {
            Kind::Own { contestant, .. } => contestant.learned(),
            Kind::Engine { .. } => None,
        }
    }

    /// Returns the player of a match.
    pub(crate) fn player(&self) -> Player<'_> {
        let kind = match &self.kind {
            Kind::Own { contestant, search } => contestant.player(search.clone()).kind,
            Kind::Engine { command, report } => PlayerKind::Engine { command, report },
        };
        Player {
            name: self.name.clone(),
            kind,
        }
    }
}

impl EntrantCard {
    /// Says in what another player of the same name differs, if in anything.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        if self.kind != other.kind {
            return Some(format!("kind {} instead of {}", other.kind, self.kind));
        }
        if self.weights_sha256 != other.weights_sha256 {
            return Some("other weights".to_owned());
        }
        let [own, others] = [self, other].map(|card| match &card.search {
            Some(serde_json::Value::Object(fields)) => fields.clone(),
            _ => serde_json::Map::new(),
        });
        let mut fields = own.keys().chain(others.keys());
        let differs = fields.find(|&field| own.get(field) != others.get(field))?;
        let shown = |fields: &serde_json::Map<String, serde_json::Value>| {
            fields
                .get(differs)
                .map_or_else(|| "nothing".to_owned(), ToString::to_string)
        };
        Some(format!(
            "{}.{differs} {} instead of {}",
            if self.kind == "engine" {
                "engine"
            } else {
                "search"
            },
            shown(&others),
            shown(&own)
        ))
    }
}
