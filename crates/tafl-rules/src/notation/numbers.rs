//! Numbers of turns, which count the turns or the plies of the main line.

use super::spelling::turn_of;
use super::words::{WordsError, is_end_word};

/// A number of a turn, apart from the words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    /// The place of the word that it stands before.
    pub(super) place: usize,
    pub(super) value: u32,
    /// Whether the turn has begun, as before `1...`.
    pub(super) goes_on: bool,
}

/// Checks that the numbers of the main line count its plies or its turns; the steps of a chain may be words of their own.
pub(super) fn check_numbers(words: &[String], numbers: &[Number]) -> Result<(), WordsError> {
    if numbers.len() < 2 {
        return Ok(());
    }
    let (mut depth, mut turns, mut reached) = (0_usize, 0_u32, None);
    let mut main: Vec<(u32, u32)> = Vec::new();
    let mut numbers = numbers.iter().peekable();
    for at in 0..=words.len() {
        while let Some(number) = numbers.next_if(|it| it.place == at) {
            match main.last() {
                _ if depth > 0 => {}
                Some((before, since))
                    if number.goes_on && (*before != number.value || turns - since != 1) =>
                {
                    return Err(WordsError::Numbers(*before, number.value));
                }
                _ if number.goes_on => {}
                _ => main.push((number.value, turns)),
            }
        }
        let Some(word) = words.get(at) else {
            break;
        };
        match &**word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            word if depth == 0 => {
                let plies = turn_of(word).map(|turn| turn.plies).unwrap_or_default();
                let first = plies.first().filter(|(mv, _)| !mv.is_end());
                let first = first.map(|(mv, _)| mv.from());
                let last = plies.iter().rfind(|(mv, _)| !mv.is_end());
                turns += u32::from(first.is_some() && first != reached);
                reached = last.map(|(mv, _)| mv.to()).or(reached);
            }
            _ => {}
        }
    }
    let steps = main.windows(2).map(|pair| {
        let [(before, since), (number, turns)] = [pair[0], pair[1]];
        (before, number, turns - since)
    });
    let is_ply = |(before, number, turns): (u32, u32, u32)| number == before.saturating_add(turns);
    // A turn of one side alone, with a number behind it, lacks the answer.
    let is_turn = |(before, number, turns): &(u32, u32, u32)| {
        turns % 2 == 0 && *number == before.saturating_add((turns / 2).max(1))
    };
    let other = steps.clone().find(|step| !is_turn(step));
    if let Some((before, number, _)) = other.filter(|_| !steps.clone().all(is_ply)) {
        return Err(WordsError::Numbers(before, number));
    }
    match main.last() {
        Some((number, since)) if main.len() > 1 && turns - since > 2 => {
            Err(WordsError::Uncounted(*number))
        }
        _ => Ok(()),
    }
}

/// Returns the digits of a word that begins as the number of a turn, and what is behind them.
pub(super) fn number_of(word: &str) -> Option<(&str, &str)> {
    let digits = word.find(|it: char| !it.is_ascii_digit())?;
    let (number, rest) = word.split_at(digits);
    let is_number = digits > 0 && rest.starts_with(['.', ')', ':']) && !is_end_word(word);
    is_number.then_some((number, rest))
}

/// Returns the number with which turns begin, if others came before.
pub(super) fn late_number(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?.trim_start_matches('"');
    let (number, rest) = number_of(word)?;
    let is_first = number == "1" && !rest.starts_with("..");
    let dots = rest.len() - rest.trim_start_matches('.').len();
    (!is_first).then(|| format!("{number}{}", &rest[..dots.max(1)]))
}
