//! `tafl rules list` and `tafl rules show`.

use crate::args::PositionSource;
use crate::board::Style;
use crate::output::{print_out, write_file};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tafl_config::{MOST_CONFIG_BYTES, text_of_file};
use tafl_rules::{Diagram, RankOrder, Ruleset, preset, preset_source};
use tafl_training::{ruleset_clauses as clauses, ruleset_fields as fields};

/// Arguments of `tafl rules show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of a ruleset, or path to a ruleset file.
    ruleset: String,
    /// Draw the board as SVG, and nothing else: into FILE, or to standard output.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    position: PositionSource,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = tafl_training::load_rules(&args.ruleset, Path::new("."))?;
    let position = args.position.read(&rules)?;
    let diagram = Diagram::new(&rules, &position);
    match args.svg.as_deref() {
        None => {
            describe(&args.ruleset, rules.ruleset())?;
            println!();
            let style = Style::of_stdout();
            print!("{}", style.draw(&diagram));
            if let Some(legend) = style.legend(&diagram) {
                println!("\n    {legend}");
            }
        }
        Some(file) if file == Path::new("-") => print_out(&diagram.svg())?,
        Some(file) => write_file(file, diagram.svg().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a ruleset field by field, each with the clause that it implements.
fn describe(name_or_path: &str, ruleset: &Ruleset) -> anyhow::Result<()> {
    let source = match preset_source(name_or_path) {
        Some(source) => source.to_owned(),
        None => text_of_file(std::path::Path::new(name_or_path), MOST_CONFIG_BYTES)
            .with_context(|| name_or_path.to_owned())?,
    };
    let clauses = clauses(&source);
    let comments = source.lines().take_while(|line| line.starts_with('#'));
    // What follows `#:` is for editors.
    for line in comments.filter(|line| !line.starts_with("#:")) {
        println!("{line}");
    }
    for (field, value) in fields(ruleset) {
        let clause = clauses.get(field).map_or("", String::as_str);
        let line = format!("{field:<18}  {value:<13}  {clause}");
        println!("{}", line.trim_end());
    }
    let start = ruleset.start.to_text(RankOrder::HighestFirst);
    println!("start               {start}");
    Ok(())
}

/// Prints a table with one column a ruleset.
pub(super) fn list() {
    let rulesets: Vec<Ruleset> = tafl_training::ruleset_names()
        .into_iter()
        .filter_map(preset)
        .collect();
    let columns: Vec<Vec<(&str, String)>> = rulesets.iter().map(fields).collect();
    for (row, (field, _)) in columns[0].iter().enumerate() {
        let mut line = format!("{field:<18}");
        for (ruleset, column) in rulesets.iter().zip(&columns) {
            let values = column.iter().map(|(_, value)| value.len());
            let width = values.max().unwrap_or(0).max(ruleset.name.len());
            line += &format!("  {:<width$}", column[row].1);
        }
        println!("{}", line.trim_end());
    }
}
