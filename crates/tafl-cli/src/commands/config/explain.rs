//! `tafl config explain`: what a field means, as its documentation in the source says.

use crate::args::kind_of;
use crate::hint::hinted;
use crate::text::table;
use anyhow::Context;
use std::path::PathBuf;
use strum::VariantArray;
use tafl_config::{Field, display, find, similar, spelled, value};
use tafl_dataset::{measure_meaning, measures};
use tafl_studies::ConfigKind as Kind;
use toml::Table;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A field such as search.visits, a section such as search, ruleset.escape for ruleset files, balance.openings for
    /// studies; `ruleset`, `balance` or `sweep` for all fields of such files; or a measure of runs such as loss/value,
    /// `selfplay/` for some, `measures` for all. Default: list all fields.
    field: Option<String>,
    /// Show the values in these run configs or ruleset files instead of those that come with the program.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

/// What all measures of runs are explained by.
const MEASURES: &str = "measures";

/// Columns of explanations.
const WIDTH: usize = 100;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let kinds = Kind::VARIANTS.iter();
    let fields: Vec<Field> = kinds.flat_map(|kind| kind.fields()).collect();
    let Some(typed) = &args.field else {
        print!("{}", list(&fields));
        return Ok(());
    };
    let typed = typed.trim_end_matches('.');
    if typed == MEASURES || typed.contains('/') {
        return explain_measures(typed);
    }
    let found = find(&fields, typed);
    if found.is_empty() {
        let group = format!("{typed}/");
        if measures().any(|(name, _)| name.starts_with(&group)) {
            let advice = format!("`tafl config explain {group}` explains measures of runs");
            return Err(hinted(format!("{typed:?} is not a field"), advice));
        }
        return Err(unknown(&fields, typed));
    }
    let given = args.config.iter().map(|path| {
        let name = path.display().to_string();
        let (kind, text) = kind_of(path)?;
        let table: Table = text.parse().with_context(|| name.clone())?;
        Ok((kind, (name, kind.with_defaults(path, &text, table))))
    });
    let given: Vec<(Kind, Values)> = given.collect::<anyhow::Result<_>>()?;
    let texts = found.iter().map(|field| {
        let kind = Kind::of_field(field);
        let own = given.iter().filter(|(its, _)| *its == kind);
        let own: Vec<Values> = own.map(|(_, values)| values.clone()).collect();
        explain(field, &if given.is_empty() { shipped(kind) } else { own })
    });
    print!("{}", texts.collect::<Vec<_>>().join("\n"));
    Ok(())
}

/// Returns an error about a name that is no field, with what it may mean.
fn unknown(fields: &[Field], typed: &str) -> anyhow::Error {
    if let Some(removed) = Kind::VARIANTS.iter().find_map(|kind| kind.removed(typed)) {
        return removed.into();
    }
    let advice = |kinds: &[Kind]| {
        let own = fields.iter();
        let own = own.filter(|field| kinds.contains(&Kind::of_field(field)));
        let paths: Vec<&str> = own.map(|field| &*field.path).collect();
        let word = || kinds.iter().find_map(|kind| kind.meant(typed));
        let spelled = spelled(typed, &paths).map(|meant| meant.advice());
        let known = spelled.or_else(word);
        known.or_else(|| similar(typed, &paths).map(|meant| meant.advice()))
    };
    // A run's fields come first where no other section is named.
    let mut kinds = Kind::VARIANTS.iter();
    let own = kinds.find(|kind| typed.split('.').next() == Some(kind.section()));
    let known = advice(&[*own.unwrap_or(&Kind::Run)]).or_else(|| advice(Kind::VARIANTS));
    let advice = known.unwrap_or_else(|| {
        let sections = Kind::VARIANTS.iter().map(|kind| kind.section());
        let others: Vec<&str> = sections.filter(|it| !it.is_empty()).collect();
        format!(
            "`tafl config explain` lists all fields, those of other files than run configs as {}",
            others.join(", ")
        )
    });
    hinted(format!("{typed:?} is not a field"), advice)
}

/// Prints what measures of runs are: one, those whose names begin so, or all.
fn explain_measures(typed: &str) -> anyhow::Result<()> {
    let is_meant = |name: &str| typed == MEASURES || name.starts_with(typed);
    let found: Vec<(&str, &str)> = match measure_meaning(typed) {
        Some(meaning) => vec![(typed, meaning)],
        None => measures().filter(|(name, _)| is_meant(name)).collect(),
    };
    if found.is_empty() {
        let advice = "`tafl config explain measures` lists all";
        return Err(hinted(format!("{typed:?} is not a measure"), advice));
    }
    for (name, meaning) in found {
        print!("{name}\n{}", indented(meaning, 2));
    }
    Ok(())
}

fn list(fields: &[Field]) -> String {
    let row = |field: &Field| {
        let depth = field.path.matches('.').count();
        vec![
            format!("{}{}", "  ".repeat(depth), field.path),
            field.kind(),
        ]
    };
    table::of("field | holds", fields.iter().map(row))
}

/// The name of a file and what is in it.
type Values = (String, Table);

/// Returns the files of a kind that come with the program.
fn shipped(kind: Kind) -> Vec<Values> {
    let values = |(name, text): (&str, &str)| {
        let given = text.parse().unwrap_or_default();
        (
            name.to_owned(),
            kind.with_defaults(name.as_ref(), text, given),
        )
    };
    kind.shipped().into_iter().map(values).collect()
}

fn explain(field: &Field, files: &[Values]) -> String {
    let choices = field.choices();
    let has_choices = !choices.is_empty();
    let kind = if has_choices {
        "one of these"
    } else {
        &field.kind()
    };
    let mut text = format!("{}: {kind}\n", field.path);
    text += &indented(field.documentation(), 2);
    for (word, meaning) in choices {
        text += &indented(&format!("{word}: {meaning}"), 4);
    }
    if field.is_fixed() {
        text += "  Kept by a run: --resume does not change it.\n";
    }
    if field.is_section() || field.is_of_entries() {
        return text;
    }
    let widths = files.iter().map(|(name, _)| name.chars().count());
    let widest = widths.max().unwrap_or(0);
    for (file, table) in files {
        // Fields of sections that are off, such as `search.puct`, have no value.
        let value = value(table, &field.path).map_or_else(|| "–".to_owned(), display);
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
