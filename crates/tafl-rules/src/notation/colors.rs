//! Texts by which White attacks.

use super::ends::{TitleWord, side_of};
use super::names::words_of;
use super::spelling::has_turns;
use super::tags::tag;
use super::words::{Words, is_end_word, lines_of};
use crate::Side;

/// Returns the first line of a text by which White are the attackers, or Black the defenders, if the text also tells an end by one
/// of these colors: here White are the defenders.
pub(super) fn line_of_other_colors(text: &str) -> Option<&str> {
    let mut lines = lines_of(text).map(str::trim);
    let swapped = lines.find(|line| swaps_colors(line));
    let swapped = swapped.or_else(|| swapped_by_names(text))?;
    let names_color = |line: &str| words_of(line).iter().any(|word| is_color(word));
    let mut lines = lines_of(text).map(str::trim);
    let tells_end = |line| names_color(line) && tells_end_by_color(line) && !swaps_colors(line);
    lines.any(tells_end).then_some(swapped)
}

/// Returns whether one of some words in lower case tells how a game ended.
fn tells_end(words: &[String]) -> bool {
    let mut words = words.iter();
    words.any(|word| TitleWord::read(word) == Some(TitleWord::End))
}

/// Returns whether a word in lower case is a color of one side's pieces.
pub(super) fn is_color(word: &str) -> bool {
    ["white", "black"].contains(&word)
}

/// Returns whether a line tells an end by a color: behind turns, in a tag, or in words.
fn tells_end_by_color(line: &str) -> bool {
    let names_color = |text: &str| words_of(text).iter().any(|word| is_color(word));
    if let Some((key, value)) = tag(line) {
        return !is_color(&key.to_lowercase()) && names_color(value);
    }
    if has_turns(line) {
        let is_between = |letter: char| letter.is_whitespace() || ",;:(){}\"".contains(letter);
        let words = line.rsplit(is_between).filter(|word| !word.is_empty());
        return words.take_while(|word| is_end_word(word)).any(names_color);
    }
    let words = words_of(line);
    let is_said = tells_end(&words) || words.iter().any(|word| word == "result");
    is_said || Words::default().take_end(line) == Ok(true)
}

/// Returns whether a line says that White attacks or Black defends: of its words of colors and sides two that stand next to each
/// other do not fit. In comments, where any text may stand, no other words may stand between them.
pub(super) fn swaps_colors(line: &str) -> bool {
    let is_of_turns = has_turns(line);
    if is_of_turns || line.starts_with(['#', ';', '%', '{']) {
        let comment = match line.strip_prefix(['#', ';', '%']) {
            Some(comment) if !is_of_turns => comment.to_owned(),
            _ => comments_in(line),
        };
        return is_of_first(&words_of(&comment)) || is_swapped_within(&comment);
    }
    let line = match tag(line) {
        Some((key, value)) => format!("{}: {value}", apart(key)),
        None => line.to_owned(),
    };
    let words = words_of(&line);
    let mut last = None;
    let is_swapped = line
        .split(|letter: char| !letter.is_alphanumeric())
        .filter_map(given)
        .any(
            |(is_color, is_of_white)| match last.replace((is_color, is_of_white)) {
                Some((was_color, was_of_white)) if was_color != is_color => {
                    last = None;
                    was_of_white != is_of_white
                }
                _ => false,
            },
        );
    let is_end = Words::default().take_end(&line) == Ok(true);
    is_of_first(&words) || is_swapped && !is_end
}

/// Returns whether a word is a color, in place of a side, and whether it is White's here.
fn given(word: &str) -> Option<(bool, bool)> {
    let lower = word.to_lowercase();
    match &*lower {
        "white" => Some((true, true)),
        "black" => Some((true, false)),
        // A letter in capitals may stand for a word; `A` is one of its own.
        _ if word == "W" => Some((true, true)),
        _ if word == "B" => Some((true, false)),
        _ if word == "D" => Some((false, true)),
        "att" | "attack" | "attacks" | "attacking" => Some((false, false)),
        "def" | "defend" | "defends" | "defending" | "king" => Some((false, true)),
        word => side_of(word).map(|side| (false, side == Side::Defender)),
    }
}

/// Returns the words of a key such as `WhiteSide`, apart.
fn apart(key: &str) -> String {
    let letters = key.chars().flat_map(|letter| {
        let space = letter.is_uppercase().then_some(' ');
        space.into_iter().chain([letter])
    });
    letters.collect()
}

/// Returns whether a comment says that White attacks or Black defends: the two words stand side by side, or a name and no more
/// between them.
fn is_swapped_within(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    let places = words.filter_map(|word| {
        let begin = word.as_ptr().addr() - lower.as_ptr().addr();
        let end = begin + word.len();
        let given = given(word).filter(|_| !is_verb(word, &lower[end..]))?;
        Some((begin, end, given))
    });
    let places: Vec<_> = places.collect();
    places.windows(2).any(|pair| {
        let [
            (_, end, (was_color, was_of_white)),
            (next, _, (is_color, is_of_white)),
        ] = pair
        else {
            return false;
        };
        is_color != was_color && is_of_white != was_of_white && binds(&lower[*end..*next])
    })
}

/// Returns what a line of turns says in braces and behind a `;` or `#`.
fn comments_in(line: &str) -> String {
    let mut pieces = line.split(['{', ';', '#']);
    let _turns = pieces.next();
    let comments = pieces.map(|piece| piece.split('}').next().unwrap_or_default());
    comments.collect::<Vec<_>>().join(";")
}

/// Returns whether words say that White begins, or are the names of columns of which White's is the first: attackers begin.
fn is_of_first(words: &[String]) -> bool {
    let has = |known: &[&str]| words.iter().any(|it| known.contains(&&**it));
    let begins = has(&["begin", "begins", "starts"]) || words.iter().any(|it| it.contains("first"));
    let begins = begins && !tells_end(words);
    let names = words.iter().map(String::as_str);
    let names = names.filter(|it| !["no", "nr", "move", "turn"].contains(it));
    has(&["white"]) && !has(&["black"]) && begins || names.eq(["white", "black"])
}

/// A name, and a color or a side that a line gives to it.
#[derive(Debug, PartialEq, Eq)]
struct Given {
    name: Vec<String>,
    is_color: bool,
    /// Whether the color or the side is White's here.
    is_of_white: bool,
}

impl Given {
    /// Reads `White: Anna`, `White: Anna (A)` and `Anna had white`.
    fn all_in(line: &str) -> Vec<Self> {
        let of_piece = |piece: &str| {
            let (before, behind) = piece.split_once('(').unwrap_or((piece, ""));
            let (keys, mut name): (Vec<String>, Vec<String>) = words_of(before)
                .into_iter()
                .partition(|word| given(word).is_some());
            name.retain(|word| !JOINING.contains(&&**word));
            let letter = match &*behind.trim_end_matches(')').to_lowercase() {
                "a" | "b" => Some((false, false)),
                "d" | "w" => Some((false, true)),
                word => given(word),
            };
            // Of a color and a side in one piece is asked elsewhere.
            let key = keys.first().filter(|_| keys.len() == 1);
            let all = key.and_then(|word| given(word)).into_iter().chain(letter);
            let all = all.filter(|_| !name.is_empty());
            let all = all.map(|(is_color, is_of_white)| Self {
                name: name.clone(),
                is_color,
                is_of_white,
            });
            all.collect::<Vec<Self>>()
        };
        match tag(line) {
            Some((key, value)) => of_piece(&format!("{key} {value}")),
            None => line.split([',', ';']).flat_map(of_piece).collect(),
        }
    }
}

/// Returns the first line of a text above a game that gives a player of White the attackers, or of Black the defenders, by name.
pub(super) fn swapped_by_names(text: &str) -> Option<&str> {
    let mut told: Vec<Given> = Vec::new();
    lines_of(text).map(str::trim).find(|line| {
        if has_turns(line) {
            told.clear();
            return false;
        }
        told.extend(Given::all_in(line));
        let is_swapped = |one: &Given, other: &Given| {
            let is_of_one = one.name == other.name && one.is_color != other.is_color;
            is_of_one && one.is_of_white != other.is_of_white
        };
        told.iter()
            .any(|one| told.iter().any(|other| is_swapped(one, other)))
    })
}

/// Returns whether a word is a verb with more behind it, as in `White attacks the corner`.
fn is_verb(word: &str, behind: &str) -> bool {
    let is_verb = word.starts_with("attack") || word.starts_with("defend");
    let is_last = behind.is_empty() || behind.starts_with([',', '.', ';', '!', ':', ')']);
    is_verb && !word.contains("er") && !is_last && !behind.starts_with(" with ")
}

/// Small words between a player, a color and a side.
const JOINING: [&str; 22] = [
    "is", "are", "as", "the", "plays", "play", "played", "playing", "with", "side", "and", "has",
    "have", "had", "takes", "took", "was", "men", "pieces", "stones", "an", "a",
];

/// Returns whether what stands between a color and a side joins them: marks or small words.
fn binds(between: &str) -> bool {
    let words = words_of(between);
    let are_joining = words.iter().all(|word| JOINING.contains(&&**word));
    let is_list = between.contains(',') && between.trim() != ",";
    let is_parted = is_list || between.contains([';', '/', '.']) || between.contains(" - ");
    are_joining && !is_parted && !tells_end(&words)
}
