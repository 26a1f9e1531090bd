//! `tafl config diff`: the fields in which two configs differ.

use crate::config::schema::{self, Kind};
use crate::table::{self, Align};
use crate::toml_file;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use toml::{Table, Value};

/// Arguments of `tafl config diff`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A run config.
    first: PathBuf,
    /// Another one.
    second: PathBuf,
}

/// The exit code of two configs that differ.
const DIFFERENT: u8 = 1;

/// Stands where a file lacks a field.
const LACKING: &str = "–";

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // Files of other versions, with fields too few or too many, can be compared as well.
    let (first, _) = toml_file::open(&args.first, &[])?;
    let (second, _) = toml_file::open(&args.second, &[])?;
    let rows: Vec<Vec<String>> = paths(&first, &second)
        .into_iter()
        .filter_map(|path| {
            let values = [&first, &second].map(|table| toml_file::value(table, &path));
            let is_same = match values {
                [Some(one), Some(other)] => is_equal(one, other),
                _ => false,
            };
            let [one, other] =
                values.map(|value| value.map_or_else(|| LACKING.to_owned(), toml_file::display));
            (!is_same).then(|| vec![path, one, other])
        })
        .collect();
    if rows.is_empty() {
        println!("all fields are equal");
        return Ok(ExitCode::SUCCESS);
    }
    let [one, other] = [&args.first, &args.second].map(|path| path.display().to_string());
    let head = [
        ("field", Align::Left),
        (&*one, Align::Left),
        (&*other, Align::Left),
    ];
    print!("{}", table::format(&head, &rows));
    Ok(ExitCode::from(DIFFERENT))
}

/// Returns the paths of all values in either table, those of known fields as they are declared.
fn paths(first: &Table, second: &Table) -> Vec<String> {
    let all = [first, second].into_iter().flat_map(toml_file::paths);
    let mut found: BTreeSet<String> = all.collect();
    let known = schema::fields(Kind::Run)
        .into_iter()
        .map(|field| field.path);
    let mut paths: Vec<String> = known.filter(|path| found.remove(path)).collect();
    paths.extend(found);
    paths
}

/// Returns whether two values mean the same; 1 and 1.0 do.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Integer(whole), Value::Float(number))
        | (Value::Float(number), Value::Integer(whole)) => *whole as f64 == *number,
        _ => one == other,
    }
}
