//! Games and positions as people paste them: every notation of `tafl rules convert`, and games with variations.

use crate::EngineError;
use crate::ruleset::{UNREAD, rules_of};
use crate::state::{State, game_from};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tafl_rules::notation::aagenielsen::{RecordedGame, RecordedGameError, RecordedResult};
use tafl_rules::notation::counted::read_counted;
use tafl_rules::notation::follow::follow;
use tafl_rules::notation::games::{Above, Read, WrittenGame, WrittenGameError, titles_of};
use tafl_rules::notation::opentafl;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::notation::words::{WordsError, WrittenPly};
use tafl_rules::{Game, Move, Repetition, Rules, Ruleset, Setup, known_names, preset_named};

/// The longest text that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// The most plies that are read, those of variations included.
const MOST_PLIES: usize = 5_000;

/// What a text holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Reading {
    /// A preset's name, or the fields of a file.
    ruleset: Value,
    /// Whether the text names its ruleset or has it.
    brings: bool,
    /// The first position, where it is not the ruleset's.
    start: Option<String>,
    /// The first position.
    first: State,
    /// Every ply of every line: which one it follows (0 is the first position, 1 the first ply), the move, and the
    /// position after it.
    plies: Vec<(usize, String, State)>,
    /// What the reader should know.
    notes: Vec<String>,
    /// The lines on which the text's games begin, and their titles.
    games: Vec<(usize, String)>,
    /// The words that end the game where the board does not, as in `resigned White`.
    end: Option<String>,
}

/// A text, and what is known around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// Which of its games is read, from 1.
    pub(crate) game: usize,
    /// The ruleset in force.
    pub(crate) current: &'a Value,
    /// Other rulesets of the page, besides presets.
    pub(crate) own: &'a [Value],
}

/// Reads a text under the ruleset that it names, else under the current one, else under the first preset that it fits.
pub(crate) fn read(source: Source<'_>) -> Result<Reading, EngineError> {
    let current = source.current;
    if source.text.len() > LONGEST {
        return Err(EngineError("The text is longer than 1 MB.".to_owned()));
    }
    let mut notes = Vec::new();
    let content = content(source, &mut notes)?;
    let count = content.plies.len();
    if count > MOST_PLIES {
        return Err(EngineError(format!(
            "The text has {count} plies; at most {MOST_PLIES} are read."
        )));
    }
    let candidates = match &content.own {
        Some(named) => [named.clone()]
            .into_iter()
            .chain(repeating(named))
            .collect(),
        // One ply fits many rulesets, and says nothing of its own.
        None if count == 1 && content.position.is_none() => vec![current.clone()],
        None => candidates(current),
    };
    let mut first_error: Option<EngineError> = None;
    for ruleset in candidates {
        let rules = rules_of(&ruleset)?;
        match place(&rules, &content) {
            Ok((setup, (first, plies))) => {
                if ruleset != *current {
                    if let Some(error) = first_error.filter(|_| count > 0) {
                        let meant = content.own.as_ref().unwrap_or(current);
                        let own = || meant["name"].as_str();
                        let name = meant.as_str().or_else(own).unwrap_or_default();
                        notes.push(format!("It is no game of {name}: {error}"));
                    }
                    notes.push(format!("Read as {}.", rules.ruleset().name));
                }
                let end = recorded_end(&rules, setup.as_ref(), (&content, &plies), &mut notes)?;
                if ruleset == *current && content.own.is_none() && count > 0 {
                    let name = &rules.ruleset().name;
                    notes.push(format!("It does not say its rules: {name} is assumed."));
                }
                if setup.is_some() && content.position.is_none() {
                    notes.push("It begins with the knight on another square.".to_owned());
                }
                let start = setup.map(|setup| Fen::of(setup).to_taflforge());
                return Ok(Reading {
                    ruleset,
                    brings: content.own.is_some(),
                    start,
                    first,
                    plies,
                    notes,
                    games: content.games,
                    end,
                });
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| EngineError("There is no ruleset to read it.".to_owned())))
}

/// Returns the lines on which the games of a text begin, and their titles; none where no game can be read.
pub(crate) fn games(text: &str) -> Vec<(usize, String)> {
    let games = match text.len() > LONGEST {
        true => Vec::new(),
        false => read_counted(text).0,
    };
    match games.iter().any(|(_, game)| game.is_ok()) {
        true => titled(text, &games),
        false => Vec::new(),
    }
}

/// Returns the lines on which games of a text begin, and their titles.
fn titled(text: &str, games: &[Read]) -> Vec<(usize, String)> {
    let lines: Vec<usize> = games.iter().map(|(line, _)| *line).collect();
    let titles = titles_of(text, &lines);
    lines.into_iter().zip(titles).collect()
}

/// A first position, plies, and the ruleset that came with them.
#[derive(Default)]
struct Content {
    position: Option<String>,
    plies: Vec<WrittenPly>,
    /// The word from which on nothing is captured where no capture is written.
    strict_from: Option<usize>,
    own: Option<Value>,
    /// The main line, where there are no variations.
    game: Option<WrittenGame>,
    /// What the text says of the main line.
    recorded: Option<RecordedGame>,
    /// The lines on which the text's games begin, and their titles.
    games: Vec<(usize, String)>,
}

const UNREADABLE: &str = "The text cannot be read";

fn content(source: Source<'_>, notes: &mut Vec<String>) -> Result<Content, EngineError> {
    let text = source.text.trim_start_matches('\u{feff}');
    let lines = text.lines().map(str::trim);
    let (above, mut lines): (Vec<&str>, Vec<&str>) =
        lines.partition(|it| Above::read(it).is_some());
    lines.retain(|line| !line.is_empty() && !line.starts_with(['#', ';', '%']));
    let first_line = lines.first().copied().unwrap_or_default();
    let first_word = first_line.split_whitespace().next().unwrap_or_default();
    let is_tagged = first_line.starts_with('[');
    // Neither turns nor addresses of pages.
    let is_of_board =
        |letter: char| letter == '/' || letter.is_ascii_alphanumeric() && letter != 'x';
    let record = lines.join(" ");
    let has_key = |key: &str| record.split_whitespace().any(|word| word.starts_with(key));
    let mut content = Content::default();
    if !is_tagged && has_key("dim:") {
        let ruleset = opentafl::read_ruleset(&record).map_err(EngineError::about(UNREADABLE))?;
        content.own = Some(ruleset.to_fields().into());
    } else if !is_tagged
        && (has_key("start:")
            || has_key("starti:")
            || first_word.contains('/') && first_word.chars().all(is_of_board))
    {
        if lines.len() > 1 {
            // What follows is the game from there.
            let position = format!("position: {first_line}");
            let text = source.text.replacen(first_line, &position, 1);
            let below = Source {
                text: &text,
                ..source
            };
            take_game(below, &mut content, notes)?;
            return Ok(content);
        }
        content.position = Some(position_of(first_line)?);
        let rules = above.iter().rev().find_map(|line| match Above::read(line) {
            Some(Above::Rules(rules)) => Some(WrittenGame::under(rules)),
            _ => None,
        });
        content.own = rules.map_or(Ok(None), |rules| named_rules(&rules, source))?;
    } else {
        take_game(source, &mut content, notes)?;
    }
    Ok(content)
}

/// Returns the text of a position, if it is one under some rules.
fn position_of(text: &str) -> Result<String, EngineError> {
    let fen: Result<Fen, _> = text.parse();
    fen.map_err(EngineError::about(UNREADABLE))?;
    Ok(text.to_owned())
}

/// Returns what is wrong with a game, for those who do not think of fields.
fn in_words(error: &WrittenGameError) -> String {
    match error {
        WrittenGameError::Line(RecordedGameError::Words(WordsError::Turn(number, error)))
        | WrittenGameError::Words(WordsError::Turn(number, error)) => {
            format!("word {number}: {error}")
        }
        WrittenGameError::Line(RecordedGameError::Fields(count)) => format!(
            "a line with commas has four parts, the turns, how many pieces each side captured, and White, Black, Draw or Ongoing; this one has {count}"
        ),
        _ => error.to_string(),
    }
}

/// Returns the ruleset that a game has or names: a preset, or one that the page has.
fn named_rules(game: &WrittenGame, source: Source<'_>) -> Result<Option<Value>, EngineError> {
    if let Some(own) = &game.own {
        let ruleset = own.ruleset().map_err(EngineError::about(UNREAD))?;
        return Ok(Some(ruleset.to_fields().into()));
    }
    let Some(text) = &game.ruleset else {
        return Ok(None);
    };
    // Files of older games have the path of a ruleset's file.
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    let name = name.strip_suffix(".toml").unwrap_or(name);
    let is_it = |ruleset: &&Value| ruleset["name"] == *name;
    let mut all = [source.current].into_iter().chain(source.own);
    if let Some(own) = all.find(is_it) {
        return Ok(Some(own.clone()));
    }
    if let Some(preset) = preset_named(name) {
        return Ok(Some(json!(preset)));
    }
    let advice = "open its file (TOML) under “Edit rules” first, or take the name out of the text";
    let message = format!("There is no ruleset named {name:?} on this page: {advice}.");
    Err(EngineError(message))
}

/// Tells how many games of a text cannot be read, and what is wrong with the first of them.
fn unread(games: &[Read]) -> Option<String> {
    let errors = games.iter().map(|(line, game)| (line, game.as_ref().err()));
    let mut errors = errors.filter_map(|(line, error)| Some((line, error?)));
    let (line, error) = errors.next()?;
    let (count, reason) = (errors.count() + 1, in_words(error));
    Some(format!(
        "{count} of them cannot be read; the first, on line {line}: {reason}."
    ))
}

/// Takes a game of a text.
fn take_game(
    source: Source<'_>,
    content: &mut Content,
    notes: &mut Vec<String>,
) -> Result<(), EngineError> {
    let (games, others) = read_counted(source.text);
    let (number, count) = (source.game, games.len());
    content.games = titled(source.text, &games);
    let unread = unread(&games);
    let Some((_, game)) = games.into_iter().nth(number.saturating_sub(1)) else {
        let reason = "There is no game and no position in the text.";
        return Err(EngineError(reason.to_owned()));
    };
    let game = game.map_err(|error| EngineError::about(UNREADABLE)(in_words(&error)))?;
    if count > 1 {
        notes.push(format!("This is game {number} of {count}."));
    }
    notes.extend(unread);
    if let Some((line, Err(error))) = others.first() {
        let reason = in_words(error);
        notes.push(format!("Line {line} does not count as a game: {reason}."));
    }
    content.recorded = Some(game.recorded());
    content.position = game.position.as_deref().map(position_of).transpose()?;
    content.own = named_rules(&game, source)?;
    content.strict_from = game.captures.map(|_| game.words.bare + 1);
    content.plies = game.words.plies.clone();
    let is_line = content.plies.iter().all(|ply| ply.depth == 0);
    content.game = Some(game).filter(|_| is_line && content.position.is_none());
    Ok(())
}

/// Tells how the main line ended by the record; returns the words for it.
fn recorded_end(
    rules: &Arc<Rules>,
    setup: Option<&Setup>,
    (content, plies): (&Content, &[(usize, String, State)]),
    notes: &mut Vec<String>,
) -> Result<Option<String>, EngineError> {
    let Some(recorded) = &content.recorded else {
        return Ok(None);
    };
    let first = game_from(rules.clone(), setup)?;
    let (mut game, mut last) = (first.clone(), 0);
    // The first ply that follows another is its main line.
    while let Some(at) = plies.iter().position(|(after, ..)| *after == last) {
        let mv: Move = plies[at]
            .1
            .parse()
            .map_err(EngineError::about(UNREADABLE))?;
        game.play(mv).map_err(EngineError::about(UNREADABLE))?;
        last = at + 1;
    }
    let remarks = recorded.remarks(&first, &game).into_iter();
    let remarks = remarks.chain(recorded.contradicted(&game));
    notes.extend(remarks.map(|text| format!("Note: {text}.")));
    let Some(ending) = recorded.ending(&game) else {
        return Ok(None);
    };
    notes.push(format!("How it ended: {ending}."));
    let result = Some(recorded.result).filter(|it| *it != RecordedResult::Ongoing);
    let words = [
        recorded.end.map(|end| end.word().to_owned()),
        result.map(|result| result.to_string()),
        recorded.score.map(str::to_owned),
    ];
    Ok(Some(
        words.into_iter().flatten().collect::<Vec<_>>().join(" "),
    ))
}

/// Returns the rulesets that a text may be meant for, the most likely first.
fn candidates(current: &Value) -> Vec<Value> {
    let mut all = vec![current.clone()];
    let presets = known_names().map(|name| json!(name));
    all.extend(presets.filter(|it| it != current));
    all.extend(repeating(current));
    all
}

/// Returns rules under which boards may repeat: sites often did not enforce repetition, so a recorded game may go on.
fn repeating(ruleset: &Value) -> Option<Value> {
    let rules = rules_of(ruleset).ok()?;
    let known = rules.ruleset();
    let name = format!("{:.40}-repeats", known.name);
    let repeating = Ruleset {
        name,
        repetition: Repetition::Off,
        ..known.clone()
    };
    (known.repetition != Repetition::Off).then(|| repeating.to_fields().into())
}

/// What the first position looks like, and every ply with what the board is after it.
type Lines = (State, Vec<(usize, String, State)>);

/// The first position where it is not the ruleset's, and what follows.
type Placed = (Option<Setup>, Lines);

/// Plays every line from the first position.
fn place(rules: &Arc<Rules>, content: &Content) -> Result<Placed, EngineError> {
    let position = content.position.as_deref();
    let setup = position.map(|text| Fen::read_under(text, rules));
    let setup = (setup.transpose()).map_err(EngineError::about(UNREADABLE))?;
    let first = game_from(rules.clone(), setup.as_ref())?;
    let placed = place_from(first, content);
    let Some(game) = content.game.as_ref().filter(|_| placed.is_err()) else {
        return Ok((setup, placed?));
    };
    // A result that the board contradicts is told in a note; here other starts are tried.
    match game.recorded().replay(rules) {
        Ok(replayed) => {
            let setup = Setup::of(replayed.start.position(), rules.shape());
            Ok((Some(setup), place_from(replayed.start, content)?))
        }
        Err(_) => placed.map(|lines| (None, lines)),
    }
}

fn place_from(first: Game, content: &Content) -> Result<Lines, EngineError> {
    let state = State::first(&first);
    // After each written ply: the game, and the number of its last ply among those that were played.
    let mut games = vec![(first, 0)];
    let mut played = Vec::new();
    for ply in &content.plies {
        let (mut game, mut last) = games[ply.after].clone();
        let number = game.moves().len() + 1;
        let is_line = if ply.depth > 0 { " of a variation" } else { "" };
        let words = format!("Ply {number}{is_line}");
        let mut before = game.clone();
        let strict = content.strict_from.is_some_and(|from| ply.word >= from);
        let found = follow(&mut game, (ply.mv, ply.captured), strict);
        for (mv, captured) in found.map_err(EngineError::about(&words))? {
            let position = *before.position();
            before.play(mv).map_err(EngineError::about(&words))?;
            let state = State::after(&before, &position, (mv, captured));
            played.push((last, mv.to_string(), state));
            last = played.len();
        }
        games.push((game, last));
    }
    Ok((state, played))
}

#[cfg(test)]
mod tests;
