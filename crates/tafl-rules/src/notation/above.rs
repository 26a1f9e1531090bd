//! What stands above a game: lines that say its rules or its first position, and titles.

use super::aagenielsen::RecordedResult;
use super::names::words_of;
use super::scores::scored;
use super::spelling::is_dash;
use super::tags::is_tag;
use super::words::Words;
use crate::Side;

/// What a line says of the games below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above<'a> {
    /// Their ruleset, as [`super::games::WrittenGame::under`] takes it.
    Rules(&'a str),
    /// The position from which they begin.
    Position(&'a str),
}

impl<'a> Above<'a> {
    /// Reads a line such as `ruleset: fetlar`, in capitals or not; also a comment that says the rules so or as
    /// [`comment_of`], and a preset's name that stands alone, in words too, or, before a comma, in a comment.
    pub fn read(line: &'a str) -> Option<Self> {
        let comment = line.strip_prefix('#');
        let text = comment.unwrap_or(line).trim();
        if comment.is_some()
            && let Some((name, rest)) = text.rsplit_once(',')
            && rest.ends_with(BY_A_HUMAN)
        {
            return Some(Self::Rules(name.trim()));
        }
        let said = text.split_once([':', '=']).and_then(|(key, value)| {
            let value = value.trim();
            match &*key.trim().to_lowercase() {
                // Comments may say anything of rules.
                "ruleset" | "variant" | "rules" if comment.is_none() || is_name(value) => {
                    Some(Self::Rules(value))
                }
                "game" | "gametype" if is_preset(value) => Some(Self::Rules(value)),
                "position" if comment.is_none() => Some(Self::Position(value)),
                _ => None,
            }
        });
        let alone = || match comment {
            Some(_) => text.split(',').next().unwrap_or_default().trim(),
            None => text.trim_start_matches('[').trim_end_matches(']'),
        };
        let in_words = || preset_in_words(text).map(Self::Rules);
        let named = said.or_else(in_words);
        named.or_else(|| Some(alone()).filter(|it| is_preset(it)).map(Self::Rules))
    }
}

/// Returns whether a line is a comment with more behind the name of a ruleset, as `# Copenhagen, 14 Nov 2026`: rules that are
/// told otherwise hold against it, and it is a title.
pub(super) fn is_aside(line: &str) -> bool {
    let Some(text) = line.strip_prefix('#').filter(|_| !is_header(line)) else {
        return false;
    };
    let named = text
        .split_once(',')
        .filter(|(name, behind)| is_preset(name.trim()) && behind.contains(char::is_alphanumeric));
    named.is_some() && preset_in_words(text).is_none()
}

/// Returns whether a line tells rules as surely as can be.
pub(super) fn is_explicit(line: &str) -> bool {
    !is_aside(line) && !is_numbered_title(line)
}

/// Returns the rules that the last of these lines tells, a comment of [`is_aside`] only where no other does.
pub(super) fn nearest_rules<'a>(
    lines: impl DoubleEndedIterator<Item = &'a (usize, &'a str)> + Clone,
) -> Option<&'a str> {
    let told = lines.rev().filter_map(|(_, line)| match Above::read(line) {
        Some(Above::Rules(rules)) => Some((*line, rules)),
        _ => None,
    });
    let firm = told.clone().find(|(line, _)| !is_aside(line));
    firm.or_else(|| told.clone().next()).map(|(_, rules)| rules)
}

/// Returns the last line that stands above a game, if it stands below the last one. Comments may, as any text does.
pub(super) fn without_game<'a>(lines: &[(usize, &'a str)]) -> Option<(usize, &'a str)> {
    let is_said = |line: &str| !is_tag(line) && Above::read(line).is_some();
    let is_passed_over = |line: &str| line.is_empty() || line.starts_with('#') || is_rule(line);
    let lines = lines.iter().rev().copied();
    let mut lines = lines.filter(|(_, line)| !is_passed_over(line));
    let last = lines.next().filter(|(_, line)| is_said(line))?;
    // Below tags it is of their game, which may have no turns.
    let (_, above) = lines.find(|(_, line)| !is_said(line))?;
    (!is_tag(above)).then_some(last)
}

/// The longest text that is looked at for the name of a ruleset in words.
const MOST_LETTERS: usize = 60;

/// Words that stand beside the name of a ruleset, or are part of it.
pub(super) const KINDS: [&str; 4] = ["hnefatafl", "tafl", "rules", "ruleset"];

/// Returns the preset that a text calls by its name in words, also with its board and its kind, as in `Copenhagen Hnefatafl
/// (11x11)`, or beside a number, as in `Game 2: Fetlar`.
fn preset_in_words(text: &str) -> Option<&'static str> {
    if text.len() > MOST_LETTERS {
        return None;
    }
    let all = words_of(text);
    let words = match &all[..] {
        [game, number, name @ ..] | [name @ .., game, number]
            if game == "game" && number.parse::<u32>().is_ok() =>
        {
            name
        }
        all => all,
    };
    let size = |word: &str| -> Option<u8> {
        let (files, ranks) = word.split_once(['x', '×'])?;
        (files == ranks).then(|| files.parse().ok()).flatten()
    };
    let sized = words
        .iter()
        .map(|word| size(word).map_or_else(|| word.clone(), |it| it.to_string()));
    let known = |name: String| crate::known_names().find(|it| *it == name);
    let with_size = known(sized.collect::<Vec<_>>().join("-"));
    with_size.or_else(|| {
        let (sizes, mut name): (Vec<_>, Vec<_>) =
            words.iter().cloned().partition(|word| size(word).is_some());
        let found = known(name.join("-")).or_else(|| {
            name.retain(|word| !KINDS.contains(&&**word));
            known(name.join("-"))
        })?;
        let board = crate::preset(found)?.setup().shape.size();
        sizes
            .iter()
            .all(|word| size(word) == Some(board))
            .then_some(found)
    })
}

fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    !text.is_empty() && text.chars().all(is_part)
}

/// Returns whether a text is a preset's name.
pub(super) fn is_preset(text: &str) -> bool {
    crate::preset_named(text).is_some()
}

/// What ends the comment above a game of `tafl play`.
const BY_A_HUMAN: &str = " by a human";

/// Returns the comment above a game that was played under a ruleset, by a human on a side: `# brandubh, attackers by a human`.
pub fn comment_of(ruleset: &str, human: Side) -> String {
    format!("# {ruleset}, {human}{BY_A_HUMAN}")
}

/// Returns whether a line is a comment of [`comment_of`], with which a game begins.
pub(super) fn is_header(line: &str) -> bool {
    line.starts_with('#') && line.ends_with(BY_A_HUMAN)
}

/// Returns whether a line is words alone, such as a title, or a date: none of them is a move, not even a damaged one, or tells
/// an end.
pub(super) fn is_title(line: &str) -> bool {
    let has_letters = line.contains(char::is_alphabetic) || is_date(line);
    // A variation may begin with its line, or end with it.
    let is_broken = line.starts_with('(') || line.matches('(').count() != line.matches(')').count();
    let is_bracketed = is_broken || line.contains(['{', '}']);
    let is_said = || is_comment(line) || Above::read(line).is_some() || tells_end(line);
    has_letters && !is_bracketed && !has_moves(line) && !is_said() && Words::read(line).is_err()
}

/// Returns whether a line is a title with the number of a game, as `Game 2` and `Game 2: Anna and Bo`.
pub(super) fn is_numbered_title(line: &str) -> bool {
    behind_number(line).is_some()
}

/// Returns what stands behind the number in a title with the number of a game.
fn behind_number(line: &str) -> Option<&str> {
    let is_between = |letter: char| !letter.is_alphanumeric();
    let title = line.trim_start_matches(is_between);
    let (game, rest) = title.split_at_checked("game".len())?;
    let number = rest.trim_start_matches(is_between);
    let behind = number.trim_start_matches(|it: char| it.is_ascii_digit());
    let is_title = game.eq_ignore_ascii_case("game")
        && behind.len() < number.len()
        && !behind.starts_with(char::is_alphanumeric);
    (is_title && !has_moves(line)).then(|| behind.trim_matches(is_between))
}

/// Returns the result that a title with the number of a game tells, as `Game 2: defenders won`; within, nothing where it is told
/// in other words or by a side alone, which may be that of a player.
pub(super) fn told_by_title(line: &str) -> Option<Option<RecordedResult>> {
    let behind = behind_number(line).filter(|it| !it.is_empty() && !line.starts_with('#'))?;
    let mut words = Words::default();
    let is_end = words.take_end(behind) == Ok(true);
    let is_word = !behind.contains(char::is_whitespace);
    match words.result {
        Some(RecordedResult::Won(_)) if is_word => Some(None),
        Some(result) if is_end => Some(Some(result)),
        _ => (is_end || tells_end(behind)).then_some(None),
    }
}

/// Returns the result in a line such as `Result: Black`.
pub(super) fn keyed_result(line: &str) -> Option<RecordedResult> {
    let (key, value) = line.split_once(':')?;
    let mut words = Words::default();
    let is_result = key.trim().eq_ignore_ascii_case("result");
    let is_end = is_result && words.take_end(value) == Ok(true);
    words.result.filter(|_| is_end)
}

/// Returns whether a line is a date such as `2024-05-01` or `1.5.2024`.
fn is_date(line: &str) -> bool {
    let parts: Vec<&str> = line.split(['-', '.', '/']).collect();
    let is_number = |it: &&str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(is_number) && parts.iter().any(|it| it.len() == 4)
}

/// Returns whether a line tells how a game ended: it begins with `Result:`, says so with any winner, names a side alone or
/// with a score, or has the score of two names or a side behind them.
pub(super) fn tells_end(line: &str) -> bool {
    let words = words_of(line);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&&**word));
    let is_side = || words.first().is_some_and(|word| SIDES.contains(&&**word));
    let is_by = || match words.get(1) {
        Some(word) => word == "by" || word == "on" && is_side(),
        None => true,
    };
    let is_said = has(&ENDS) || has(&["gave"]) && has(&["up"]);
    let is_of_side = has(&SIDES) && (has(&["0", "1"]) || is_by());
    is_end_named(line) || is_said || is_of_side || has_side_behind(line) || scored(line).is_some()
}

/// Returns whether a line ends in a side alone behind two names or a number of a round, as `Anna - Bo: White`; behind one name it
/// is that of a player.
fn has_side_behind(line: &str) -> bool {
    let Some((before, side)) = line.rsplit_once([':', '=', ',', '(', '>', '→']) else {
        return false;
    };
    let is_side = |word: &String| SIDES.contains(&&**word);
    let mut side = words_of(side);
    side.retain(|word| word != "the");
    let words = words_of(before);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&&**word));
    let is_counted = || {
        words
            .iter()
            .any(|it| it.bytes().all(|it| it.is_ascii_digit()))
    };
    let is_alone = side.len() == 1 && is_side(&side[0]) && !words.iter().any(is_side);
    is_alone && (names_two(before) || has(&ROUNDS) && is_counted())
}

/// Returns whether a word or a mark between two players stands in a text.
pub(super) fn names_two(text: &str) -> bool {
    let is_mark = |word: &str| word == "/" || word.chars().all(is_dash);
    let is_between = |word: &String| BETWEEN.contains(&&**word);
    words_of(text).iter().any(is_between) || text.split_whitespace().any(is_mark)
}

/// Words between two players.
pub(super) const BETWEEN: [&str; 6] = ["v", "vs", "versus", "against", "gegen", "contre"];

/// Words before the number of a game.
pub(super) const ROUNDS: [&str; 5] = ["game", "round", "match", "table", "board"];

/// Returns whether a line has anything behind `Result:`, or an end in known words behind `Final:`, also without the colon.
fn is_end_named(line: &str) -> bool {
    let keyed = line.split_once([':', '=']);
    let Some((key, value)) = keyed.or_else(|| line.rsplit_once(' ')) else {
        return false;
    };
    let key = words_of(key);
    let name = key
        .iter()
        .take_while(|it| *it != "of" && *it != "by")
        .last();
    let is_in = |names: &[&str]| name.is_some_and(|it| names.contains(&&**it));
    let is_known = || !value.trim().is_empty() && Words::default().take_end(value) != Ok(false);
    let is_end = is_in(&NAMES) || is_in(&NAMES_ABROAD);
    is_end && keyed.is_some() || (is_end || is_in(&HINTS)) && is_known()
}

/// Behind these stands how a game ended, whatever it is.
const NAMES: [&str; 4] = ["result", "winner", "loser", "outcome"];

/// The same in languages of those who play the game.
pub(super) const NAMES_ABROAD: [&str; 15] = [
    "ergebnis",
    "gewinner",
    "résultat",
    "resultado",
    "resultat",
    "risultato",
    "sieger",
    "tulos",
    "uitslag",
    "vainqueur",
    "vinder",
    "vinnare",
    "vinner",
    "winnaar",
    "wynik",
];

/// Behind these may stand anything.
const HINTS: [&str; 11] = [
    "victor",
    "victory",
    "defeat",
    "loss",
    "resignation",
    "score",
    "end",
    "ended",
    "ending",
    "final",
    "verdict",
];

const SIDES: [&str; 6] = [
    "white",
    "black",
    "attackers",
    "defenders",
    "attacker",
    "defender",
];

/// Words that tell how a game ended.
pub(super) const ENDS: [&str; 27] = [
    "draw",
    "drawn",
    "remis",
    "remise",
    "stalemate",
    "escaped",
    "escapes",
    "captured",
    "win",
    "wins",
    "won",
    "winner",
    "lose",
    "loses",
    "lost",
    "resign",
    "resigns",
    "resigned",
    "beat",
    "beats",
    "defeated",
    "forfeit",
    "forfeited",
    "forfeits",
    "conceded",
    "surrendered",
    "timeout",
];

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
