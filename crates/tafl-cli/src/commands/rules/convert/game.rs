//! `tafl rules convert game`.

use super::text_of_file_or_argument;
use crate::hint::hinted;
use crate::other_rules::OtherRules;
use crate::output::{counted, tell_first};
use crate::subject::{replayed_as_recorded, rules_of_text, ruleset_line, title_line};
use anyhow::{Context, ensure};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::read_games as read_stored_games;
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedResult};
use tafl_rules::notation::follow::Replayed;
use tafl_rules::notation::games::{FEW_TURNS, WrittenGame, read_games, titles_of};
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::notation::words::OffBoard;
use tafl_rules::{Bitboard, EndReason, Game, Rules, Setup, TurnText, name_refusal};
use tafl_samples::{Ending, EndingReason, Forfeit, GameRecord, Replay};
use tafl_training::{RulesOfGames, load_rules};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tafl rules convert game --from aagenielsen --to turns games.csv
  tafl rules convert game --from taflforge --to aagenielsen games.parquet
  tafl rules convert game --from turns --to aagenielsen --ruleset copenhagen 'h1-h3 f8-i8'

A line of aagenielsen.dk: `h1-h3 f4-i4 ... e2-c2xb2`, captures by the attackers, by the defenders,
result (White = defenders, Black = attackers, Draw, Ongoing), separated by commas. `timeout` or
`resigned` may end the plies. A list of turns is the first of these fields alone, with a result that
is not Ongoing behind it, below lines with ruleset and first position, where the game has them.
Both have one game per line. PGN with squares (`1. h1h3 f4i4`) and OpenTafl's .otg are read as
`turns`.")]
pub(super) struct Args {
    /// Notation of GAMES.
    #[arg(long, value_enum, value_name = "NOTATION")]
    from: From,
    /// Notation to print.
    #[arg(long, value_enum, value_name = "NOTATION")]
    to: Notation,
    /// Play the games under this ruleset (name, or path to a file), which adds captures and counts
    /// them anew; captures and results that are given must not contradict the board. Of games of this
    /// program, which keep captures and rules, it names rules of your own that are not found.
    #[arg(long)]
    ruleset: Option<String>,
    /// Judge repetition too; sites often did not enforce it.
    #[arg(long, requires = "ruleset")]
    judge_repetition: bool,
    /// The games, one per line, or a file of them; `-` reads standard input.
    games: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum From {
    /// Lines of aagenielsen.dk, comma-separated.
    Aagenielsen,
    /// Lists of turns.
    Turns,
    /// A .parquet file of games of this program.
    Taflforge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Notation {
    /// Lines of aagenielsen.dk, comma-separated.
    Aagenielsen,
    /// Lists of turns.
    Turns,
}

pub(super) fn convert(args: &Args) -> anyhow::Result<String> {
    let given = args.ruleset.as_deref();
    let given = given.map(|name| load_rules(name, Path::new(".")));
    let given = given.transpose()?;
    let games = match args.from {
        From::Taflforge => stored(Path::new(&args.games), given)?,
        From::Aagenielsen | From::Turns => written(args, given)?,
    };
    ensure!(!games.is_empty(), "it contains no game");
    match args.to {
        Notation::Aagenielsen => {
            let titled = games.iter().filter(|it| !it.title.is_empty());
            tell_lost(
                titled.count(),
                "a line of aagenielsen.dk has no place for them",
            );
            let rulesets: BTreeSet<_> = games.iter().map(|it| &it.ruleset).collect();
            if rulesets.len() > 1 {
                eprintln!(
                    "Note: the games are of several rulesets, which is left out, too: convert those of each alone."
                );
            }
            write_lines(games.iter().map(|it| &it.recorded))
        }
        Notation::Turns => write_titled(games),
    }
}

/// A game, and what the lines above it say of its rules.
struct Converted {
    recorded: RecordedGame,
    ruleset: Option<String>,
    position: Option<String>,
    /// The players, the event and the date, or other words above it; empty where there are none.
    title: String,
}

/// Tells that games lose their titles.
fn tell_lost(titles: usize, reason: &str) {
    if titles > 0 {
        let games = counted(titles as u64, ["game", "games"]);
        eprintln!("Note: names, dates or other titles of {games} are left out: {reason}.");
    }
}

/// Returns lists of turns with the titles of their games, each a comment; without those that would be read as something else.
fn write_titled(mut games: Vec<Converted>) -> anyhow::Result<String> {
    let read = |text: &str| -> Vec<_> { read_games(text).into_iter().map(|it| it.1).collect() };
    let (mut titles, mut lost) = (0, 0);
    for game in games.iter_mut().filter(|it| !it.title.is_empty()) {
        let rules = game.ruleset.as_deref().unwrap_or_default();
        if title_line(rules, &game.title).is_some() {
            titles += 1;
        } else {
            lost += 1;
            game.title.clear();
        }
    }
    let mut text = write_lists(&games)?;
    if titles > 0 {
        games.iter_mut().for_each(|game| game.title.clear());
        let untitled = write_lists(&games)?;
        if read(&text) != read(&untitled) {
            (text, lost) = (untitled, lost + titles);
        }
    }
    tell_lost(lost, "they would be read as something else");
    Ok(text)
}

/// Returns lists of turns; what stands above one holds for those below it, too, a position up to the next ruleset.
fn write_lists(games: &[Converted]) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut above: [Option<&String>; 2] = [None; 2];
    let is_short = |game: &Converted| game.recorded.turns.len() < FEW_TURNS;
    let mut before: Option<&Converted> = None;
    for (number, game) in (1..).zip(games) {
        let own = [&game.ruleset, &game.position].map(Option::as_ref);
        let is_cleared = own[0] != above[0] || above[1].is_some() && own[1].is_none();
        let (what, is_lost) = match above[0] {
            Some(_) => ("ruleset", own[0].is_none()),
            None => ("position", own[0].is_none() && is_cleared),
        };
        ensure!(
            !is_lost,
            "game {number}: it has no {what}, but those before it do, whose line would hold for it, too; convert it alone"
        );
        let length = text.len();
        if is_cleared {
            text.extend(own[0].map(String::as_str));
        }
        if is_cleared || own[1] != above[1] {
            text.extend(own[1].map(String::as_str));
        }
        above = own;
        let is_part = before.is_some_and(|before| is_short(before) && is_short(game));
        let is_below = text.len() == length;
        if !game.title.is_empty() {
            text.extend(["# ", &*game.title, "\n"]);
        }
        if is_below && is_part || game.recorded.turns.is_empty() {
            // Right below a game, it might go on with it; a result alone is no game.
            text += "1. ";
        }
        text += &turns_of(&game.recorded);
        before = Some(game);
    }
    Ok(text)
}

/// Returns the turns of a game, and behind them its result, if it has one.
fn turns_of(game: &RecordedGame) -> String {
    match game.result {
        RecordedResult::Ongoing if !game.turns.is_empty() => game.turns_text() + "\n",
        result => format!("{} {result}\n", game.turns_text()),
    }
}

/// What is stored of a game beside its plies and its start.
#[derive(Debug)]
pub(crate) struct StoredGame {
    pub(crate) id: u64,
    /// The rule that ended it, or that none did, as far as our rules tell.
    pub(crate) ended_by: Option<Option<EndReason>>,
    /// The name and the fingerprint of its rules.
    pub(crate) ruleset: (String, u64),
}

/// Returns the games of a file of this program, as their rules see them: `base`, where they are as these.
///
/// Of games whose rules are not found, which is told, the plies and the result are as they are stored; nothing says what they
/// captured. A position stands where a game began with other pieces than those of `base`.
pub(crate) fn stored_games(
    file: &Path,
    base: &Arc<Rules>,
) -> anyhow::Result<Vec<(StoredGame, WrittenGame)>> {
    let mut rules = RulesOfGames::default();
    let (mut lost, mut unknown) = (Vec::new(), BTreeSet::new());
    let start = base.ruleset().setup();
    let mut games = Vec::new();
    for game in read_stored_games(file)? {
        let own = match game.ruleset_fingerprint {
            it if it == base.ruleset().fingerprint() => Some(Arc::clone(base)),
            // It is looked for once.
            it if unknown.contains(&it) => None,
            _ => rules.of(&game, file).ok(),
        };
        let mut recorded = match &own {
            Some(own) => {
                let start = Game::from_setup(Arc::clone(own), &game.start)?;
                RecordedGame::of_game_from(start, &replayed(&game, own)?)?
            }
            None => {
                unknown.insert(game.ruleset_fingerprint);
                lost.push(format!(
                    "{}: game {}: its ruleset {:?} is not found, so that its captures are not compared",
                    file.display(),
                    game.game_id,
                    game.ruleset
                ));
                plies_alone(&game)
            }
        };
        take_ending(&mut recorded, game.ending);
        if matches!(
            game.ending.reason,
            EndingReason::Adjudicated | EndingReason::Forfeit(_)
        ) {
            // Nobody won on the board.
            recorded.end = recorded.end.or(Some(OffBoard::Resigned));
        }
        let mut written = WrittenGame::from(recorded);
        let is_usual = (game.start.shape, &game.start.pieces) == (start.shape, &start.pieces);
        written.position = (!is_usual).then(|| Fen::of(game.start).to_string());
        let stored = StoredGame {
            id: game.game_id,
            ended_by: match game.ending.reason {
                EndingReason::Rule(reason) => Some(Some(reason)),
                EndingReason::OtherRules => None,
                _ => Some(None),
            },
            ruleset: (game.ruleset, game.ruleset_fingerprint),
        };
        games.push((stored, written));
    }
    tell_first(&lost);
    Ok(games)
}

/// Returns a game of this program without its captures, which its file does not have.
fn plies_alone(game: &GameRecord) -> RecordedGame {
    let plies = game.plies.iter().map(|ply| (ply.mv, Bitboard::EMPTY));
    let turns = plies.map(|ply| TurnText { plies: vec![ply] });
    RecordedGame {
        turns: turns.collect(),
        bare: 0,
        end: None,
        captures: None,
        result: match game.ending.is_capped() {
            true => RecordedResult::Ongoing,
            false => RecordedResult::Draw,
        },
        score: None,
    }
}

/// Returns a game of this program after its last ply.
fn replayed(game: &GameRecord, rules: &Arc<Rules>) -> anyhow::Result<Game> {
    let mut replay = Replay::new(game, rules)?;
    while let Some(ply) = replay.next() {
        let _ = replay.play(ply)?;
    }
    Ok(replay.end()?)
}

/// Returns games of this program as their rules see them; a result off the board is the recorded one.
fn stored(file: &Path, given: Option<Arc<Rules>>) -> anyhow::Result<Vec<Converted>> {
    let mut rules = RulesOfGames::new(given);
    let games = read_stored_games(file)?;
    let recorded = games.iter().map(|game| {
        let rules = rules.of(game, file)?;
        let about = || format!("{}: game {}", file.display(), game.game_id);
        let replayed = replayed(game, &rules)?;
        let mut recorded = RecordedGame::of_game(&replayed).with_context(about)?;
        take_ending(&mut recorded, game.ending);
        Ok(Converted {
            recorded,
            ruleset: Some(own_line(&rules)),
            position: None,
            title: String::new(),
        })
    });
    recorded.collect()
}

/// Takes over how a game ended where its rules do not tell.
fn take_ending(recorded: &mut RecordedGame, ending: Ending) {
    recorded.end = match ending.reason {
        EndingReason::Forfeit(Forfeit::Resignation) => Some(OffBoard::Resigned),
        EndingReason::Forfeit(Forfeit::Timeout) => Some(OffBoard::Timeout),
        _ => None,
    };
    match (ending.winner, ending.reason) {
        (Some(winner), _) => recorded.result = RecordedResult::Won(winner),
        (None, EndingReason::OtherRules) => recorded.result = RecordedResult::Draw,
        (None, _) => {}
    }
}

/// Returns the games of a text; with rules as they see them.
fn written(args: &Args, given: Option<Arc<Rules>>) -> anyhow::Result<Vec<Converted>> {
    // Turns alone do not contain captures and result.
    let are_needed = args.from == From::Turns && args.to == Notation::Aagenielsen;
    let text = text_of_file_or_argument(&args.games)?;
    let mut others = args.ruleset.as_deref().map(OtherRules::than).transpose()?;
    let mut recounted = Vec::new();
    let mut games = Vec::new();
    let read = read_games(&text);
    let lines: Vec<usize> = read.iter().map(|it| it.0).collect();
    for ((line, game), title) in read.into_iter().zip(titles_of(&text, &lines)) {
        let name = || format!("line {line}");
        let game = game.with_context(name)?;
        if let Some(others) = &mut others {
            others.look_at(line, &game);
        }
        let own = match &given {
            None if are_needed || args.to == Notation::Turns => {
                rules_of_text(&game, None).with_context(name)?
            }
            given => given.clone(),
        };
        if are_needed && own.is_none() {
            let message = "turns alone do not contain captures and result";
            return Err(hinted(message, "use --ruleset to play them")).with_context(name);
        }
        let rules = own.as_ref().filter(|_| are_needed || given.is_some());
        let start = own.as_ref().map(|it| Setup::of(&it.start(), it.shape()));
        let position = game.setup(own.as_deref()).with_context(name)?;
        let position = position.filter(|it| Some(it) != start.as_ref());
        ensure!(
            args.to == Notation::Turns || position.is_none(),
            "line {line}: the game has a first position, which a line of aagenielsen.dk has no place for"
        );
        ensure!(
            game.recorded().score.is_none() || args.to == Notation::Turns,
            "line {line}: programs do not agree whose `1-0` and `0-1` are; end the turns with `White` (defenders) or `Black`"
        );
        if args.from == From::Aagenielsen {
            ensure!(game.captures.is_some(), "line {line}: 1 field instead of 4");
        }
        let recorded = match rules {
            Some(rules) => {
                let played = played(&game, rules, args).with_context(name)?;
                let miscounted = game.recorded().miscounted(&played);
                recounted.extend(
                    miscounted.map(|text| format!("line {line}: {text}, which are written")),
                );
                played
            }
            None => game.recorded(),
        };
        games.push(Converted {
            recorded,
            ruleset: own.map(|own| own_line(&own)),
            position: position.map(|setup| format!("position: {}\n", Fen::of(setup))),
            title,
        });
    }
    if let Some(others) = &others {
        others.tell();
    }
    tell_first(&recounted);
    Ok(games)
}

/// Returns the line that says above a game which rules it has.
fn own_line(rules: &Rules) -> String {
    let mut ruleset = rules.ruleset().clone();
    if name_refusal(&ruleset).is_some() {
        // Other rules need another name.
        ruleset.name += "-other";
    }
    ruleset_line(&ruleset)
}

/// Returns the game as the rules see it; a result off the board is the recorded one.
fn played(written: &WrittenGame, rules: &Arc<Rules>, args: &Args) -> anyhow::Result<RecordedGame> {
    // Counts are made anew, and captures that are left out are added.
    let lenient = WrittenGame {
        captures: None,
        ..written.clone()
    };
    let recorded = lenient.recorded();
    let Replayed {
        start,
        game,
        knight,
    } = replayed_as_recorded(&lenient, rules, args.judge_repetition)??;
    // Readers of a line look for the knight elsewhere themselves.
    let mut game_played = match args.to {
        Notation::Aagenielsen if knight.is_none() => RecordedGame::of_game(&game)?,
        _ => RecordedGame::of_game_from(start, &game)?,
    };
    game_played.end = recorded.end;
    if game.outcome().is_none() {
        (game_played.result, game_played.score) = (recorded.result, recorded.score);
        // The last field of a line says who won, also where the side to move gave up.
        if let (Notation::Aagenielsen, Some(winner)) = (args.to, recorded.winner(&game)) {
            game_played.result = RecordedResult::Won(winner);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::Side;

    #[test]
    fn how_a_stored_game_ended_away_from_the_board_is_written() {
        let rules = Rules::preset("brandubh").expect("a preset");
        let said = |ending| {
            let game = RecordedGame::of_game(&Game::new(rules.clone()));
            let mut recorded = game.expect("it begins there");
            take_ending(&mut recorded, ending);
            turns_of(&recorded).trim().to_owned()
        };
        let lost = |forfeit| Ending::forfeited(Side::Attacker, forfeit);
        assert_eq!(said(lost(Forfeit::Resignation)), "resigned White");
        assert_eq!(said(lost(Forfeit::Timeout)), "timeout White");
        assert_eq!(said(lost(Forfeit::Crash)), "White");
        let drawn = Ending {
            winner: None,
            reason: EndingReason::OtherRules,
        };
        assert_eq!(said(drawn), "Draw");
        assert_eq!(said(Ending::CAPPED), "Ongoing");
    }
}
