//! What the process does at its edges: start, signals, panics, exit.

use crate::failure::in_words;
use crate::hint::hinted;
use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Exit code of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExitCode(u8);

impl ExitCode {
    pub(crate) const SUCCESS: Self = Self(0);
    pub(crate) const FAILURE: Self = Self(1);
}

impl From<u8> for ExitCode {
    fn from(code: u8) -> Self {
        Self(code)
    }
}

/// Exit code of an error; 1 is a negative answer.
pub(crate) const ERROR: u8 = 2;

/// What asks the process to end; SIGHUP comes of a terminal that closes.
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Exit code of what one of [`SIGNALS`] stopped, as shells have it for Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// Goes on as `tafl-torch`, with the same arguments and the same process; returns why it cannot.
pub(crate) fn become_tafl_torch() -> anyhow::Error {
    let path = std::env::current_exe().unwrap_or_default();
    let path = path.with_file_name("tafl-torch");
    let mut arguments = std::env::args_os();
    let mut program = Command::new(&path);
    // Its help and its errors name the program as this one was called.
    program.arg0(arguments.next().unwrap_or_default());
    let error = program.args(arguments).exec();
    hinted(
        format!("{}: {error}", path.display()),
        "tafl-torch does what needs networks: put it beside tafl, or use it in place of tafl, as it has all commands",
    )
}

/// Sets up memory allocation, signals and the report of internal errors; called first in `main`.
pub(crate) fn prepare() {
    tafl_network::tune_allocator();
    die_of_broken_pipes();
    std::panic::set_hook(Box::new(|panic| {
        if tafl_dataset::reads_parquet() {
            return;
        }
        let message = panic.payload_as_str().unwrap_or("no message");
        let first_line = message.lines().next().unwrap_or_default();
        if let Some(reason) = first_line.strip_prefix("failed printing to stdout: ") {
            return eprintln!("error: standard output: {}", in_words(reason));
        }
        let place = panic.location().map_or_else(String::new, |place| {
            format!(" ({}:{})", place.file(), place.line())
        });
        eprintln!("error: internal error: {first_line}{place}");
        eprintln!("hint: this is a bug in tafl; finished stages of a run are safe on disk");
    }));
}

/// Refuses a closed standard output: what a command prints would be lost, and nobody would know.
pub(crate) fn check_output() -> anyhow::Result<()> {
    if OUTPUT_WAS_CLOSED.load(Ordering::Relaxed) {
        let advice = "use >/dev/null to drop what is printed";
        return Err(hinted("standard output: it is closed", advice));
    }
    Ok(())
}

/// Whether the process began without standard output.
///
/// The standard library puts `/dev/null` there before `main`, so that no file that is opened later takes its place.
static OUTPUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before `main`.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "nothing safe runs before the standard library")]
#[used]
// SAFETY: the section holds pointers to functions of C without arguments that are needed.
#[unsafe(link_section = ".init_array")]
static LOOK_AT_OUTPUT: extern "C" fn() = look_at_output;

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the standard library does not tell")]
extern "C" fn look_at_output() {
    // SAFETY: asking for the flags of a descriptor changes nothing.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    OUTPUT_WAS_CLOSED.store(flags == -1, Ordering::Relaxed);
}

/// Runs a command, prints its error, if any, and ends the process with its exit code.
///
/// What libtorch undoes at an orderly end takes as long as half of its start, and nothing is left to do.
pub(crate) fn guard(command: impl FnOnce() -> anyhow::Result<ExitCode>) -> ! {
    let flushed = || {
        let code = command()?;
        // The last line may be one that does not end.
        std::io::stdout().flush().context("standard output")?;
        Ok(code)
    };
    let code = match catch_unwind(AssertUnwindSafe(flushed)) {
        Ok(Ok(ExitCode(code))) => code,
        Ok(Err(error)) => {
            crate::failure::print(&error);
            ERROR
        }
        Err(_) => ERROR,
    };
    // What was printed before an error; where it cannot be, that error is told already.
    let _ = std::io::stdout().flush();
    exit_now(code)
}

/// From now on [`SIGNALS`] print `hint` and end the process at once, as a kill would; files are never half-written.
pub(crate) fn end_on_interrupt(hint: String) -> anyhow::Result<()> {
    end_on_interrupt_with(hint, || {})
}

/// Does the same with a last deed.
pub(crate) fn end_on_interrupt_with(
    hint: String,
    last: impl FnOnce() + Send + 'static,
) -> anyhow::Result<()> {
    let mut signals = signals()?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if signals.forever().next().is_some() {
                last();
                tell_stopped(&hint);
                exit_now(INTERRUPTED);
            }
        })?;
    Ok(())
}

/// Says on stderr that the command was stopped, and how to go on.
pub(crate) fn tell_stopped(hint: &str) {
    eprintln!("\nstopped\nhint: {hint}");
}

/// Returns what asks the process to end, but not a terminal that closes where `nohup` began it.
fn signals() -> std::io::Result<Signals> {
    Signals::new(
        SIGNALS
            .into_iter()
            .filter(|it| *it != SIGHUP || !is_ignored(SIGHUP)),
    )
}

#[expect(unsafe_code, reason = "the standard library does not tell")]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action nothing changes; the old one is written, or the zeroes stay, which are one, too.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Signals within this time are one: `timeout` sends one to the process and one to its group.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// From now on the first of [`SIGNALS`] makes the result true; a later one ends the process after a last deed and `hint`.
pub(crate) fn end_when_asked(
    hint: &'static str,
    last: impl Fn() + Send + 'static,
) -> anyhow::Result<&'static AtomicBool> {
    static ASKED_TO_END: AtomicBool = AtomicBool::new(false);
    let mut signals = signals()?;
    let wait = move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            ASKED_TO_END.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() > ONE_SIGNAL {
                last();
                tell_stopped(hint);
                exit_now(INTERRUPTED);
            }
        }
    };
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(wait)?;
    Ok(&ASKED_TO_END)
}

/// Returns the name of this machine, as far as it is made of letters, digits, `-` and `_`.
pub(crate) fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-' || *c == '_';
    let name: String = name.trim().chars().filter(is_plain).take(100).collect();
    if name.is_empty() {
        return "worker".to_owned();
    }
    name
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
fn exit_now(code: u8) -> ! {
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(code.into()) }
}
