//! The tags of games: of PGN and of `OpenTafl`.

use super::aagenielsen::RecordedResult;
use super::ends::{end_of, hints_at_end};
use super::spelling::is_digits;
use super::words::{Words, WordsError};

/// Returns the key and the value of `[Key "value"]` or `[key:value]`.
pub(super) fn tag(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix('[')?.split(']').next()?;
    let end = inside.find(|it: char| !it.is_ascii_alphanumeric() && it != '-' && it != '_')?;
    let (key, value) = inside.split_at(end);
    match (key, value.strip_prefix(':')) {
        // Other texts in brackets are comments of an `.otg`.
        (
            "event" | "site" | "date" | "round" | "attackers" | "defenders" | "result"
            | "annotator" | "compiler" | "time-control" | "time-remaining" | "termination"
            | "variant" | "start-comment" | "position" | "puzzle-mode" | "puzzle-prestart"
            | "puzzle-start" | "rules",
            Some(value),
        ) if !value.contains('|') => Some((key, value.trim())),
        (_, None) if value.trim_start().starts_with('"') => {
            Some((key, value.trim().trim_matches('"')))
        }
        _ => None,
    }
}

/// Returns whether a line begins with a tag of an `.otg`.
pub(super) fn is_otg_tag(line: &str) -> bool {
    tag(line).is_some_and(|(key, _)| line[1 + key.len()..].starts_with(':'))
}

/// Returns a text in which tags with spaces within the brackets or other quotes, as `[ Result “White” ]`, are written as usual.
pub(super) fn with_plain_tags(text: &str) -> String {
    const QUOTES: [char; 4] = ['\'', '“', '”', '„'];
    let plain = |line: &str| {
        let line = line.replace(QUOTES, "\"");
        line.replace("[ ", "[").replace("\" ]", "\"]")
    };
    let lines = text
        .split_inclusive('\n')
        .map(|line| match line.trim_start().starts_with('[') {
            true => plain(line),
            false => line.to_owned(),
        });
    lines.collect()
}

pub(super) fn is_tag(line: &str) -> bool {
    tag(line).is_some()
}

/// Returns the tags with which a line begins, each alone, and what follows them.
pub(super) fn cut_behind_tags(line: &str) -> Vec<&str> {
    let mut rest = line.trim();
    let mut parts = Vec::new();
    while let Some((tag, behind)) = end_of_tag(rest).map(|end| rest.split_at(end)) {
        parts.push(tag);
        rest = behind.trim_start();
        if rest.is_empty() {
            return parts;
        }
    }
    parts.push(rest);
    parts
}

/// Returns where the tag ends with which a line begins, if both are there.
fn end_of_tag(line: &str) -> Option<usize> {
    if !is_otg_tag(line) {
        return line.find("\"]").map(|at| at + 2).filter(|_| is_tag(line));
    }
    let mut depth = 0_i32;
    let mut letters = line.char_indices();
    let end = letters.find(|(_, letter)| {
        depth += i32::from(*letter == '[') - i32::from(*letter == ']');
        depth == 0
    });
    end.map(|(at, _)| at + 1)
}

/// Empties the lines on which a tag of an `.otg` goes on, such as a comment of several paragraphs.
pub(super) fn leave_out_rest_of_tags(lines: &mut [(usize, &str)]) {
    let opened = |line: &str| line.matches('[').count() as i64 - line.matches(']').count() as i64;
    let mut begin = 0;
    while let Some((_, first)) = lines.get(begin) {
        begin += 1;
        let mut open = opened(first);
        if open < 1 || !is_otg_tag(first) {
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

/// Takes what tags beside `Result` say of how a game ended. Returns the first that says it in other words, its key and its value,
/// where nothing else says it.
///
/// # Errors
/// If two of them say that the game ended differently.
pub(super) fn take_ends<'a>(
    words: &mut Words,
    lines: &[(usize, &'a str)],
) -> Result<Option<(&'a str, &'a str)>, WordsError> {
    let mut unread = None;
    for (key, value) in lines.iter().filter_map(|(_, line)| tag(line)) {
        let Some((verb, is_end)) = end_of(key).filter(|_| !["", "?", "-"].contains(&value)) else {
            continue;
        };
        let mut told = words.clone();
        match told.take_end(&format!("{value} {verb}")) {
            Ok(true) => *words = told,
            Err(error @ WordsError::Results(..)) => return Err(error),
            Ok(false) if !is_end && !hints_at_end(value) => {}
            _ => unread = unread.or(Some((key, value))),
        }
    }
    let result = words.result.filter(|it| *it != RecordedResult::Ongoing);
    let is_told = result.is_some() || words.score.is_some() || words.end.is_some();
    Ok(unread.filter(|_| !is_told))
}

/// Returns the words for the value of a tag `result`.
pub(super) fn result_word(value: &str, is_otg: bool) -> &str {
    match (value, is_otg) {
        ("1", true) => "attackers",
        ("-1", true) => "defenders",
        ("0", true) => "draw",
        ("?", _) => "",
        _ => value,
    }
}

/// Returns the moves of an `.otg`, without its comments in brackets and its variations, whose numbers are as `8a.1.1a.`.
pub(super) fn otg_moves(body: &str) -> String {
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
            is_main = is_digits(word.trim_end_matches('.'));
        }
        is_main
    });
    // A line each, as a comment ends with its line.
    words.collect::<Vec<_>>().join("\n")
}
