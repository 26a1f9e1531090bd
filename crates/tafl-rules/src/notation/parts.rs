//! Lines without tags, cut into parts: those that surely are of one game, with what is told above them.

use super::aagenielsen::RecordedResult;
use super::above::is_header;
use super::borders::{Part, first_number, goes_on};
use super::ends::{keyed_result, told_by_title};
use super::headings::{
    hints_at_rules, is_below_turns, is_comment, is_heading, is_words, without_titles,
};
use super::lines::{has_cells, has_moves, is_numbered_title, is_rule, numbered};
use super::scores::scored;
use super::spelling::has_turns;
use super::table::columns_of;
use super::telling::Telling;
use super::words::is_end_word;
use std::collections::BTreeSet;

/// A text without tags, line by line.
#[derive(Debug, Default)]
pub(super) struct Cut<'a> {
    /// The parts so far.
    pub(super) parts: Vec<Part<'a>>,
    /// Whether lines such as `---` and titles with numbers stand between games.
    pub(super) are_parted: bool,
    /// What is told of the next game.
    pub(super) telling: Telling,
    /// The result of the next game, with the line that tells it.
    pub(super) result: Option<(usize, &'a str, RecordedResult)>,
    /// The numbers of lines that are titles, which are left out.
    titles: BTreeSet<usize>,
    /// The line that names the columns of those below.
    heading: Option<&'a str>,
    /// The number of the game, as its title tells it.
    game: Option<&'a str>,
    /// Whether the next turns begin a game.
    is_cut: bool,
}

impl<'a> Cut<'a> {
    /// Cuts lines, of which titles are left out.
    pub(super) fn of(all: &[(usize, &'a str)]) -> Self {
        let lines = without_titles(all);
        let last = lines.iter().rposition(|(_, line)| has_moves(line));
        let kept: BTreeSet<usize> = lines.iter().map(|(number, _)| *number).collect();
        let numbers = all.iter().map(|(number, _)| *number);
        let mut cut = Self {
            titles: numbers.filter(|number| !kept.contains(number)).collect(),
            ..Self::default()
        };
        for at in 0..lines.len() {
            let is_above = last.is_some_and(|last| at < last);
            if !cut.take_same_number(&lines[at..]) {
                cut.take(&lines, at, is_above);
            }
        }
        cut
    }

    /// Takes a title with the number of the game that goes on below it, or whose result it tells: such as `Game 1, continued`.
    fn take_same_number(&mut self, lines: &[(usize, &'a str)]) -> bool {
        let (line, below) = (lines[0].1, &lines[1..]);
        let Some(title) = numbered(line) else {
            return false;
        };
        let same = self.game.replace(title.number) == Some(title.number);
        let Some(part) = self.parts.last_mut().filter(|_| same && !self.is_cut) else {
            return false;
        };
        let mut others = below.iter().map(|(_, line)| *line);
        let parting =
            others.find(|line| has_moves(line) || is_numbered_title(line) || is_rule(line));
        let goes_on = parting.is_none_or(|line| !has_moves(line));
        match told_by_title(line) {
            Some(Some(_)) if goes_on => {
                part.text.push('\n');
                part.text.push_str(title.behind);
                true
            }
            told => told.is_none() && has_later_number(below),
        }
    }

    fn take(&mut self, lines: &[(usize, &'a str)], at: usize, is_above: bool) {
        let (number, line) = lines[at];
        let is_parting = is_rule(line) || is_numbered_title(line);
        self.are_parted |= is_parting && !self.parts.is_empty();
        self.is_cut |= is_parting;
        let told = told_by_title(line);
        let score = self.head_of(number, line).or(told.flatten());
        let score = score.filter(|_| self.result.is_none());
        self.result = self.result.or(score.map(|it| (number, line, it)));
        self.is_cut |= score.is_some();
        let is_free = self.heading.is_none() || line.starts_with('#');
        // Whose an end in a cell is, the column tells.
        let is_cell = self.heading.is_none()
            && has_cells(line)
            && line.split([';', ',', '\t', ' ']).any(is_end_word);
        let is_title = || is_above && told.is_none() && (score.is_some() || is_heading(lines, at));
        if self.telling.take(line) {
            self.heading = self.heading.filter(|_| !is_header(line));
            self.is_cut = true;
        } else if is_free && is_title() && hints_at_rules(line) {
            // Below rules a comment is a title, and one between the turns of a game, too.
            let is_comment = line.starts_with('#');
            let is_aside = is_comment && self.telling.has_rules();
            if !is_aside && !has_later_number(&lines[at + 1..]) && self.telling.take_unclear(line) {
                self.is_cut |= !is_comment;
            }
        } else if line.is_empty()
            || score.is_some()
            || is_parting && told.is_none()
            || line.starts_with('#')
            || is_comment(self.heading, line) && !is_cell && !is_row_of_turns(line)
        {
            // Counted, and left out.
        } else if columns_of(line).is_some() {
            self.heading = Some(line);
            self.is_cut = true;
        } else if is_cell || !self.take_next(lines, number, line) {
            if self.is_cut || self.is_headed(number) {
                self.telling.begin_elsewhere();
            }
            self.parts.push(Part {
                number,
                last: number,
                text: line.to_owned(),
                above: self.telling.begin(),
                result: self.result.take().map(|(_, _, it)| it),
                heading: self.heading,
                follows: !self.is_cut,
                is_end: is_parting || is_cell || is_words(line) && is_below_turns(lines, at),
            });
            self.is_cut = false;
        }
    }

    /// Takes a line that goes on with the game before.
    fn take_next(&mut self, lines: &[(usize, &str)], number: usize, line: &str) -> bool {
        if self.is_cut || self.heading.is_some() {
            return false;
        }
        // An end above a game, and apart from the one before, may be that of either; below a title it is that of the next.
        let is_headed = self.is_headed(number);
        let is_between = |last: usize| is_headed || number > last + 1 && is_line(lines, number + 1);
        let part = self.parts.last_mut();
        let Some(part) = part.filter(|part| goes_on(&part.text, line, || is_between(part.last)))
        else {
            return false;
        };
        part.text.push('\n');
        part.text.push_str(line);
        part.last = number;
        true
    }

    /// Returns whether a title stands between the turns so far and a line.
    fn is_headed(&self, number: usize) -> bool {
        let last = self.parts.last().map_or(0, |part| part.last);
        self.titles.range(last..number).next().is_some()
    }

    /// Returns the result that a line tells of the game below it. Where heads stand above games, the first game has one.
    fn head_of(&self, number: usize, line: &str) -> Option<RecordedResult> {
        let last = self.parts.last();
        let is_headed = self.is_headed(number);
        let is_head = self.is_cut || is_headed || last.is_none_or(|it| it.result.is_some());
        // Right below turns it is theirs.
        let is_apart = self.is_cut || last.is_none_or(|it| number > it.last + 1);
        let keyed = || keyed_result(line).filter(|_| is_apart);
        scored(line).flatten().or_else(keyed).filter(|_| is_head)
    }
}

/// Returns whether lines begin with turns whose first number is above 1.
pub(super) fn has_later_number(lines: &[(usize, &str)]) -> bool {
    let mut lines = lines.iter().map(|(_, line)| *line);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    first
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
