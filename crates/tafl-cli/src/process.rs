//! What the process does at its edges: start, signals, panics, exit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Exit code of an error; 1 is a negative answer.
const ERROR: u8 = 2;

/// Exit code after Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

/// Sets up memory allocation, signals and the report of internal errors; called first in `main`.
pub(crate) fn prepare() {
    tafl_network::tune_allocator();
    die_of_broken_pipes();
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.payload_as_str().unwrap_or("no message");
        let first_line = message.lines().next().unwrap_or_default();
        let place = panic
            .location()
            .map(|place| format!(" ({}:{})", place.file(), place.line()));
        eprintln!(
            "error: internal error: {first_line}{}",
            place.unwrap_or_default()
        );
        eprintln!(
            "hint: this is a fault of the program; finished stages of a run are safe on disk"
        );
    }));
}

/// Runs a command; prints its error, if any, and returns the exit code.
pub(crate) fn guard(command: impl FnOnce() -> anyhow::Result<ExitCode>) -> ExitCode {
    match catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => {
            crate::failure::print(&error);
            ExitCode::from(ERROR)
        }
        Err(_) => ExitCode::from(ERROR),
    }
}

/// From now on Ctrl-C prints `hint` and ends the process at once, as a kill would; files are never half-written.
pub(crate) fn end_on_interrupt(hint: String) -> anyhow::Result<()> {
    ctrlc::set_handler(move || {
        eprintln!("\nstopped\nhint: {hint}");
        exit_now(INTERRUPTED);
    })?;
    Ok(())
}

/// Lets a reader that has gone away (`tafl ... | head`) end the process without a word.
#[expect(
    unsafe_code,
    reason = "the standard library offers no safe way to restore SIGPIPE"
)]
fn die_of_broken_pipes() {
    // SAFETY: no other thread exists yet, and the default action needs no handler.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// Ends the process without running destructors, which would race with the worker threads.
#[expect(
    unsafe_code,
    reason = "std::process::exit runs libtorch's destructors under its users"
)]
fn exit_now(code: i32) -> ! {
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(code) }
}
