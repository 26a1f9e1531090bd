//! Lines without tags, cut into parts: those that surely are of one game, with what is told above them.

use super::above::is_header;
use super::borders::{Part, first_number, goes_on, is_open};
use super::ends::{hints_at_end, is_plain_title};
use super::headings::{hints_at_rules, is_below_turns, is_comment, is_words};
use super::lines::{has_cells, has_moves, is_numbered_title, is_rule};
use super::spelling::has_turns;
use super::table::columns_of;
use super::telling::Telling;
use super::words::is_end_word;
use std::rc::Rc;

/// A text without tags, line by line.
#[derive(Debug, Default)]
pub(super) struct Cut<'a> {
    /// The parts so far.
    pub(super) parts: Vec<Part<'a>>,
    /// Whether lines such as `---` and titles with numbers stand between games.
    pub(super) are_parted: bool,
    /// What is told of the next game.
    pub(super) telling: Telling,
    /// Whether a title stands between the turns so far and the next ones.
    is_headed: bool,
    /// The line that names the columns of those below.
    heading: Option<&'a str>,
    /// Whether the next turns begin a game.
    is_cut: bool,
}

impl<'a> Cut<'a> {
    /// Cuts lines, of which titles and comments are left out.
    pub(super) fn of(lines: &[(usize, &'a str)]) -> Self {
        let last = lines.iter().rposition(|(_, line)| has_moves(line));
        let mut cut = Self::default();
        for at in 0..lines.len() {
            cut.take(lines, at, last.is_some_and(|last| at < last));
        }
        cut
    }

    fn take(&mut self, lines: &[(usize, &'a str)], at: usize, is_above: bool) {
        let (number, line) = lines[at];
        let is_parting = is_rule(line) || is_numbered_title(line);
        self.are_parted |= is_parting && !self.parts.is_empty();
        self.is_cut |= is_parting;
        // Whose an end in a cell is, the column tells.
        let is_cell = self.heading.is_none()
            && has_cells(line)
            && line.split([';', ',', '\t', ' ']).any(is_end_word);
        if self.take_open(number, line) {
            // Of a comment or a variation that goes on.
        } else if self.telling.take(line) {
            self.heading = self.heading.filter(|_| !is_header(line));
            self.is_cut = true;
        } else if line.starts_with('#') {
            // Below rules any text may stand in a comment, and between the turns of a game, too.
            let is_free = is_above && !self.telling.has_rules() && hints_at_rules(line);
            if is_free && !has_later_number(&lines[at + 1..]) {
                self.telling.take_unclear(line);
            }
        } else if line.is_empty()
            || is_rule(line)
            || is_comment(self.heading, line) && !is_cell && !is_row_of_turns(line)
        {
            // Counted, and left out.
        } else if columns_of(line).is_some() {
            self.heading = Some(line);
            self.is_cut = true;
        } else if self.heading.is_none() && is_words(line) {
            self.take_words(lines, at, is_above);
        } else if is_cell || !self.take_next(lines, number, line) {
            self.push(number, line, is_cell);
        }
    }

    /// Takes a line of words. It is the title of the game below it, unless it may tell how one ended.
    fn take_words(&mut self, lines: &[(usize, &'a str)], at: usize, is_above: bool) {
        let (number, line) = lines[at];
        let is_later = has_later_number(&lines[at + 1..]);
        let is_unclear = hints_at_rules(line) && !is_later && self.telling.take_unclear(line);
        self.is_cut |= is_unclear;
        let is_title = is_unclear || is_plain_title(line);
        let is_other = is_above && !is_title || is_below_turns(lines, at);
        let is_end = hints_at_end(line) || is_other;
        let within = self.parts.last_mut().filter(|_| is_later && !self.is_cut);
        if let Some(part) = within {
            part.unclear.get_or_insert_with(|| line.to_owned());
        } else if is_end || !is_above && !is_numbered_title(line) {
            let is_cut = self.is_cut;
            self.push(number, line, is_end);
            self.is_cut = is_cut;
        }
        self.is_headed = true;
    }

    /// Adds a part, which begins a game or may.
    fn push(&mut self, number: usize, line: &str, is_unclear: bool) {
        if self.is_cut || self.is_headed {
            self.telling.begin_elsewhere();
        }
        self.parts.push(Part {
            number,
            last: number,
            text: line.to_owned(),
            above: if is_unclear {
                Rc::default()
            } else {
                self.telling.begin()
            },
            heading: self.heading,
            follows: !self.is_cut,
            unclear: is_unclear.then(|| line.to_owned()),
        });
        (self.is_cut, self.is_headed) = (false, false);
    }

    /// Takes a line within a comment or a variation that the turns before have opened.
    fn take_open(&mut self, number: usize, line: &str) -> bool {
        let part = self.parts.last_mut();
        let is_turns = |part: &&mut Part<'_>| part.heading.is_none() && part.unclear.is_none();
        let part = part.filter(|part| !self.is_cut && is_turns(part) && is_open(&part.text));
        part.map(|part| part.add(number, line)).is_some()
    }

    /// Takes a line that goes on with the game before.
    fn take_next(&mut self, lines: &[(usize, &str)], number: usize, line: &str) -> bool {
        if self.is_cut || self.heading.is_some() {
            return false;
        }
        // An end above a game, and apart from the one before, may be that of either; below a title it is of none.
        let is_headed = self.is_headed;
        // Where ends stand above games, any between two may be of either.
        let first = self.parts.first().and_then(|part| part.text.lines().next());
        let has_heads = first.is_some_and(|line| !has_moves(line));
        let is_between = |last: usize| {
            let is_apart = number > last + 1;
            is_headed || is_apart && (has_heads || is_line(lines, number + 1))
        };
        let part = self.parts.last_mut();
        let part = part.filter(|part| goes_on(&part.text, line, || is_between(part.last)));
        self.is_headed &= part.is_none();
        part.map(|part| part.add(number, line)).is_some()
    }
}

/// Returns whether lines begin with turns whose first number is above 1.
pub(super) fn has_later_number(lines: &[(usize, &str)]) -> bool {
    let mut lines = lines.iter().map(|(_, line)| *line);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    first
        .filter(|line| has_moves(line))
        .and_then(first_number)
        .is_some_and(|number| number != "1")
}

/// Returns whether a line that begins as a comment is of cells with turns or ends, and of nothing else.
fn is_row_of_turns(line: &str) -> bool {
    let words = line.split(|it: char| it.is_whitespace() || ";,".contains(it));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    line.starts_with(';')
        && words.peek().is_some()
        && words.all(|it| has_turns(it) || is_end_word(it))
}

/// Returns whether there is a line of that number that is not empty.
fn is_line(lines: &[(usize, &str)], number: usize) -> bool {
    let mut lines = lines.iter();
    lines.any(|(it, text)| *it == number && !text.is_empty())
}
