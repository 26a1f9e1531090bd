//! `tafl rules replay`: human games, a line each: plies, captures by attackers, by defenders, result.

use super::{DISAGREES, board_of, recorded_games, rules_for_games};
use anyhow::{Context, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tafl_rules::EndReason;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_store::{MOST_TEXT_BYTES, read_text};
use tafl_training::RulesOfGames;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A line: `h1-h3 f4-i4 ... e2-c2xb2`, captures by the attackers, by the defenders, result (White =
defenders, Black = attackers, Draw, Ongoing). `timeout` may end the plies. Games that do not end on
the board ended by resignation or time.")]
pub(crate) struct Args {
    /// File of games, comma-separated, or a .parquet file of games of this program.
    file: PathBuf,
    /// Name of a ruleset, or path to a ruleset file; default: for a Parquet file, the one that it names.
    #[arg(long)]
    ruleset: Option<String>,
    /// Judge repetition too; sites often did not enforce it.
    #[arg(long)]
    judge_repetition: bool,
}

/// What was replayed so far.
#[derive(Debug, Default)]
struct Replayed {
    games: u64,
    plies: u64,
    endings: BTreeMap<EndReason, u64>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ending = args.file.extension();
    if ending.is_some_and(|ending| ending == "parquet") {
        return replay_stored(args);
    }
    let file = args.file.display();
    let ruleset = args.ruleset.as_deref();
    let ruleset = ruleset.with_context(|| format!("{file}: --ruleset must say what was played"))?;
    let rules = rules_for_games(ruleset, args.judge_repetition)?;
    let text = read_text(&args.file, MOST_TEXT_BYTES)?;
    let mut replayed = Replayed::default();
    for recorded in recorded_games(&text) {
        let (line, game) = recorded.with_context(|| file.to_string())?;
        match game.replay(&rules) {
            Ok(ending) => replayed.add(&game, ending),
            Err(disagreement) => {
                replayed.print(ruleset, args);
                println!();
                println!("{file}: line {line}: {disagreement}");
                print!("{}", board_of(&disagreement.game));
                return Ok(ExitCode::from(DISAGREES));
            }
        }
    }
    ensure!(replayed.games > 0, "{file}: no games");
    replayed.print(ruleset, args);
    println!("every move legal, every capture and every ending on the board as recorded");
    Ok(ExitCode::SUCCESS)
}

/// Replays games of this program's own; repetition is judged, as it was when they were played.
fn replay_stored(args: &Args) -> anyhow::Result<ExitCode> {
    let file = args.file.display();
    let games = tafl_dataset::read_games(&args.file)?;
    ensure!(!games.is_empty(), "{file}: no games");
    let (mut plies, mut endings) = (0, BTreeMap::<&str, u64>::new());
    let given = args.ruleset.as_deref();
    let given = given.map(|name| rules_for_games(name, true)).transpose()?;
    let (mut own, mut played) = (RulesOfGames::default(), BTreeSet::new());
    for game in &games {
        let rules = match &given {
            Some(rules) => Arc::clone(rules),
            None => own.of(game, &args.file)?,
        };
        played.insert(rules.ruleset().name.clone());
        if let Err(error) = tafl_samples::samples_of(game, &rules) {
            println!("{file}: {error}");
            return Ok(ExitCode::from(DISAGREES));
        }
        plies += game.plies.len();
        *endings.entry(game.ending.reason.name()).or_default() += 1;
    }
    let names: Vec<String> = played.into_iter().collect();
    let (count, names) = (games.len(), names.join(", "));
    println!("{count} games, {plies} plies under {names}");
    for (reason, count) in endings {
        println!("  {reason}: {count}");
    }
    println!("every move legal and every ending as recorded");
    Ok(ExitCode::SUCCESS)
}

impl Replayed {
    fn add(&mut self, game: &RecordedGame, ending: Option<EndReason>) {
        self.games += 1;
        self.plies += game.plies().count() as u64;
        if let Some(reason) = ending {
            *self.endings.entry(reason).or_default() += 1;
        }
    }

    fn print(&self, ruleset: &str, args: &Args) {
        let on_board: u64 = self.endings.values().sum();
        let not = if args.judge_repetition { "" } else { "not " };
        let (games, plies) = (self.games, self.plies);
        println!("{games} games, {plies} plies under {ruleset}; repetition {not}judged");
        println!("{on_board:>6} ended on the board");
        for (reason, count) in &self.endings {
            println!("{count:>6}   {reason}");
        }
        println!("{:>6} ended otherwise", games - on_board);
    }
}
