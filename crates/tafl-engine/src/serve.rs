//! An engine that answers lines until `quit` or the end of input.

use crate::Protocol;
use crate::htp::HtpSession;
use crate::lines::{Line, read_line};
use crate::search_thread::SearchThread;
use crate::setup::{EngineSetup, Flow, Output, Session};
use crate::uci::UciSession;
use std::io::{BufRead, Write};

/// Answers the lines of `input` in a protocol until `quit` or the end of the input.
///
/// No line ends it otherwise: one that cannot be understood is answered by what is wrong with it. A search that has
/// an end of its own is finished when the input ends, and stopped at `quit`: UCI answers with the best move so far.
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
    let make_searcher =
        std::mem::replace(&mut setup.make_searcher, Box::new(|_| Err(String::new())));
    let search_thread =
        SearchThread::start(make_searcher, setup.seed).map_err(|error| error.to_string())?;
    search_thread.load(&setup.rules)?;
    let mut session: Box<dyn Session> = match protocol {
        Protocol::Uci => Box::new(UciSession::new(setup, search_thread, out.clone())),
        Protocol::Htp => Box::new(HtpSession::new(setup, search_thread, out.clone())),
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
            Line::NotText => session.misread(&bytes, "the line is not UTF-8"),
            Line::TooLong => session.misread(&bytes, "the line is too long"),
        }
        if out.is_broken() {
            return Err("the output cannot be written".to_owned());
        }
        if flow == Flow::Quit {
            return Ok(());
        }
    }
}
