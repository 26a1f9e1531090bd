//! `tafl balance people`: what games of people say.

use crate::output::{print_as, write_named};
use crate::process::ExitCode;
use crate::text;
use anyhow::anyhow;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use tafl_store::open_file;
use tafl_studies::{ArchiveError, count_archive, people_tables};

/// Where the resampling begins.
const SEED: u64 = 1;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
An archive has a JSON object for each game, one a line: type (a number) and name of the variant,
winner (attackers, defenders, draw), end (played, resigned, timeout), attackers and defenders
(people as numbers), attackers_rating and defenders_rating (may be null), and moves, separated by
blanks. Games that ended by time and games under ten plies are counted apart, games of a person
against himself not at all, and no variants of fewer than 100 games that count.

Intervals take all games of the same two people as one observation. Strengths are fitted to the
games of each variant: the attackers' advantage at even strength, and what it grows by where both
are 400 Elo stronger. Bands hold a quarter of the games each, from weak to strong.

  xz -dc games.jsonl.xz | tafl balance people - --folder data/balance/people")]
pub(crate) struct Args {
    /// Archive of games as JSON lines; `-` reads standard input.
    archive: PathBuf,
    /// Existing folder for variants.csv and strength.csv.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = args.archive.display();
    let archive: Box<dyn BufRead> = if args.archive.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        // Line by line an archive of any size can be read.
        Box::new(BufReader::new(open_file(&args.archive, u64::MAX)?))
    };
    let variants = count_archive(archive, SEED).map_err(|error| match error {
        ArchiveError::Compressed => {
            anyhow!("{name}: {error}; unpack it: xz -dc FILE | tafl balance people -")
        }
        _ => anyhow!("{name}: {error}"),
    })?;
    for (file, bytes) in people_tables(&variants)? {
        if let Some(folder) = &args.folder {
            write_named(&folder.join(file), &bytes)?;
        }
    }
    print_as(args.json, &variants, |it| text::people_table(it))?;
    Ok(ExitCode::SUCCESS)
}
