//! `tafl analyze`: what a network thinks of a position, or of each position of a game.

mod input;
mod report;

use crate::args::DataFolder;
use crate::output::print_out;
use crate::progress::Progress;
use crate::search_args::SearchArgs;
use anyhow::Context;
use input::Subject;
use report::{Circumstances, GameReport, PositionReport};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tafl_engine::Thought;
use tafl_network::Inference;
use tafl_rules::Game;
use tafl_search::{Evaluator, Mode, Search, SearchConfig};
use tafl_training::{PlayerSource, load_network, name_of, named_or_shipped, prepare};

/// Arguments of `tafl analyze`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
SUBJECT is one of
  a position    `3t3/7/7/3K3/7/7/7 defenders`, a FEN of TaflZero, or `start`
  a game        its turns: `d1-d3 f8-h8 ...`
  a file        of games: Parquet (--game ID), or one a line (--game LINE), its turns alone or as
                aagenielsen.dk has it
  -             a position or a game on standard input

Values are win minus loss, -1 to 1; whose point of view they have is said beside them. A value falls
at a ply by what it loses for the side that plays it, as the searches before and after it see it.")]
pub(crate) struct Args {
    /// The position or the game.
    subject: String,
    /// The network, such as data/runs/quickstart/checkpoints/000010; without it one of data/nets that has learned the
    /// ruleset.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Name of a ruleset, or path to a ruleset file; without it that of a Parquet file, the first that the checkpoint
    /// learned, or copenhagen.
    #[arg(long)]
    ruleset: Option<String>,
    /// The game of a file: its number in a Parquet file, its line in others.
    #[arg(long, value_name = "NUMBER")]
    game: Option<u64>,
    /// Best moves of a position that are told.
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    lines: u16,
    /// Plies of a game at which the value fell most that are told.
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u16).range(0..=1000))]
    falls: u16,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let subject = input::read(args)?;
    let mut analyst = Analyst::open(args, subject.start())?;
    let text = match subject {
        Subject::Position(game) => {
            let thought = analyst.think(&game, args.lines.into())?;
            let report = PositionReport::new(&analyst.circumstances, &game, &thought);
            if args.json {
                json(&report)?
            } else {
                report.text()
            }
        }
        Subject::Game {
            start,
            moves,
            title,
        } => {
            let report = analyst.follow(start, &moves, title, args.falls.into())?;
            if args.json {
                json(&report)?
            } else {
                report.text()
            }
        }
    };
    print_out(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn json(report: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// A network that looks at one position after the other.
struct Analyst {
    evaluator: Box<dyn Evaluator>,
    search: SearchConfig,
    seed: u64,
    circumstances: Circumstances,
}

impl Analyst {
    fn open(args: &Args, start: &Game) -> anyhow::Result<Self> {
        let rules = start.rules();
        let checkpoint = args.checkpoint.as_deref();
        let folder = named_or_shipped(checkpoint, &args.data.path, rules)?;
        let source = PlayerSource::Checkpoint {
            folder: folder.clone(),
            visits: None,
        };
        let config = args.search.config_of(&source)?;
        let (network, card) = load_network(&folder, rules)?;
        let compute = prepare(config.device, config.precision, &network)?;
        let inference = Inference::new(&network, config.device, compute)?;
        let search = config.arena.match_search(&config.search);
        Ok(Self {
            evaluator: Box::new(inference),
            circumstances: Circumstances {
                ruleset: rules.ruleset().name.clone(),
                checkpoint: name_of(&card),
                visits: search.visits,
            },
            search,
            seed: args.search.seed,
        })
    }

    /// Searches the position that a game has come to.
    fn think(&mut self, game: &Game, lines: usize) -> anyhow::Result<Thought> {
        if let Some(outcome) = game.outcome() {
            anyhow::bail!("the game is over: {outcome}");
        }
        let began = Instant::now();
        let mut search = Search::new(&self.search, game.clone(), Mode::Match, self.seed);
        tafl_search::run(&mut search, self.evaluator.as_mut());
        Ok(Thought::of(&search, lines, began.elapsed()))
    }

    /// Searches every position of a game.
    fn follow(
        &mut self,
        start: Game,
        moves: &[tafl_rules::Move],
        title: String,
        falls: usize,
    ) -> anyhow::Result<GameReport> {
        let mut game = start;
        let progress = Progress::start("analysis", "positions", moves.len() as u64 + 1);
        let mut report = GameReport::new(&self.circumstances, title);
        for (number, &mv) in (1..).zip(moves) {
            let thought = self.think(&game, 1)?;
            report.add(&game, &thought, mv);
            game.play(mv).with_context(|| format!("ply {number}"))?;
            progress.show(number, String::new);
        }
        let last = match game.outcome() {
            Some(_) => None,
            None => Some(self.think(&game, 1)?),
        };
        report.finish(&game, last.as_ref(), falls);
        progress.finish(&format!("{} positions", moves.len() + 1));
        Ok(report)
    }
}
