//! `tafl rules list` and `tafl rules show`.

use crate::args::PositionSource;
use crate::board::Style;
use crate::output::{print_out, write_file};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tafl_rules::{Diagram, RankOrder, Ruleset, preset, preset_source};
use tafl_training::ruleset_fields as fields;

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
        None => std::fs::read_to_string(name_or_path).with_context(|| name_or_path.to_owned())?,
    };
    let clauses = Clauses::of(&source);
    let comments = source.lines().take_while(|line| line.starts_with('#'));
    // What follows `#:` is for editors.
    for line in comments.filter(|line| !line.starts_with("#:")) {
        println!("{line}");
    }
    for (field, value) in fields(ruleset) {
        let line = format!("{field:<18}  {value:<13}  {}", clauses.of_field(field));
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

/// What the comments of a ruleset file, and of the preset it is based on, say of the fields.
struct Clauses {
    by_field: Vec<(String, String)>,
}

impl Clauses {
    fn of(source: &str) -> Self {
        let mut by_field = comments(source);
        let base = source
            .lines()
            .find_map(|line| assignment(line).filter(|a| a.0 == "base"));
        if let Some((_, name, _)) = base {
            let given: Vec<&str> = source
                .lines()
                .filter_map(assignment)
                .map(|(field, ..)| field)
                .collect();
            let inherited = comments(preset_source(&name).unwrap_or_default());
            by_field.extend(
                inherited
                    .into_iter()
                    .filter(|(field, _)| !given.contains(&field.as_str()))
                    .map(|(field, clause)| (field, format!("{clause} (as {name})"))),
            );
        }
        Self { by_field }
    }

    fn of_field(&self, field: &str) -> &str {
        let found = self.by_field.iter().find(|(name, _)| name == field);
        found.map_or("", |(_, clause)| clause)
    }
}

fn comments(source: &str) -> Vec<(String, String)> {
    let assignments = source.lines().filter_map(assignment);
    assignments
        .map(|(field, _, comment)| (field.to_owned(), comment))
        .collect()
}

/// Cuts `field = value # comment`; no value of a ruleset file holds a `#`.
fn assignment(line: &str) -> Option<(&str, String, String)> {
    let (field, rest) = line
        .split_once('=')
        .filter(|_| !line.trim_start().starts_with('#'))?;
    let (value, comment) = rest.split_once('#').unwrap_or((rest, ""));
    let value = value.trim().trim_matches(['"', '\'']);
    Some((field.trim(), value.to_owned(), comment.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_files() {
        let ruleset = preset("copenhagen-tournament").expect("a preset");
        let fields = fields(&ruleset);
        let value = |name| {
            fields
                .iter()
                .find(|(field, _)| *field == name)
                .map(|(_, v)| v.clone())
        };
        assert_eq!(value("match").as_deref(), Some("two-sets"));
        assert_eq!(value("shieldwall").as_deref(), Some("true"));
        assert_eq!(value("captureless_limit").as_deref(), Some("none"));
        assert_eq!(value("king_capture").as_deref(), Some("four-sides"));
    }

    #[test]
    fn every_field_of_a_preset_has_its_clause() {
        for name in tafl_training::ruleset_names() {
            let clauses = Clauses::of(preset_source(name).expect("a preset"));
            let ruleset = preset(name).expect("a preset");
            for (field, _) in fields(&ruleset)
                .iter()
                .filter(|(f, _)| !["name", "board"].contains(f))
            {
                assert!(!clauses.of_field(field).is_empty(), "{name}: {field}");
            }
        }
    }

    #[test]
    fn a_file_inherits_the_clauses_of_fields_that_it_does_not_give() {
        let file = "name = \"mine\"\nbase = \"fetlar\"\nedge_fort = true # mine\nranks = true\n";
        let clauses = Clauses::of(file);
        assert_eq!(clauses.of_field("edge_fort"), "mine");
        assert_eq!(clauses.of_field("ranks"), "");
        assert!(clauses.of_field("encirclement").ends_with("(as fetlar)"));
    }
}
