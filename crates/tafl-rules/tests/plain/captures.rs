//! What a move captures (2.2 to 2.5, 4.1, 5.3, 5.5).

use super::board::{At, Board, STEPS, is_armed, is_hostile, is_special_corner, is_throne, plus};
use tafl_rules::{KingCapture, Piece, Ruleset, Side};

/// The effect of a move on the other pieces.
pub(crate) struct Effect {
    /// Squares of captured pieces, sorted, each once.
    pub(crate) captured: Vec<At>,
    pub(crate) king_captured: bool,
    /// Whether a row was captured.
    pub(crate) shieldwall: bool,
    /// The board with the piece moved and the captured pieces taken away.
    pub(crate) after: Board,
}

/// Whether the move leaps over a piece.
pub(crate) fn is_jump(board: &Board, from: At, to: At) -> bool {
    let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
    (from.0 - to.0).abs() + (from.1 - to.1).abs() == 2 && board.at(middle).is_some()
}

pub(crate) fn effect(rules: &Ruleset, board: &Board, from: At, to: At) -> Effect {
    let jump = is_jump(board, from, to);
    let piece = board.at(from).expect("a piece");
    let mut after = *board;
    after.put(from, None);
    after.put(to, Some(piece));

    let armed = is_armed(rules, &after, to, piece.side());
    let mut captured = match armed {
        true => custodial(rules, &after, to, jump),
        false => Vec::new(),
    };
    if jump && piece == Piece::Knight {
        captured.push(((from.0 + to.0) / 2, (from.1 + to.1) / 2));
    }
    let mut shieldwall = false;
    if rules.shieldwall.is_on() && !jump && armed {
        let rows = rows_closed(rules, &after, to);
        shieldwall = !rows.is_empty();
        captured.extend(rows);
    }
    captured.sort_unstable();
    captured.dedup();
    let king_captured = king_is_captured(rules, &after, to, jump);
    for &at in &captured {
        after.put(at, None);
    }
    Effect {
        captured,
        king_captured,
        shieldwall,
        after,
    }
}

/// 2.2 and 5.3, on the board after the move.
fn custodial(rules: &Ruleset, board: &Board, to: At, jump: bool) -> Vec<At> {
    let mover = board.at(to).expect("the piece that moved");
    let squares_help = !jump || mover == Piece::Knight || rules.jump_hostile.is_on();
    let mut captured = Vec::new();
    for step in STEPS {
        let (victim, far) = (plus(to, step, 1), plus(to, step, 2));
        if !board.is_side(victim, mover.side().opponent()) || board.at(victim) == Some(Piece::King)
        {
            continue;
        }
        let against_piece = is_armed(rules, board, far, mover.side());
        if against_piece || (squares_help && is_hostile(rules, board, far)) {
            captured.push(victim);
        }
    }
    captured
}

/// 4.1: the pieces of all rows that the piece on `to` closes.
fn rows_closed(rules: &Ruleset, board: &Board, to: At) -> Vec<At> {
    let last = board.size - 1;
    let mut captured = Vec::new();
    for (on_edge, front) in [
        (to.1 == 0, (0, 1)),
        (to.1 == last, (0, -1)),
        (to.0 == 0, (1, 0)),
        (to.0 == last, (-1, 0)),
    ] {
        if on_edge {
            captured.extend(row(rules, board, to, (front.1, front.0), front));
            captured.extend(row(rules, board, to, (-front.1, -front.0), front));
        }
    }
    captured
}

/// The row that begins beside `closer` in direction `along`, if it is captured; without a king in it.
fn row(rules: &Ruleset, board: &Board, closer: At, along: At, front: At) -> Vec<At> {
    let enemy = board.at(closer).expect("the piece that moved").side();
    let mut pieces = Vec::new();
    let mut at = plus(closer, along, 1);
    while board.is_side(at, enemy.opponent()) {
        if !is_armed(rules, board, plus(at, front, 1), enemy) {
            return Vec::new();
        }
        pieces.push(at);
        at = plus(at, along, 1);
    }
    let closed =
        board.has(at) && (is_armed(rules, board, at, enemy) || is_special_corner(rules, board, at));
    if pieces.len() < 2 || !closed {
        return Vec::new();
    }
    pieces.retain(|&at| board.at(at) != Some(Piece::King));
    pieces
}

/// 2.5, 5.5, 7.1 and the weaker king of small boards, on the board after the move to `to`.
fn king_is_captured(rules: &Ruleset, board: &Board, to: At, jump: bool) -> bool {
    let mover = board.at(to).expect("the piece that moved");
    if mover.side() == Side::Defender {
        return false;
    }
    let king = board.king();
    let Some(step) = STEPS.into_iter().find(|&step| plus(king, step, 1) == to) else {
        return false;
    };
    let beside_throne = STEPS
        .into_iter()
        .any(|step| is_throne(rules, board, plus(king, step, 1)));
    let on_edge = rules.king_capture == KingCapture::FourSidesThreeOnEdge;
    let surrounded = STEPS.into_iter().all(|step| {
        let at = plus(king, step, 1);
        if !board.has(at) {
            return on_edge;
        }
        let stands_in = is_throne(rules, board, at) || is_special_corner(rules, board, at);
        board.is_side(at, Side::Attacker) || stands_in
    });
    let opposite = plus(king, step, -1);
    if rules.king_capture == KingCapture::TwoSides {
        // As if he were a soldier of the defenders.
        let against_square = is_hostile(rules, board, opposite);
        return board.is_side(opposite, Side::Attacker)
            || (against_square && (!jump || rules.jump_hostile.is_on()));
    }
    if is_throne(rules, board, king) || beside_throne {
        return surrounded;
    }
    let corner = is_special_corner(rules, board, opposite)
        && board.has(opposite)
        && (!jump || rules.jump_hostile.is_on());
    let by_two = match rules.king_capture {
        KingCapture::TwoSides | KingCapture::TwoSidesAwayFromThrone => {
            board.is_side(opposite, Side::Attacker) || corner
        }
        KingCapture::FourSides | KingCapture::FourSidesThreeOnEdge => {
            let commander = board.has(opposite) && board.at(opposite) == Some(Piece::Commander);
            mover == Piece::Commander && (commander || corner)
        }
    };
    surrounded || by_two
}
