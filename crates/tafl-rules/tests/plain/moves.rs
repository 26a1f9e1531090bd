//! Legal moves (2.1, 5.2, 5.4, 7.7, 7.8).

use super::board::{
    At, Board, STEPS, State, Step, is_goal, is_restricted, may_pass, may_stop, plus,
};
use super::captures::effect;
use tafl_rules::{Chain, Piece, Ruleset};

/// Every legal ply; none of them knows whether the game is over.
pub(crate) fn legal(rules: &Ruleset, state: &State) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(from) = state.chain {
        steps = continuations(rules, &state.board, from);
        if rules.chain == Chain::Optional {
            steps.push(Step::End);
        }
        return steps;
    }
    for from in state.board.squares() {
        if state.board.is_side(from, state.side) {
            piece_moves(rules, &state.board, from, &mut steps);
        }
    }
    steps
}

/// The plies with which the piece may go on in a chain (5.4).
pub(crate) fn continuations(rules: &Ruleset, board: &Board, from: At) -> Vec<Step> {
    let mut steps = Vec::new();
    piece_moves(rules, board, from, &mut steps);
    steps.retain(|&step| {
        let Step::Go(from, to) = step else {
            return false;
        };
        let escapes = board.at(from) == Some(Piece::King) && is_goal(rules, board, to);
        let effect = effect(rules, board, from, to);
        escapes || effect.king_captured || !effect.captured.is_empty()
    });
    steps
}

fn piece_moves(rules: &Ruleset, board: &Board, from: At, steps: &mut Vec<Step>) {
    let piece = board.at(from).expect("a piece");
    let limit = match piece {
        Piece::King => rules.king_step_limit,
        _ => rules.men_step_limit,
    };
    for step in STEPS {
        for distance in 1..board.size {
            let to = plus(from, step, distance);
            let too_far = limit.is_some_and(|limit| distance as u32 > limit.get());
            if too_far || !board.is_empty(to) {
                break;
            }
            if may_stop(rules, board, piece, to) {
                steps.push(Step::Go(from, to));
            }
            if !may_pass(rules, board, piece, to) {
                break;
            }
        }
        let beyond = plus(from, step, 2);
        if may_jump(rules, board, from, plus(from, step, 1), beyond) {
            steps.push(Step::Go(from, beyond));
        }
    }
}

/// 5.2
fn may_jump(rules: &Ruleset, board: &Board, from: At, over: At, to: At) -> bool {
    if !rules.ranks.is_on() || !board.is_empty(to) {
        return false;
    }
    let piece = board.at(from).expect("a piece");
    let soldier = match piece {
        Piece::King | Piece::Knight => Piece::Attacker,
        Piece::Commander => Piece::Defender,
        Piece::Attacker | Piece::Defender => return false,
    };
    if board.at(over) != Some(soldier) || !may_stop(rules, board, piece, to) {
        return false;
    }
    piece != Piece::King || is_restricted(rules, board, from) || is_restricted(rules, board, to)
}
