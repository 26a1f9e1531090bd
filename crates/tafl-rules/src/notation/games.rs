//! One reader of games for all: lines of aagenielsen.dk, lists of turns, PGN with squares, and `OpenTafl`'s records.
//!
//! Lines have a game each; but a line whose first number is above 1, one that says how the game before ended, and lines of
//! one turn each go on with the game before, up to a number 1, an end, a title such as `Game 2` or a line `---`. Of other lines
//! without numbers the squares must tell, if all are short (see [`FEW_TURNS`]), and of turns right above a line of fields.
//! `ruleset:` and `position:` lines stand before a game, the first with a name or with all fields of a ruleset file, as the page
//! saves rules of one's own; what stands nearest above a game counts, but a comment such as `# Copenhagen, 14 Nov` tells rules
//! only where no other line does. Titles above games are left out, but a score in them is
//! read or refused, and what seems to name rules that are not known stands for their name. A line that begins with `%` and what
//! follows `#` are comments, and what follows `;`, but in tables and lists of turns. A line of names says which columns the lines
//! below it have. PGN is that of hnefatafl-copenhagen: tags in brackets, then turns such as `h1h3`. Of an `.otg` the comments and
//! the variations are left out.

pub use super::above::{Above, comment_of};
pub use super::borders::FEW_TURNS;
pub use super::headings::titles_of;

use super::aagenielsen::{RecordedGame, RecordedGameError, RecordedResult};
use super::above::{
    has_moves, is_aside, is_explicit, is_header, is_numbered_title, is_preset, is_rule,
    keyed_result, nearest_rules, tells_end, told_by_title, without_game,
};
use super::borders::{Part, another_game, first_number, goes_on, joined, listed};
use super::headings::{
    hints_at_rules, is_below_turns, is_comment, is_heading, is_words, leaves_rules, without_titles,
};
use super::own::OwnRules;
use super::scores::scored;
use super::spelling::has_turns;
use super::table::{COLUMNS, captures_of, columns_of, fields_of, is_plies, split};
use super::tags::{
    cut_behind_tags, is_tag, leave_out_rest_of_tags, otg_moves, result_word, tag, take_ends,
    with_plain_tags,
};
use super::words::{Words, WordsError, lines_of, with_captures};
use crate::Side;
use std::rc::Rc;

/// A game of a text; nothing in it is checked against any rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenGame {
    /// The ruleset that the text names: in a tag, a line, a column, a comment or a heading, also one that is not known.
    pub ruleset: Option<String>,
    /// The rules that stand above the game.
    pub own: Option<OwnRules>,
    /// The first position that the text gives, in our own text.
    pub position: Option<String>,
    /// The plies, those of variations included.
    pub words: Words,
    /// How many pieces each side captured, where the text counts them.
    pub captures: Option<[u32; 2]>,
}

/// A text that is no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrittenGameError {
    /// A line of fields.
    #[error(transparent)]
    Line(#[from] RecordedGameError),
    /// A list of turns.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// A line without a move that is no title.
    #[error("{0}; behind a `#` such a line is a comment")]
    Title(WordsError),
    /// A game with tags; which one, and what is wrong.
    #[error("this is a {0}: {1}")]
    Tagged(&'static str, WordsError),
    /// A tag that stands twice, with two values.
    #[error("two tags `{0}` of one game differ")]
    Tags(&'static str),
    /// It may be several games; at which line another may begin.
    #[error(
        "it is not clear whether line {0} goes on with the game or begins another: number the turns, or put a line `---` between games and nothing between turns of one"
    )]
    Border(usize),
    /// A line that says in other words than are known how a game ended.
    #[error(
        "how a game ended is said below its turns by White (or defenders), Black (or attackers) or Draw, a side with `won`, or the one that lost with `resigned` or `timeout`; not by {0:?}, which is a comment only behind a `#`"
    )]
    End(String),
    /// A tag that says in other words than are known how a game ended; its key and its value.
    #[error(
        "tag `{0}`: {1:?} does not say which side won, and nothing else does; White (or defenders), Black (or attackers) or Draw in a tag `Result` says it"
    )]
    EndTag(String, String),
    /// A score of two players that does not say which of them had which side.
    #[error(
        "{0:?} does not say which side won: name both as in `Anna (attackers) 1-0 Bo (defenders)` and no more, or tell the result below the turns; behind a `#` it is a comment"
    )]
    Score(String),
    /// A line below the last game that says something of games below it.
    #[error("{0:?} holds for games below it, and there is none")]
    NoGame(String),
    /// The names of the columns do not fit: a name, or what is missing.
    #[error("the line that names the columns: {0}")]
    Columns(String),
    /// A format that is not read.
    #[error(
        "this is {0}; read are lines of aagenielsen.dk, lists of turns, PGN with squares such as `h1h3`, OpenTafl's .otg and this program's Parquet"
    )]
    Unread(&'static str),
}

impl WrittenGame {
    /// Returns a game without plies under the rules of a text, which has their name, the fields of a file or a record.
    pub fn under(rules: &str) -> Self {
        let mut game = Self::default();
        let rules = rules.to_owned();
        match () {
            () if rules.starts_with('{') => game.own = Some(OwnRules::Fields(rules)),
            () if rules.contains("dim:") => game.own = Some(OwnRules::Record(rules)),
            () => game.ruleset = Some(rules),
        }
        game
    }

    /// Returns whether the text says under which rules it was played.
    pub const fn has_rules(&self) -> bool {
        self.ruleset.is_some() || self.own.is_some()
    }

    /// Returns what the text says of the rules, as [`Self::under`] takes it.
    fn told(&self) -> &str {
        match (&self.own, &self.ruleset) {
            (Some(OwnRules::Record(rules) | OwnRules::Fields(rules)), _) => rules.as_str(),
            (None, named) => named.as_deref().unwrap_or_default(),
        }
    }

    /// Returns the main line.
    pub fn recorded(&self) -> RecordedGame {
        RecordedGame {
            captures: self.captures,
            ..RecordedGame::of_words(&self.words)
        }
    }
}

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
            games.extend(alone.map(|(number, line)| (number, Err(no_game(line)))));
            games
        }
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
        if is_begin && !is_begun {
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
            games.push((block[0].0, tagged_game(above, block)));
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

/// Returns whether lines begin with turns whose first number is above 1.
fn has_later_number(lines: &[(usize, &str)]) -> bool {
    let mut lines = lines.iter().map(|(_, line)| *line);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    first
        .and_then(first_number)
        .is_some_and(|number| number != "1")
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
    let has_colon =
        |line: &str| tag(line).is_some_and(|(key, _)| line[key.len() + 1..].starts_with(':'));
    let is_otg = lines.iter().any(|(_, line)| has_colon(line));
    let (kind, body) = match is_otg {
        true => ("game record of OpenTafl", otg_moves(&body)),
        false => ("PGN", body),
    };
    let about = |error| WrittenGameError::Tagged(kind, error);
    let mut words = words_below_tags(kind, &body)?;
    if let Some(line) = another_game(below).filter(|_| !is_otg) {
        return Err(WrittenGameError::Border(line));
    }
    let result = result_word(value("result")?.unwrap_or_default(), is_otg);
    if !words.take_end(result).map_err(about)? {
        return Err(RecordedGameError::Result(result.chars().take(40).collect()).into());
    }
    if let Some(unread) = take_ends(&mut words, lines).map_err(about)? {
        return Err(end_tag(unread));
    }
    let nearest = nearest_rules(above.iter().chain(head));
    // The tags of others for it, which may also tell of something else.
    let game = value("gametype")?.or(value("game")?);
    let named = [
        value("rules")?,
        value("variant")?,
        value("ruleset")?,
        game.filter(|name| is_preset(name)),
        nearest,
    ];
    let mut named = named.into_iter().flatten();
    let named = named.find(|name| !["", "?"].contains(name));
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

fn words_below_tags(kind: &'static str, body: &str) -> Result<Words, WrittenGameError> {
    let is_line = |line: &str| {
        let fields = fields_of(line);
        fields.len() > 3 && fields[1].parse::<u32>().is_ok()
    };
    let unread = "a line of aagenielsen.dk below tags, which it cannot have";
    Words::read(body).map_err(|error| match body.lines().any(is_line) {
        true => WrittenGameError::Unread(unread),
        false => WrittenGameError::Tagged(kind, error),
    })
}

/// Returns the error for a tag that tells the end of a game in words that are not known.
fn end_tag((key, value): (&str, &str)) -> WrittenGameError {
    WrittenGameError::EndTag(key.to_owned(), value.chars().take(40).collect())
}

/// Cuts lines into games.
fn plain_games(lines: &[(usize, &str)]) -> Vec<Read> {
    let lines = &without_titles(lines);
    // What stands above the next game, and what holds for it and those behind it.
    let (mut head, mut above) = (WrittenGame::default(), Rc::<WrittenGame>::default());
    let (mut heading, mut result, mut is_firm) = (None, None, false);
    let last = lines.iter().rposition(|(_, line)| has_moves(line));
    let (mut parts, mut is_cut, mut are_parted) = (Vec::<Part<'_>>::new(), false, false);
    for (at, &(number, line)) in lines.iter().enumerate() {
        let is_parting = is_rule(line) || is_numbered_title(line);
        are_parted |= is_parting && !parts.is_empty();
        is_cut |= is_parting;
        let told = told_by_title(line);
        let score = head_of((number, line), is_cut, &parts).or(told.flatten());
        let score = score.filter(|_| result.is_none());
        result = result.or(score.map(|it| (number, line, it)));
        is_cut |= score.is_some();
        // An end above a game, and apart from the one before, may be that of either.
        let is_between = |last: usize| number > last + 1 && is_line(lines, number + 1);
        let said = Above::read(line).filter(|_| !is_firm || !is_bare(line, &head));
        if let Some(Above::Position(position)) = said {
            head.position = Some(position.to_owned());
        } else if let Some(Above::Rules(rules)) = said {
            heading = heading.filter(|_| !is_header(line));
            (head, is_firm) = (with_rules(head, rules, is_header(line)), is_explicit(line));
        } else if (heading.is_none() || line.starts_with('#'))
            && last.is_some_and(|last| at < last && told.is_none())
            && (score.is_some() || is_heading(lines, at))
            && hints_at_rules(line)
        {
            if let Some(rules) = unclear_rules(lines, at, &head, &above) {
                is_cut |= !line.starts_with('#');
                (head, is_firm) = (rules, false);
            }
            continue;
        } else if line.is_empty()
            || score.is_some()
            || is_parting && told.is_none()
            || line.starts_with('#')
            || is_comment(heading, line)
        {
            // Counted, and left out.
            continue;
        } else if columns_of(line).is_some() {
            heading = Some(line);
        } else if let Some(part) = parts.last_mut().filter(|part| {
            !is_cut && heading.is_none() && goes_on(&part.text, line, || is_between(part.last))
        }) {
            part.text.push('\n');
            part.text.push_str(line);
            part.last = number;
            continue;
        } else {
            hold(&mut above, std::mem::take(&mut head));
            parts.push(Part {
                number,
                last: number,
                text: line.to_owned(),
                above: Rc::clone(&above),
                result: result.take().map(|(_, _, it)| it),
                heading,
                follows: !is_cut,
                is_end: is_parting || is_words(line) && is_below_turns(lines, at),
            });
            is_cut = false;
            continue;
        }
        is_cut = true;
    }
    if parts.is_empty() && head.position.is_some() {
        return vec![(1, Ok(head))];
    }
    let games = joined(parts, are_parted).into_iter().map(read_part);
    let alone = result.map(|(number, line, _)| (number, Err(no_game(line))));
    games.chain(alone).collect()
}

/// Returns whether a line that names rules is a title where others are told; a game with a number may have others than those
/// above it.
fn is_bare(line: &str, head: &WrittenGame) -> bool {
    is_aside(line) || is_numbered_title(line) && head.has_rules()
}

/// Returns the result that a line tells of the game below it. Where heads stand above games, the first game has one.
fn head_of(line: (usize, &str), is_cut: bool, parts: &[Part<'_>]) -> Option<RecordedResult> {
    let (number, line) = line;
    let is_head = is_cut || parts.last().is_none_or(|it| it.result.is_some());
    // Right below turns it is theirs.
    let is_apart = is_cut || parts.last().is_none_or(|it| number > it.last + 1);
    let keyed = || keyed_result(line).filter(|_| is_apart);
    scored(line).flatten().or_else(keyed).filter(|_| is_head)
}

/// Returns whether there is a line of that number that is not empty.
fn is_line(lines: &[(usize, &str)], number: usize) -> bool {
    let mut lines = lines.iter();
    lines.any(|(it, text)| *it == number && !text.is_empty())
}

/// Returns the error for a line that holds for games below it.
fn no_game(line: &str) -> WrittenGameError {
    WrittenGameError::NoGame(line.chars().take(40).collect())
}

/// Returns what stands above a game once its rules are told; a position above them is that of the game, unless a header begins.
fn with_rules(mut head: WrittenGame, rules: &str, is_header: bool) -> WrittenGame {
    let position = head.position.take();
    let mut game = WrittenGame::under(rules);
    game.position = position.filter(|_| !head.has_rules() && !is_header);
    game
}

/// Lets what was said last hold for the next game; a first position alone leaves the rules as they are.
fn hold(above: &mut Rc<WrittenGame>, head: WrittenGame) {
    match head {
        head if head.has_rules() => *above = Rc::new(head),
        head if head.position.is_some() => Rc::make_mut(above).position = head.position,
        _ => {}
    }
}

fn read_part((part, unclear): (Part<'_>, Option<usize>)) -> Read {
    let game = match unclear {
        Some(line) => Err(WrittenGameError::Border(line)),
        None if part.is_end => Err(WrittenGameError::End(part.text.chars().take(40).collect())),
        None => plain_game(&part.text, (*part.above).clone(), part.heading),
    };
    let game = game.and_then(|mut game| {
        if let Some(result) = part.result {
            let told = game.words.result.replace(result);
            if let Some(other) = told.filter(|it| *it != result) {
                return Err(WordsError::Results(other.to_string(), result.to_string()).into());
            }
        }
        Ok(game)
    });
    (part.number, game)
}

/// Returns what holds for games below a heading that hints at rules: its words, which are no known name, unless it leaves what
/// was told. So the rules of games further above hold for none of which it is not sure.
fn unclear_rules(
    lines: &[(usize, &str)],
    at: usize,
    head: &WrittenGame,
    above: &WrittenGame,
) -> Option<WrittenGame> {
    let (_, line) = lines[at];
    let is_told = head.has_rules();
    let told = if is_told { head } else { above }.told();
    let is_title = is_told && line.starts_with('#') || has_later_number(&lines[at + 1..]);
    // A name of known rules is a title here, too.
    if is_title || Above::read(line).is_some() || leaves_rules(line, told) {
        return None;
    }
    let title = line.trim_start_matches('#').trim();
    let title: String = title.chars().take(60).collect();
    Some(WrittenGame {
        position: head.position.clone().filter(|_| !is_told),
        ..WrittenGame::under(&title)
    })
}

/// Reads the fields of a line by the names of their columns.
fn row<'a>(
    fields: &[&str],
    columns: impl Iterator<Item = &'a str>,
    mut game: WrittenGame,
) -> Result<WrittenGame, WrittenGameError> {
    let (mut has_plies, mut captures, mut results) = (false, [None; 2], Vec::new());
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
            "attackers" => captures[0] = captures_of(Side::Attacker, column, field)?,
            "defenders" => captures[1] = captures_of(Side::Defender, column, field)?,
            "result" | "winner" => results.push(RecordedResult::read(field)?),
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
    let fields = fields_of(text);
    let is_end = fields.len() < COLUMNS.len() && !has_moves(text) && tells_end(text);
    if is_end && scored(text) == Some(None) {
        return Err(WrittenGameError::Score(text.chars().take(40).collect()));
    }
    if is_end && Words::read(text).is_err() {
        return Err(WrittenGameError::End(text.chars().take(40).collect()));
    }
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
    if fields.len() < 2 || is_end || fields[0].contains(';') || text.contains(['{', '(']) {
        let words = Words::read(text.trim_matches('"')).map_err(|error| match has_moves(text) {
            true => error.into(),
            false => WrittenGameError::Title(error),
        })?;
        let is_said = words.end.is_some() || words.result.is_some();
        if words.plies.is_empty() && !(is_said && first_number(text).is_some()) {
            let error = if is_said {
                WordsError::Alone
            } else {
                WordsError::Empty
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
    let has_end = |field: &&str| !field.is_empty() && Words::default().take_end(field) != Ok(false);
    if fields[COLUMNS.len()..].iter().any(has_end) {
        return Err(RecordedGameError::Result(told.chars().take(40).collect()).into());
    }
    row(&fields, COLUMNS.into_iter(), game)
}
