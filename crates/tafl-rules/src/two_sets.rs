//! The match of two sets (spec.md 6): the players change sides after the first game.

use crate::{Outcome, Side};

/// One game of a match: how it ended, and how many turns each side took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetResult {
    /// The outcome, `None` for a game that was cut.
    pub outcome: Option<Outcome>,
    /// Turns by [`Side::index`], a chain counting once; the turn that ended the game counts.
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
#[must_use]
pub fn two_sets(first: SetResult, second: SetResult) -> MatchWinner {
    let (Some(first_outcome), Some(second_outcome)) = (first.outcome, second.outcome) else {
        return MatchWinner::Undecided;
    };
    let player = |winner: Side, attacked: MatchWinner, defended: MatchWinner| match winner {
        Side::Attacker => attacked,
        Side::Defender => defended,
    };
    let first_winner = first_outcome.winner.map(|side| {
        let winner = player(side, MatchWinner::FirstAttacker, MatchWinner::FirstDefender);
        (winner, first.turns[side.index()])
    });
    let second_winner = second_outcome.winner.map(|side| {
        let winner = player(side, MatchWinner::FirstDefender, MatchWinner::FirstAttacker);
        (winner, second.turns[side.index()])
    });
    match (first_winner, second_winner) {
        (None, None) => MatchWinner::Drawn,
        (Some((winner, _)), None) | (None, Some((winner, _))) => winner,
        (Some((a, _)), Some((b, _))) if a == b => a,
        (Some((a, a_turns)), Some((b, b_turns))) => match a_turns.cmp(&b_turns) {
            std::cmp::Ordering::Less => a,
            std::cmp::Ordering::Greater => b,
            std::cmp::Ordering::Equal => MatchWinner::Drawn,
        },
    }
}
