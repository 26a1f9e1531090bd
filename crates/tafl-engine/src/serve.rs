//! An engine that answers lines until it is told to quit, or there are no more.

use crate::Protocol;
use crate::htp::HtpSession;
use crate::lines::{Line, read_line};
use crate::setup::{EngineSetup, Flow, Output, Session};
use crate::thinker::Thinker;
use crate::uci::UciSession;
use std::io::{BufRead, Write};

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
    let out = Output::new(output);
    let mut setup = setup;
    let make_mind = std::mem::replace(&mut setup.make_mind, Box::new(|_| Err(String::new())));
    let thinker = Thinker::start(make_mind, setup.seed).map_err(|error| error.to_string())?;
    thinker.load(&setup.rules)?;
    let mut session: Box<dyn Session> = match protocol {
        Protocol::Uci => Box::new(UciSession::new(setup, thinker, out.clone())),
        Protocol::Htp => Box::new(HtpSession::new(setup, thinker, out.clone())),
    };
    let mut bytes = Vec::new();
    loop {
        let mut input = &mut *input;
        let line = read_line(&mut input, &mut bytes).map_err(|error| error.to_string())?;
        let mut flow = Flow::GoOn;
        match line {
            Line::End => {
                session.end_of_input();
                flow = Flow::Quit;
            }
            Line::Text(text) => flow = session.hear(text),
            Line::NotText => session.complain("the line is not UTF-8"),
            Line::TooLong => session.complain("the line is too long"),
        }
        if out.is_broken() {
            return Err("the output cannot be written".to_owned());
        }
        if flow == Flow::Quit {
            return Ok(());
        }
    }
}
