//! `tafl rules convert game`.

use super::text_of_argument;
use crate::commands::rules::rules_for_games;
use crate::hint::hinted;
use anyhow::{Context, ensure};
use std::sync::Arc;
use tafl_rules::notation::aagenielsen::RecordedGame;
use tafl_rules::notation::games::{WrittenGame, read_games};
use tafl_rules::{Rules, Setup};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tafl rules convert game --from aagenielsen --to turns - < games.csv
  tafl rules convert game --from turns --to aagenielsen --ruleset copenhagen 'h1-h3 f8-i8'

A line of aagenielsen.dk: `h1-h3 f4-i4 ... e2-c2xb2`, captures by the attackers, by the defenders,
result (White = defenders, Black = attackers, Draw, Ongoing), separated by commas. `timeout` or
`resigned` may end the plies. A list of turns is the first of these fields alone. Both have one game
per line. PGN with squares (`1. h1h3 f4i4`) and OpenTafl's .otg are read as `turns`.")]
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
    let rules = args.ruleset.as_ref();
    let rules = rules.map(|name| rules_for_games(name, args.judge_repetition));
    let rules = rules.transpose()?;
    let text = text_of_argument(&args.games)?;
    let mut games = Vec::new();
    for (line, game) in read_games(&text) {
        let name = || format!("line {line}");
        let game = game.with_context(name)?;
        let own = rules.as_ref().map(|it| Setup::of(&it.start(), it.shape()));
        let is_elsewhere = game
            .setup()
            .with_context(name)?
            .is_some_and(|it| Some(it) != own);
        ensure!(
            args.to == Notation::Turns || !is_elsewhere,
            "line {line}: the game has a first position, which a line of aagenielsen.dk has no place for"
        );
        ensure!(
            !game.words.has_score || game.words.result.is_some() || args.to == Notation::Turns,
            "line {line}: programs do not agree whose `1-0` and `0-1` are; end the turns with `White` (defenders) or `Black`"
        );
        if args.from == Notation::Aagenielsen {
            ensure!(game.captures.is_some(), "line {line}: 1 field instead of 4");
        }
        games.push(match &rules {
            Some(rules) => played(&game, rules).with_context(name)?,
            None => game.recorded(),
        });
    }
    match args.to {
        Notation::Aagenielsen => write_lines(games.iter()),
        Notation::Turns => Ok(games.iter().map(|game| game.turns_text() + "\n").collect()),
    }
}

/// Returns the game as the rules see it; a result off the board is the recorded one.
fn played(written: &WrittenGame, rules: &Arc<Rules>) -> anyhow::Result<RecordedGame> {
    // Counts are made anew, and captures that are left out are added.
    let lenient = WrittenGame {
        captures: None,
        ..written.clone()
    };
    let recorded = lenient.recorded();
    let game = lenient.replay(rules)?.game;
    let mut game_played = RecordedGame::of_game(&game)?;
    game_played.end = recorded.end;
    if game.outcome().is_none() {
        game_played.result = recorded.result;
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
