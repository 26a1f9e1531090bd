//! Openings as text: one a line, its turns one after the other.

use std::sync::Arc;
use tafl_rules::notation::follow::follow;
use tafl_rules::notation::words::Words;
use tafl_rules::{Game, Move, Rules};

/// A line of a file of openings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct OpeningError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and with which turn.
    pub reason: String,
}

/// Reads openings, one a line: turns parted by spaces, from the ruleset's start position.
///
/// A turn is written `d1-d3`, with captures `d1-d3xd4`, a chain `e2-c2xb2-c5xc6`. Captures need not
/// be written; those that are must be right. Empty lines and what follows `#` are left out.
///
/// # Errors
/// For the first line that is not an opening under these rules; names the line and the turn.
pub fn read_openings(text: &str, rules: &Arc<Rules>) -> Result<Vec<Vec<Move>>, OpeningError> {
    let mut openings = Vec::new();
    let mut seen: Vec<(u64, usize)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let turns = line.split('#').next().unwrap_or_default().trim();
        if turns.is_empty() {
            continue;
        }
        let line = index + 1;
        let refused = |reason: String| OpeningError { line, reason };
        let game = read_opening(turns, rules).map_err(refused)?;
        let key = game.position().key();
        if let Some((_, earlier)) = seen.iter().find(|(other, _)| *other == key) {
            let reason = format!("the same position as on line {earlier}");
            return Err(refused(reason));
        }
        seen.push((key, line));
        openings.push(game.moves().to_vec());
    }
    Ok(openings)
}

fn read_opening(turns: &str, rules: &Arc<Rules>) -> Result<Game, String> {
    let mut game = Game::new(rules.clone());
    let words = Words::read(turns).map_err(|error| error.to_string())?;
    for ply in words.plies.iter().filter(|ply| ply.depth == 0) {
        follow(&mut game, (ply.mv, ply.captured), false)
            .map_err(|error| format!("turn {}: {error}", ply.word))?;
    }
    match game.outcome() {
        Some(outcome) => Err(format!("the game is over: {outcome}")),
        None => Ok(game),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::{game_after, openings};
    use tafl_rules::notation::aagenielsen::RecordedGame;

    fn brandubh() -> Arc<Rules> {
        Rules::preset("brandubh").unwrap()
    }

    fn error(text: &str) -> String {
        read_openings(text, &brandubh()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_back_under_every_ruleset() {
        for name in tafl_rules::PRESET_NAMES.into_iter().chain(["brandubh"]) {
            let rules = Rules::preset(name).unwrap();
            let drawn = openings(&rules, 20, 8, 1);
            let written = |moves: &Vec<Move>| {
                let game = game_after(&rules, moves);
                RecordedGame::of_game(&game).unwrap().turns_text()
            };
            let lines: Vec<String> = drawn.iter().map(written).collect();
            let text = format!("# drawn\n\n{}  # the last\n", lines.join("\n"));
            assert_eq!(read_openings(&text, &rules).unwrap(), drawn, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert!(
            error("# x\nd7-e7 hello").starts_with("line 2: number 2: \"hello\" is not a move"),
            "{}",
            error("# x\nd7-e7 hello")
        );
        let illegal = error("d6-e6\nd6-e6 d5-d9");
        assert!(illegal.starts_with("line 2: "), "{illegal}");
        let captures = error("d6-e6xa1");
        assert_eq!(
            captures,
            "line 1: turn 1: d6-e6 captures nothing; recorded is a1"
        );
        assert_eq!(
            error("d6-e6\nd6-e6"),
            "line 2: the same position as on line 1"
        );
    }
}
