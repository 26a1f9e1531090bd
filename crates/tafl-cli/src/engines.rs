//! Other programs as players: options of the command line, and what they become.

use anyhow::{Context, ensure};
use std::time::Duration;
use tafl_engine::{EngineCommand, PlyLimit, Protocol};
use tafl_studies::{EngineLimit, EngineSpec};

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
        value_enum,
        value_name = "PROTOCOL",
        requires = "engines"
    )]
    protocols: Vec<ProtocolName>,
    /// Limit per ply of UCI engines: `nodes=N` or `movetime=MILLISECONDS`; once for all (default: `movetime=1000`), or
    /// once for each. HTP engines get no limit: set it in their command line.
    #[arg(long = "engine-limit", value_name = "LIMIT", requires = "engines")]
    limits: Vec<EngineLimit>,
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

/// A protocol by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProtocolName {
    /// Universal Chess Interface, in the dialect of TaflZero.
    Uci,
    /// Hnefatafl Text Protocol of hnefatafl-copenhagen.
    Htp,
}

impl From<ProtocolName> for Protocol {
    fn from(name: ProtocolName) -> Self {
        match name {
            ProtocolName::Uci => Self::Uci,
            ProtocolName::Htp => Self::Htp,
        }
    }
}

fn name_and_value(text: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = text.split_once('=').context("expected NAME=VALUE")?;
    ensure!(!name.trim().is_empty(), "expected NAME=VALUE");
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

impl EngineArgs {
    /// Returns the engines.
    pub(crate) fn specs(&self) -> anyhow::Result<Vec<EngineSpec>> {
        let count = self.engines.len();
        if count > 0 {
            let once_or_each = "give it once, or once for each";
            for (option, given, allowed, advice) in [
                (
                    "--protocol",
                    self.protocols.len(),
                    &[1, count][..],
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
            ] {
                ensure!(
                    allowed.contains(&given),
                    "{option}: {given} given for {count} engines; {advice}"
                );
            }
        }
        (0..count).map(|number| self.spec(number)).collect()
    }

    fn spec(&self, number: usize) -> anyhow::Result<EngineSpec> {
        let line = &self.engines[number];
        let protocol = Protocol::from(self.protocols[number.min(self.protocols.len() - 1)]);
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
            start_timeout: Duration::from_secs(self.start_timeout.into()),
            move_timeout: Duration::from_secs(self.move_timeout.into()),
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
    use clap::Parser;

    #[derive(Debug, Parser)]
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
        let limits = |words: &str| -> Vec<Option<PlyLimit>> {
            let found = specs(words).unwrap().into_iter();
            found.map(|spec| spec.command.limit).collect()
        };
        let found = limits("--engine a --engine b --protocol uci --engine-limit nodes=9");
        assert_eq!(found, [Some(PlyLimit::Nodes(9)); 2]);
        let mixed = "--engine a --engine b --protocol uci --protocol htp --engine-limit movetime=5";
        let five = PlyLimit::MoveTime(Duration::from_millis(5));
        assert_eq!(limits(mixed), [Some(five), None]);
        assert_eq!(specs("").unwrap(), []);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for bad in [
            "--engine a",
            "--protocol uci",
            "--engine a --protocol xyz",
            "--engine a --protocol uci --protocol htp",
            "--engine a --protocol uci --engine-limit nodes=0",
            "--engine a --protocol uci --engine-limit time=5",
            "--engine a --engine b --protocol uci --engine-name one",
            "--engine a --protocol uci --engine-option Hash",
            "--engine ' --protocol uci",
        ] {
            assert!(specs(bad).is_err(), "{bad}");
        }
    }
}
