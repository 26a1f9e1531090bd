#![doc = include_str!("../README.md")]
#![expect(clippy::print_stdout, reason = "the one crate that prints")]

/// As the standard library's, but a line that cannot be written, for a full disk say, does not end the program.
macro_rules! eprintln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod programs;

mod args;
mod command_line;
mod commands;

mod engines;
mod nets;
mod other_rules;
mod search_args;
mod subject;

mod board;
mod observer;
mod output;
mod progress;
mod text;

mod advice;
mod failure;
mod hint;
mod process;

pub use programs::tafl;
#[cfg(feature = "libtorch")]
pub use programs::tafl_torch;
