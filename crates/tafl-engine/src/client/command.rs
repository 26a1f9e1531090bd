//! How an engine is started and asked, and what may go wrong with it.

use crate::notation::MoveError;
use std::time::Duration;
use strum::{Display, EnumMessage, IntoStaticStr, VariantArray};
use tafl_rules::Side;

/// A language in which an engine is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Protocol {
    /// Universal Chess Interface, in the dialect of `TaflZero` 0.3.
    Uci,
    /// Hnefatafl Text Protocol of hnefatafl-copenhagen 6.4.
    Htp,
}

/// What an engine may spend on each ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlyLimit {
    /// Nodes; what one is, is the engine's affair.
    Nodes(u32),
    /// Time.
    MoveTime(Duration),
}

impl std::fmt::Display for PlyLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::MoveTime(time) => write!(f, "movetime={}", time.as_millis()),
        }
    }
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

/// What went wrong with an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A command line that cannot be cut into words.
    #[error("{0:?} is not a command: empty, or a quotation mark is not closed")]
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
    #[error("HTP cannot set a limit for each move; give it in the engine's own command line")]
    Limit,
    /// The program ended.
    #[error("it exited while {during}{last_words}")]
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
    /// It wrote without end and did not answer.
    #[error("it wrote {bytes} bytes without an answer to {asked:?}")]
    Flooded {
        /// The line sent.
        asked: String,
        /// What was read of it.
        bytes: usize,
    },
    /// An answer that is not a move.
    #[error("{0}")]
    NoMove(#[from] MoveError),
    /// It does not accept the ruleset or the position.
    #[error("it refused {line:?}: {answer}")]
    Refused {
        /// The line sent.
        line: String,
        /// What it answered.
        answer: String,
    },
    /// It does not accept its opponent's last move, which is legal by our rules.
    #[error("{program} refused {line:?}: {answer}")]
    RefusedMove {
        /// What the engine calls itself.
        program: String,
        /// The line sent.
        line: String,
        /// What it answered.
        answer: String,
    },
    /// By its rules the game is over.
    #[error("by its rules the game is over: {status}")]
    Over {
        /// What it answered.
        status: String,
        /// Who won, nothing for a draw.
        winner: Option<Side>,
    },
    /// It resigned.
    #[error("it resigned")]
    Resigned,
}
