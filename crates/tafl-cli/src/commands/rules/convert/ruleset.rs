//! `tafl rules convert ruleset`.

use super::{START, STARTI, text_of_argument};
use std::path::Path;
use tafl_rules::notation::opentafl::{self, RecordError};
use tafl_rules::{Chain, MatchFormat, NoMove, RankOrder, Repetition, Rules, Ruleset};
use tafl_training::{hinted, ruleset_text};

/// Arguments of `tafl rules convert ruleset`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tafl rules convert ruleset --from opentafl --to taflforge 'dim:7 name:mine ks:c start:/3t3/7/7/3K3/7/7/7/'
  tafl rules convert ruleset --from taflforge --to opentafl my-rules.toml
  tafl rules convert ruleset --from taflforge --to opentafl copenhagen \\
    --approximate captureless_limit,repetition

OpenTafl has no keys for captureless limits, matches, draws by lack of moves, optional chains, and
for repetition that one side always loses. Its nearest rules are: no limit, single games, a loss,
forced chains, repetition off; and jump_hostile where pieces jump.")]
pub(super) struct Args {
    /// Notation of RULESET.
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: From,
    /// Notation to print.
    #[arg(long, value_enum, value_name = "NOTATION")]
    to: To,
    /// Fields to write as OpenTafl's nearest rule, which is another rule.
    #[arg(long, value_enum, value_name = "FIELDS", value_delimiter = ',')]
    approximate: Vec<Field>,
    /// Name of a ruleset, path to a ruleset file, or a rules record; `-` reads standard input.
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

/// A field with values that `OpenTafl` has no words for.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Field {
    JumpHostile,
    Chain,
    NoMove,
    Repetition,
    CapturelessLimit,
    Match,
}

pub(super) fn convert(args: &Args) -> anyhow::Result<String> {
    let mut ruleset = match args.from {
        From::Opentafl => opentafl::read_ruleset(&text_of_argument(&args.ruleset)?)?,
        From::Taflforge if args.ruleset == "-" => load("/dev/stdin")?,
        From::Taflforge => load(&args.ruleset)?,
    };
    let exact = ruleset.clone();
    for field in &args.approximate {
        approximate(&mut ruleset, *field);
    }
    if ruleset != exact {
        // Other rules need another name.
        ruleset.name = ruleset.name.chars().take(51).collect::<String>() + "-approximate";
    }
    match args.to {
        To::Taflforge => Ok(ruleset_text(&ruleset)),
        To::Opentafl => record(&ruleset, START),
        To::OpentaflStarti => record(&ruleset, STARTI),
    }
}

fn load(name_or_path: &str) -> anyhow::Result<Ruleset> {
    let rules = tafl_training::load_rules(name_or_path, Path::new("."))?;
    Ok(Rules::ruleset(&rules).clone())
}

fn approximate(ruleset: &mut Ruleset, field: Field) {
    match field {
        Field::JumpHostile => ruleset.jump_hostile = ruleset.ranks,
        Field::Chain if ruleset.chain == Chain::Optional => ruleset.chain = Chain::Forced,
        Field::Chain => {}
        Field::NoMove => ruleset.no_move = NoMove::Loses,
        Field::Repetition if ruleset.repetition == Repetition::Draw => {}
        Field::Repetition => ruleset.repetition = Repetition::Off,
        Field::CapturelessLimit => ruleset.captureless_limit = None,
        Field::Match => ruleset.match_format = MatchFormat::Single,
    }
}

fn record(ruleset: &Ruleset, order: RankOrder) -> anyhow::Result<String> {
    let record = opentafl::write_ruleset(ruleset, order).map_err(|error| match &error {
        RecordError::NoWord { field, .. } if *field != "start" => {
            let hint = format!("--approximate {field} writes OpenTafl's nearest rule instead");
            hinted(error.to_string(), hint)
        }
        _ => error.into(),
    })?;
    Ok(record + "\n")
}
