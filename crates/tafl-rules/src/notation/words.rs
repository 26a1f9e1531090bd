//! The words of a game: turns in any spelling, numbers, comments, variations, and how the game was ended.

use super::aagenielsen::RecordedResult;
use super::lines::has_cells;
use super::numbers::{Number, check_numbers, late_number};
use super::spelling::{has_turns, is_dash, is_digits, is_list, turn_of};
use crate::text::short;
use crate::{Bitboard, Move, ParseTurnError, Square, TurnText};

/// How a game ended away from the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OffBoard {
    /// The player to move ran out of time.
    Timeout,
    /// A player gave up: the one to move, where no result says otherwise.
    Resigned,
}

impl OffBoard {
    /// Returns the word that ends the plies.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Resigned => "resigned",
        }
    }
}

/// A ply of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenPly {
    /// The number of the ply that it follows, from 1; 0 is the first position.
    pub after: usize,
    /// The number of its word among those of turns, from 1; the steps of a chain share it.
    pub word: usize,
    /// The move. It may be crooked: a chain told by its first and its last square.
    pub mv: Move,
    /// What it captures, if the text says so.
    pub captured: Bitboard,
    /// How many variations it is in.
    pub depth: usize,
}

/// What the words of a game say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words {
    /// The plies of every line.
    pub plies: Vec<WrittenPly>,
    /// How many plies of the main line come first without a hyphen, as in `h1h3`; such words name no captures.
    pub bare: usize,
    /// How the game was ended, if a word says so.
    pub end: Option<OffBoard>,
    /// The result, if a word says so.
    pub result: Option<RecordedResult>,
    /// `1-0` or `0-1`, if that ends the words: programs read it as one side's win or the other's.
    pub score: Option<&'static str>,
    /// The number before the first turn, as `12.`, if by it there were turns before.
    pub late: Option<String>,
}

/// A text that is not the words of a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// A word, counted from 1 among those of turns, is not a move.
    #[error("number {0}: {1}")]
    Turn(usize, ParseTurnError),
    /// A number without a point.
    #[error("\"{0}\" is not a move; the number of a turn is written `{0}.`")]
    Number(String),
    /// A variation has nothing to stand for.
    #[error("a variation stands before the first ply")]
    Early,
    /// A parenthesis closes nothing.
    #[error("`)` has no `(` before it")]
    Closed,
    /// A parenthesis or a brace is not closed.
    #[error("a variation is not closed by `)`")]
    Open,
    /// A comment is not closed.
    #[error("a comment is not closed by `}}`")]
    Comment,
    /// Turns behind a `;` among other words.
    #[error(
        "a `;` begins a comment, but {0:?} has turns, which it parts only where nothing else stands in the line; put what is said between `{{` and `}}`"
    )]
    Hidden(String),
    /// Numbers, comments or a score alone.
    #[error("there is no move in it")]
    Empty,
    /// A result in a line of its own that is not below one game alone.
    #[error("a result without turns: it stands below those of its game, once")]
    Alone,
    /// Somebody won, but it is not said who.
    #[error(
        "who won is not clear: `won` or `lost` has no side before it, words such as `by` have no result, behind `Result` a side has `resigned`, `resigned` stands apart from the side, or a side stands beside a score without `won`"
    )]
    NoSide,
    /// Two numbers of the main line between which there are other turns.
    #[error("number {1} follows number {0}: turns are missing, or another game begins")]
    Numbers(u32, u32),
    /// More turns than the last number of the main line counts.
    #[error(
        "number {0} counts not all turns behind it: numbers are missing, or another game begins"
    )]
    Uncounted(u32),
    /// The first number is that of a later turn.
    #[error(
        "turns before number `{0}` are missing: begin with `1.`, or say in a line `position:` above where the game goes on"
    )]
    Late(String),
    /// Two results differ.
    #[error("both {0} and {1} are said to be the result")]
    Results(String, String),
}

/// A word that says how a game ended.
enum EndWord {
    Result(RecordedResult),
    OffBoard(OffBoard),
    Score(&'static str),
    /// The side before it won.
    Wins,
    /// The side before it lost.
    Loses,
    /// How the result before it came about.
    How(Option<OffBoard>),
    /// What is behind it is the result.
    Key,
}

impl EndWord {
    fn read(word: &str) -> Option<Self> {
        let word = word.trim_end_matches(['.', '!']);
        let word: String = word
            .chars()
            .map(|it| if is_dash(it) { '-' } else { it })
            .collect();
        let dashed = word.replace(':', "-");
        let score = ["1-0", "0-1"].into_iter().find(|score| *score == dashed);
        let other = match &*word.to_lowercase() {
            "timeout" => Some(Self::OffBoard(OffBoard::Timeout)),
            "resigned" | "resigns" | "resign" => Some(Self::OffBoard(OffBoard::Resigned)),
            "win" | "wins" | "won" => Some(Self::Wins),
            "lose" | "loses" | "lost" => Some(Self::Loses),
            "on" | "by" | "agreed" | "agreement" | "repetition" => Some(Self::How(None)),
            "result:" | "winner:" => Some(Self::Key),
            "time" => Some(Self::How(Some(OffBoard::Timeout))),
            "resignation" => Some(Self::How(Some(OffBoard::Resigned))),
            _ => score.map(Self::Score),
        };
        RecordedResult::of_word(&word).map(Self::Result).or(other)
    }

    /// Returns whether a result must stand before it.
    const fn follows(&self) -> bool {
        matches!(self, Self::Wins | Self::Loses | Self::How(_))
    }
}

/// Returns whether a word is one that says how a game ended.
pub(super) fn is_end_word(word: &str) -> bool {
    EndWord::read(word).is_some()
}

/// Returns the comment with which a text ends, in braces or behind a `;`.
pub(super) fn last_comment(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let (before, comment) = match text.strip_suffix('}') {
        Some(inside) => inside.rsplit_once('{')?,
        None => text.lines().next_back()?.split_once(';')?,
    };
    let line = before.lines().next_back().unwrap_or_default();
    let is_within = line.starts_with('#') || line.contains(" #");
    (!is_within).then_some(comment)
}

/// Returns whether a line is a comment that says how a game ended, and no more.
pub(super) fn is_end_in_comment(line: &str) -> bool {
    let is_end = |comment: &str| {
        !comment.trim().is_empty() && Words::default().take_end(comment) == Ok(true)
    };
    line.starts_with(['{', ';']) && !has_cells(line) && last_comment(line).is_some_and(is_end)
}

/// Returns whether a side and how the game ended stand apart from each other, as in `White (on time)`: it may have won or lost.
fn is_unclear_pair(side: Option<&str>, how: Option<&str>) -> bool {
    let won = side.and_then(RecordedResult::of_word);
    let end = how.and_then(EndWord::read);
    matches!(won, Some(RecordedResult::Won(_)))
        && matches!(
            end,
            Some(EndWord::How(_) | EndWord::OffBoard(_) | EndWord::Loses)
        )
}

/// Leaves out the parentheses around the end of a game, as in `(0-1)`, and what stands in some behind a winner or a draw.
fn leave_parentheses_of_end(words: &mut Vec<String>) {
    let Some(begin) = words.iter().rposition(|word| word == "(") else {
        return;
    };
    let Some((last, inside)) = words[begin + 1..].split_last() else {
        return;
    };
    let before = begin.checked_sub(1).map(|it| &*words[it]);
    let [side, how] = [before, inside.first().map(|it| &**it)];
    let is_unclear = is_unclear_pair(side, how) || inside.len() == 1 && is_unclear_pair(how, side);
    let are_ends = !inside.is_empty() && inside.iter().all(|word| is_end_word(word));
    let is_told = before.is_some_and(|it| match EndWord::read(it) {
        Some(EndWord::Result(result)) => result == RecordedResult::Draw,
        it => matches!(it, Some(EndWord::Wins | EndWord::Loses)),
    });
    let is_other = |word: &String| !is_end_word(word) && turn_of(word).is_err();
    if last == ")" && is_told && !inside.is_empty() && inside.iter().all(is_other) {
        words.truncate(begin);
    } else if last == ")" && are_ends && !is_unclear {
        words.pop();
        words.remove(begin);
    }
}

/// Leaves out marks between words that say how a game ended, as in `White: resigned` and `White - resigned`.
fn leave_marks_between_ends(words: &mut Vec<String>) {
    // `resigned: White` tells who did, and so who lost.
    for at in 1..words.len() {
        let is_key =
            ["resigned:", "resigns:", "timeout:"].contains(&&*words[at - 1].to_lowercase());
        let told = RecordedResult::of_word(&words[at]);
        if is_key && matches!(told, Some(RecordedResult::Won(_))) {
            words.swap(at - 1, at);
            words[at].pop();
        }
    }
    let is_mark = |letter: char| ",:;=".contains(letter) || is_dash(letter);
    for at in (1..words.len()).rev() {
        if !is_end_word(&words[at]) {
            continue;
        }
        let before = words[at - 1].trim_end_matches(is_mark).to_owned();
        let is_alone = at > 1 && before.is_empty();
        if is_end_word(&before) {
            words[at - 1] = before;
        } else if is_alone && is_end_word(words[at - 2].trim_end_matches(is_mark)) {
            words.remove(at - 1);
        }
    }
}

/// Returns the words of a text if each of them says how a game ended, `is_first` where none stands before it.
fn ending_of(text: &str, is_first: bool) -> Option<Vec<String>> {
    let text = text.replace(['(', '{'], " ( ").replace([')', '}'], " ) ");
    let text = text.replace([',', ';'], " ");
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    leave_parentheses_of_end(&mut words);
    leave_marks_between_ends(&mut words);
    let first = words.first().and_then(|word| EndWord::read(word));
    let is_cut = is_first && first.is_some_and(|it| it.follows());
    let are_ends = words.iter().all(|word| is_end_word(word));
    (are_ends && !is_cut).then_some(words)
}

impl Words {
    /// Reads turns; a variation in parentheses replaces the ply before it.
    ///
    /// Comments in braces, marks such as `!` and the names of pieces are passed over, and numbers that may count the turns.
    /// Capitals, other dashes than the hyphen and none at all are read. `1-0` and `0-1` are no result, because programs do
    /// not agree on whose they are. A side before `resigned`, `timeout` or `lost` is the one that lost, else the one that won.
    /// An end may stand in parentheses, or in a comment behind the last turn, if it has no other words. Of a side and what
    /// stands apart from it, as in `White {resigned}`, nobody knows whether it won or lost.
    ///
    /// # Errors
    /// Names the first word that is none of these, or two numbers or results that do not fit.
    pub fn read(text: &str) -> Result<Self, WordsError> {
        let mut read = Self::default();
        let comment = last_comment(text).unwrap_or_default();
        let text = without_comments(text)?;
        let (mut words, numbers) = joined(&spaced(&text));
        leave_parentheses_of_end(&mut words);
        leave_marks_between_ends(&mut words);
        read.late = late_number(&text);
        let ending = words.iter().rev();
        let ending = ending.take_while(|word| is_end_word(word));
        let last_words = words.len() - ending.count();
        let told = ending_of(comment, last_words == words.len()).unwrap_or_default();
        let [side, how] = [words[last_words..].last(), told.first()].map(|it| it.map(|it| &**it));
        if is_unclear_pair(side, how) {
            return Err(WordsError::NoSide);
        }
        read.take_ending(&[&words[last_words..], &told].concat())?;
        let (mut last, mut number, mut outer) = (0, 0, Vec::new());
        for (at, word) in words.iter().enumerate() {
            match &**word {
                "(" if last == 0 => return Err(WordsError::Early),
                "(" => {
                    outer.push(last);
                    last = read.plies[last - 1].after;
                }
                ")" => last = outer.pop().ok_or(WordsError::Closed)?,
                word if is_passed_over(word) => {}
                // How a variation would have ended.
                word if outer
                    .last()
                    .is_some_and(|from: &usize| last != read.plies[from - 1].after)
                    && is_end_word(word) => {}
                _ if outer.is_empty() && at >= last_words => {}
                word => {
                    number += 1;
                    let turn = turn_of(word).map_err(|error| match error.0 {
                        text if is_digits(&text) => WordsError::Number(text),
                        text => WordsError::Turn(number, ParseTurnError(text)),
                    })?;
                    if word.ends_with("---") {
                        read.end = Some(OffBoard::Resigned);
                    }
                    let is_bare = !word.contains(['-', 'x']);
                    if outer.is_empty() && is_bare && read.bare + 1 == number {
                        read.bare = number;
                    }
                    for (mv, captured) in turn.plies {
                        read.plies.push(WrittenPly {
                            after: last,
                            word: number,
                            mv,
                            captured,
                            depth: outer.len(),
                        });
                        last = read.plies.len();
                    }
                }
            }
        }
        if !outer.is_empty() {
            return Err(WordsError::Open);
        }
        // Behind the turns, so that a word that is no move is told as that.
        check_numbers(&words, &numbers)?;
        Ok(read)
    }

    /// Takes a text that says how the game ended; returns whether each of its words does.
    pub(super) fn take_end(&mut self, text: &str) -> Result<bool, WordsError> {
        let words = ending_of(text, true);
        self.take_ending(words.as_deref().unwrap_or_default())?;
        Ok(words.is_some())
    }

    fn take_ending(&mut self, words: &[String]) -> Result<(), WordsError> {
        let mut words = words
            .iter()
            .filter_map(|word| EndWord::read(word))
            .peekable();
        let (mut is_keyed, mut has_side, mut has_score) = (false, false, false);
        while let Some(word) = words.next() {
            match word {
                EndWord::Result(result) => {
                    let is_of_side = matches!(result, RecordedResult::Won(_));
                    let is_verb =
                        |it: &EndWord| is_of_side && matches!(it, EndWord::Wins | EndWord::Loses);
                    let is_lost = match words.next_if(is_verb) {
                        Some(verb) => matches!(verb, EndWord::Loses),
                        None => {
                            let is_lost = matches!(words.peek(), Some(EndWord::OffBoard(_)));
                            has_side |= is_of_side && !is_lost && !is_keyed;
                            is_lost
                        }
                    };
                    // Behind a key stands who won, and who gave up is the other.
                    if std::mem::take(&mut is_keyed) && is_of_side && is_lost {
                        return Err(WordsError::NoSide);
                    }
                    self.take_result(match result {
                        RecordedResult::Won(side) if is_lost => {
                            RecordedResult::Won(side.opponent())
                        }
                        result => result,
                    })?;
                    let mut is_by = false;
                    let is_how = |it: &EndWord| matches!(it, EndWord::How(_));
                    while let Some(EndWord::How(end)) = words.next_if(is_how) {
                        // `White time` may be that of either.
                        if end.is_some() && !is_by {
                            return Err(WordsError::NoSide);
                        }
                        is_by = end.is_none();
                        self.end = end.or(self.end);
                    }
                }
                EndWord::OffBoard(end) => self.end = Some(end),
                EndWord::Key => is_keyed = true,
                EndWord::Wins | EndWord::Loses | EndWord::How(_) => return Err(WordsError::NoSide),
                EndWord::Score(score) => match self.score.replace(score) {
                    Some(other) if other != score => {
                        return Err(WordsError::Results(other.to_owned(), score.to_owned()));
                    }
                    _ => has_score = true,
                },
            }
        }
        match has_side && has_score {
            // Nobody knows which of the two is meant.
            true => Err(WordsError::NoSide),
            false => Ok(()),
        }
    }

    /// Takes a result; that a game was not finished is said where nobody says more.
    pub(super) fn take_result(&mut self, result: RecordedResult) -> Result<(), WordsError> {
        let known = self.result.filter(|it| *it != RecordedResult::Ongoing);
        match known.filter(|_| result != RecordedResult::Ongoing) {
            Some(known) if known != result => {
                Err(WordsError::Results(known.to_string(), result.to_string()))
            }
            _ => {
                self.result = known.or(Some(result));
                Ok(())
            }
        }
    }

    /// Returns whether a word says how the game came out.
    pub(super) const fn has_result(&self) -> bool {
        self.result.is_some() || self.score.is_some()
    }

    /// Returns the turns of the main line.
    pub fn turns(&self) -> Vec<TurnText> {
        let main: Vec<&WrittenPly> = self.plies.iter().filter(|ply| ply.depth == 0).collect();
        let turns = main.chunk_by(|one, next| one.word == next.word);
        let plies = turns.map(|turn| turn.iter().map(|ply| (ply.mv, ply.captured)).collect());
        plies.map(|plies| TurnText { plies }).collect()
    }
}

/// Returns a text without what stands in braces and what follows `#` or `;` in a line; `#` right behind a move is a mark.
pub(super) fn without_comments(text: &str) -> Result<String, WordsError> {
    let mut rest = text;
    let mut without = String::new();
    let begins = |rest: &str| {
        let is_mark = |at: usize| rest[..at].ends_with(|it: char| it.is_ascii_digit());
        let mut found = rest.match_indices(['{', '#', ';']);
        let found = found.find(|(at, letter)| *letter != "#" || !is_mark(*at));
        found.map(|(at, _)| at)
    };
    while let Some(begin) = begins(rest) {
        let (before, comment) = rest.split_at(begin);
        without.push_str(before);
        without.push(' ');
        rest = match comment.strip_prefix('{') {
            Some(inside) => inside.split_once('}').ok_or(WordsError::Comment)?.1,
            None => {
                let (inside, behind) =
                    comment.split_at(comment.find('\n').unwrap_or(comment.len()));
                let is_below_turns = || without.lines().next_back().is_some_and(has_turns);
                let hidden = inside.strip_prefix(';').filter(|inside| is_list(inside));
                if let Some(hidden) = hidden.filter(|_| is_below_turns()) {
                    return Err(WordsError::Hidden(short(hidden.trim())));
                }
                behind
            }
        };
    }
    Ok(without + rest)
}

/// Returns the lines of a text, which old and other programs end otherwise than by `\n`, and mails begin with `> `.
pub(super) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    const ENDS: [char; 6] = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let lines = text.lines().flat_map(|line| line.split(ENDS));
    lines.map(|line| match line.trim_start().starts_with('>') {
        true => line.trim_start_matches(|it: char| it == '>' || it.is_whitespace()),
        false => line,
    })
}

/// Returns a text with spaces around parentheses; `1)` outside of them is a number.
fn spaced(text: &str) -> String {
    let mut depth = 0_usize;
    let words = text.split_whitespace().map(|word| {
        let numbered = word
            .split_once(')')
            .filter(|(number, _)| depth == 0 && is_digits(number));
        let word = match numbered {
            Some((number, rest)) => format!("{number}. {rest}"),
            None => word.to_owned(),
        };
        let count = |letter| word.matches(letter).count();
        depth = (depth + count('(')).saturating_sub(count(')'));
        word.replace('(', " ( ").replace(')', " ) ")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the words of a text; squares that stand alone, with or without a dash between them, are one, and a word whose
/// end is a dash goes on with the next.
///
/// After a number a dash must join them: `1. e4 e5` are two turns of chess. Numbers come apart, each with the place of the
/// word that it stands before.
fn joined(text: &str) -> (Vec<String>, Vec<Number>) {
    let (mut words, mut numbers): (Vec<String>, Vec<Number>) = Default::default();
    let (mut is_after_number, mut follows_number) = (false, false);
    for word in text.split_whitespace() {
        let word: String = word
            .chars()
            .map(|it| if is_dash(it) { '-' } else { it })
            .collect();
        let number = word.find(|it: char| !it.is_ascii_digit()).unwrap_or(0);
        let after = word[number..].trim_start_matches('.');
        let is_numbered = number > 0 && word[number..].starts_with('.') && !is_end_word(&word);
        if is_numbered {
            numbers.push(Number {
                place: words.len(),
                value: word[..number].parse().unwrap_or(u32::MAX),
                goes_on: word[number..].starts_with(".."),
            });
        }
        let word = if is_numbered { after } else { &*word };
        let is_square = |text: &str| text.to_ascii_lowercase().parse::<Square>().is_ok();
        let begun = words.last_mut().filter(|last| {
            let from = last.strip_suffix('-').unwrap_or(last);
            let is_dashed = from != **last || word.starts_with('-');
            is_square(from)
                && (is_dashed || !follows_number)
                && (word == "-" && from == **last || is_square(&squares_of(word)))
        });
        match begun {
            Some(last) => {
                if word != "-" && !last.ends_with('-') && !word.starts_with('-') {
                    last.push('-');
                }
                last.push_str(word);
            }
            None if word.is_empty() => is_after_number = true,
            None => {
                follows_number = is_numbered || is_after_number;
                is_after_number = false;
                words.push(word.to_owned());
            }
        }
    }
    (words, numbers)
}

/// Returns the square with which a word begins, if it goes on with captures only.
fn squares_of(word: &str) -> String {
    let word = word.trim_start_matches('-').to_ascii_lowercase();
    word.split('x').next().unwrap_or_default().to_owned()
}

/// Returns whether a word says nothing of the plies.
fn is_passed_over(word: &str) -> bool {
    word.chars().all(|it| "!?.".contains(it)) || word.strip_prefix('$').is_some_and(is_digits)
}
