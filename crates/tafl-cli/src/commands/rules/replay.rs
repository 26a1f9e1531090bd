//! `tafl rules replay`: human games, a line each: plies, captures by attackers, by defenders, result.

use super::{DISAGREES, Disagreement, comma_separated, listed, rules_for_games};
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedResult};
use tafl_rules::{EndReason, Game, Rules};

/// Arguments of `tafl rules replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A line: `h1-h3 f4-i4 ... e2-c2xb2`, captures by the attackers, by the defenders, result (White =
defenders, Black = attackers, Draw, Ongoing). `timeout` may end the plies. Games that do not end on
the board ended by resignation or time.")]
pub(crate) struct Args {
    /// File of games, comma-separated, or a .parquet file of games of this program.
    file: PathBuf,
    /// Name of a ruleset, or path to a ruleset file.
    #[arg(long)]
    ruleset: String,
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
    if args
        .file
        .extension()
        .is_some_and(|ending| ending == "parquet")
    {
        return replay_stored(args);
    }
    let rules = rules_for_games(&args.ruleset, args.judge_repetition)?;
    let file = args.file.display();
    let text = std::fs::read_to_string(&args.file).with_context(|| file.to_string())?;
    let mut replayed = Replayed::default();
    for record in comma_separated(&text) {
        let (line, record) = record.with_context(|| file.to_string())?;
        let fields: Vec<&str> = record.iter().collect();
        let game = RecordedGame::read(&fields).with_context(|| format!("{file}: line {line}"))?;
        match replay(&game, &rules) {
            Ok(ending) => replayed.add(&game, ending),
            Err(disagreement) => {
                replayed.print(args);
                println!();
                println!("{file}: line {line}: {}", disagreement.text);
                print!("{}", disagreement.board);
                return Ok(ExitCode::from(DISAGREES));
            }
        }
    }
    replayed.print(args);
    println!("every move legal, every capture and every ending on the board as recorded");
    Ok(ExitCode::SUCCESS)
}

/// Replays games of this program's own; repetition is judged, as it was when they were played.
fn replay_stored(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = rules_for_games(&args.ruleset, true)?;
    let file = args.file.display();
    let games = tafl_dataset::read_games(&args.file)?;
    let (mut plies, mut endings) = (0, BTreeMap::<&str, u64>::new());
    for game in &games {
        if let Err(error) = tafl_samples::samples_of(game, &rules) {
            println!("{file}: {error}");
            return Ok(ExitCode::from(DISAGREES));
        }
        plies += game.plies.len();
        *endings.entry(game.ending.reason.name()).or_default() += 1;
    }
    println!(
        "{} games, {plies} plies under {}",
        games.len(),
        args.ruleset
    );
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

    fn print(&self, args: &Args) {
        let on_board: u64 = self.endings.values().sum();
        let repetition = if args.judge_repetition {
            "judged"
        } else {
            "not judged"
        };
        println!(
            "{} games, {} plies under {}; repetition {repetition}",
            self.games, self.plies, args.ruleset
        );
        println!("{on_board:>6} ended on the board");
        for (reason, count) in &self.endings {
            println!("{count:>6}   {reason}");
        }
        println!("{:>6} ended otherwise", self.games - on_board);
    }
}

/// Returns how the game ended on the board, if it did.
fn replay(recorded: &RecordedGame, rules: &Arc<Rules>) -> Result<Option<EndReason>, Disagreement> {
    let mut game = Game::new(rules.clone());
    for (number, (mv, captured)) in (1..).zip(recorded.plies()) {
        // Drawn only after a disagreement, which the recorded ply leads up to.
        let before = game.mark();
        let ply = game
            .play(mv)
            .map_err(|error| Disagreement::new(&game, format!("ply {number}: {error}")))?;
        if ply.captured != captured {
            let found = listed(ply.captured.squares());
            let expected = listed(captured.squares());
            game.rewind(&before);
            let text = format!("ply {number}: {mv} captures {found}; recorded is {expected}");
            return Err(Disagreement::new(&game, text));
        }
    }
    let Some(outcome) = game.outcome() else {
        return Ok(None);
    };
    let found = outcome
        .winner
        .map_or(RecordedResult::Draw, RecordedResult::Won);
    if found == recorded.result {
        return Ok(Some(outcome.reason));
    }
    let expected = match recorded.result {
        RecordedResult::Won(side) => format!("{side} win"),
        RecordedResult::Draw => "a draw".to_owned(),
        RecordedResult::Ongoing => "no result".to_owned(),
    };
    let text = format!("the board says {outcome}; recorded is {expected}");
    Err(Disagreement::new(&game, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::preset;

    fn replay(plies: &str, result: &str) -> Result<Option<EndReason>, String> {
        let rules = Rules::new(preset("copenhagen").expect("a preset")).expect("rules");
        let game = RecordedGame::read(&[plies, "0", "0", result]).expect("well formed");
        super::replay(&game, &rules).map_err(|disagreement| disagreement.text)
    }

    #[test]
    fn games_that_end_otherwise_are_accepted() {
        assert_eq!(replay("h1-h3 f8-i8", "Ongoing"), Ok(None));
        assert_eq!(replay("h1-h3 f8-i8 timeout", "White"), Ok(None));
    }

    #[test]
    fn disagreements_name_the_ply() {
        assert_eq!(
            replay("h1-h3 f8-i8 h3-h6", "Ongoing"),
            Err("ply 3: h3-h6 is not legal for the attackers".to_owned())
        );
        assert_eq!(
            replay("d1-d3 e5-e2 g1-g3 f4-c4 g3-e3", "Ongoing"),
            Err("ply 5: g3-e3 captures e2; recorded is nothing".to_owned())
        );
        assert_eq!(
            replay("h1-h3xh4", "Ongoing"),
            Err("ply 1: h1-h3 captures nothing; recorded is h4".to_owned())
        );
    }

    #[test]
    fn malformed_lines_name_the_field() {
        let error = |fields| {
            RecordedGame::read(fields)
                .expect_err("malformed")
                .to_string()
        };
        assert_eq!(error(&["h1-h3", "0"]), "2 fields instead of 4");
        assert!(error(&["h1-h3", "0", "0", "Red"]).starts_with("field `result`: \"Red\""));
        assert!(error(&["h1-h3 h1h4", "0", "0", "White"]).starts_with("field `plies`: number 2"));
    }
}
