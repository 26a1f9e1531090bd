//! Where one game of a text ends and the next begins.
//!
//! A later number, something left open or an end goes on with a game for sure. Between short lines of turns the squares tell:
//! within a game no piece leaves an empty square, and no game begins with pieces on squares that were empty at the start.

use super::aagenielsen::RecordedResult;
use super::numbers::number_of;
use super::spelling::is_digits;
use super::table::{fields_of, has_counts};
use super::words::{
    Words, WordsError, WrittenPly, is_end_in_comment, last_comment, without_comments,
};
use super::written::WrittenGame;
use crate::{Bitboard, Square};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A line of a text, with those that surely go on with it.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// The number of its first line.
    pub(super) number: usize,
    /// The number of its last line.
    pub(super) last: usize,
    pub(super) text: String,
    /// What is said above it.
    pub(super) above: Rc<WrittenGame>,
    /// The names of its columns.
    pub(super) heading: Option<&'a str>,
    /// Whether only empty lines, comments and titles stand between it and the part before.
    pub(super) follows: bool,
    /// Words or cells, in place of turns or between them, that may tell how a game ended.
    pub(super) unclear: Option<String>,
}

impl Part<'_> {
    /// Adds a line that surely goes on with it.
    pub(super) fn add(&mut self, number: usize, line: &str) {
        self.text.push('\n');
        self.text.push_str(line);
        self.last = number;
    }
}

/// What stands before a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    /// The begin of a game.
    Begin,
    /// Nothing: it goes on with the game before.
    Nothing,
    /// One of the two.
    Unclear,
}

/// Turns of a side below which a line without numbers may be one of several of a game.
pub const FEW_TURNS: usize = 12;

/// The main line of a part that may be one of several of a game.
struct Turns {
    plies: Vec<WrittenPly>,
    count: usize,
    is_numbered: bool,
    is_over: bool,
    /// Whether the fields of a line end it.
    is_row: bool,
}

impl Turns {
    /// Reads turns without numbers, or with numbers of which the last has one turn.
    fn of(part: &Part<'_>) -> Option<Self> {
        let text = Some(&*part.text).filter(|_| part.heading.is_none())?;
        let is_numbered = first_number(text).is_some();
        if is_numbered && !is_half(text) {
            return None;
        }
        let row = of_fields(text);
        let is_row = row.is_some();
        let words = row.or_else(|| listed(text));
        let words = words.or_else(|| Words::read(text).ok())?;
        let count = words.turns().len();
        let is_over = words.end.is_some() || words.has_result();
        (count > 0).then(|| Self {
            plies: words.plies.into_iter().filter(|it| it.depth == 0).collect(),
            count,
            is_numbered,
            is_over,
            is_row,
        })
    }

    fn may_go_on(&self, next: &Self) -> bool {
        !self.is_over && !next.is_numbered && (!self.is_numbered || next.count == 1)
    }
}

/// Reads the plies of a line of fields and its result.
fn of_fields(text: &str) -> Option<Words> {
    let fields = fields_of(text);
    if !has_counts(&fields) {
        return None;
    }
    let mut words = Words::read(fields[0]).ok()?;
    words.result = Some(RecordedResult::of_word(fields[3])?);
    Some(words)
}

/// Joins the parts of each game; of one that may be several, the line is told where another may begin.
///
/// Where the games of a text are parted by lines such as `---`, what may go on with a game does right below it.
pub(super) fn joined(parts: Vec<Part<'_>>, are_parted: bool) -> Vec<(Part<'_>, Option<usize>)> {
    let turns: Vec<Option<Turns>> = parts.iter().map(Turns::of).collect();
    let mut borders = vec![Border::Begin; parts.len()];
    let mut begin = 0;
    while begin < parts.len() {
        let pairs = turns[begin..].windows(2).zip(parts[begin..].windows(2));
        let following = pairs.take_while(|(pair, parts)| match (pair, parts) {
            // Fields end turns only right below them, as where a program has broken a line.
            ([Some(turn), Some(next)], [before, part]) => {
                let is_near = !next.is_row || part.number == before.last + 1;
                part.follows && is_near && turn.may_go_on(next)
            }
            _ => false,
        });
        let end = begin + 1 + following.count();
        let run: Vec<&Turns> = turns[begin..end].iter().flatten().collect();
        if run.len() > 1 {
            of_run(
                &parts[begin..end],
                &run,
                &mut borders[begin..end],
                are_parted,
            );
        }
        begin = end;
    }
    // Whether the turn before was the answer to one that stands alone behind its number, as the number behind it says.
    let mut is_answered = false;
    for at in 1..parts.len() {
        let (before, part) = (&parts[at - 1], &parts[at]);
        let is_row = turns[at].as_ref().is_some_and(|it| it.is_row);
        if borders[at] == Border::Nothing || is_row || !is_left_open(before, part) {
            is_answered = false;
            continue;
        }
        is_answered = is_half(&before.text)
            && count_of_first(part) == 1
            && (is_answered || first_number(&part.text).is_some());
        borders[at] = match is_answered {
            true => Border::Nothing,
            false => Border::Unclear,
        };
    }
    let mut games: Vec<(Part<'_>, Option<usize>)> = Vec::new();
    for (part, border) in parts.into_iter().zip(borders) {
        match games.last_mut().filter(|_| border != Border::Begin) {
            Some((game, unclear)) => {
                if border == Border::Unclear {
                    unclear.get_or_insert(part.number);
                }
                game.add(part.last, &part.text);
            }
            None => games.push((part, None)),
        }
    }
    games
}

/// Returns how many turns the first line of a part has, if they have no number.
fn count_of_first(part: &Part<'_>) -> usize {
    let line = part.text.lines().next().unwrap_or_default();
    let bare = Some(line).filter(|it| first_number(it).is_none());
    let words = bare.and_then(|it| Words::read(it).ok());
    words.map_or(0, |it| it.turns().len())
}

/// Returns whether a part begins without a number right below turns that no end closes, and one of the two has numbers: a line
/// that was broken, or another game.
fn is_left_open(before: &Part<'_>, part: &Part<'_>) -> bool {
    let is_near = part.follows && part.number == before.last + 1 && count_of_first(part) > 0;
    is_near
        && [before, part]
            .iter()
            .any(|it| first_number(&it.text).is_some())
        && Words::read(&before.text).is_ok_and(|words| words.end.is_none() && !words.has_result())
}

/// Finds the borders of parts that may go on with one another.
fn of_run(parts: &[Part<'_>], run: &[&Turns], borders: &mut [Border], are_parted: bool) {
    let is_long = run.iter().any(|turn| turn.count > 2 && !turn.is_numbered);
    let is_column = is_long || run.iter().all(|turn| turn.count == 1 || turn.is_numbered);
    let mut groups: Vec<(usize, Vec<&WrittenPly>)> = Vec::new();
    for (at, turn) in run.iter().enumerate() {
        let is_next = at > 0 && parts[at].number <= parts[at - 1].last + 1;
        let is_single = is_column && turn.count == 1 && !turn.is_row;
        let is_joined = is_single && is_next && run[at - 1].count == 1;
        match groups.last_mut().filter(|_| is_joined) {
            Some((_, plies)) => {
                plies.extend(&turn.plies);
                borders[at] = Border::Nothing;
            }
            None => groups.push((at, turn.plies.iter().collect())),
        }
    }
    let (begins, plies): (Vec<usize>, Vec<_>) = groups.into_iter().unzip();
    let is_placed = parts[0].above.position.is_some() || parts[0].above.own.is_some();
    let mut found = between(&plies, is_placed);
    // Lines are games where one is long, unless the squares speak against it.
    let is_game = |turn: &&Turns| turn.count >= FEW_TURNS && !turn.is_numbered;
    let are_games = run.iter().any(is_game) && !found.contains(&Border::Nothing);
    for (border, begin) in found.iter_mut().zip(&begins).skip(1) {
        *border = match *border {
            // What stands between turns may be the title of another game.
            Border::Unclear if are_parted && parts[*begin].number <= parts[*begin - 1].last + 1 => {
                Border::Nothing
            }
            Border::Unclear if are_games && !run[*begin].is_row => Border::Begin,
            // Someone has parted the games, and not here.
            Border::Begin if are_parted && !is_long => Border::Unclear,
            found => found,
        };
    }
    for (at, border) in begins.into_iter().zip(found) {
        borders[at] = border;
    }
}

/// What the groups before one of the same game did to the board, as far as one knows that does not know where pieces began.
#[derive(Default)]
struct Before {
    /// Squares that a piece has come to or left.
    seen: Bitboard,
    /// Those of them that were empty at the start.
    empty: Bitboard,
    /// The groups that left squares to which nothing came back.
    left: BTreeMap<Square, usize>,
    /// The groups that came to squares that were empty at the start, and are there.
    came: BTreeMap<Square, usize>,
}

impl Before {
    /// Returns since which groups squares are empty that are left, and since which there are pieces that are moved or taken.
    fn evidence(&self, plies: &[&WrittenPly]) -> (Vec<usize>, Vec<usize>) {
        let mut touched = Bitboard::EMPTY;
        let (mut against, mut since) = (Vec::new(), Vec::new());
        for ply in plies {
            for square in emptied(ply) {
                if !touched.contains(square) {
                    against.extend(self.left.get(&square));
                    since.extend(self.came.get(&square));
                }
                touched = touched.with(square);
            }
            touched = filled(ply).map_or(touched, |square| touched.with(square));
        }
        (against, since)
    }

    fn play(&mut self, at: usize, plies: &[&WrittenPly]) {
        for ply in plies {
            for square in emptied(ply) {
                self.left.insert(square, at);
                self.seen = self.seen.with(square);
                self.came.remove(&square);
            }
            if let Some(square) = filled(ply) {
                if !self.seen.contains(square) {
                    self.empty = self.empty.with(square);
                }
                self.seen = self.seen.with(square);
                self.left.remove(&square);
                if self.empty.contains(square) {
                    self.came.insert(square, at);
                }
            }
        }
    }
}

/// Returns the line below tags at which another game may begin, where at most one line is numbered.
pub(super) fn another_game(lines: &[(usize, &str)]) -> Option<usize> {
    let numbered = lines
        .iter()
        .filter(|(_, line)| first_number(line).is_some());
    if numbered.count() > 1 {
        return None;
    }
    let mut groups: Vec<(usize, Vec<WrittenPly>)> = Vec::new();
    // As far as which line a turn alone goes on with those before.
    let mut reach = 0;
    for &(number, line) in lines {
        let words = Words::read(line).ok()?;
        let is_one = words.turns().len() == 1;
        let main = words.plies.into_iter().filter(|it| it.depth == 0);
        let main: Vec<WrittenPly> = main.collect();
        if main.is_empty() {
            continue;
        }
        match groups.last_mut().filter(|_| is_one && number <= reach) {
            Some((_, plies)) => plies.extend(main),
            None => groups.push((number, main)),
        }
        reach = match is_one {
            _ if is_half(line) => usize::MAX,
            true => number + 1,
            false => 0,
        };
    }
    let plies: Vec<Vec<&WrittenPly>> = groups.iter().map(|it| it.1.iter().collect()).collect();
    let mut found = between(&plies, true).into_iter().zip(&groups).skip(1);
    let other = found.find(|(border, _)| *border != Border::Nothing);
    other.map(|(_, (number, _))| *number)
}

/// Returns what stands before each of several groups of plies, all of one game or each of games with the same start: whatever
/// more plies say, those that leave a square to which nothing came back, or those that leave one that was empty at the start.
///
/// Where the start is a usual one, no game begins with a capture.
fn between(groups: &[Vec<&WrittenPly>], is_placed: bool) -> Vec<Border> {
    let mut borders = vec![Border::Begin; groups.len()];
    let mut before = Before::default();
    for (at, plies) in groups.iter().enumerate() {
        let (against, mut since) = before.evidence(plies);
        // Where another border is not known, the game may have begun there.
        let sure = against
            .iter()
            .filter(|&&left| !borders[left + 1..at].contains(&Border::Unclear));
        let sure = sure.count();
        let captures = || plies.first().is_some_and(|it| !it.captured.is_empty());
        if at > 0 && !is_placed && captures() {
            since.push(at - 1);
        }
        borders[at] = match since.iter().min() {
            _ if at == 0 || sure > since.len() => Border::Begin,
            Some(&first) if against.is_empty() => {
                borders[first + 1..at].fill(Border::Nothing);
                Border::Nothing
            }
            _ => Border::Unclear,
        };
        if borders[at] == Border::Begin {
            before = Before::default();
        }
        before.play(at, plies);
    }
    borders
}

/// Returns the squares that a ply leaves empty.
fn emptied(ply: &WrittenPly) -> impl Iterator<Item = Square> {
    let from = (!ply.mv.is_end()).then(|| ply.mv.from());
    from.into_iter().chain(ply.captured.squares())
}

fn filled(ply: &WrittenPly) -> Option<Square> {
    (!ply.mv.is_end()).then(|| ply.mv.to())
}

/// Returns whether a comment or a variation of a game is not closed.
pub(super) fn is_open(game: &str) -> bool {
    if !game.contains(['(', '{']) {
        return false;
    }
    match without_comments(game) {
        Ok(turns) => turns.matches('(').count() > turns.matches(')').count(),
        Err(error) => error == WordsError::Comment,
    }
}

/// Returns whether a line goes on with a game: by its number, because something was left open, or by how the game ended.
pub(super) fn goes_on(game: &str, line: &str, is_between: impl Fn() -> bool) -> bool {
    let is_open = is_open(game) || ends_in_number(game);
    let words = || listed(game).or_else(|| Words::read(game).ok());
    let is_later = first_number(line).is_some_and(|number| match number {
        "1" => line.starts_with("1..") && words().is_some_and(|it| it.turns().len() == 1),
        _ => line.starts_with(number) || first_number(game).is_some(),
    });
    let comment = last_comment(line).filter(|_| is_end_in_comment(line));
    let told = comment.unwrap_or(line);
    let is_end = || Words::default().take_end(told).is_ok_and(|is_end| is_end);
    // Two lines may tell the same, as `Black resigned` and `White won`.
    let is_open_to = |words: Words| {
        let mut end = Words::default();
        let is_same = end.take_end(told).is_ok() && end.result == words.result;
        !words.has_result() || words.result.is_some() && is_same
    };
    let is_free = || words().is_some_and(is_open_to);
    is_open
        || line.starts_with(['(', '{', ')']) && comment.is_none()
        || is_later
        || is_end() && is_free() && !is_between()
}

/// Returns whether a game was cut behind the number of a turn.
fn ends_in_number(game: &str) -> bool {
    let line = game.lines().next_back().unwrap_or_default();
    let word = line.split_whitespace().skip(1).last();
    let digits = word.and_then(|word| word.strip_suffix(['.', ')']));
    digits.is_some_and(is_digits) && !line.contains([';', '#', '{', '('])
}

/// Returns whether one turn stands behind the last number of a game without variations.
fn is_half(game: &str) -> bool {
    let game = without_comments(game).unwrap_or_default();
    let last = game.rsplit_once(['.', ')', ':']);
    let is_one = |text: &str| Words::read(text).is_ok_and(|it| it.turns().len() == 1);
    !game.contains('(')
        && last.is_some_and(|(before, behind)| !before.ends_with('.') && is_one(behind))
}

/// Returns the first number of a turn in a line, before its comments and its variations.
pub(super) fn first_number(line: &str) -> Option<&str> {
    let line = line.split(['{', '(', ';', '#']).next().unwrap_or_default();
    let mut words = line.trim_start_matches('"').split_whitespace();
    words.find_map(|word| Some(number_of(word)?.0))
}

/// Reads `1: d1-d3, e5-c5; 2: a4-c4`, which has no comments and no variations.
pub(super) fn listed(text: &str) -> Option<Words> {
    if !text.contains([',', ';', ':']) || text.contains(['{', '(']) {
        return None;
    }
    // One `;` before an end parts it from the turns, as a comment.
    let comment = text.split_once(';').filter(|_| !text.contains(','));
    if comment.is_some_and(|(_, end)| Words::default().take_end(end) == Ok(true)) {
        return None;
    }
    let words = text.split(|it: char| it.is_whitespace() || ",;".contains(it));
    let words = words.map(|word| match word.strip_suffix(':') {
        Some(number) if is_digits(number) => format!("{number}."),
        _ => word.to_owned(),
    });
    let read = Words::read(&words.collect::<Vec<_>>().join(" ")).ok();
    read.filter(|words| !words.plies.is_empty())
}
