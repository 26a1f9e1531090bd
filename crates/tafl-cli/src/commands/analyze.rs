//! `tafl analyze`: what a network thinks of a position, or of each position of a game.

use crate::args::{svg_file, text_of_stdin};
use crate::nets::{checkpoint_named, named_or_shipped};
use crate::output::{print_out, write_named};
use crate::process::ExitCode;
use crate::progress::Progress;
use crate::search_args::SearchArgs;
use crate::subject::SubjectArgs;
use crate::text;
use anyhow::{bail, ensure};
use std::path::PathBuf;
use tafl_play::{AnalysisSetting, Analyst, AnalyzedLine, PositionAnalysis};
use tafl_rules::{Diagram, Game, Rules};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
SUBJECT is one of
  a position    `3t3/7/7/3K3/7/7/7 defenders`, a FEN of TaflZero, or `start`
  a game        its turns: `d1-d3 f8-h8 ...`
  a file        games in Parquet (--game ID), or as turns, in the format of aagenielsen.dk or with
                tags such as PGN (--game NUMBER, from 1)
  -             a position or a game on standard input

Values are win minus loss, -1 to 1, from the point of view printed beside them. The drop of a ply is
how much less it is worth than the best one, for the side that plays it, by the search of the
position before it. Where that search hardly looked at the ply, two more of as many visits count
instead: one after the ply, one after the best one. The best ply drops 0.")]
pub(crate) struct Args {
    /// The position or the game.
    subject: String,
    /// Checkpoint, such as data/runs/quickstart/checkpoints/000010, or name of a network of data/nets; default: one that learned the ruleset.
    #[arg(long, value_name = "NET", value_parser = checkpoint_named)]
    checkpoint: Option<PathBuf>,
    /// Name of a ruleset, or path to a ruleset file; default: that of the game, the first that the checkpoint learned, or
    /// copenhagen.
    #[arg(long)]
    ruleset: Option<String>,
    /// Game in a file: its ID in a Parquet file, its number in others.
    #[arg(long, value_name = "NUMBER")]
    game: Option<u64>,
    /// Best moves to print for a position; default: 5.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1000))]
    lines: Option<u16>,
    /// Plies to print for a game: those with the largest drops in value; default: 5.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(0..=1000))]
    drops: Option<u16>,
    /// Draw the position with its best moves as arrows, as wide as the search prefers them: SVG, into FILE.
    #[arg(long, value_name = "FILE", value_parser = svg_file)]
    svg: Option<PathBuf>,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    search: SearchArgs,
}

/// Plies or moves that are printed, where nobody says how many.
const PRINTED: u16 = 5;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let of = SubjectArgs {
        game: args.game,
        ruleset: args.ruleset.as_deref(),
        checkpoint: args.checkpoint.as_deref(),
        goes_on: true,
    };
    let subject = if args.subject == "-" {
        of.read_text(&text_of_stdin()?)?
    } else {
        of.read(&args.subject)?
    };
    match subject.game {
        Some(_) => {
            ensure!(args.svg.is_none(), "--svg draws a position, not a game");
            ensure!(
                args.lines.is_none(),
                "--lines is for a position, not a game"
            );
        }
        None => ensure!(
            args.drops.is_none(),
            "--drops is for a game, not a position"
        ),
    }
    let mut analyst = open(args, &subject.rules)?;
    let text = if let Some((title, game)) = subject.game {
        let moves = game.moves();
        let positions = moves.len() as u64 + 1;
        let progress = Progress::new("analysis", "positions", Some(positions), false);
        let show = |number| progress.show(number, String::new);
        let analysis = analyst.game(
            subject.start,
            title,
            moves,
            args.drops.unwrap_or(PRINTED).into(),
            &show,
        )?;
        progress.finish(&format!("{positions} positions"));
        match args.json {
            true => json(&analysis)?,
            false => text::game_text(&analysis),
        }
    } else {
        let Some(analysis) = analyst.position(&subject.start, args.lines.unwrap_or(PRINTED).into())
        else {
            let outcome = subject.start.outcome().map(|outcome| outcome.to_string());
            bail!("the game is over: {}", outcome.unwrap_or_default());
        };
        if let Some(file) = &args.svg {
            write_named(file, drawing(&subject.start, &analysis).as_bytes())?;
        }
        match args.json {
            true => json(&analysis)?,
            false => text::position_text(&analysis),
        }
    };
    print_out(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the position with an arrow for each of the lines' first moves.
fn drawing(game: &Game, analysis: &PositionAnalysis) -> String {
    let all: u32 = analysis.lines.iter().map(|line| line.visits).sum();
    let arrow = |line: &AnalyzedLine| {
        let share = line.visits as f32 / all.max(1) as f32;
        Some((line.moves.first()?.parse().ok()?, share))
    };
    let arrows = analysis.lines.iter().filter_map(arrow);
    let diagram = Diagram::new(game.rules(), game.position());
    diagram.with_arrows(arrows).svg()
}

fn json(report: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

fn open(args: &Args, rules: &Rules) -> anyhow::Result<Analyst> {
    let folder = named_or_shipped(args.checkpoint.as_deref(), &args.search.data.path, rules)?;
    let (evaluator, search, opened) = args.search.searcher(folder, rules)?;
    let precision = opened.card.precision.map(|it| it.to_string());
    Ok(Analyst {
        evaluator,
        setting: AnalysisSetting {
            ruleset: rules.ruleset().name.clone(),
            checkpoint: opened.family,
            precision: precision.unwrap_or_default(),
            visits: search.visits,
        },
        search,
        seed: args.search.seed,
    })
}
