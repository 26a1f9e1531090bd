//! `tafl rules convert game`.

use super::text_of_argument;
use crate::commands::rules::{listed, recorded_games, rules_for_games};
use crate::hint::hinted;
use anyhow::{Context, bail};
use std::sync::Arc;
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedResult};
use tafl_rules::{Game, Rules};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tafl rules convert game --from aagenielsen --to turns - < games.csv
  tafl rules convert game --from turns --to aagenielsen --ruleset copenhagen 'h1-h3 f8-i8'

A line of aagenielsen.dk: `h1-h3 f4-i4 ... e2-c2xb2`, captures by the attackers, by the defenders,
result (White = defenders, Black = attackers, Draw, Ongoing), separated by commas. `timeout` may end
the plies. A list of turns is the first of these fields alone. Both have one game per line.")]
pub(super) struct Args {
    /// Notation of GAMES.
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: Notation,
    /// Notation to print.
    #[arg(long, value_enum, value_name = "NOTATION")]
    to: Notation,
    /// Play the games under this ruleset (name, or path to a file), which adds captures and counts
    /// them anew; captures and results that are given must not contradict the board.
    #[arg(long)]
    ruleset: Option<String>,
    /// Judge repetition too; sites often did not enforce it.
    #[arg(long, requires = "ruleset")]
    judge_repetition: bool,
    /// The games, one per line; `-` reads standard input.
    games: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Notation {
    /// Lines of aagenielsen.dk, comma-separated.
    Aagenielsen,
    /// Lists of turns.
    Turns,
}

pub(super) fn convert(args: &Args) -> anyhow::Result<String> {
    if args.from == Notation::Turns && args.to == Notation::Aagenielsen && args.ruleset.is_none() {
        return Err(hinted(
            "turns alone do not contain captures and result",
            "use --ruleset to play them",
        ));
    }
    let rules = match &args.ruleset {
        Some(name) => Some(rules_for_games(name, args.judge_repetition)?),
        None => None,
    };
    let text = text_of_argument(&args.games)?;
    let mut games = match args.from {
        Notation::Aagenielsen => recorded_games(&text).collect::<anyhow::Result<_>>()?,
        Notation::Turns => read_turns(&text)?,
    };
    for (line, game) in &mut games {
        if let Some(rules) = &rules {
            *game = played(game, rules).with_context(|| format!("line {line}"))?;
        }
    }
    let games = games.iter().map(|(_, game)| game);
    match args.to {
        Notation::Aagenielsen => write_lines(games),
        Notation::Turns => Ok(games.map(|game| game.turns_text() + "\n").collect()),
    }
}

/// Reads lists of turns, each with the number of its line; nothing is known of their results.
fn read_turns(text: &str) -> anyhow::Result<Vec<(usize, RecordedGame)>> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let (turns, timeout) =
                RecordedGame::read_turns(line).with_context(|| format!("line {number}"))?;
            let game = RecordedGame {
                turns,
                timeout,
                captures: [0; 2],
                result: RecordedResult::Ongoing,
            };
            Ok((number, game))
        })
        .collect()
}

/// Returns the game as the rules see it; a result off the board is the recorded one.
fn played(recorded: &RecordedGame, rules: &Arc<Rules>) -> anyhow::Result<RecordedGame> {
    let mut game = Game::new(rules.clone());
    for (number, (mv, captured)) in (1..).zip(recorded.plies()) {
        let ply = game.play(mv).with_context(|| format!("ply {number}"))?;
        if !captured.is_empty() && ply.captured != captured {
            let found = listed(ply.captured.squares());
            let given = listed(captured.squares());
            bail!("ply {number}: {mv} captures {found}, but {given} is given");
        }
    }
    let mut game_played = RecordedGame::of_game(&game)?;
    game_played.timeout = recorded.timeout;
    match game.outcome() {
        None => game_played.result = recorded.result,
        Some(outcome)
            if ![RecordedResult::Ongoing, game_played.result].contains(&recorded.result) =>
        {
            bail!("the board gives {outcome}, but another result is given");
        }
        Some(_) => {}
    }
    Ok(game_played)
}

fn write_lines<'a>(games: impl Iterator<Item = &'a RecordedGame>) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for game in games {
        writer.write_record(game.to_fields())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(bytes)?)
}
