//! The spelling of turns: dashes, pieces, marks and captures as people and programs write them.

use crate::{Bitboard, Move, ParseTurnError, Square, TurnText};

pub(super) const fn is_dash(letter: char) -> bool {
    matches!(
        letter,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Returns whether a word of a line is a turn.
pub(super) fn has_turns(line: &str) -> bool {
    line.split_whitespace().any(|word| turn_of(word).is_ok())
}

/// Returns a word as a turn.
pub(super) fn turn_of(word: &str) -> Result<TurnText, ParseTurnError> {
    let error = || ParseTurnError(word.chars().take(40).collect());
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
