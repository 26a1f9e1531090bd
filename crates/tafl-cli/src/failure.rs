//! Errors as the user reads them: one line, and at most one hint.

use crate::advice;
use crate::output::command;
use tafl_config::Faults;

/// Prints an error, a line for each fault of a config, and the hint of the innermost cause that has one.
pub(crate) fn print(error: &anyhow::Error) {
    match error.downcast_ref::<Faults>() {
        Some(faults) => {
            let lines = faults.lines().map(in_words);
            lines.for_each(|line| eprintln!("error: {line}"));
        }
        None => eprintln!("error: {}", one_line(error)),
    }
    if let Some(hint) = hint(error) {
        // Commands in a hint can be pasted.
        let called = format!("`{} ", command());
        eprintln!("hint: {}", hint.replace("`tafl ", &called));
    }
}

fn hint(error: &anyhow::Error) -> Option<String> {
    error.chain().filter_map(advice::about).next_back()
}

/// Returns the error with its hint in one line, for a program that asked.
pub(crate) fn with_hint(error: &anyhow::Error) -> String {
    let hint = hint(error).map_or_else(String::new, |hint| format!("; {hint}"));
    one_line(error) + &hint
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
        let cause = in_words(&cause);
        if text.ends_with(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&cause);
    }
    text
}

/// Returns an error without the number behind the words of the operating system, and these as the libraries say them.
pub(crate) fn in_words(cause: &str) -> String {
    let words = match cause.rsplit_once(" (os error ") {
        Some((words, rest)) if rest.ends_with(')') => words,
        _ => cause,
    };
    words.replace("No such file or directory", "no such file or folder")
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

    #[test]
    fn who_misspells_a_ruleset_is_told_which_was_meant_and_which_there_are() {
        let here = std::path::Path::new(".");
        let said = |name| with_hint(&tafl_training::load_rules(name, here).expect_err("unknown"));
        let others = "use one of copenhagen, ";
        let expected =
            format!("unknown ruleset \"Brandub\"; did you mean brandubh? if not, {others}");
        assert!(said("Brandub").starts_with(&expected));
        let expected = format!("unknown ruleset \"chess\"; {others}");
        assert!(said("chess").starts_with(&expected));
    }
}
