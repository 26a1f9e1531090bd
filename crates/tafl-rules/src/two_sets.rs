//! The match of two sets (spec.md 6): the players change sides after the first game.

use crate::Outcome;
use std::cmp::Ordering;

/// One game of a match: how it ended, and how many turns each side took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetResult {
    /// The outcome, `None` for a game that was cut.
    pub outcome: Option<Outcome>,
    /// Turns by [`crate::Side::index`], a chain counting once; the turn that ended the game counts.
    pub turns: [u32; 2],
}

/// Who won a match of two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchWinner {
    /// The player who attacked in the first set.
    FirstAttacker,
    /// The player who defended in the first set.
    FirstDefender,
    /// Neither.
    Drawn,
    /// A set was cut before it ended, so nothing is decided.
    Undecided,
}

/// Returns the winner of a match: two wins, else the quicker win, else the only win.
pub fn two_sets(first: SetResult, second: SetResult) -> MatchWinner {
    let (Some(first_outcome), Some(second_outcome)) = (first.outcome, second.outcome) else {
        return MatchWinner::Undecided;
    };
    let winner = |set: SetResult, outcome: Outcome, players: [MatchWinner; 2]| {
        let side = outcome.winner?.index();
        Some((players[side], set.turns[side]))
    };
    let players = [MatchWinner::FirstAttacker, MatchWinner::FirstDefender];
    let changed = [MatchWinner::FirstDefender, MatchWinner::FirstAttacker];
    let first_winner = winner(first, first_outcome, players);
    let second_winner = winner(second, second_outcome, changed);
    match (first_winner, second_winner) {
        (None, None) => MatchWinner::Drawn,
        (Some((winner, _)), None) | (None, Some((winner, _))) => winner,
        (Some((a, _)), Some((b, _))) if a == b => a,
        (Some((a, a_turns)), Some((b, b_turns))) => match a_turns.cmp(&b_turns) {
            Ordering::Less => a,
            Ordering::Greater => b,
            Ordering::Equal => MatchWinner::Drawn,
        },
    }
}
