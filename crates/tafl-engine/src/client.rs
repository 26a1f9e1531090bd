//! Other programs as players: started, spoken to, watched and ended.

mod command;
mod htp;
mod process;
mod uci;

pub use command::{EngineCommand, EngineError, PlyLimit, Protocol};

use htp::HtpClient;
use tafl_rules::{Game, Move, Rules};
use uci::UciClient;

/// An engine that runs. Dropping it ends the process, whatever it does.
#[derive(Debug)]
pub struct RunningEngine {
    client: Box<dyn Client>,
}

/// An engine that was greeted, in its protocol; the methods are those of [`RunningEngine`].
trait Client: std::fmt::Debug + Send {
    fn name(&self) -> &str;
    fn begin(&mut self, rules: &Rules) -> Result<(), EngineError>;
    fn choose(&mut self, game: &Game) -> Result<Move, EngineError>;
}

impl RunningEngine {
    /// Starts an engine and greets it.
    ///
    /// # Errors
    /// If it does not start, or does not answer the greeting as its protocol says.
    pub fn start(command: &EngineCommand) -> Result<Self, EngineError> {
        let client: Box<dyn Client> = match command.protocol {
            Protocol::Uci => Box::new(UciClient::start(command)?),
            Protocol::Htp => Box::new(HtpClient::start(command)?),
        };
        Ok(Self { client })
    }

    /// Returns what the engine calls itself, its version included.
    #[must_use]
    pub fn name(&self) -> &str {
        self.client.name()
    }

    /// Begins a game from the ruleset's start position.
    ///
    /// # Errors
    /// If the engine does not play this ruleset, or fails.
    pub fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        self.client.begin(rules)
    }

    /// Returns the ply that the engine plays; its game is the one that was begun, some plies later.
    ///
    /// The move may be illegal: the engine is not trusted.
    ///
    /// # Errors
    /// If it fails, resigns, refuses the plies so far, or says something that is not a move.
    pub fn choose(&mut self, game: &Game) -> Result<Move, EngineError> {
        self.client.choose(game)
    }
}
