//! The spelling of turns: dashes, pieces, marks and captures as people and programs write them.

use crate::text::short;
use crate::{Bitboard, Move, ParseTurnError, Square, TurnText};
use std::borrow::Cow;

pub(super) const fn is_dash(letter: char) -> bool {
    matches!(
        letter,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Returns whether a text is a number without a sign.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// Returns whether a word of a line is a turn.
pub(super) fn has_turns(line: &str) -> bool {
    line.split_whitespace().any(|word| turn_of(word).is_ok())
}

/// Returns a word as a turn.
pub(super) fn turn_of(word: &str) -> Result<TurnText, ParseTurnError> {
    let error = || ParseTurnError(short(word));
    let plain = plain(word);
    plain.parse().or_else(|_| {
        // A chain may be told by where it begins and ends.
        let (from, rest) = plain.split_once('-').ok_or_else(error)?;
        let mut squares = rest.split('x').map(str::parse::<Square>);
        let from: Square = from.parse().map_err(|_| error())?;
        let to = squares.next().and_then(Result::ok).ok_or_else(error)?;
        let captured: Result<Bitboard, _> = squares.collect();
        let captured = captured.map_err(|_| error())?;
        if from == to || captured.is_empty() {
            return Err(error());
        }
        let plies = vec![(Move::between(from, to), captured)];
        Ok(TurnText { plies })
    })
}

/// Returns a word in our own spelling: lower case, hyphens between squares, and no piece, mark or kind of move.
fn plain(word: &str) -> String {
    let lower = word.to_lowercase();
    let lower = lower.trim_end_matches(['+', '#', '!', '?', '-']);
    let letters: Vec<char> = lower.chars().filter(|it| *it != '\u{fe0f}').collect();
    let mut plain = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let next = letters.get(at + 1);
        let begins_square = letter.is_ascii_alphabetic() && next.is_some_and(char::is_ascii_digit);
        match letter {
            // `OpenTafl` names the piece before its square.
            't' | 'c' | 'n' | 'k' | 'm' | 'g' if at == 0 && !begins_square => {}
            '×' | '/' | ':' => plain.push('x'),
            _ if is_dash(letter) || matches!(letter, '^' | '=' | '>' | '→') => {
                if !plain.ends_with('-') {
                    plain.push('-');
                }
            }
            _ => {
                if begins_square && letter != 'x' && plain.ends_with(|it: char| it.is_ascii_digit())
                {
                    plain.push('-');
                }
                plain.push(letter);
            }
        }
    }
    plain
}

impl TurnText {
    /// Reads a turn as people type or paste it: capitals, a number in front as in `1. d3-e3`, and hyphens that are dashes,
    /// spaces or missing, as in `d3 e3` and `D3e3`.
    ///
    /// # Errors
    /// If it is no turn.
    pub fn of_typed(text: &str) -> Result<Self, ParseTurnError> {
        text.parse().or_else(|error| {
            let numbered = text.split_once('.').filter(|it| is_digits(it.0.trim()));
            let turn = numbered.map_or(text, |(_, turn)| turn);
            let joined: String = turn.split_whitespace().collect();
            plain(&joined).parse().map_err(|_| error)
        })
    }
}

/// Returns a text in which captures in parentheses behind a square, as in `g3-e3 (xe2)` or `(e2)`, are written as part of
/// their turn; other parentheses are left.
pub(super) fn with_captures(text: &str) -> Cow<'_, str> {
    if !text.contains('(') {
        return text.into();
    }
    let (mut whole, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('(') {
        let turn = before.trim_end_matches([' ', '\t', '!', '?', '+', '#']);
        let file = turn.trim_end_matches(|it: char| it.is_ascii_digit());
        let is_square = file.len() < turn.len() && file.ends_with(char::is_alphabetic);
        let end = behind.find(['(', ')', '\n']).filter(|_| is_square);
        let found = end.and_then(|end| {
            let after = behind[end..].strip_prefix(')')?;
            Some((captures_in(&behind[..end])?, after))
        });
        match found {
            Some((captures, after)) => {
                whole.extend([turn, &*captures, " "]);
                rest = after;
            }
            None => {
                whole.extend([before, "("]);
                rest = behind;
            }
        }
    }
    whole.push_str(rest);
    whole.into()
}

/// Returns captures such as `xe2xf3` of the text `e2`, `e2 f3` or `xe2, xf3`; nothing of another.
fn captures_in(text: &str) -> Option<String> {
    let text = text.to_lowercase().replace('×', "x");
    if text.contains('x') && !text.trim_start().starts_with('x') {
        return None;
    }
    let squares = text.split([' ', ',', 'x']).filter(|it| !it.is_empty());
    let all: Option<Vec<Square>> = squares.map(|it| it.parse().ok()).collect();
    let all = all.filter(|all| !all.is_empty())?;
    Some(all.iter().map(|square| format!("x{square}")).collect())
}

/// Returns whether a comment begins with turns, and no move that it tells something of.
pub(super) fn is_list(comment: &str) -> bool {
    let piece = comment.split(';').next().unwrap_or_default();
    let is_number = |it: char| it.is_ascii_digit() || ".)".contains(it);
    let words = piece
        .split_whitespace()
        .map(|word| match word.split_once(['.', ')']) {
            Some((number, behind)) if number.bytes().all(|it| it.is_ascii_digit()) => {
                behind.trim_start_matches(is_number)
            }
            _ => word,
        });
    let words: Vec<bool> = words
        .filter(|it| !it.is_empty())
        .map(|it| turn_of(it).is_ok())
        .collect();
    let turns = words.iter().filter(|is_turn| **is_turn).count();
    words.first() == Some(&true) && (turns > 1 || turns == words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type_is_read() {
        for text in ["d6 f6", "d6f6", "D6-F6", "d6 - f6", "d6–f6", "12. d6-f6"] {
            assert_eq!(TurnText::of_typed(text), "d6-f6".parse(), "{text}");
        }
        assert_eq!(TurnText::of_typed("d5f5xf4 f8"), "d5-f5xf4-f8".parse());
        for text in ["d6", "d6-e5", "go away", ""] {
            assert!(TurnText::of_typed(text).is_err(), "{text}");
        }
    }
}
