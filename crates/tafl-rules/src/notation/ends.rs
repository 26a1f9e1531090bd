//! How a game ended, as words above or below its turns tell it.

use super::aagenielsen::RecordedResult;
use super::lines::{ROUNDS, has_moves, is_comment, names_two, numbered};
use super::names::words_of;
use super::scores::scored;
use super::words::{Words, lines_of};
use crate::Side;
use std::borrow::Cow;

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
    let is_named = || line.split([',', ';']).any(is_end_named);
    is_named() || is_said || is_of_side || has_side_behind(line) || scored(line).is_some()
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

/// Returns the result that a title with the number of a game tells, as `Game 2: defenders won`; within, nothing where it is told
/// in other words or by a side alone, which may be that of a player.
pub(super) fn told_by_title(line: &str) -> Option<Option<RecordedResult>> {
    let title = numbered(line).filter(|_| !line.starts_with('#'))?;
    let behind = Some(title.behind).filter(|it| !it.is_empty())?;
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
    let is_end = is_result && words.take_end(&format!("result: {value}")) == Ok(true);
    words.result.filter(|_| is_end)
}

/// Returns what the side behind a key did, if it is no winner, and whether the key is of nothing but ends: behind others stands any
/// text.
pub(super) fn end_of(key: &str) -> Option<(&'static str, bool)> {
    match &*key.to_lowercase().replace(['-', '_'], "") {
        // Whatever stands behind a winner, it did not give up.
        "winner" | "won" | "wonby" | "victor" | "victory" => Some(("by", true)),
        "outcome" | "gameresult" | "finalresult" => Some(("", true)),
        other if NAMES_ABROAD.contains(&other) => Some(("", true)),
        "loser" | "lost" | "lostby" => Some(("lost", true)),
        "resigned" | "resignedby" => Some(("resigned", true)),
        "timeout" | "timeoutby" => Some(("timeout", false)),
        "termination" | "score" | "end" | "ended" | "ending" | "final" | "verdict" => {
            Some(("", false))
        }
        _ => None,
    }
}

/// Returns a text in which lines that tell an end as `Winner: attackers`, `King escaped` or `The attackers resigned` tell it in the
/// words of [`Words::read`].
pub(super) fn with_plain_ends(text: &str) -> Cow<'_, str> {
    if lines_of(text).all(|line| plain_end(line).is_none()) {
        return text.into();
    }
    let lines = lines_of(text).map(|line| match plain_end(line) {
        Some(plain) => plain + "\n",
        None => format!("{line}\n"),
    });
    lines.collect::<String>().into()
}

/// Returns the plain words of a line that tells an end and no more.
pub(super) fn plain_end(line: &str) -> Option<String> {
    if line.len() > LONGEST || line.contains('[') || is_comment(line) || has_moves(line) {
        return None;
    }
    let words = words_of(line);
    let (articles, words): (Vec<&str>, Vec<&str>) = words
        .iter()
        .map(String::as_str)
        .partition(|it| *it == "the");
    let told = |text: &str| {
        let mut told = Words::default();
        let is_told = told.take_end(text) == Ok(true);
        told.result.filter(|_| is_told && told.end.is_none())
    };
    let result = match words[..] {
        ["king", "escaped" | "escapes"] => Some(RecordedResult::Won(Side::Defender)),
        ["king", "captured"] => Some(RecordedResult::Won(Side::Attacker)),
        ["winner" | "victory", side] | ["won", "by", side] => told(side),
        _ => {
            let keyed = line.split_once([':', '=']);
            let keyed = keyed.and_then(|(key, value)| Some((end_of(key.trim())?, value)));
            keyed.and_then(|((verb, is_end), value)| {
                let value = value.trim().trim_start_matches("the ");
                told(&format!("{value} {verb}")).filter(|_| is_end)
            })
        }
    };
    let plain = || {
        let plain = words.join(" ");
        let is_end = !articles.is_empty() && Words::default().take_end(&plain) == Ok(true);
        is_end.then_some(plain)
    };
    result
        .map(|result| format!("Result: {result}"))
        .or_else(plain)
}

/// Behind these stands how a game ended, whatever it is.
const NAMES: [&str; 4] = ["result", "winner", "loser", "outcome"];

/// The same in languages of those who play the game.
const NAMES_ABROAD: [&str; 15] = [
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

/// The longest line that is looked at for a result alone, in bytes.
const LONGEST: usize = 40;
