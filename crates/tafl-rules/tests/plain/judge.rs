//! Encirclement (4.3) and the edge fort (4.2).

use super::board::{At, Board, Marks, STEPS, is_hostile, is_special_corner, mark, marked, plus};
use tafl_rules::{Piece, Ruleset, Side};

/// Spreads from the squares in orthogonal steps to every square that `enters` allows.
fn flood(board: &Board, from: Vec<At>, enters: impl Fn(At) -> bool) -> Marks {
    let mut marks = [[false; 11]; 11];
    for &at in &from {
        mark(&mut marks, at);
    }
    let mut open = from;
    while let Some(at) = open.pop() {
        for step in STEPS {
            let next = plus(at, step, 1);
            if board.has(next) && !marked(&marks, next) && enters(next) {
                mark(&mut marks, next);
                open.push(next);
            }
        }
    }
    marks
}

fn squares_of(board: &Board, side: Side) -> Vec<At> {
    let squares = board.squares();
    squares.filter(|&at| board.is_side(at, side)).collect()
}

/// Whether the attackers surround the king and every defender.
pub(crate) fn is_encircled(board: &Board) -> bool {
    let inside = flood(board, squares_of(board, Side::Defender), |at| {
        !board.is_side(at, Side::Attacker)
    });
    !board
        .squares()
        .any(|at| board.is_edge(at) && marked(&inside, at))
}

/// Whether the king sits in a fort that the attackers can never break.
pub(crate) fn is_fort(rules: &Ruleset, board: &Board) -> bool {
    let king = board.king();
    if !board.is_edge(king) || board.is_corner(king) {
        return false;
    }
    if !STEPS
        .into_iter()
        .any(|step| board.is_empty(plus(king, step, 1)))
    {
        return false;
    }
    let attackers = squares_of(board, Side::Attacker);
    let mut left = *board;
    loop {
        let outside = flood(&left, attackers.clone(), |at| {
            let blocked = left.is_side(at, Side::Defender);
            !blocked && !is_special_corner(rules, &left, at)
        });
        if reaches_king(&left, king, &outside) {
            return false;
        }
        let lost = capturable(rules, &left, &outside, attackers.len());
        if lost.is_empty() {
            return true;
        }
        for at in lost {
            left.put(at, None);
        }
    }
}

/// Whether *outside* has a square beside the king or one that he can walk to, over a corner too.
fn reaches_king(board: &Board, king: At, outside: &Marks) -> bool {
    let mut walked = [[false; 11]; 11];
    let mut open = vec![king];
    while let Some(at) = open.pop() {
        for step in STEPS {
            let next = plus(at, step, 1);
            if !board.has(next) || marked(&walked, next) {
                continue;
            }
            if at == king && marked(outside, next) {
                return true;
            }
            if board.at(next).is_none() {
                if marked(outside, next) {
                    return true;
                }
                mark(&mut walked, next);
                open.push(next);
            }
        }
    }
    false
}

/// The stones that could be captured, all of this round.
fn capturable(rules: &Ruleset, board: &Board, outside: &Marks, attackers: usize) -> Vec<At> {
    let mut lost = Vec::new();
    for at in board.squares() {
        if !matches!(board.at(at), Some(Piece::Defender | Piece::Knight)) {
            continue;
        }
        for step in [(0, 1), (1, 0)] {
            let (one, two) = (plus(at, step, 1), plus(at, step, -1));
            if !board.has(one) || !board.has(two) {
                continue;
            }
            let hostile = [one, two].map(|side| is_hostile(rules, board, side, Side::Defender));
            let closed = [one, two].map(|side| marked(outside, side));
            let both = (hostile[0] || closed[0]) && (hostile[1] || closed[1]);
            if both && (attackers > 1 || hostile[0] || hostile[1]) {
                lost.push(at);
                break;
            }
        }
    }
    lost
}
