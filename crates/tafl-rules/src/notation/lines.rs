//! What a line of a text is, whatever its words say: turns, a comment, a date, a line that parts others, a title with a number.

use super::spelling::{has_turns, is_digits};

/// Returns whether a line parts what is above it from what is below it, as `---` and `* * *` do.
pub(super) fn is_rule(line: &str) -> bool {
    let marks = line.chars().filter(|it| !it.is_whitespace());
    let mut marks = marks.peekable();
    let first = marks.peek().copied();
    let is_mark = first.is_some_and(|it| "-=*_~".contains(it));
    is_mark && marks.clone().count() > 2 && marks.all(|it| Some(it) == first)
}

/// Returns whether a line has a letter before a digit, as squares have: it may be a move, damaged or not. `11x11` is a board.
pub(super) fn has_moves(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_size = |at: usize| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        bytes[at].eq_ignore_ascii_case(&b'x') && before.is_some_and(|it| it.is_ascii_digit())
    };
    let is_square = |(at, pair): (usize, &[u8])| {
        pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit() && !is_size(at)
    };
    !is_comment(line) && bytes.windows(2).enumerate().any(is_square)
}

pub(super) fn is_comment(line: &str) -> bool {
    line.starts_with(['#', ';', '%'])
}

/// Returns whether a line is a date such as `2024-05-01` or `1.5.2024`.
pub(super) fn is_date(line: &str) -> bool {
    let parts: Vec<&str> = line.split(['-', '.', '/']).collect();
    parts.len() == 3 && parts.iter().all(|it| is_digits(it)) && parts.iter().any(|it| it.len() == 4)
}

/// Returns whether a line is a title with the number of a game, as `Game 2` and `Game 2: Anna and Bo`, which may be a comment.
pub(super) fn is_numbered_title(line: &str) -> bool {
    let is_between = |letter: char| !letter.is_alphanumeric();
    let title = line.trim_start_matches(is_between);
    let Some((game, rest)) = title.split_at_checked("game".len()) else {
        return false;
    };
    let digits = rest.trim_start_matches(is_between);
    let behind = digits.trim_start_matches(|it: char| it.is_ascii_digit());
    game.eq_ignore_ascii_case("game")
        && behind.len() < digits.len()
        && !behind.starts_with(char::is_alphanumeric)
        && !has_moves(line)
}

/// Returns the number of a game with which its line of turns begins behind a `#`, as in `#2 d1-d3 f8-h8`, apart from the turns.
pub(super) fn cut_behind_number(line: &str) -> Vec<&str> {
    let behind = || {
        let number = line.trim_start().strip_prefix('#')?;
        let behind = number.trim_start_matches(|it: char| it.is_ascii_digit());
        let turns = behind.trim_start_matches(['.', ':', ')', '-', ' ']);
        let is_list = turns.split_whitespace().take(2).all(has_turns) && has_turns(turns);
        (behind.len() < number.len() && is_list).then_some(turns)
    };
    match behind() {
        // A line that parts games stands for the number.
        Some(turns) => vec![PARTING, turns],
        None => vec![line],
    }
}

const PARTING: &str = "---";

/// Returns whether a line without a turn is of cells, of which some are empty: the column tells whose they are.
pub(super) fn has_cells(line: &str) -> bool {
    let is_empty = |mark: char| {
        let mut cells = line.split(mark).map(str::trim);
        let is_counted = cells.clone().any(is_digits);
        cells.clone().count() > 2 && !is_counted && cells.any(str::is_empty)
    };
    !has_moves(line) && [';', ',', '\t'].into_iter().any(is_empty)
}
