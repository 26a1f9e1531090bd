//! `tafl rules convert ruleset`.

use super::text_of_file_or_argument;
use crate::args::text_of_stdin;
use crate::hint::hinted;
use crate::subject::is_path;
use anyhow::{Context, bail, ensure};
use std::path::Path;
use tafl_config::read_ruleset;
use tafl_rules::notation::opentafl::{self, RecordError};
use tafl_rules::{RankOrder, Ruleset, name_refusal};
use tafl_training::load_rules;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tafl rules convert ruleset --from opentafl --to taflforge 'dim:7 name:mine ks:c start:/3t3/7/7/3K3/7/7/7/'
  tafl rules convert ruleset --from taflforge --to opentafl my-rules.toml
  tafl rules convert ruleset --from taflforge --to opentafl copenhagen \\
    --approximate captureless_limit,repetition

Fields whose values OpenTafl has no key for are refused by their names.")]
pub(super) struct Args {
    /// Notation of RULESET.
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: From,
    /// Notation to print.
    #[arg(long, value_enum, value_name = "NOTATION")]
    to: To,
    /// Fields to write as OpenTafl's nearest rule, which is another rule, where it has no key for their values.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    approximate: Vec<String>,
    /// Name of a ruleset, path to a ruleset file, or a rules record or a file of it; `-` reads standard input.
    ruleset: String,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum From {
    /// The name of a ruleset, or a ruleset file.
    Taflforge,
    /// A rules record, with `start` or `starti`.
    Opentafl,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum To {
    /// A ruleset file with all fields.
    Taflforge,
    /// A rules record with `start`: rank 1 first.
    Opentafl,
    /// A rules record with `starti`: the highest rank first.
    OpentaflStarti,
}

pub(super) fn convert(args: &Args) -> anyhow::Result<String> {
    let mut ruleset = match args.from {
        From::Opentafl => {
            let argument = &args.ruleset;
            let read = opentafl::read_ruleset(&text_of_file_or_argument(argument)?);
            match is_path(argument) {
                true => read.with_context(|| argument.clone())?,
                false => read?,
            }
        }
        From::Taflforge => match &*args.ruleset {
            "-" => read_ruleset(Path::new("stdin"), &text_of_stdin()?)?,
            name_or_path => load_rules(name_or_path, Path::new("."))?,
        }
        .ruleset()
        .clone(),
    };
    let exact = ruleset.clone();
    for field in &args.approximate {
        ensure!(
            exact.to_fields().contains_key(field),
            "--approximate: {field:?} is not a field of rulesets"
        );
        opentafl::approximate(&mut ruleset, field);
    }
    if ruleset != exact {
        // Other rules need another name.
        ruleset.name = ruleset.name.chars().take(51).collect::<String>() + "-approximate";
    }
    match args.to {
        To::Taflforge => match name_refusal(&ruleset) {
            Some(reason) => bail!("name: {reason}"),
            None => Ok(ruleset.to_toml()),
        },
        To::Opentafl => record(&ruleset, RankOrder::LowestFirst),
        To::OpentaflStarti => record(&ruleset, RankOrder::HighestFirst),
    }
}

fn record(ruleset: &Ruleset, order: RankOrder) -> anyhow::Result<String> {
    let record = opentafl::write_ruleset(ruleset, order).map_err(|error| match &error {
        RecordError::NoWords(unsaid) => {
            let fields: Vec<_> = unsaid.iter().map(|(field, _)| *field).collect();
            let fields = fields.join(",");
            let hint = format!("--approximate {fields} writes OpenTafl's nearest rules instead");
            hinted(error.to_string(), hint)
        }
        _ => error.into(),
    })?;
    Ok(record + "\n")
}
