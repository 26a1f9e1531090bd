//! What a move captures (2.2 to 2.5, 4.1, 5.3, 5.5, 7.1 to 7.3, 7.6, 7.10).

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
        let rows = rows_captured(rules, &after, to);
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
        let against_square = is_hostile(rules, board, far, mover.side().opponent());
        if against_piece || (squares_help && against_square) {
            captured.push(victim);
        }
    }
    captured
}

/// 4.1 and 7.10: the pieces of all rows that the piece on `to` closes, or faces where that is enough.
fn rows_captured(rules: &Ruleset, board: &Board, to: At) -> Vec<At> {
    let by = board.at(to).expect("the piece that moved").side();
    let mut captured = Vec::new();
    // Each edge by the direction that leads away from it.
    for front in STEPS {
        let (behind, farther) = (plus(to, front, -1), plus(to, front, -2));
        if !board.has(behind) {
            for along in [(front.1, front.0), (-front.1, -front.0)] {
                captured.extend(row(rules, board, plus(to, along, 1), front, by));
            }
        } else if !board.has(farther) && !rules.shieldwall_by_end.is_on() {
            captured.extend(row(rules, board, behind, front, by));
        }
    }
    captured
}

/// The row through a square of an edge, if the side captures it; without a king in it.
fn row(rules: &Ruleset, board: &Board, through: At, front: At, by: Side) -> Vec<At> {
    let (owner, along) = (by.opponent(), (front.1, front.0));
    if !board.is_side(through, owner) {
        return Vec::new();
    }
    let mut end = through;
    while board.is_side(end, owner) {
        end = plus(end, along, -1);
    }
    let mut pieces = Vec::new();
    let mut at = plus(end, along, 1);
    while board.is_side(at, owner) {
        pieces.push(at);
        at = plus(at, along, 1);
    }
    let closed = |end: At| {
        let corner = board.has(end) && is_special_corner(rules, board, end);
        is_armed(rules, board, end, by) || (corner && rules.corners_hostile_to.contains(owner))
    };
    let faced = pieces
        .iter()
        .all(|&at| is_armed(rules, board, plus(at, front, 1), by));
    if pieces.len() < 2 || !faced || !closed(end) || !closed(at) {
        return Vec::new();
    }
    pieces.retain(|&at| board.at(at) != Some(Piece::King));
    pieces
}

/// 2.5, 5.5 and 7.1, on the board after the move to `to`.
fn king_is_captured(rules: &Ruleset, board: &Board, to: At, jump: bool) -> bool {
    let mover = board.at(to).expect("the piece that moved");
    if mover.side() == Side::Defender {
        return false;
    }
    let king = board.king();
    let Some(step) = STEPS.into_iter().find(|&step| plus(king, step, 1) == to) else {
        return false;
    };
    let on_throne = is_throne(rules, board, king);
    let beside_throne = STEPS
        .into_iter()
        .any(|step| is_throne(rules, board, plus(king, step, 1)));
    let on_edge = rules.king_capture == KingCapture::FourSidesThreeOnEdge;
    let surrounded = STEPS.into_iter().all(|step| {
        let at = plus(king, step, 1);
        if !board.has(at) {
            return on_edge;
        }
        let throne = is_throne(rules, board, at) && board.is_empty(at);
        board.is_side(at, Side::Attacker) || throne || is_special_corner(rules, board, at)
    });
    // As if he were a soldier of the defenders.
    let opposite = plus(king, step, -1);
    let against_square =
        (!jump || rules.jump_hostile.is_on()) && is_hostile(rules, board, opposite, Side::Defender);
    let by_two = board.is_side(opposite, Side::Attacker) || against_square;
    let commander = board.has(opposite) && board.at(opposite) == Some(Piece::Commander);
    match rules.king_capture {
        KingCapture::TwoSides => by_two,
        KingCapture::TwoSidesOffThrone => {
            let by_two = board.is_side(opposite, Side::Attacker)
                || (against_square && !is_throne(rules, board, opposite));
            surrounded || (!on_throne && by_two)
        }
        _ if on_throne || beside_throne => surrounded,
        KingCapture::TwoSidesAwayFromThrone => surrounded || by_two,
        KingCapture::FourSides | KingCapture::FourSidesThreeOnEdge => {
            surrounded || (mover == Piece::Commander && (commander || against_square))
        }
    }
}
