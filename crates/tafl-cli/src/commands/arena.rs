//! `tafl arena`: a match between two players, or the ladder of a run.

use crate::args::DataFolder;
use crate::players::{self, Contestant, PlayerName};
use crate::run::{Begin, Run};
use crate::table::{self, Align};
use crate::{config, ladder, rulesets, stages};
use anyhow::bail;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use tafl_arena::{Match, MatchResult, Tally};
use tafl_rules::Side;

/// Arguments of `tafl arena`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A player is the folder of a checkpoint, or one of the baselines random, greedy and rollouts:VISITS.
Each opening is played twice, with sides changed. Draws include games cut at the limit of plies.")]
pub(crate) struct Args {
    /// A player; or, alone, the config of a run whose ladder is completed and shown.
    first: String,
    /// The player it meets.
    second: Option<PlayerName>,
    /// Name of a ruleset, or path to a ruleset file.
    #[arg(long, default_value = "copenhagen")]
    ruleset: String,
    /// Openings; without it as many as the config says.
    #[arg(long)]
    openings: Option<u32>,
    /// Name of the run's folder, with a config.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    #[command(flatten)]
    search: players::SearchArgs,
    #[command(flatten)]
    data: DataFolder,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.second {
        Some(second) => play_match(args, &args.first.parse()?, second),
        None if args.first.ends_with(".toml") => complete_ladder(args),
        None => bail!(
            "{}: one player alone; give two, or the config of a run",
            args.first
        ),
    }
}

fn complete_ladder(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = config::load(Path::new(&args.first), &[])?;
    let run = Run::open(loaded, &args.data.path, args.run.as_deref(), Begin::Resume)?;
    let matches = stages::play_ladder(&run)?;
    print!("{}", ladder::tables(&matches)?);
    Ok(ExitCode::SUCCESS)
}

fn play_match(args: &Args, first: &PlayerName, second: &PlayerName) -> anyhow::Result<ExitCode> {
    let rules = rulesets::load_rules(&args.ruleset, Path::new("."))?;
    let mut config = args.search.config(&[first, second])?;
    config.arena.openings = args.openings.unwrap_or(config.arena.openings);
    let open = |name| Contestant::open(name, &config, &rules);
    let contestants = [open(first)?, open(second)?];
    let search = config.arena.match_search(&config.search);
    let players = [
        contestants[0].player(search.clone()),
        contestants[1].player(search),
    ];
    let job = Match {
        config: &config.arena,
        players: [&players[0], &players[1]],
        rules: &rules,
        seed: args.search.seed,
        generation: 0,
    };
    let result = stages::show_match(&job, &AtomicBool::new(false))?;
    print!("{}", report(&result));
    Ok(ExitCode::SUCCESS)
}

fn report(result: &MatchResult) -> String {
    let row = |name: &str, tally: Tally| {
        let score = format!("{:.1} %", 100.0 * tally.score());
        let Tally {
            wins,
            draws,
            losses,
            capped,
        } = tally;
        let counts = [wins, draws, losses, capped].map(|count| count.to_string());
        [vec![name.to_owned()], counts.into(), vec![score]].concat()
    };
    let rows = [
        row("as attackers", result.tally(0, Side::Attacker)),
        row("as defenders", result.tally(0, Side::Defender)),
        row("together", result.total(0)),
    ];
    let head = [
        (result.names[0].as_str(), Align::Left),
        ("wins", Align::Right),
        ("draws", Align::Right),
        ("losses", Align::Right),
        ("capped", Align::Right),
        ("score", Align::Right),
    ];
    let elo = result.elo();
    format!(
        "{} against {}, {}, {} games\n\n{}\nElo {:+.0}, 95 % interval {:+.0} to {:+.0}\n",
        result.names[0],
        result.names[1],
        result.ruleset,
        result.games.len(),
        table::format(&head, &rows),
        elo.elo,
        elo.low,
        elo.high
    )
}
