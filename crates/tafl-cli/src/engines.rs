//! Other programs as players: options of the command line, and the players that they become.

use crate::args::variant_of;
use crate::hint::hinted;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use strum::VariantArray;
use tafl_engine::{EngineCommand, EngineError, PlyLimit, Protocol, Told};
use tafl_play::{ForfeitReport, Player};
use tafl_rules::Rules;
use tafl_samples::PlayerId;
use tafl_store::FileEntry;
use tafl_training::{Learned, OpenedPlayer, PlayerCard, told_ruleset};

/// Engines that take part in a match.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Other engines")]
pub(crate) struct EngineArgs {
    /// Command line of another engine that plays; may be given several times.
    #[arg(long = "engine", value_name = "COMMAND")]
    engines: Vec<String>,
    /// Protocol of the engine; once for all engines, or once for each, in order.
    #[arg(
        long = "protocol",
        value_parser = variant_of::<Protocol>(),
        value_name = "PROTOCOL",
        requires = "engines"
    )]
    protocols: Vec<Protocol>,
    /// Limit per ply of UCI engines: `nodes=N` or `movetime=MILLISECONDS`; once for all (default: `movetime=1000`), or
    /// once for each. HTP engines get no limit: set it in their command line.
    #[arg(long = "engine-limit", value_name = "LIMIT", requires = "engines", value_parser = ply_limit)]
    limits: Vec<PlyLimit>,
    /// Name in tables and files, once for each engine; default: the engine's own name and its limit.
    #[arg(long = "engine-name", value_name = "NAME", requires = "engines")]
    names: Vec<String>,
    /// Option of UCI engines (`setoption`); may be given several times.
    #[arg(long = "engine-option", value_name = "NAME=VALUE", requires = "engines", value_parser = name_and_value)]
    options: Vec<(String, String)>,
    /// Seconds an engine may take to start, and to begin a game.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    start_timeout: u32,
    /// Seconds an engine may take for a ply beyond its limit, or in total without a limit.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    move_timeout: u32,
}

fn name_and_value(text: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = text.split_once('=').context("expected NAME=VALUE")?;
    ensure!(!name.trim().is_empty(), "expected NAME=VALUE");
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn ply_limit(text: &str) -> anyhow::Result<PlyLimit> {
    let refused = || format!("{text:?} is not nodes=N or movetime=MILLISECONDS, N at least 1");
    let (word, number) = text.split_once('=').with_context(refused)?;
    let number = number.parse().ok().filter(|&number: &u32| number > 0);
    match (word, number.with_context(refused)?) {
        ("nodes", nodes) => Ok(PlyLimit::Nodes(nodes)),
        ("movetime", time) => Ok(PlyLimit::MoveTime(Duration::from_millis(time.into()))),
        _ => bail!(refused()),
    }
}

impl EngineArgs {
    /// Returns the engines; what is given once is for all of them.
    pub(crate) fn specs(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let count = self.engines.len();
        if count > 0 && self.protocols.is_empty() {
            let words = Protocol::VARIANTS.iter();
            let words = words.map(|protocol| format!("`--protocol {protocol}`"));
            let advice = format!(
                "add {}, as the engine speaks; once for all engines, or once for each, in order",
                words.collect::<Vec<_>>().join(" or ")
            );
            return Err(hinted("--engine: its protocol is not given", advice));
        }
        for (option, given, allowed) in [
            ("--protocol", self.protocols.len(), &[1, count][..]),
            ("--engine-limit", self.limits.len(), &[0, 1, count]),
            ("--engine-name", self.names.len(), &[0, count]),
        ] {
            let advice = if allowed.contains(&1) {
                "give it once, or once for each"
            } else {
                "give it once for each"
            };
            ensure!(
                count == 0 || allowed.contains(&given),
                "{option}: {given} given for {count} engines; {advice}"
            );
        }
        ensure!(
            self.limits.is_empty() || self.protocols.contains(&Protocol::Uci),
            "--engine-limit: {}",
            EngineError::Limit
        );
        (0..count).map(|number| self.spec(number)).collect()
    }

    fn spec(&self, number: usize) -> anyhow::Result<EngineSpec> {
        let line = &self.engines[number];
        let protocol = self.protocols[number.min(self.protocols.len() - 1)];
        let limit = match (protocol, self.limits.len()) {
            (Protocol::Uci, 0) => Some(PlyLimit::MoveTime(Duration::from_secs(1))),
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
            limit,
            start_timeout: Duration::from_secs(self.start_timeout.into()),
            move_timeout: Duration::from_secs(self.move_timeout.into()),
        };
        Ok(EngineSpec {
            line: line.clone(),
            command,
            name: self.names.get(number).cloned(),
        })
    }
}

/// How another program is started and configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EngineSpec {
    /// Its command line, as it was given.
    pub(crate) line: String,
    command: EngineCommand,
    /// Its name in tables and files; default: its own name and its limit.
    name: Option<String>,
}

impl EngineSpec {
    /// Starts the engine once, checks that it plays the rulesets, and makes it a player; `report` gets the reason when
    /// it forfeits a game.
    pub(crate) fn open(
        &self,
        rulesets: &[Arc<Rules>],
        report: ForfeitReport,
    ) -> anyhow::Result<OpenedPlayer> {
        let tried = self.try_out(rulesets);
        let (name, told) = tried.with_context(|| format!("--engine {:?}", self.line))?;
        let id = PlayerId::Other(name.clone());
        Ok(OpenedPlayer {
            player: Arc::new(Player::engine(id, self.command.clone(), told, report)),
            card: PlayerCard {
                kind: "engine".to_owned(),
                engine: Some(self.fields()),
                files_sha256: Some(self.files_sha256()),
                ..PlayerCard::default()
            },
            family: name,
            learned: None,
            known: Learned::default(),
        })
    }

    /// Starts the engine once, and checks that it plays the rulesets; returns its name, and how it knows a ruleset.
    fn try_out(&self, rulesets: &[Arc<Rules>]) -> anyhow::Result<(String, Told)> {
        let mut engine = self.command.start().map_err(|error| {
            let advice = "run its command line alone, and check --protocol";
            hinted(error.to_string(), advice)
        })?;
        for rules in rulesets {
            let begun = engine.begin(rules);
            begun.with_context(|| format!("ruleset {}", rules.ruleset().name))?;
        }
        let own = rulesets.iter().map(|rules| told_ruleset(rules));
        // What no other ruleset is called is longer than its name.
        let own = own
            .zip(rulesets)
            .filter(|(told, it)| *told != it.ruleset().name);
        match (engine.told(), own.map(|(told, _)| told).collect::<Vec<_>>()) {
            (Told::Nothing, _) => eprintln!(
                "Note: {} takes no ruleset from others; it must play by these rules of its own accord.",
                engine.name()
            ),
            (Told::Name, own) if !own.is_empty() => eprintln!(
                "Note: {} is told a name alone; whether its rules are those of {} is not known.",
                engine.name(),
                own.join(", ")
            ),
            _ => {}
        }
        let name = match (&self.name, self.command.limit) {
            (Some(name), _) => name.clone(),
            (None, Some(limit)) => format!("{}@{limit}", engine.name()),
            (None, None) => engine.name().to_owned(),
        };
        Ok((name, engine.told()))
    }

    /// Returns what makes the engine this player, as the fields of its card.
    fn fields(&self) -> serde_json::Value {
        let options = self.command.options.iter();
        let options = options.map(|(name, value)| format!("{name}={value}"));
        serde_json::json!({
            "command": self.line,
            "protocol": self.command.protocol.to_string(),
            "limit": self.command.limit.map(|limit| limit.to_string()),
            "options": options.collect::<Vec<_>>(),
        })
    }

    /// Returns the checksums of the files in its command line, such as its script, but for those after a `--option`: it may
    /// write to them.
    fn files_sha256(&self) -> BTreeMap<String, String> {
        let words = &self.command.words;
        let before = std::iter::once("").chain(words.iter().map(String::as_str));
        let named = before.zip(words);
        let named = named.filter(|(before, _)| !before.starts_with("--"));
        let sums = named.filter_map(|(_, word)| {
            let file = FileEntry::of(Path::new(word)).ok()?;
            Some((word.clone(), file.sha256))
        });
        sums.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hinted;
    use clap::Parser;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        engines: EngineArgs,
    }

    fn specs(words: &str) -> anyhow::Result<Vec<EngineSpec>> {
        let words = std::iter::once("tafl").chain(words.split_whitespace());
        Line::try_parse_from(words)?.engines.specs()
    }

    #[test]
    fn options_given_once_are_for_all_engines() {
        let limits = |options: &str| -> Vec<Option<PlyLimit>> {
            let found = specs(&format!("--engine a --engine b {options}")).expect("sound");
            found.into_iter().map(|spec| spec.command.limit).collect()
        };
        let nine = Some(PlyLimit::Nodes(9));
        let five = Some(PlyLimit::MoveTime(Duration::from_millis(5)));
        assert_eq!(limits("--protocol uci --engine-limit nodes=9"), [nine; 2]);
        let both = "--protocol uci --protocol htp --engine-limit movetime=5";
        assert_eq!(limits(both), [five, None]);
        assert_eq!(specs("").expect("none"), []);
    }

    #[test]
    fn files_of_the_command_are_told_apart_by_what_they_hold() {
        let folder = tempfile::tempdir().expect("a folder");
        let [bot, log] = ["bot.py", "log"].map(|name| folder.path().join(name));
        let words = format!("python {} --log {}", bot.display(), log.display());
        let sums = |script: &str| {
            std::fs::write(&bot, script).expect("written");
            std::fs::write(&log, script).expect("written");
            let engine = ["tafl", "--engine", &words, "--protocol", "uci"];
            let found = Line::try_parse_from(engine)
                .expect("a line")
                .engines
                .specs();
            found.expect("sound")[0].files_sha256()
        };
        let before = sums("pass");
        let names: Vec<&str> = before.keys().map(String::as_str).collect();
        assert_eq!(names, [bot.to_str().expect("UTF-8")]);
        assert_ne!(sums("quit()"), before);
        assert_eq!(sums("pass"), before);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for words in [
            "--engine a",
            "--engine a --protocol uci --protocol uci",
            "--engine a --protocol uci --engine-limit nodes=0",
            "--engine a --protocol uci --engine-limit time=5",
            "--engine a --engine b --protocol uci --engine-name one",
            "--engine ' --protocol uci",
            "--engine a --protocol htp --engine-limit nodes=9",
        ] {
            assert!(specs(words).is_err(), "{words}");
        }
        let error = specs("--engine a").expect_err("no protocol");
        let hint = &error.downcast_ref::<Hinted>().expect("advice").hint;
        assert!(hint.starts_with("add `--protocol uci` or `--protocol htp`, "));
    }
}
