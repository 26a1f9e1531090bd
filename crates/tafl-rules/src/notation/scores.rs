//! The score of two players in a title above a game.

use super::aagenielsen::RecordedResult;
use super::ends::ENDS;
use super::lines::{BETWEEN, ROUNDS, has_moves, is_comment};
use super::names::names_in;
use super::spelling::is_dash;
use super::words::Words;
use crate::Side;

/// Returns what the score in a head such as `Ole (A) 1 - 0 Per (D)` says of the game below it; within, nothing where it is not told
/// by letters or words in brackets which side stands first, or where the line has more than names, dates and such around them.
pub(super) fn scored(line: &str) -> Option<Option<RecordedResult>> {
    let is_of_words = line.contains(char::is_alphabetic) && !has_moves(line);
    if !is_of_words || line.starts_with('[') || is_comment(line) {
        return None;
    }
    let line: String = line
        .chars()
        .map(|it| if is_dash(it) { '-' } else { it })
        .collect();
    let words = words_of(line.trim_end_matches(['.', '!']));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (begin, end, first_won) = score_in(&words)?;
    // An end below the turns has no other words.
    let close = line.split('-').map(str::trim).collect::<Vec<_>>().join("-");
    if Words::default().take_end(&close) != Ok(false) {
        return None;
    }
    let sides = players(&words[..begin], &words[end..]);
    Some(match (first_won, sides) {
        (None, Some(_)) => Some(RecordedResult::Draw),
        (Some(is_first), Some([Some(first), Some(second)])) if first != second => {
            Some(RecordedResult::Won(if is_first { first } else { second }))
        }
        _ => None,
    })
}

/// Returns the words of a line, and the marks between them as words of their own.
fn words_of(line: &str) -> Vec<String> {
    let mut apart = line.to_owned();
    for mark in ["-", ",", "(", ")"] {
        apart = apart.replace(mark, &format!(" {mark} "));
    }
    // A colon within a word is of a score or a time.
    let words = apart.split_whitespace().flat_map(|word| {
        let (word, mark) = match word.strip_suffix(':') {
            Some(word) => (word, ":"),
            None => (word, ""),
        };
        [word, mark].into_iter().filter(|it| !it.is_empty())
    });
    words.map(str::to_owned).collect()
}

/// Returns where the score begins and ends among words, and whether the first player won; no one did in a draw.
fn score_in(words: &[&str]) -> Option<(usize, usize, Option<bool>)> {
    let won = |first: &str, second: &str| match (first, second) {
        ("1", "0") => Some(Some(true)),
        ("0", "1") => Some(Some(false)),
        ("½", "½") | ("1/2", "1/2") | ("0.5", "0.5") => Some(None),
        _ => None,
    };
    // `2-1-0` counts games.
    let is_counted = |mark: usize, number: usize| {
        words.get(mark) == Some(&"-") && words.get(number).is_some_and(|it| is_number(it))
    };
    (0..words.len()).find_map(|at| {
        if let Some((first, second)) = words[at].split_once(':') {
            return Some((at, at + 1, won(first, second)?));
        }
        let second = words
            .get(at + 2)
            .filter(|_| words[at + 1] == "-")
            .copied()?;
        let is_longer = at > 1 && is_counted(at - 1, at - 2) || is_counted(at + 3, at + 4);
        let found = won(words[at], second).filter(|_| !is_longer)?;
        Some((at, at + 3, found))
    })
}

/// Returns the sides of the two players between whom a score stands, or behind whom; nothing if there are other words.
fn players(before: &[&str], after: &[&str]) -> Option<[Option<Side>; 2]> {
    let both =
        |first: &[&str], second: &[&str]| Some([player(first, true)?, player(second, false)?]);
    if after.iter().any(|it| it.contains(char::is_alphanumeric)) {
        return both(before, after);
    }
    let mut marks =
        (0..before.len()).filter(|at| before[*at] == "-" || is_in(&BETWEEN, before[*at]));
    marks.find_map(|at| both(&before[..at], &before[at + 1..]))
}

/// Reads a name and the brackets behind it, of which one may be the side; dates and such stand before the first player and behind
/// the second.
fn player(words: &[&str], is_first: bool) -> Option<Option<Side>> {
    let pieces = words.split(|it| [",", ":"].contains(it));
    let mut pieces: Vec<&[&str]> = pieces.filter(|it| !it.is_empty()).collect();
    if !is_first {
        pieces.reverse();
    }
    let name = pieces.pop()?;
    let begin = name.iter().position(|it| *it == "(");
    let (name, bracketed) = name.split_at(begin.unwrap_or(name.len()));
    let mut side = None;
    let groups = bracketed.split(|it| *it == ")");
    for group in groups.filter(|it| !it.is_empty()) {
        let (_, inside) = group.split_first().filter(|(open, _)| **open == "(")?;
        match side_of(&inside.join(" ")) {
            Some(found) if side.is_none() => side = Some(found),
            None if inside.iter().all(|it| is_number(it)) => {}
            _ => return None,
        }
    }
    let is_alone = pieces.into_iter().all(is_aside) && is_name(name);
    is_alone.then_some(side)
}

/// Returns the side of a player that stands in brackets behind the name.
pub(super) fn side_of(text: &str) -> Option<Side> {
    match &*text.to_lowercase() {
        "a" | "attacker" | "attackers" | "b" | "black" => Some(Side::Attacker),
        "d" | "defender" | "defenders" | "w" | "white" => Some(Side::Defender),
        _ => None,
    }
}

/// Returns whether words are a date, the number of a round or a ruleset.
fn is_aside(words: &[&str]) -> bool {
    let is_counted = words.iter().any(|it| is_number(it));
    (is_counted || !names_in(&words.join(" ")).is_empty()) && are_proper(words)
}

/// Returns whether words are a name, which may be one word without a capital.
fn is_name(words: &[&str]) -> bool {
    let has_letters = words.iter().any(|it| it.contains(char::is_alphabetic));
    has_letters && (are_proper(words) || matches!(words, [word] if !is_in(&ENDS, word)))
}

/// Returns whether words are as those of names and dates: with a capital or a digit first, but for short ones between two, as in
/// `Erik the Red`, and words such as `round`.
fn are_proper(words: &[&str]) -> bool {
    const SHORT: usize = 3;
    let is_proper = |(at, word): (usize, &&str)| {
        let is_within = at > 0 && at + 1 < words.len() && word.chars().count() <= SHORT;
        let is_said = is_in(&ENDS, word) || is_in(&BETWEEN, word);
        !is_said && (is_within || is_in(&ROUNDS, word) || !word.starts_with(char::is_lowercase))
    };
    words.iter().enumerate().all(is_proper)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|it: char| it.is_ascii_digit())
}

fn is_in(known: &[&str], word: &str) -> bool {
    let word = word.trim_end_matches('.').to_lowercase();
    known.contains(&&*word)
}
