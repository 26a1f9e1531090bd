//! Titles above games, and those that seem to name rules, though by no name that is known.

use super::above::{Above, KINDS};
use super::ends::hints_at_end;
use super::lines::{has_moves, is_date, is_numbered_title, is_rule};
use super::names::{is_near, names_in, words_of};
use super::table::{columns_of, fields_of, has_counts, split};
use super::tags::{cut_behind_tags, is_tag, tag};
use super::words::{Words, is_end_in_comment, lines_of};

/// How many lines above and below the first one of a game are looked at for its title.
const NEAR: usize = 30;

/// The longest title, in characters.
const LONGEST: usize = 80;

/// Returns the titles of the games that begin on these lines of a text, as [`super::games::read_games`] numbers them: the
/// players, the event, the date and the round of their tags or columns, else the words above their turns, of which the nearest
/// count; empty where there are none.
pub fn titles_of(text: &str, numbers: &[usize]) -> Vec<String> {
    let lines: Vec<&str> = lines_of(text).map(str::trim).collect();
    let (mut before, mut heading) = (0, None);
    let titles = numbers.iter().map(|number| {
        let at = number.saturating_sub(1).min(lines.len());
        // The line of the game before is none, even if it has no turns.
        let above = lines.get(before..at).unwrap_or_default();
        before = *number;
        heading = above
            .iter()
            .rev()
            .copied()
            .find_map(columns_of)
            .or_else(|| heading.take());
        title_of(above, &lines[at..], heading.as_ref())
    });
    titles.collect()
}

fn title_of(above: &[&str], below: &[&str], heading: Option<&(char, Vec<String>)>) -> String {
    let is_head = |line: &&str| {
        let is_passed_over = line.is_empty() || line.starts_with('#') || is_rule(line);
        is_passed_over || is_tag(line) || Above::read(line).is_some()
    };
    let head = below.iter().copied().take(NEAR).take_while(is_head);
    let mut told: Vec<(&str, &str)> = head.flat_map(cut_behind_tags).filter_map(tag).collect();
    if let Some(((separator, columns), line)) = heading.zip(below.first()) {
        let fields = split(line, *separator);
        let is_row = fields.len() == columns.len();
        let columns = columns.iter().map(String::as_str);
        told.extend(columns.zip(fields).filter(|_| is_row));
    }
    let title = title_of_keys(&told);
    if !title.is_empty() {
        return title.chars().take(LONGEST).collect();
    }
    let lines = above.iter().rev().copied().take(NEAR);
    let is_near = |line: &&str| !has_moves(line) || Above::read(line).is_some();
    let near = lines.take_while(|line| is_near(line) && !is_tag(line));
    let mut is_named = false;
    let told = near.filter(|line| is_told(line)).take_while(|line| {
        // Above a title with a number are words of other games.
        !std::mem::replace(&mut is_named, is_numbered_title(line))
    });
    let mut room = LONGEST;
    let told = told
        .map(|it| it.trim_start_matches(['#', ' ']))
        .take_while(|it| {
            let is_first = room == LONGEST;
            let length = it.chars().count() + 2;
            room = room.saturating_sub(length);
            is_first || room > 0
        });
    let mut words: Vec<&str> = told.collect();
    words.reverse();
    words.join(", ").chars().take(LONGEST).collect()
}

/// Returns the title that tags or the fields of a row tell: the players with their sides, the event and such; columns of numbers
/// are captures.
fn title_of_keys(told: &[(&str, &str)]) -> String {
    let value = |wanted: &str| {
        let is_it = |told: &&(&str, &str)| {
            told.0.eq_ignore_ascii_case(wanted) && told.1.contains(char::is_alphanumeric)
        };
        told.iter().find(is_it).map(|told| told.1)
    };
    // Which side a color has may be told otherwise.
    let player = |key: &str, side: &str| {
        let name = value(key).filter(|name| name.contains(char::is_alphabetic))?;
        Some(match name.contains('(') {
            true => name.to_owned(),
            false => format!("{name} ({side})"),
        })
    };
    let attackers = player("attackers", "attackers").or_else(|| player("attacker", "attackers"));
    let attackers = attackers.or_else(|| player("black", "Black"));
    let defenders = player("defenders", "defenders").or_else(|| player("defender", "defenders"));
    let defenders = defenders.or_else(|| player("white", "White"));
    let players: Vec<String> = attackers.into_iter().chain(defenders).collect();
    let players = Some(players.join(" - ")).filter(|it| !it.is_empty());
    let others = ["event", "date", "round"].into_iter().filter_map(value);
    let parts = players.into_iter().chain(others.map(str::to_owned));
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns whether a line above a game is its title: it tells neither rules nor, as far as one knows, how a game ended.
fn is_told(line: &str) -> bool {
    let is_left_out = line.starts_with([';', '%', '{', '(']) || columns_of(line).is_some();
    let tells_rules = Above::read(line).is_some() && !is_numbered_title(line);
    line.contains(char::is_alphanumeric) && !tells_rules && !is_left_out && !hints_at_end(line)
}

/// Returns whether a line is a rank of a drawn board, or the files below it: single letters and marks apart from each other.
fn is_drawn(line: &str) -> bool {
    let words = line.split_whitespace();
    let is_mark = |word: &str| word.chars().count() == 1 || word.parse::<u8>().is_ok();
    words.clone().count() >= LEAST_SQUARES && words.clone().all(is_mark)
}

/// The files of the smallest board.
const LEAST_SQUARES: usize = 7;

/// Returns whether a line is a comment that tells no end: in braces, or behind a `;` that is not the end of a first field that
/// is empty.
pub(super) fn is_comment(heading: Option<&str>, line: &str) -> bool {
    if heading.is_none() && is_end_in_comment(line) {
        return false;
    }
    if line.starts_with('{') && line.find('}') == Some(line.len() - 1) {
        return true;
    }
    let separator = heading.and_then(columns_of).map(|(separator, _)| separator);
    line.starts_with(';') && separator != Some(';')
}

/// Returns whether a line is words alone, such as a title, or a date: it has no move, not even a damaged one, and no brace, and is
/// not how a game ended, nor of a table.
pub(super) fn is_words(line: &str) -> bool {
    let has_letters = line.contains(char::is_alphabetic) || is_date(line);
    // A variation may begin with its line, or end with it.
    let is_broken = line.starts_with('(') || line.matches('(').count() != line.matches(')').count();
    let is_end = || Words::default().take_end(line) == Ok(true);
    let is_turns = || has_moves(line) || Words::read(line).is_ok() || is_end();
    let is_turns = || is_turns() || has_counts(&fields_of(line));
    has_letters && !is_broken && !line.contains(['{', '}']) && !is_drawn(line) && !is_turns()
}

/// Returns whether a line is of words, the one before it is of turns, and the one behind it is not.
pub(super) fn is_below_turns(lines: &[(usize, &str)], at: usize) -> bool {
    let is_turns = |at: Option<usize>, number: usize| {
        let line = at.and_then(|at| lines.get(at));
        line.is_some_and(|(it, line)| *it == number && has_moves(line))
    };
    let (number, line) = lines[at];
    let is_below = || is_turns(at.checked_sub(1), number.wrapping_sub(1));
    line.contains(char::is_alphabetic) && is_below() && !is_turns(Some(at + 1), number + 1)
}

/// Returns whether a title or a comment seems to tell rules: by a name of a game, in another spelling too, by a word such as
/// `rules`, or by a board such as `9x9`.
pub(super) fn hints_at_rules(line: &str) -> bool {
    let is_kind = |word: &String| KINDS.contains(&&**word);
    !names_in(line).is_empty() || words_of(line).iter().any(is_kind)
}

/// Returns whether a heading that [`hints_at_rules`] leaves the rules that were told as they are: it names no others. A comment
/// above which no rules are told counts if it begins with a name.
pub(super) fn leaves_rules(heading: &str, told: &str) -> bool {
    let told = words_of(told);
    let all = format!("-{}-", told.join("-"));
    let is_told = |name: &String| {
        all.contains(&format!("-{name}-")) || told.iter().any(|it| is_near(name, it))
    };
    let names = names_in(heading);
    let are_told = names.iter().all(is_told);
    match heading.starts_with('#') {
        true if told.is_empty() => names.first() != words_of(heading).first(),
        false if names.is_empty() => told.is_empty(),
        _ => are_told,
    }
}
