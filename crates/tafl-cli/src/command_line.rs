//! Reads the command line, and says in a user's words what is wrong with it.

use crate::args::DataFolder;
use crate::commands::{Cli, arena};
use crate::hint::hinted;
use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches};
use std::error::Error;
use std::ffi::OsString;

/// Upper ends of ranges that stand for none.
const NO_END: [&str; 2] = ["4294967295", "18446744073709551615"];

/// Reads the command line; `--help` and `--version` are answered, and end the process.
///
/// # Errors
/// If an argument has a value that it cannot have. Of what clap says well the process ends here.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> anyhow::Result<Cli> {
    let arguments: Vec<OsString> = arguments.collect();
    if let Some(address) = arguments
        .iter()
        .filter_map(|it| it.to_str())
        .find_map(address)
    {
        return Err(hinted(
            format!("{address}: only files and folders of this machine are read and written"),
            "copy them here first, or mount the storage as a folder",
        ));
    }
    DataFolder::look_for(&arguments);
    let matches = with_negative_numbers(Cli::command()).try_get_matches_from(arguments);
    if let Ok(matches) = &matches
        && let Some(("arena", given)) = matches.subcommand()
    {
        arena::check(given)?;
    }
    match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => Ok(cli),
        Err(error) => match in_words(&error) {
            Some(words) => Err(anyhow!(words)),
            None => error.exit(),
        },
    }
}

/// Returns the address in an argument such as `s3://bucket/run` or `--out=s3://bucket/run`.
fn address(argument: &str) -> Option<&str> {
    let value = argument
        .split_once('=')
        .map_or(argument, |(_, value)| value);
    let (scheme, _) = value.split_once("://")?;
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|it| it.is_ascii_alphanumeric());
    is_scheme.then_some(value)
}

/// Lets `-1` be a value, which is refused as one, rather than an option that does not exist.
fn with_negative_numbers(command: Command) -> Command {
    let command = command.allow_negative_numbers(true);
    command.mut_subcommands(with_negative_numbers)
}

/// Returns what is wrong with a value; `None` if clap's own words are good enough.
fn in_words(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (argument, value) = (
        text(ContextKind::InvalidArg)?,
        text(ContextKind::InvalidValue)?,
    );
    let name = argument
        .split(' ')
        .next()?
        .trim_matches(['<', '>', '[', ']', '.']);
    let expected = match name {
        // Games of a text are counted, and those of Parquet have IDs.
        "--game" => "a number from 1, or the ID of a game in Parquet from 0".to_owned(),
        _ => expected(&error.source()?.to_string(), value)?,
    };
    let value = if value.is_empty() { "empty" } else { value };
    Some(format!("{name} must be {expected}, not {value}"))
}

/// Returns what a number must be, by what the standard library or clap says of it.
fn expected(reason: &str, value: &str) -> Option<String> {
    if let Some((_, range)) = reason.split_once(" is not in ") {
        let (least, most) = range.split_once("..=").or(range.split_once(".."))?;
        return Some(match most {
            "" => format!("at least {least}"),
            // A number that is too large is told the end that no other reaches.
            most if NO_END.contains(&most) && value.starts_with('-') => format!("at least {least}"),
            most => format!("from {least} to {most}"),
        });
    }
    let is_negative = value.starts_with('-') && value.parse::<f64>().is_ok();
    let expected = match reason {
        "invalid digit found in string" if is_negative => "at least 0",
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number"
        }
        "number too large to fit in target type" => "a smaller number",
        "invalid float literal" | "cannot parse float from empty string" => "a number",
        _ => return None,
    };
    Some(expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a command.
    fn said(command: &str) -> String {
        let arguments = command.split(' ').map(OsString::from);
        let parsed = parse([OsString::from("tafl")].into_iter().chain(arguments));
        parsed
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn values_are_refused_in_words() {
        for (command, expected) in [
            (
                "play --visits -1",
                "--visits must be from 1 to 1000000, not -1",
            ),
            (
                "play --visits 2.5",
                "--visits must be a whole number, not 2.5",
            ),
            (
                "play --visits=",
                "--visits must be a whole number, not empty",
            ),
            (
                "selfplay a.toml --out b --games -3",
                "--games must be at least 0, not -3",
            ),
            (
                "analyze a.txt --game -1",
                "--game must be a number from 1, or the ID of a game in Parquet from 0, not -1",
            ),
            (
                "selfplay a.toml --out b --games two",
                "--games must be a whole number, not two",
            ),
            (
                "selfplay a.toml --out b --shards 4294967296",
                "--shards must be from 0 to 4294967295, not 4294967296",
            ),
            (
                "train a.toml --data=s3://b/c",
                "s3://b/c: only files and folders of this machine are read and written",
            ),
            (
                "report s3://b/c",
                "s3://b/c: only files and folders of this machine are read and written",
            ),
            (
                "arena a.toml --openings 3",
                "--openings: the ladder of a run is played as the config says",
            ),
            (
                "arena a.toml --engine b --protocol uci",
                "--engine: the ladder of a run is played as the config says",
            ),
        ] {
            assert_eq!(said(command), expected, "{command}");
        }
        for command in [
            "play --visits 3",
            "arena a.toml --run b --seed 2 --data c --json",
        ] {
            assert_eq!(said(command), "", "{command}");
        }
    }

    #[test]
    fn commands_are_put_together_well() {
        with_negative_numbers(Cli::command()).debug_assert();
    }
}
