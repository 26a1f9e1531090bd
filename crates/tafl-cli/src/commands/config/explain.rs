//! `tafl config explain`: what a field means, as its documentation in the source says.

use super::Kind;
use crate::table;
use anyhow::Context;
use std::path::PathBuf;
use tafl_config::{Field, display, nearest, value};
use tafl_studies::FIVE_RULESETS;
use tafl_training::{SHIPPED, hinted, ruleset_names};
use toml::Table;

/// Arguments of `tafl config explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A field such as search.c_scale, a section such as search, ruleset.escape for ruleset files, balance.openings for
    /// studies; without it all are listed.
    field: Option<String>,
    /// Show the values in these run configs or ruleset files instead of those that come with the program.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

/// Columns of explanations.
const WIDTH: usize = 100;

/// Stands in front of the fields of ruleset files.
const RULESET: &str = "ruleset";

/// Stands in front of the fields of balance studies.
const BALANCE: &str = "balance";

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let fields = all_fields();
    let Some(typed) = &args.field else {
        print!("{}", list(&fields));
        return Ok(());
    };
    let found = find(&fields, typed)?;
    let mut texts = Vec::new();
    for (name, field) in found {
        let files = read_files(&args.config, kind_of(name))?;
        texts.push(explain(name, field, &files));
    }
    print!("{}", texts.join("\n"));
    Ok(())
}

/// Returns every field and section with the name that it is asked for by.
fn all_fields() -> Vec<(String, Field)> {
    let run = Kind::Run.fields().into_iter();
    let within = |kind: Kind, section: &'static str| {
        let fields = kind.fields().into_iter();
        fields.map(move |field| (format!("{section}.{}", field.path), field))
    };
    run.map(|field| (field.path.clone(), field))
        .chain(within(Kind::Ruleset, RULESET))
        .chain(within(Kind::Balance, BALANCE))
        .collect()
}

/// Returns in which files a field is that is asked for by this name.
fn kind_of(name: &str) -> Kind {
    match name.split_once('.') {
        Some((RULESET, _)) => Kind::Ruleset,
        Some((BALANCE, _)) => Kind::Balance,
        _ => Kind::Run,
    }
}

/// Returns the field or section of that name with what is in it, or the fields that are called so in any section.
fn find<'a>(
    fields: &'a [(String, Field)],
    typed: &str,
) -> anyhow::Result<Vec<&'a (String, Field)>> {
    let typed = typed.trim_end_matches('.');
    let within = format!("{typed}.");
    let last = |name: &'a str| name.rsplit('.').next().unwrap_or(name);
    let named: Vec<_> = fields
        .iter()
        .filter(|(name, _)| name == typed || name.starts_with(&within))
        .collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let ending: Vec<_> = fields
        .iter()
        .filter(|(name, _)| last(name) == typed)
        .collect();
    if !ending.is_empty() {
        return Ok(ending);
    }
    let names = fields.iter().map(|(name, _)| name.as_str());
    // A name without its section is compared with names without theirs.
    let meant = if typed.contains('.') {
        nearest(typed, names)
    } else {
        nearest(typed, names.map(last))
    };
    let message = format!("{typed:?} is not a field");
    Err(match meant {
        Some(meant) => hinted(message, format!("did you mean {meant}?")),
        None => hinted(message, "`tafl config explain` lists all fields"),
    })
}

fn list(fields: &[(String, Field)]) -> String {
    let row = |(name, field): &(String, Field)| {
        let depth = name.matches('.').count();
        vec![format!("{}{name}", "  ".repeat(depth)), field.kind()]
    };
    table::of("field | holds", fields.iter().map(row))
}

/// Returns the files whose values are shown, each with its name.
fn read_files(paths: &[PathBuf], kind: Kind) -> anyhow::Result<Vec<(String, Table)>> {
    if !paths.is_empty() {
        let read = |path: &PathBuf| {
            let context = || path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(context)?;
            Ok((context(), text.parse::<Table>().with_context(context)?))
        };
        return paths.iter().map(read).collect();
    }
    let texts: Vec<(&str, &str)> = match kind {
        Kind::Ruleset => {
            let source = |name| Some((name, tafl_rules::preset_source(name)?));
            ruleset_names().into_iter().filter_map(source).collect()
        }
        Kind::Balance => vec![("five-rulesets", FIVE_RULESETS)],
        Kind::Run => SHIPPED.to_vec(),
    };
    let parse = |(name, text): (&str, &str)| {
        let table = text.parse().context("a file that is compiled in")?;
        Ok((name.to_owned(), table))
    };
    texts.into_iter().map(parse).collect()
}

fn explain(name: &str, field: &Field, files: &[(String, Table)]) -> String {
    let choices = field.choices();
    let kind = if choices.is_empty() {
        field.kind()
    } else {
        "one of these".to_owned()
    };
    let mut text = format!("{name}: {kind}\n{}", indented(field.documentation(), 2));
    for (word, meaning) in choices {
        text += &indented(&format!("{word}: {meaning}"), 4);
    }
    if field.is_section() || field.is_of_entries() {
        return text;
    }
    let widest = files
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    for (file, table) in files {
        let given = value(table, &field.path).or(field.default.as_ref());
        let value = given.map_or_else(|| "not given".to_owned(), display);
        text += &format!("  {file:<widest$}  {value}\n");
    }
    text
}

/// Returns a text in lines that are not too long, each behind so many spaces.
fn indented(text: &str, spaces: usize) -> String {
    let mut lines = String::new();
    for paragraph in text.split("\n\n") {
        let mut line = " ".repeat(spaces);
        for word in paragraph.split_whitespace() {
            if line.len() > spaces && line.chars().count() + 1 + word.chars().count() > WIDTH {
                lines += &format!("{line}\n");
                line = " ".repeat(spaces);
            }
            if line.len() > spaces {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines += &format!("{line}\n");
    }
    lines
}
