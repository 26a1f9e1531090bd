//! Repetition where the aggressor loses (4.4).

use super::board::{State, Step};
use super::game::{Played, play_on_board};
use super::moves::legal;
use tafl_rules::{EndReason, Ruleset, Side};

/// The side that loses, from the plies since the occurrence before the one that decides.
pub(crate) fn aggressor_loses(rules: &Ruleset, cycle: &[(State, Step)]) -> Side {
    let attackers = is_bound(rules, cycle, Side::Attacker);
    let defenders = is_bound(rules, cycle, Side::Defender);
    match (attackers, defenders) {
        (false, true) => Side::Attacker,
        _ => Side::Defender,
    }
}

/// Whether all plies of a side were forced.
pub(crate) fn is_bound(rules: &Ruleset, cycle: &[(State, Step)], side: Side) -> bool {
    let mut plies = cycle.iter().filter(|(state, _)| state.side == side);
    plies.all(|(state, step)| is_forced(rules, state, *step))
}

/// Whether every other turn loses. A cycle has no captures, so the ply that was played is a whole turn.
fn is_forced(rules: &Ruleset, state: &State, played: Step) -> bool {
    let others = legal(rules, state)
        .into_iter()
        .filter(|&step| step != played);
    others
        .map(|step| play_on_board(rules, state, step))
        .all(|after| every_turn_loses(rules, &after))
}

/// Whether all turns that begin with these plies leave the opponent a win.
fn every_turn_loses(rules: &Ruleset, played: &Played) -> bool {
    if played.outcome.is_some() {
        return false;
    }
    if played.state.chain.is_none() {
        return can_win(rules, &played.state);
    }
    legal(rules, &played.state)
        .into_iter()
        .map(|step| play_on_board(rules, &played.state, step))
        .all(|after| every_turn_loses(rules, &after))
}

/// Whether the side to move has a turn that captures the king or brings him home.
pub(crate) fn can_win(rules: &Ruleset, state: &State) -> bool {
    legal(rules, state).into_iter().any(|step| {
        let played = play_on_board(rules, state, step);
        match played.outcome {
            Some(outcome) => matches!(
                outcome.reason,
                EndReason::KingCaptured | EndReason::KingEscaped
            ),
            None => played.state.chain.is_some() && can_win(rules, &played.state),
        }
    })
}
