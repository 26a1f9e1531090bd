//! Speaking the Hnefatafl Text Protocol to an engine.

use super::command::{EngineCommand, EngineError};
use super::process::{Process, shortened};
use super::{RunningEngine, Told};
use crate::htp::{read_play, write_play};
use std::time::Duration;
use tafl_rules::{Game, Move, Rules, Side};

/// An engine of HTP, greeted.
#[derive(Debug)]
pub(super) struct HtpClient {
    process: Process,
    name: String,
    knows_rulesets: bool,
    /// Plies of the present game that the engine knows.
    told: usize,
    command: EngineCommand,
}

impl HtpClient {
    pub(super) fn start(command: &EngineCommand) -> Result<Self, EngineError> {
        if command.limit.is_some() {
            return Err(EngineError::Limit);
        }
        let mut client = Self {
            process: Process::start(&command.words)?,
            name: String::new(),
            knows_rulesets: false,
            told: 0,
            command: command.clone(),
        };
        let name = client.ask("name")?;
        let version = client.ask("version")?;
        client.name = shortened(format!("{name} {version}").trim());
        client.knows_rulesets = client.ask("known_command ruleset")? == "true";
        Ok(client)
    }

    /// Asks something that needs no thought.
    fn ask(&mut self, line: &str) -> Result<String, EngineError> {
        self.ask_for(line, self.command.start_timeout)
    }

    /// Returns what follows the `=` of the answer; lines that begin otherwise are chatter.
    fn ask_for(&mut self, line: &str, timeout: Duration) -> Result<String, EngineError> {
        self.process.drop_stale_answers();
        self.process.say(line);
        let answer = self
            .process
            .answer(timeout, |line| match line.split_at_checked(1)? {
                ("=", text) => Some(Ok(text.trim().to_owned())),
                ("?", text) => Some(Err(shortened(text.trim()))),
                _ => None,
            })?;
        answer.map_err(|answer| EngineError::Refused {
            line: line.to_owned(),
            answer,
        })
    }

    /// Returns what a refusal means: that its rules ended the game, or forbid a move of its opponent.
    fn judged(&mut self, error: EngineError, is_opponents_move: bool) -> EngineError {
        let EngineError::Refused { line, answer } = error else {
            return error;
        };
        // Programs that lack the command refuse it, too.
        let status = self.ask("final_status").unwrap_or_default();
        let winner = match status.split('_').next().unwrap_or_default() {
            "attacker" | "attackers" => Some(Some(Side::Attacker)),
            "defender" | "defenders" => Some(Some(Side::Defender)),
            "draw" | "draws" => Some(None),
            _ => None,
        };
        match winner {
            Some(winner) => EngineError::Over { status, winner },
            None if is_opponents_move => EngineError::RefusedMove {
                program: self.name.clone(),
                line,
                answer,
            },
            None => EngineError::Refused { line, answer },
        }
    }
}

impl RunningEngine for HtpClient {
    fn name(&self) -> &str {
        &self.name
    }

    fn told(&self) -> Told {
        match self.knows_rulesets {
            true => Told::Name,
            false => Told::Nothing,
        }
    }

    fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        if self.knows_rulesets {
            self.ask(&format!("ruleset {}", rules.ruleset().name))?;
        }
        self.ask(&format!("board_size {}", rules.shape().size()))?;
        self.told = 0;
        Ok(())
    }

    fn choose(&mut self, game: &Game) -> Result<Move, EngineError> {
        // Sides follow from replaying: in a chain one side plays several plies.
        let mut replayed = Game::new(game.rules().clone());
        for (number, &mv) in game.moves().iter().enumerate() {
            if number >= self.told {
                let side = replayed.position().side();
                let is_opponents = side != game.position().side();
                let answer = self.ask(&write_play(side, mv));
                answer.map_err(|error| self.judged(error, is_opponents))?;
                self.told = number + 1;
            }
            replayed.play_unchecked(mv);
        }
        let answer = self.ask_for("generate_move", self.command.move_timeout);
        let answer = answer.map_err(|error| self.judged(error, false))?;
        // The engine plays its move itself.
        self.told += 1;
        match read_play(&answer)? {
            Some((_, mv)) => Ok(mv),
            None => Err(EngineError::Resigned),
        }
    }
}
