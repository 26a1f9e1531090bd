//! Errors as the user reads them: one line, and at most one hint.

use std::fmt;

/// An error with a piece of advice.
#[derive(Debug)]
struct Hinted {
    message: String,
    hint: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// Returns an error that is printed with a hint.
pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    Hinted {
        message: message.into(),
        hint: hint.into(),
    }
    .into()
}

/// Prints an error and the hint of the innermost cause that has one.
pub(crate) fn print(error: &anyhow::Error) {
    eprintln!("error: {}", one_line(error));
    let hint = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<Hinted>())
        .next_back();
    if let Some(Hinted { hint, .. }) = hint {
        eprintln!("hint: {hint}");
    }
}

/// Returns the error and its causes in one line, without causes that repeat what was said.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause
            .to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let cause = without_number(&cause);
        if text.ends_with(cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(cause);
    }
    text
}

/// Removes the number that follows the words of an error of the operating system.
fn without_number(cause: &str) -> &str {
    match cause.rsplit_once(" (os error ") {
        Some((words, rest)) if rest.ends_with(')') => words,
        _ => cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn causes_stand_in_one_line_and_are_not_repeated() {
        let error = Err::<(), _>(anyhow::anyhow!("no\n  such file (os error 2)"))
            .context("reading a.toml: no such file")
            .context("starting")
            .expect_err("it is one");
        assert_eq!(one_line(&error), "starting: reading a.toml: no such file");
    }
}
