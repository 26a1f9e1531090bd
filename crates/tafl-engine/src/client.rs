//! Other programs as players: started, spoken to, watched and ended.

mod command;
mod htp;
mod process;
mod uci;

pub use command::{EngineCommand, EngineError, PlyLimit, Protocol};

use htp::HtpClient;
use tafl_rules::{Game, Move, Rules};
use uci::UciClient;

/// How an engine knows which ruleset is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Each game begins with the ruleset's name.
    Name,
    /// By an option that whoever started it gave.
    Option,
    /// It cannot be told.
    Nothing,
}

/// An engine that runs and was greeted. Dropping it ends the process, whatever it does.
pub trait RunningEngine: std::fmt::Debug + Send {
    /// Returns what the engine calls itself, its version included.
    fn name(&self) -> &str;

    /// Returns how it knows the ruleset of a game.
    fn told(&self) -> Told;

    /// Begins a game from the ruleset's start position.
    ///
    /// # Errors
    /// If the engine does not play this ruleset, or fails.
    fn begin(&mut self, rules: &Rules) -> Result<(), EngineError>;

    /// Returns the ply that the engine plays; its game is the one that was begun, some plies later.
    ///
    /// The move may be illegal: the engine is not trusted.
    ///
    /// # Errors
    /// If it fails, resigns, refuses the plies so far, or says something that is not a move.
    fn choose(&mut self, game: &Game) -> Result<Move, EngineError>;
}

impl EngineCommand {
    /// Starts the engine and greets it.
    ///
    /// # Errors
    /// If it does not start, or does not answer the greeting as its protocol says.
    pub fn start(&self) -> Result<Box<dyn RunningEngine>, EngineError> {
        Ok(match self.protocol {
            Protocol::Uci => Box::new(UciClient::start(self)?),
            Protocol::Htp => Box::new(HtpClient::start(self)?),
        })
    }
}
