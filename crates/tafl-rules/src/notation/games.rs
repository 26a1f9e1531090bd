//! One reader of games for all: lines of aagenielsen.dk, lists of turns, PGN with squares, and `OpenTafl`'s records.
//!
//! Lines have a game each; but a line whose first number is above 1, one that says how the game before ended, and lines of
//! one turn each go on with the game before, up to a number 1, an end, a title such as `Game 2` or a line `---`. Of other lines
//! without numbers the squares must tell, if all are short (see [`FEW_TURNS`]), and of turns right above a line of fields.
//! `ruleset:` and `position:` lines stand before a game, the first with a name or with all fields of a ruleset file, as the page
//! saves rules of one's own; what stands nearest above a game counts. The title of one game, as `Game 2 (Fetlar)`, tells its rules
//! alone. Turns begin with number 1, unless a position is told. Where a line says that White attacks, no color tells who won.
//!
//! Words above a game are its title and are passed over, but nothing is guessed from them: a line that may tell how a game ended
//! is refused unless it stands below the turns in words of [`Words::read`] alone, and what seems to name rules that are not known
//! stands for their name. A line that begins with `%` and what follows `#` are comments, and what follows `;`, but in tables and
//! lists of turns. A line of names says which columns the lines below it have. PGN is that of hnefatafl-copenhagen: tags in
//! brackets, then turns such as `h1h3`. Of an `.otg` the comments and the variations are left out.

pub use super::above::{Above, comment_of};
pub use super::borders::FEW_TURNS;
pub use super::headings::titles_of;
pub use super::written::{WrittenGame, WrittenGameError};

use super::aagenielsen::{RecordedGameError, RecordedResult};
use super::above::{is_header, is_preset, nearest_rules, preset_in_words, without_game};
use super::borders::{Part, another_game, first_number, joined, listed};
use super::colors::{is_color, line_of_other_colors};
use super::ends::{end_of, hints_at_end};
use super::headings::hints_at_rules;
use super::lines::{cut_behind_number, has_moves, is_rule};
use super::names::words_of;
use super::parts::{Cut, has_later_number};
use super::spelling::{has_turns, with_captures};
use super::table::{COLUMNS, captures_of, columns_of, fields_of, is_plies, split};
use super::tags::{
    cut_behind_tags, is_otg_tag, is_tag, leave_out_rest_of_tags, otg_moves, result_word, tag,
    take_ends, with_plain_tags,
};
use super::words::{Words, WordsError, lines_of};
use crate::Side;
use crate::text::short;
use std::collections::BTreeSet;

/// A game with the number of the line where it begins, or what is wrong there.
pub type Read = (usize, Result<WrittenGame, WrittenGameError>);

/// Reads every game of a text, in order.
///
/// ```
/// use tafl_rules::notation::games::read_games;
///
/// let read = read_games("1. h1h3 f8-i8\n2. H3-H6 resigned\n");
/// let (line, game) = &read[0];
/// let turns = game.as_ref().expect("a game").recorded().turns_text();
/// assert_eq!((*line, &*turns), (1, "h1-h3 f8-i8 h3-h6 resigned"));
/// ```
pub fn read_games(text: &str) -> Vec<Read> {
    let unread = |what| vec![(1, Err(WrittenGameError::Unread(what)))];
    let whole = with_plain_tags(text);
    let whole = with_captures(&whole);
    let text = &*whole;
    let begin = text.trim_start_matches(|it: char| it == BYTE_ORDER_MARK || it.is_whitespace());
    // Files put one behind the other keep their marks, and the last line of one may have no end.
    let numbered = (1..).zip(lines_of(text));
    let numbered = numbered.flat_map(|(number, line)| {
        let parts = line.split(BYTE_ORDER_MARK);
        let parts = parts.filter(|part| !part.starts_with('%'));
        let parts = parts.flat_map(cut_behind_tags);
        let parts = parts.flat_map(cut_behind_number);
        parts.map(move |part| (number, part))
    });
    let mut numbered: Vec<(usize, &str)> = numbered.collect();
    leave_out_rest_of_tags(&mut numbered);
    match begin {
        _ if begin.starts_with("(;") => unread("an SGF record"),
        _ if begin.starts_with(['{', '<']) && !begin.contains('}') || begin.starts_with("{\"") => {
            unread("JSON or HTML")
        }
        _ if begin.starts_with("PAR1") => unread("a Parquet file under another name"),
        _ => {
            let mut games = match numbered.iter().any(|(_, line)| is_tag(line)) {
                true => tagged_games(&numbered),
                false => plain_games(&numbered),
            };
            let alone = without_game(&numbered);
            let no_game = |line| Err(WrittenGameError::NoGame(short(line)));
            games.extend(alone.map(|(number, line)| (number, no_game(line))));
            let other = line_of_other_colors(text);
            let checked = games.into_iter().map(|(number, game)| {
                let checked = game.and_then(|game| checked(game, other));
                (number, checked)
            });
            checked.collect()
        }
    }
}

/// Refuses a game without its first turns, and one whose winner a color tells that other lines give to the other side.
fn checked(game: WrittenGame, other: Option<&str>) -> Result<WrittenGame, WrittenGameError> {
    match (&game.words.late, game.words.result, other) {
        (Some(number), ..) if game.position.is_none() => {
            Err(WordsError::Late(number.clone()).into())
        }
        (_, Some(RecordedResult::Won(_)), Some(line)) => Err(WrittenGameError::Colors(short(line))),
        _ => Ok(game),
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Cuts a text into games, each of which begins with tags or with what stands above a game without.
fn tagged_games(lines: &[(usize, &str)]) -> Vec<Read> {
    let is_said = |line: &str| matches!(Above::read(line), Some(Above::Rules(_)));
    let is_above = |line: &str| {
        let is_begin = is_tag(line) || is_header(line) || is_rule(line);
        is_begin || !line.starts_with('#') && is_said(line)
    };
    // A comment may stand between the turns of a game.
    let begins = |at: usize, line: &str| {
        is_above(line) || is_said(line) && !has_later_number(&lines[at + 1..])
    };
    let mut starts = vec![0];
    let mut is_begun = false;
    for (at, (_, line)) in lines.iter().enumerate() {
        let is_begin = begins(at, line);
        let begin = starts[starts.len() - 1];
        // Behind an empty line, tags of a game that has no turns are not those of the next.
        let is_other =
            || at > 0 && lines[at - 1].1.is_empty() && has_key_of(&lines[begin..at], line);
        if is_begin && (!is_begun || is_other()) {
            starts.push(at);
        }
        is_begun = is_begin || line.is_empty() && is_begun;
    }
    starts.push(lines.len());
    let mut games = Vec::new();
    for pair in starts.windows(2) {
        let block = &lines[pair[0]..pair[1]];
        if block.iter().any(|(_, line)| is_tag(line)) {
            let above = &lines[..pair[0]];
            let game = match is_below_turns(above, block) {
                true => Err(WrittenGameError::Border(block[0].0)),
                false => tagged_game(above, block),
            };
            games.push((block[0].0, game));
        } else {
            let is_list = |number: usize| {
                let mut lines = block.iter().filter(|(it, _)| *it == number);
                lines.any(|(_, line)| has_turns(line))
            };
            // Above the first tags any text may stand.
            let is_text =
                |(number, game): &Read| game.is_err() && !is_above(block[0].1) && !is_list(*number);
            games.extend(plain_games(block).into_iter().filter(|it| !is_text(it)));
        }
    }
    games
}

/// Returns whether there is a tag of the same key as a line has.
fn has_key_of(lines: &[(usize, &str)], line: &str) -> bool {
    let Some((key, _)) = tag(line) else {
        return false;
    };
    let mut tags = lines.iter().filter_map(|(_, line)| tag(line));
    tags.any(|(it, _)| it.eq_ignore_ascii_case(key))
}

/// Returns whether tags of ends alone stand right below turns, which may be theirs.
fn is_below_turns(above: &[(usize, &str)], block: &[(usize, &str)]) -> bool {
    let mut before = above.iter().rev().filter(|(_, line)| !line.is_empty());
    let is_near = before
        .next()
        .is_some_and(|(number, line)| number + 1 == block[0].0 && has_turns(line));
    let keys = block.iter().map_while(|(_, line)| tag(line));
    let keys: Vec<&str> = keys.map(|(key, _)| key).collect();
    let is_end = |key: &&str| key.eq_ignore_ascii_case("result") || end_of(key).is_some();
    is_near && !keys.is_empty() && keys.iter().all(is_end)
}

fn tagged_game(
    above: &[(usize, &str)],
    lines: &[(usize, &str)],
) -> Result<WrittenGame, WrittenGameError> {
    let value = |wanted: &'static str| {
        let tags = lines.iter().filter_map(|(_, line)| tag(line));
        let mut found = tags.filter(|(key, _)| key.eq_ignore_ascii_case(wanted));
        let first = found.next().map(|(_, value)| value);
        match found.all(|(_, value)| Some(value) == first) {
            true => Ok(first),
            false => Err(WrittenGameError::Tags(wanted)),
        }
    };
    let is_above = |line: &str| {
        let is_passed_over = line.is_empty() || line.starts_with(['#', ';']) || is_rule(line);
        is_passed_over || is_tag(line) || Above::read(line).is_some()
    };
    let begin = lines.iter().position(|(_, line)| !is_above(line));
    let (head, below) = lines.split_at(begin.unwrap_or(lines.len()));
    let body = below.iter().map(|(_, line)| *line);
    let body = body.collect::<Vec<_>>().join("\n");
    let is_otg = lines.iter().any(|(_, line)| is_otg_tag(line));
    let (kind, body) = match is_otg {
        true => ("game record of OpenTafl", otg_moves(&body)),
        false => ("PGN", body),
    };
    let about = |error| WrittenGameError::Tagged(kind, error);
    let mut words = Words::read(&body).map_err(about)?;
    if let Some(line) = another_game(below).filter(|_| !is_otg) {
        return Err(WrittenGameError::Border(line));
    }
    let result = result_word(value("result")?.unwrap_or_default(), is_otg);
    if !words
        .take_end(&format!("result: {result}"))
        .map_err(about)?
    {
        return Err(RecordedGameError::Result(short(result)).into());
    }
    if let Some((key, value)) = take_ends(&mut words, lines).map_err(about)? {
        return Err(WrittenGameError::EndTag(key.to_owned(), short(value)));
    }
    let nearest = nearest_rules(above, head);
    // The tags of others for it, which may also tell of something else.
    let game = value("gametype")?.or(value("game")?);
    let tags = [value("rules")?, value("variant")?, value("ruleset")?];
    let is_said = |name: &&str| !["", "?"].contains(name);
    let first = tags.into_iter().flatten().find(is_said);
    let presets = tags.into_iter().flatten().filter_map(preset_in_words);
    if presets.collect::<BTreeSet<_>>().len() > 1 {
        return Err(WrittenGameError::Tags("rules"));
    }
    let named = first.or(game.filter(|name| is_preset(name)));
    let named = named.or(nearest);
    let named = named.map(|name| preset_in_words(name).unwrap_or(name));
    // `FEN` of a PGN; a record of `OpenTafl` in an .otg.
    let line = head
        .iter()
        .rev()
        .find_map(|(_, line)| match Above::read(line) {
            Some(Above::Position(position)) => Some(position),
            _ => None,
        });
    let position = value("fen")?.or(value("position")?).or(line);
    Ok(WrittenGame {
        position: position.map(str::to_owned),
        words,
        ..named.map(WrittenGame::under).unwrap_or_default()
    })
}

/// Reads the games of lines without tags.
fn plain_games(lines: &[(usize, &str)]) -> Vec<Read> {
    let cut = Cut::of(lines);
    if cut.parts.is_empty()
        && let Some(game) = cut.telling.without_plies()
    {
        return vec![(1, Ok(game))];
    }
    let parts = joined(cut.parts, cut.are_parted).into_iter();
    parts.map(read_part).collect()
}

fn read_part((part, unclear): (Part<'_>, Option<usize>)) -> Read {
    let game = match (unclear, &part.unclear) {
        (Some(line), _) => Err(WrittenGameError::Border(line)),
        (None, Some(words)) => Err(WrittenGameError::End(short(words))),
        (None, None) => plain_game(&part.text, (*part.above).clone(), part.heading),
    };
    (part.number, game)
}

/// Reads the fields of a line by the names of their columns.
fn row<'a>(
    fields: &[&str],
    columns: impl Iterator<Item = &'a str>,
    mut game: WrittenGame,
) -> Result<WrittenGame, WrittenGameError> {
    let (mut has_plies, mut captures, mut results) = (false, [None; 2], Vec::new());
    // A player who is called by the color of the other side.
    let (mut other, mut is_by_color) = (None::<&str>, false);
    for (column, field) in columns.zip(fields) {
        let by = column.strip_prefix("captures ").unwrap_or(column);
        match by.strip_prefix("by ").unwrap_or(by) {
            plies if is_plies(plies) => {
                if has_plies {
                    return Err(WrittenGameError::Columns("two are `plies`".to_owned()));
                }
                game.words = Words::read(field).map_err(RecordedGameError::from)?;
                has_plies = true;
            }
            "attackers" | "defenders" => {
                let (side, color) = match column.ends_with("attackers") {
                    true => (Side::Attacker, "white"),
                    false => (Side::Defender, "black"),
                };
                captures[side.index()] = captures_of(side, column, field)?;
                let is_other = words_of(field).iter().any(|word| word == color);
                other = other.or(Some(*field).filter(|_| is_other));
            }
            "result" | "winner" => {
                results.push(RecordedResult::read(field)?);
                is_by_color |= is_color(&field.to_lowercase());
            }
            "ruleset" | "rules" | "variant" | "position" | "fen" if field.is_empty() => {}
            "ruleset" | "rules" | "variant" => {
                let position = game.position.take();
                game = WrittenGame {
                    position,
                    words: game.words,
                    ..WrittenGame::under(field)
                };
            }
            "position" | "fen" => game.position = Some((*field).to_owned()),
            "event" | "site" | "date" | "round" | "id" => {}
            _ => {
                return Err(WrittenGameError::Columns(format!(
                    "{column:?} is not known; known are plies, by attackers, by defenders, result, ruleset, position, event, site, date, round and id"
                )));
            }
        }
    }
    if !has_plies {
        return Err(WrittenGameError::Columns("none is `plies`".to_owned()));
    }
    if let Some(name) = other.filter(|_| is_by_color) {
        return Err(WrittenGameError::Colors(name.to_owned()));
    }
    let is_score = |one: u32, other: u32| one + other == 1;
    if let [Some(one), Some(other)] = captures
        && results.is_empty()
        && is_score(one, other)
    {
        let reason = "`attackers` and `defenders` may be a score; `by attackers` counts captures, and `result` says who won";
        return Err(WrittenGameError::Columns(reason.to_owned()));
    }
    for result in results {
        let taken = game.words.take_result(result);
        taken.map_err(RecordedGameError::from)?;
    }
    game.captures = captures[0].zip(captures[1]).map(Into::into);
    Ok(game)
}

fn plain_game(
    text: &str,
    mut game: WrittenGame,
    heading: Option<&str>,
) -> Result<WrittenGame, WrittenGameError> {
    if let Some((separator, columns)) = heading.and_then(columns_of) {
        let fields = split(text, separator);
        if fields.len() != columns.len() {
            let (found, named) = (fields.len(), columns.len());
            let reason = format!("it names {named}, but this line has {found}");
            return Err(WrittenGameError::Columns(reason));
        }
        return row(&fields, columns.iter().map(String::as_str), game);
    }
    // A row whose first cell is empty is of the game before.
    if text.starts_with(';') && text.split(';').any(has_turns) {
        return Err(WordsError::Hidden(short(text)).into());
    }
    let fields = fields_of(text);
    // Commas may stand between turns, colons after numbers.
    let has_turn = |field: &&str| Words::read(field).is_ok_and(|it| !it.plies.is_empty());
    let is_list = match fields.get(1) {
        Some(field) if fields.len() > 3 => has_turn(field),
        Some(field) => field.parse::<u32>().is_err(),
        None => true,
    };
    if is_list && let Some(words) = listed(text) {
        game.words = words;
        return Ok(game);
    }
    // A comment may have commas.
    let is_end = || !has_moves(text) && Words::default().take_end(text).is_ok_and(|it| it);
    if fields.len() < 2 || fields[0].contains(';') || text.contains(['{', '(']) || is_end() {
        let words = Words::read(text.trim_matches('"')).map_err(|error| match has_moves(text) {
            true => error.into(),
            false => WrittenGameError::Title(error),
        })?;
        let is_said = words.end.is_some() || words.result.is_some();
        let is_numbered = first_number(text).is_some();
        if words.plies.is_empty() && !(is_said && is_numbered) {
            let is_alone = is_said || words.score.is_some() && !is_numbered;
            let error = match is_alone {
                true => WordsError::Alone,
                false => WordsError::Empty,
            };
            return Err(error.into());
        }
        game.words = words;
        return Ok(game);
    }
    if fields.len() < COLUMNS.len() {
        Words::read(fields[0]).map_err(RecordedGameError::from)?;
        return Err(RecordedGameError::Fields(fields.len()).into());
    }
    // The side in the fourth field won, but `White resigned` did not.
    let told = fields[COLUMNS.len() - 1..].join(",");
    let is_told = |field: &&str| hints_at_end(field) || hints_at_rules(field);
    if fields[COLUMNS.len()..].iter().any(is_told) {
        return Err(RecordedGameError::Result(short(&told)).into());
    }
    row(&fields, COLUMNS.into_iter(), game)
}
