//! Other programs as players: options of the command line, and what they become.

use anyhow::{Context, ensure};
use std::time::Duration;
use tafl_engine::Protocol;
use tafl_studies::{EngineLimit, EngineOptions, EngineSpec};

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
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        let options = EngineOptions {
            lines: self.engines.clone(),
            protocols: self.protocols.iter().map(|&it| it.into()).collect(),
            limits: self.limits.clone(),
            names: self.names.clone(),
            options: self.options.clone(),
            start_timeout: seconds(self.start_timeout),
            move_timeout: seconds(self.move_timeout),
        };
        options.specs()
    }
}
