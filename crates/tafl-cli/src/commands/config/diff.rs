//! `tafl config diff`: the fields in which two configs differ.

use crate::table::{self, Align};
use std::path::PathBuf;
use std::process::ExitCode;
use tafl_config::{Difference, display};
use tafl_training::load;

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

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let first = load(&args.first, &[])?.config;
    let second = load(&args.second, &[])?.config;
    let differences = tafl_config::difference(&first, &second)?;
    if differences.is_empty() {
        println!("all fields are equal");
        return Ok(ExitCode::SUCCESS);
    }
    let row = |Difference { field, values }: Difference| {
        // Fields of another alternative, such as `search.puct`, have no value.
        let cells = values.map(|value| value.map_or_else(|| "–".to_owned(), |it| display(&it)));
        [vec![field], cells.to_vec()].concat()
    };
    let rows: Vec<Vec<String>> = differences.into_iter().map(row).collect();
    let [one, other] = [&args.first, &args.second].map(|path| path.display().to_string());
    let head = [
        ("field", Align::Left),
        (&*one, Align::Left),
        (&*other, Align::Left),
    ];
    print!("{}", table::format(&head, &rows));
    Ok(ExitCode::from(DIFFERENT))
}
