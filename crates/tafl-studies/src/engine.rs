//! Other programs as players of tournaments.

use anyhow::{Context, ensure};
use std::sync::Arc;
use std::time::Duration;
use tafl_engine::{EngineCommand, PlyLimit, Protocol, RunningEngine};
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
            rule_changes: Vec::new(),
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

/// Several engines, with options that are given once for all or once for each.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Their command lines.
    pub lines: Vec<String>,
    /// One protocol, or one for each.
    pub protocols: Vec<Protocol>,
    /// No limit, one, or one for each; UCI engines without one get a second a ply.
    pub limits: Vec<EngineLimit>,
    /// No name, or one for each.
    pub names: Vec<String>,
    /// Options of UCI engines, name and value.
    pub options: Vec<(String, String)>,
    /// What an engine may take to start, and to begin a game.
    pub start_timeout: Duration,
    /// What an engine may take for a ply beyond its limit, or in total without one.
    pub move_timeout: Duration,
}

impl EngineOptions {
    /// Returns the engines.
    ///
    /// # Errors
    /// If an option is given another number of times, by its name on the command line, or a line has an open quote.
    pub fn specs(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let count = self.lines.len();
        let once_or_each = "give it once, or once for each";
        let numbers: [(&str, usize, &[usize], &str); 3] = [
            (
                "--protocol",
                self.protocols.len(),
                &[1, count],
                once_or_each,
            ),
            (
                "--engine-limit",
                self.limits.len(),
                &[0, 1, count],
                once_or_each,
            ),
            (
                "--engine-name",
                self.names.len(),
                &[0, count],
                "give it once for each",
            ),
        ];
        for (option, given, allowed, advice) in numbers {
            ensure!(
                count == 0 || allowed.contains(&given),
                "{option}: {given} given for {count} engines; {advice}"
            );
        }
        (0..count).map(|number| self.spec(number)).collect()
    }

    fn spec(&self, number: usize) -> anyhow::Result<EngineSpec> {
        let line = &self.lines[number];
        let protocol = self.protocols[number.min(self.protocols.len() - 1)];
        let second = EngineLimit(PlyLimit::MoveTime(Duration::from_secs(1)));
        let limit = match (protocol, self.limits.len()) {
            (Protocol::Uci, 0) => Some(second),
            // One limit for all engines is meant for those that can be told.
            (Protocol::Htp, 0 | 1) => None,
            (_, given) => Some(self.limits[number.min(given - 1)]),
        };
        let command = EngineCommand {
            words: EngineCommand::words_of(line).context("--engine")?,
            protocol,
            options: match protocol {
                Protocol::Uci => self.options.clone(),
                Protocol::Htp => Vec::new(),
            },
            limit: limit.map(|limit| limit.0),
            start_timeout: self.start_timeout,
            move_timeout: self.move_timeout,
        };
        Ok(EngineSpec {
            line: line.clone(),
            command,
            limit,
            name: self.names.get(number).cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs(
        lines: &[&str],
        protocols: &[Protocol],
        limits: &[&str],
        names: &[&str],
    ) -> anyhow::Result<Vec<EngineSpec>> {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let limits = limits.iter().map(|limit| limit.parse());
        let options = EngineOptions {
            lines: texts(lines),
            protocols: protocols.to_vec(),
            limits: limits.collect::<anyhow::Result<_>>()?,
            names: texts(names),
            options: Vec::new(),
            start_timeout: Duration::from_secs(1),
            move_timeout: Duration::from_secs(1),
        };
        options.specs()
    }

    #[test]
    fn options_given_once_are_for_all_engines() {
        let limits = |protocols: &[Protocol], limits: &[&str]| -> Vec<Option<PlyLimit>> {
            let found = specs(&["a", "b"], protocols, limits, &[]).expect("sound");
            found.into_iter().map(|spec| spec.command.limit).collect()
        };
        let (uci, htp) = (Protocol::Uci, Protocol::Htp);
        assert_eq!(limits(&[uci], &["nodes=9"]), [Some(PlyLimit::Nodes(9)); 2]);
        let five = PlyLimit::MoveTime(Duration::from_millis(5));
        assert_eq!(limits(&[uci, htp], &["movetime=5"]), [Some(five), None]);
        assert_eq!(specs(&[], &[], &[], &[]).expect("none"), []);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let uci = Protocol::Uci;
        for (lines, protocols, limits, names) in [
            (&["a"][..], &[][..], &[][..], &[][..]),
            (&["a"], &[uci, uci], &[], &[]),
            (&["a"], &[uci], &["nodes=0"], &[]),
            (&["a"], &[uci], &["time=5"], &[]),
            (&["a", "b"], &[uci], &[], &["one"]),
            (&["'"], &[uci], &[], &[]),
        ] {
            assert!(specs(lines, protocols, limits, names).is_err(), "{lines:?}");
        }
    }
}
