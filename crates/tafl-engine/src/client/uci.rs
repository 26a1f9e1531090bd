//! Speaking UCI to an engine.

use super::command::{EngineCommand, EngineError, PlyLimit};
use super::process::{Process, shortened};
use super::{RunningEngine, Told};
use crate::notation::{read_ply, write_ply};
use crate::uci::taflzero_variant;
use std::collections::BTreeSet;
use std::time::Duration;
use tafl_rules::{Game, Move, Rules};

/// What a ply may take where nothing is said.
const USUAL_MOVE_TIME: Duration = Duration::from_secs(1);

/// Options of an engine that are remembered.
const MOST_OPTIONS: usize = 1000;

/// An engine of UCI, greeted.
#[derive(Debug)]
pub(super) struct UciClient {
    process: Process,
    name: String,
    /// The options that it declares.
    options: BTreeSet<String>,
    command: EngineCommand,
}

impl UciClient {
    pub(super) fn start(command: &EngineCommand) -> Result<Self, EngineError> {
        let mut client = Self {
            process: Process::start(&command.words)?,
            name: command.words[0].clone(),
            options: BTreeSet::new(),
            command: command.clone(),
        };
        client.process.say("uci");
        client.listen("uciok")?;
        // TaflZero lists its options after `uciok`.
        client.synchronize()?;
        for (name, value) in &command.options {
            client.set(name, value)?;
        }
        Ok(client)
    }

    /// Returns the option that names the ruleset, if it has one.
    fn ruleset_option(&self) -> Option<&'static str> {
        let mut options = ["Ruleset", "Variant"].into_iter();
        options.find(|option| self.options.contains(*option))
    }

    /// Sets an option and waits until that is done.
    fn set(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.process
            .say(&format!("setoption name {name} value {value}"));
        self.synchronize()
    }

    /// Waits until everything said so far is done; what the engine complains about is an error.
    fn synchronize(&mut self) -> Result<(), EngineError> {
        self.process.say("isready");
        self.listen("readyok")
    }

    fn listen(&mut self, last: &str) -> Result<(), EngineError> {
        let (name, options) = (&mut self.name, &mut self.options);
        let mut complaint = None;
        self.process.answer(self.command.start_timeout, |line| {
            if let Some(given) = line.strip_prefix("id name ") {
                *name = shortened(given.trim());
            }
            if let Some(option) = line.strip_prefix("option name ")
                && options.len() < MOST_OPTIONS
            {
                let declared = option.split(" type ").next().unwrap_or_default();
                options.insert(declared.trim().to_owned());
            }
            complaint = complaint.take().or_else(|| complaint_of(line));
            (line == last).then_some(())
        })?;
        match complaint {
            None => Ok(()),
            Some(answer) => Err(EngineError::Refused {
                line: last.to_owned(),
                answer,
            }),
        }
    }
}

impl RunningEngine for UciClient {
    fn name(&self) -> &str {
        &self.name
    }

    fn told(&self) -> Told {
        match self.ruleset_option() {
            None => Told::Nothing,
            // Whoever gave it knows what the engine plays.
            Some(option) if self.command.options.iter().any(|(name, _)| name == option) => {
                Told::Option
            }
            Some(_) => Told::Name,
        }
    }

    fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        self.process.say("ucinewgame");
        let ruleset = &rules.ruleset().name;
        let option = self.ruleset_option().filter(|_| self.told() == Told::Name);
        if option == Some("Ruleset") {
            return self.set("Ruleset", ruleset);
        }
        if option == Some("Variant") {
            let Some(variant) = taflzero_variant(ruleset) else {
                return Err(EngineError::Refused {
                    line: format!("ruleset {ruleset}"),
                    answer: "it has no variant of that name".to_owned(),
                });
            };
            return self.set("Variant", variant);
        }
        self.synchronize()
    }

    fn choose(&mut self, game: &Game) -> Result<Move, EngineError> {
        let mut position = "position startpos".to_owned();
        for (number, &mv) in game.moves().iter().enumerate() {
            position += if number == 0 { " moves " } else { " " };
            position += &write_ply(mv);
        }
        self.process.drop_stale_answers();
        self.process.say(&position);
        let limit = self
            .command
            .limit
            .unwrap_or(PlyLimit::MoveTime(USUAL_MOVE_TIME));
        let (go, own_time) = match limit {
            PlyLimit::Nodes(nodes) => (format!("go nodes {nodes}"), Duration::ZERO),
            PlyLimit::MoveTime(time) => (format!("go movetime {}", time.as_millis()), time),
        };
        self.process.say(&go);
        let timeout = own_time + self.command.move_timeout;
        let mut complaint = None;
        let mv = self.process.answer(timeout, |line| {
            complaint = complaint_of(line).or_else(|| complaint.take());
            let rest = line.strip_prefix("bestmove")?;
            let word = rest.split_whitespace().next();
            Some(word.unwrap_or_default().to_owned())
        })?;
        match (mv.as_str(), complaint) {
            ("resign" | "resigns", _) => Err(EngineError::Resigned),
            ("(none)" | "", Some(answer)) => Err(EngineError::Refused {
                line: shortened(&position),
                answer,
            }),
            (text, _) => Ok(read_ply(text)?),
        }
    }
}

/// Returns what an engine complains about, if the line does.
fn complaint_of(line: &str) -> Option<String> {
    let text = line.strip_prefix("info string ")?;
    text.starts_with("error").then(|| shortened(text))
}
