//! `tafl rules list` and `tafl rules show`.

use crate::args::{PositionSource, svg_file};
use crate::board::Style;
use crate::output::{print_out, write_named};
use crate::process::ExitCode;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tafl_config::{MOST_CONFIG_BYTES, ruleset_table};
use tafl_rules::{
    Diagram, PLAYED_NAMES, RULESET_NAMES, RankOrder, Ruleset, preset, preset_named, preset_source,
};
use tafl_store::read_text;
use tafl_training::{all_ruleset_variants, load_rules, ruleset_word};
use toml::de::DeTable;

/// What is said of a field that changes nothing beside the others.
const IDLE: &str = "without meaning";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of a ruleset, or path to a ruleset file.
    ruleset: String,
    /// Draw the board as SVG, and nothing else: into FILE, or to standard output.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", value_parser = svg_file)]
    svg: Option<PathBuf>,
    #[command(flatten)]
    position: PositionSource,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Rulesets to list instead: names, or paths to ruleset files.
    rulesets: Vec<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = load_rules(&args.ruleset, Path::new("."))?;
    let position = args.position.read(&rules)?;
    let diagram = Diagram::new(&rules, &position);
    match args.svg.as_deref() {
        None => {
            describe(&args.ruleset, rules.ruleset())?;
            println!();
            let style = Style::of_stdout();
            print!("{}", style.draw(&diagram));
            println!("\n    {} to move", position.side());
            if let Some(legend) = style.legend(&diagram) {
                println!("\n    {legend}");
            }
        }
        Some(file) if file == Path::new("-") => print_out(&diagram.svg())?,
        Some(file) => write_named(file, diagram.svg().as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a ruleset field by field, each with the clause that it implements.
fn describe(name_or_path: &str, ruleset: &Ruleset) -> anyhow::Result<()> {
    let source = match preset_named(name_or_path).and_then(preset_source) {
        Some(source) => source.to_owned(),
        None => read_text(Path::new(name_or_path), MOST_CONFIG_BYTES)?,
    };
    let clauses = clauses(&source);
    let comments = source.lines().take_while(|line| line.starts_with('#'));
    // What follows `#:` is for editors.
    for line in comments.filter(|line| !line.starts_with("#:")) {
        println!("{line}");
    }
    let rows = rows(ruleset);
    let widest = widest(&rows);
    let idle = idle_fields(ruleset);
    for (field, value) in &rows {
        let mark = idle.contains(field).then_some(IDLE);
        let clause = clauses.get(field).map(String::as_str);
        // Of this a base may say what its other fields were the reason for.
        let clause = clause.filter(|it| !it.is_empty() && !it.starts_with(IDLE));
        let clause = mark
            .into_iter()
            .chain(clause)
            .collect::<Vec<_>>()
            .join("; ");
        let line = format!("{field:<widest$}  {value:<13}  {clause}");
        println!("{}", line.trim_end());
    }
    let start = ruleset.start.to_text(RankOrder::HighestFirst);
    println!("{:<widest$}  {start}", "start");
    Ok(())
}

/// Returns the fields of which no other value changes a game, because of the other fields.
fn idle_fields(ruleset: &Ruleset) -> BTreeSet<String> {
    let all = all_ruleset_variants(ruleset);
    let field = |text: &String| text.split('=').next().unwrap_or_default().to_owned();
    let mut idle: BTreeSet<String> = all.without_effect.iter().map(field).collect();
    for active in all.repeated.iter().map(field) {
        idle.remove(&active);
    }
    for active in &all.found {
        idle.remove(&active.change.field);
    }
    // No list has its values: a neighbour, 2 or more as it must be.
    let other = Ruleset {
        repetition_occurrence: ruleset.repetition_occurrence ^ 1,
        ..ruleset.clone()
    };
    if other.plays_as(ruleset) {
        idle.insert("repetition_occurrence".to_owned());
    }
    // What games are called and how they are counted says something without changing any.
    idle.retain(|it| it != "match" && (it != "captureless_reason" || !ruleset.says(it)));
    idle
}

/// Returns the fields and values of a ruleset, with the size of its board in place of the start position.
fn rows(ruleset: &Ruleset) -> Vec<(String, String)> {
    let fields = ruleset_table(ruleset).into_iter();
    let fields = fields.filter(|(field, _)| field != "start");
    let mut rows: Vec<(String, String)> = fields
        .map(|(field, value)| (field, ruleset_word(&value)))
        .collect();
    let size = ruleset.start.shape.size();
    rows.insert(1, ("board".to_owned(), format!("{size}x{size}")));
    rows
}

/// Returns the width of the names of fields.
fn widest(rows: &[(String, String)]) -> usize {
    let widths = rows.iter().map(|(field, _)| field.len());
    widths.max().unwrap_or(0)
}

/// Returns the comment behind each field of a ruleset file. Fields that the file does not set have the comment of the
/// preset it is based on, followed by `(as PRESET)`.
fn clauses(source: &str) -> BTreeMap<String, String> {
    let mut clauses = BTreeMap::new();
    let Ok(document) = DeTable::parse(source) else {
        return clauses;
    };
    let fields = document.get_ref();
    let base = fields.get("base").and_then(|name| name.get_ref().as_str());
    let base = base.and_then(preset_named);
    if let Some((name, source)) = base.and_then(|name| Some((name, preset_source(name)?))) {
        let inherited = self::clauses(source).into_iter();
        clauses.extend(inherited.map(|(field, it)| (field, format!("{it} (as {name})"))));
        // The name is the file's own.
        clauses.remove("name");
    }
    for (field, value) in fields {
        let rest = source[value.span().end..].lines().next();
        let comment = rest.and_then(|rest| rest.trim_start().strip_prefix('#'));
        let comment = comment.unwrap_or_default().trim().to_owned();
        clauses.insert(field.get_ref().to_string(), comment);
    }
    clauses
}

/// Prints tables with one column a ruleset.
pub(super) fn list(args: &ListArgs) -> anyhow::Result<ExitCode> {
    print!("{}", listed(&args.rulesets)?);
    Ok(ExitCode::SUCCESS)
}

/// Returns a table of rulesets; without any, those of the rulesets that come with the program.
fn listed(rulesets: &[String]) -> anyhow::Result<String> {
    let shipped = |names: &[&str]| table(names.iter().filter_map(|name| preset(name)));
    if rulesets.is_empty() {
        let tables = [shipped(&RULESET_NAMES), shipped(&PLAYED_NAMES)];
        return Ok(tables.join("\n"));
    }
    let rules = rulesets.iter().map(|it| load_rules(it, Path::new(".")));
    let rules = rules.collect::<anyhow::Result<Vec<_>>>()?;
    Ok(table(rules.iter().map(|it| it.ruleset().clone())))
}

fn table(rulesets: impl Iterator<Item = Ruleset>) -> String {
    let rulesets: Vec<Ruleset> = rulesets.collect();
    let columns: Vec<_> = rulesets.iter().map(rows).collect();
    let widest = widest(&columns[0]);
    let mut text = String::new();
    for (row, (field, _)) in columns[0].iter().enumerate() {
        let mut line = format!("{field:<widest$}");
        for (ruleset, column) in rulesets.iter().zip(&columns) {
            let values = column.iter().map(|(_, value)| value.len());
            let width = values.max().unwrap_or(0).max(ruleset.name.len());
            line += &format!("  {:<width$}", column[row].1);
        }
        text.extend([line.trim_end(), "\n"]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::Repetition;

    #[test]
    fn fields_without_meaning_are_told_by_the_others() {
        let idle = |ruleset: &Ruleset| idle_fields(ruleset).into_iter().collect::<Vec<_>>();
        let brandubh = preset("brandubh").expect("a preset");
        assert_eq!(idle(&brandubh), ["jump_hostile", "shieldwall_by_end"]);
        let with_rows = Ruleset {
            shieldwall: true.into(),
            ..brandubh.clone()
        };
        assert_eq!(idle(&with_rows), ["jump_hostile"]);
        let endless = Ruleset {
            repetition: Repetition::Off,
            captureless_limit: None,
            ..with_rows
        };
        let expected = [
            "captureless_reason",
            "jump_hostile",
            "repetition_occurrence",
        ];
        assert_eq!(idle(&endless), expected);
    }

    #[test]
    fn a_file_is_listed_beside_other_rulesets() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: ListArgs,
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mine.toml");
        std::fs::write(&file, "base = \"brandubh\"\nescape = \"edges\"\n").expect("written");
        let words = ["list", "brandubh", file.to_str().expect("text")];
        let line = <Line as clap::Parser>::try_parse_from(words).expect("a line");
        let text = listed(&line.args.rulesets).expect("rulesets");
        let row = |field: &str| {
            let line = text.lines().find(|it| it.starts_with(field));
            line.map(|it| it.split_whitespace().skip(1).collect::<Vec<_>>())
        };
        assert_eq!(row("name"), Some(vec!["brandubh", "mine"]), "{text}");
        assert_eq!(row("escape"), Some(vec!["corners", "edges"]), "{text}");
    }

    #[test]
    fn a_file_inherits_the_clauses_of_fields_that_it_does_not_set() {
        assert!(!clauses("base = \"fetlar\"").contains_key("name"));
        let file = "name = \"mine\"\nbase = \"Fetlar\"\nshieldwall = true # mine\nranks = true\n";
        let clauses = clauses(file);
        assert_eq!(clauses["shieldwall"], "mine");
        assert_eq!(clauses["ranks"], "");
        assert!(clauses["encirclement"].ends_with("(as fetlar)"));
    }
}
