//! One reader of games for all: lines of aagenielsen.dk, lists of turns, PGN with squares, and `OpenTafl`'s records.
//!
//! Lines have a game each; but a line that begins with a number above 1, and lines of one turn each, go on with the game
//! before. `ruleset:` and `position:` lines stand before a game, the first with a name or with all fields of a ruleset file,
//! as the page saves rules of one's own; what follows `#` is a comment. PGN is that of
//! hnefatafl-copenhagen: tags in brackets, then turns such as `h1h3`. Of an `.otg` the comments and the variations are left
//! out.

use super::aagenielsen::{RecordedGame, RecordedGameError, RecordedResult};
use super::own::OwnRules;
use super::words::{Words, WordsError};
use crate::Side;

/// A game of a text; nothing in it is checked against any rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenGame {
    /// The ruleset that the text names.
    pub ruleset: Option<String>,
    /// The ruleset of the comment above the game that [`named_in_comment`] reads.
    pub header: Option<String>,
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
    /// A game with tags; which one, and what is wrong.
    #[error("this is a {0}: {1}")]
    Tagged(&'static str, WordsError),
    /// A format that is not read.
    #[error(
        "this is {0}; read are lines of aagenielsen.dk, lists of turns, PGN with squares such as `h1h3`, OpenTafl's .otg and this program's Parquet"
    )]
    Unread(&'static str),
}

impl WrittenGame {
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
    let begin = text.trim_start_matches(|it: char| it == BYTE_ORDER_MARK || it.is_whitespace());
    // Files put one behind the other keep their marks, and the last line of one may have no end.
    let numbered = (1..).zip(text.lines());
    let numbered = numbered.flat_map(|(number, line)| {
        let parts = line.split(BYTE_ORDER_MARK);
        parts.map(move |part| (number, part.trim()))
    });
    let mut numbered: Vec<(usize, &str)> = numbered.collect();
    leave_out_rest_of_tags(&mut numbered);
    match begin {
        _ if begin.starts_with("(;") => unread("an SGF record"),
        _ if begin.starts_with(['{', '<']) && !begin.contains('}') || begin.starts_with("{\"") => {
            unread("JSON or HTML")
        }
        _ if begin.starts_with("PAR1") => unread("a Parquet file under another name"),
        _ if numbered.iter().any(|(_, line)| is_tag(line)) => tagged_games(&numbered),
        _ => plain_games(&numbered),
    }
}

/// Returns whether tags begin the games of a text, which are counted there; others are found by their lines.
pub fn has_tags(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(|line| line.trim_start_matches(BYTE_ORDER_MARK));
    lines.any(|line| is_tag(line.trim()))
}

/// What ends the comment above a game of `tafl play`.
const BY_A_HUMAN: &str = " by a human";

/// Returns the comment above a game that was played under a ruleset, by a human on a side: `# brandubh, attackers by a human`.
pub fn comment_of(ruleset: &str, human: Side) -> String {
    format!("# {ruleset}, {human}{BY_A_HUMAN}")
}

/// Returns the ruleset that a comment of [`comment_of`] names, or one that begins with a preset's name.
pub fn named_in_comment(line: &str) -> Option<&str> {
    let comment = line.trim().strip_prefix('#')?;
    let (name, rest) = comment.rsplit_once(',').unwrap_or((comment, ""));
    let name = name.trim();
    let is_named = rest.ends_with(BY_A_HUMAN) || crate::preset(name).is_some();
    is_named.then_some(name)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the key and the value of `[Key "value"]` or `[key:value]`.
fn tag(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix('[')?.split(']').next()?;
    let end = inside.find(|it: char| !it.is_ascii_alphanumeric() && it != '-' && it != '_')?;
    let (key, value) = inside.split_at(end);
    match value.strip_prefix(':') {
        Some(value) if OTG_TAGS.contains(&key) && !value.contains('|') => Some((key, value.trim())),
        None if value.trim_start().starts_with('"') => Some((key, value.trim().trim_matches('"'))),
        _ => None,
    }
}

/// The tags of an `.otg`; other texts in brackets are its comments.
const OTG_TAGS: [&str; 19] = [
    "event",
    "site",
    "date",
    "round",
    "attackers",
    "defenders",
    "result",
    "annotator",
    "compiler",
    "time-control",
    "time-remaining",
    "termination",
    "variant",
    "start-comment",
    "position",
    "puzzle-mode",
    "puzzle-prestart",
    "puzzle-start",
    "rules",
];

fn is_tag(line: &str) -> bool {
    tag(line).is_some()
}

/// Empties the lines on which a tag of an `.otg` goes on, such as a comment of several paragraphs.
fn leave_out_rest_of_tags(lines: &mut [(usize, &str)]) {
    let opened = |line: &str| line.matches('[').count() as i64 - line.matches(']').count() as i64;
    let mut begin = 0;
    while let Some((_, first)) = lines.get(begin) {
        begin += 1;
        let mut open = opened(first);
        if open < 1 || tag(first).is_none_or(|(key, _)| !OTG_TAGS.contains(&key)) {
            continue;
        }
        let closed = lines[begin..].iter().position(|(_, line)| {
            open += opened(line);
            open < 1
        });
        // One that never ends is its line alone.
        for (_, line) in &mut lines[begin..begin + closed.map_or(0, |it| it + 1)] {
            *line = "";
        }
    }
}

/// Cuts a text into games, each of which begins with tags.
fn tagged_games(lines: &[(usize, &str)]) -> Vec<Read> {
    let starts = lines.iter().enumerate().filter(|(at, (_, line))| {
        let before = lines[..*at].iter().rev().find(|(_, line)| !line.is_empty());
        is_tag(line) && before.is_none_or(|(_, line)| !is_tag(line))
    });
    let mut starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    starts.push(lines.len());
    let games = starts.windows(2).map(|pair| &lines[pair[0]..pair[1]]);
    let header = lines.iter().find_map(|(_, line)| named_in_comment(line));
    let read = |lines| {
        let header = header.map(str::to_owned);
        tagged_game(lines).map(|game| WrittenGame { header, ..game })
    };
    games.map(|lines| (lines[0].0, read(lines))).collect()
}

fn tagged_game(lines: &[(usize, &str)]) -> Result<WrittenGame, WrittenGameError> {
    let tags: Vec<(&str, &str)> = lines.iter().filter_map(|(_, line)| tag(line)).collect();
    let value = |wanted: &str| {
        let found = tags
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| (*value).to_owned())
    };
    let body = lines.iter().filter(|(_, line)| !is_tag(line));
    let body: Vec<&str> = body.map(|(_, line)| *line).collect();
    let own = value("rules").map(OwnRules::Record);
    let has_colon =
        |line: &str| tag(line).is_some_and(|(key, _)| line[key.len() + 1..].starts_with(':'));
    let is_otg = lines.iter().any(|(_, line)| has_colon(line));
    let (kind, body) = match is_otg {
        true => ("game record of OpenTafl", otg_moves(&body.join("\n"))),
        false => ("PGN", body.join("\n")),
    };
    let mut words = Words::read(&body).map_err(|error| WrittenGameError::Tagged(kind, error))?;
    let result = value("result").unwrap_or_default();
    match (&*result, is_otg) {
        ("1", true) => words.result = Some(RecordedResult::Won(Side::Attacker)),
        ("-1", true) => words.result = Some(RecordedResult::Won(Side::Defender)),
        ("0", true) => words.result = Some(RecordedResult::Draw),
        (_, true) => {}
        // The words at the end of a PGN come first.
        (tag, false) => {
            words.ends(tag);
        }
    }
    Ok(WrittenGame {
        header: None,
        ruleset: value("variant").or_else(|| value("ruleset")),
        own,
        // `FEN` of a PGN; a record of `OpenTafl` in an .otg.
        position: value("fen").or_else(|| value("position")),
        words,
        captures: None,
    })
}

/// Returns the moves of an `.otg`, without its comments in brackets and its variations, whose numbers are as `8a.1.1a.`.
fn otg_moves(body: &str) -> String {
    let mut without = String::new();
    let mut depth = 0_u32;
    for letter in body.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => without.push(letter),
            _ => {}
        }
    }
    let mut is_main = true;
    let words = without.split_whitespace().filter(|word| {
        if word.ends_with('.') && word.starts_with(|it: char| it.is_ascii_digit()) {
            is_main = word
                .trim_end_matches('.')
                .bytes()
                .all(|it| it.is_ascii_digit());
        }
        is_main
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Cuts lines into games.
fn plain_games(lines: &[(usize, &str)]) -> Vec<Read> {
    let mut above = WrittenGame::default();
    let mut games: Vec<(usize, String, WrittenGame)> = Vec::new();
    let mut is_cut = false;
    let is_column = is_column(lines);
    for &(number, line) in lines {
        if let Some(ruleset) = line.strip_prefix("ruleset:") {
            let ruleset = Some(ruleset.trim().to_owned());
            let is_whole = |text: &String| text.starts_with('{');
            above.own = ruleset.clone().filter(is_whole).map(OwnRules::Fields);
            above.ruleset = ruleset.filter(|text| !is_whole(text));
        } else if let Some(position) = line.strip_prefix("position:") {
            above.position = Some(position.trim().to_owned());
        } else if line.is_empty() || line.starts_with('#') || is_heading(&fields_of(line)) {
            // Counted, and left out.
            if let Some(name) = named_in_comment(line) {
                above.header = Some(name.to_owned());
                is_cut = true;
            }
        } else if let Some((_, game, _)) = games
            .last_mut()
            .filter(|(_, game, _)| !is_cut && (is_column || goes_on(game, line)))
        {
            game.push('\n');
            game.push_str(line);
        } else {
            games.push((number, line.to_owned(), above.clone()));
            is_cut = false;
        }
    }
    if games.is_empty() && above.position.is_some() {
        return vec![(1, Ok(above))];
    }
    let games = games.into_iter();
    games
        .map(|(number, text, above)| (number, plain_game(&text, &above)))
        .collect()
}

/// Returns the fields of a line: between commas, or, where there is none, as tables are also written.
fn fields_of(line: &str) -> Vec<&str> {
    let split = |separator| -> Vec<&str> {
        let fields = line.split(separator);
        fields.map(|field| field.trim().trim_matches('"')).collect()
    };
    // Tabs may stand between turns too.
    let is_table = |fields: &Vec<&str>| {
        let counts = fields.get(1..3).filter(|_| fields.len() > 3);
        counts.is_some_and(|counts| counts.iter().all(|it| it.parse::<u32>().is_ok()))
    };
    let others = [';', '\t'].map(split).into_iter();
    let mut others = others.filter(|fields| is_table(fields) || is_heading(fields));
    let table = others.next().filter(|_| !line.contains(','));
    table.unwrap_or_else(|| split(','))
}

/// Returns whether the fields of a line name the columns of those below.
fn is_heading(fields: &[&str]) -> bool {
    let is_name = |field: &&str| {
        let mut letters = field.chars();
        letters.next().is_some_and(char::is_alphabetic)
            && letters.all(|it| it.is_alphabetic() || " _-".contains(it))
    };
    fields.len() > 3 && fields.iter().all(is_name) && RecordedResult::read(fields[3]).is_err()
}

/// Returns whether each of several lines has one turn.
fn is_column(lines: &[(usize, &str)]) -> bool {
    let lines = lines.iter().map(|(_, line)| *line);
    let mut lines =
        lines.filter(|line| !line.is_empty() && !line.starts_with('#') && !line.contains(':'));
    lines.clone().count() > 1
        && lines.all(|line| {
            !line.contains(',') && Words::read(line).is_ok_and(|words| words.turns().len() < 2)
        })
}

/// Returns whether a line goes on with a game: by its number, or because something was left open.
fn goes_on(game: &str, line: &str) -> bool {
    let count = |letter| game.matches(letter).count();
    let is_open = count('(') > count(')') || count('{') > count('}');
    let digits = line.find(|it: char| !it.is_ascii_digit()).unwrap_or(0);
    let is_numbered = digits > 0 && line[digits..].starts_with(['.', ')', ':']);
    is_open || line.starts_with(['(', '{', ')']) || is_numbered && &line[..digits] != "1"
}

/// Reads `1: d1-d3, e5-c5; 2: a4-c4`, which has no comments and no variations.
fn listed(text: &str) -> Option<Words> {
    if !text.contains([',', ';', ':']) || text.contains(['{', '(']) {
        return None;
    }
    let words = text.split(|it: char| it.is_whitespace() || ",;".contains(it));
    let words = words.map(|word| match word.strip_suffix(':') {
        Some(number) if number.bytes().all(|it| it.is_ascii_digit()) => format!("{number}."),
        _ => word.to_owned(),
    });
    let read = Words::read(&words.collect::<Vec<_>>().join(" ")).ok();
    read.filter(|words| !words.plies.is_empty())
}

fn plain_game(text: &str, above: &WrittenGame) -> Result<WrittenGame, WrittenGameError> {
    let fields = fields_of(text);
    let mut game = above.clone();
    // Commas may stand between turns, colons after numbers.
    let is_line = fields.len() > 3 || fields.get(1).is_some_and(|it| it.parse::<u32>().is_ok());
    if !is_line && let Some(words) = listed(text) {
        game.words = words;
        return Ok(game);
    }
    // A comment in braces may have commas.
    if fields.len() < 2 || text.contains(['{', '(']) {
        game.words = Words::read(text.trim_matches('"'))?;
        return Ok(game);
    }
    game.words = Words::read(fields[0]).map_err(RecordedGameError::from)?;
    let recorded = RecordedGame::read(&fields)?;
    game.words.result = Some(recorded.result);
    game.captures = recorded.captures;
    Ok(game)
}
