//! An engine that answers lines until it is told to quit, or there are no more.

use crate::htp::HtpSession;
use crate::lines::{Line, read_line};
use crate::thinker::{MakeMind, Thinker};
use crate::uci::UciSession;
use crate::{Limits, Protocol};
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tafl_rules::Rules;

/// Finds a ruleset by name; an error is told to whoever asked.
pub type FindRules = dyn Fn(&str) -> Result<Arc<Rules>, String>;

/// What an engine is made of.
pub struct EngineSetup {
    /// Its name, without its version.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The ruleset to begin with.
    pub rules: Arc<Rules>,
    /// Rulesets that are offered by name.
    pub ruleset_names: Vec<String>,
    /// Finds a ruleset.
    pub find_rules: Box<FindRules>,
    /// Makes what plays a ruleset.
    pub make_mind: Box<MakeMind>,
    /// What is spent on a ply where the protocol says nothing.
    pub limits: Limits,
    /// Where everything random comes from.
    pub seed: u64,
}

/// Whether there is more to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    GoOn,
    Quit,
}

/// Where answers go, from the thread that listens and from the one that searches.
#[derive(Clone)]
pub(crate) struct Output {
    stream: Arc<Mutex<Box<dyn Write + Send>>>,
    broken: Arc<AtomicBool>,
}

impl Output {
    /// Writes a line, or several, and lets them go at once.
    pub(crate) fn line(&self, text: &str) {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(stream, "{text}").and_then(|()| stream.flush());
        if written.is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
    }
}

/// Answers the lines of `input` in a protocol until `quit` or the end of the input.
///
/// No line ends it otherwise: one that cannot be understood is answered by what is wrong with it. A search that has
/// an end of its own is finished when the input ends, and given up at `quit`.
///
/// # Errors
/// If the first ruleset has no network, a thread cannot be started, or reading or writing fails.
pub fn serve(
    protocol: Protocol,
    setup: EngineSetup,
    input: &mut dyn BufRead,
    output: Box<dyn Write + Send>,
) -> Result<(), String> {
    let out = Output {
        stream: Arc::new(Mutex::new(output)),
        broken: Arc::new(AtomicBool::new(false)),
    };
    let mut setup = setup;
    let make_mind = std::mem::replace(&mut setup.make_mind, Box::new(|_| Err(String::new())));
    let thinker = Thinker::start(make_mind, setup.seed).map_err(|error| error.to_string())?;
    thinker.load(&setup.rules)?;
    let mut session = match protocol {
        Protocol::Uci => Session::Uci(UciSession::new(setup, thinker, out.clone())),
        Protocol::Htp => Session::Htp(HtpSession::new(setup, thinker, out.clone())),
    };
    let mut bytes = Vec::new();
    loop {
        let mut input = &mut *input;
        let line = read_line(&mut input, &mut bytes).map_err(|error| error.to_string())?;
        let flow = match line {
            Line::End => {
                session.end();
                return written(&out);
            }
            Line::Text(text) => session.hear(text),
            Line::NotText => session.complain("the line is not UTF-8"),
            Line::TooLong => session.complain("the line is too long"),
        };
        if flow == Flow::Quit || out.broken.load(Ordering::Relaxed) {
            return written(&out);
        }
    }
}

fn written(out: &Output) -> Result<(), String> {
    if out.broken.load(Ordering::Relaxed) {
        return Err("the output cannot be written".to_owned());
    }
    Ok(())
}

enum Session {
    Uci(UciSession),
    Htp(HtpSession),
}

impl Session {
    fn hear(&mut self, line: &str) -> Flow {
        match self {
            Self::Uci(session) => session.hear(line),
            Self::Htp(session) => session.hear(line),
        }
    }

    fn complain(&self, what: &str) -> Flow {
        match self {
            Self::Uci(session) => session.complain(what),
            Self::Htp(session) => session.complain(what),
        }
        Flow::GoOn
    }

    fn end(&mut self) {
        if let Self::Uci(session) = self {
            session.end_of_input();
        }
    }
}
