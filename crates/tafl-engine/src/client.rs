//! Other programs as players: started, spoken to, watched and ended.

mod htp;
mod process;
mod uci;

use crate::notation::MoveError;
use htp::HtpClient;
use std::time::Duration;
use tafl_rules::{Game, Move, Rules};
use uci::UciClient;

/// A language in which an engine is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The UCI dialect of `TaflZero` 0.3.
    Uci,
    /// The Hnefatafl Text Protocol of hnefatafl-copenhagen 6.4.
    Htp,
}

impl Protocol {
    /// Returns `uci` or `htp`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Htp => "htp",
        }
    }
}

/// What an engine is told to spend on each ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlyLimit {
    /// Nodes; what one is, is the engine's affair.
    Nodes(u32),
    /// Time.
    MoveTime(Duration),
}

/// How to start an engine, and what to ask of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// Names and values that a UCI engine is given by `setoption`.
    pub options: Vec<(String, String)>,
    /// What it may spend on a ply; an engine of HTP decides itself.
    pub limit: Option<PlyLimit>,
    /// How long it may take to start, and to begin a game.
    pub start_timeout: Duration,
    /// How long after its limit, or after the question where it has none, a move must have come.
    pub move_timeout: Duration,
}

/// What went wrong with an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A command line that is no list of words.
    #[error("{0:?} is no command: a quotation mark is not closed, or it is empty")]
    Command(String),
    /// The program did not start.
    #[error("{program}: {reason}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        reason: std::io::Error,
    },
    /// A limit that its protocol cannot tell it.
    #[error("HTP has no words for a limit a move; give it in the engine's own command line")]
    Limit,
    /// The program ended.
    #[error("it ended while {during}{last_words}")]
    Ended {
        /// What it was asked.
        during: String,
        /// What it wrote to standard error last, after a colon.
        last_words: String,
    },
    /// No answer came in time.
    #[error("no answer within {} s to {asked:?}", .after.as_secs_f64())]
    TimedOut {
        /// The line sent.
        asked: String,
        /// How long was waited.
        after: Duration,
    },
    /// An answer that is no move.
    #[error("{0}")]
    NoMove(#[from] MoveError),
    /// It does not accept the ruleset, the position or a move that is legal.
    #[error("it refuses {line:?}: {answer}")]
    Refused {
        /// The line sent.
        line: String,
        /// What it answered.
        answer: String,
    },
    /// It resigned.
    #[error("it resigned")]
    Resigned,
}

impl EngineCommand {
    /// Cuts a command line into words, as a shell does with quotation marks.
    ///
    /// # Errors
    /// If a quotation mark is not closed, or there is no word.
    pub fn words_of(line: &str) -> Result<Vec<String>, EngineError> {
        let words = shlex::split(line).filter(|words| !words.is_empty());
        words.ok_or_else(|| EngineError::Command(line.to_owned()))
    }
}

/// An engine that runs. Dropping it ends the process, whatever it does.
#[derive(Debug)]
pub struct RunningEngine {
    client: Client,
}

#[derive(Debug)]
enum Client {
    Uci(UciClient),
    Htp(HtpClient),
}

impl RunningEngine {
    /// Starts an engine and greets it.
    ///
    /// # Errors
    /// If it does not start, or does not answer the greeting as its protocol says.
    pub fn start(command: &EngineCommand) -> Result<Self, EngineError> {
        let client = match command.protocol {
            Protocol::Uci => Client::Uci(UciClient::start(command)?),
            Protocol::Htp => Client::Htp(HtpClient::start(command)?),
        };
        Ok(Self { client })
    }

    /// Returns what the engine calls itself, its version included.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.client {
            Client::Uci(client) => client.name(),
            Client::Htp(client) => client.name(),
        }
    }

    /// Begins a game from the ruleset's start position.
    ///
    /// # Errors
    /// If the engine does not play this ruleset, or fails.
    pub fn begin(&mut self, rules: &Rules) -> Result<(), EngineError> {
        match &mut self.client {
            Client::Uci(client) => client.begin(rules),
            Client::Htp(client) => client.begin(rules),
        }
    }

    /// Returns the ply that the engine plays; its game is the one that was begun, some plies later.
    ///
    /// The move may be illegal: the engine is not trusted.
    ///
    /// # Errors
    /// If it fails, resigns, refuses the plies so far, or says something that is no move.
    pub fn choose(&mut self, game: &Game) -> Result<Move, EngineError> {
        match &mut self.client {
            Client::Uci(client) => client.choose(game),
            Client::Htp(client) => client.choose(game),
        }
    }
}
