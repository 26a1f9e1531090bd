//! What speaks for a move, for the reader who asks for a hint.

use crate::why::{listed, name};
use tafl_rules::{Bitboard, EndReason, Escape, Game, Move, Outcome, Position, Setup, Side};

/// Returns what a legal move does at once, what it keeps from happening, and what it threatens.
pub(crate) fn reasons(game: &Game, mv: Move) -> Vec<String> {
    let (before, side) = (game.position(), game.position().side());
    let mut after = game.clone();
    let Ok(ply) = after.play(mv) else {
        return Vec::new();
    };
    let mut reasons = Vec::new();
    if !ply.captured.is_empty() {
        reasons.push(format!("captures {}", pieces(before, ply.captured)));
    }
    if let Some(outcome) = after.outcome() {
        reasons.push(format!("ends the game: {}", in_words(outcome)));
        return reasons;
    }
    if after.position().side() == side {
        reasons.push("may go on capturing".to_owned());
        return reasons;
    }
    let rules = game.rules();
    let goal = match rules.ruleset().escape {
        Escape::Corners => "a corner",
        Escape::Edges => "an edge",
    };
    let is_safe = rules.plies_to_decide_king(after.position()).is_none();
    if rules.king_fate_is_threatened(before) && is_safe {
        reasons.push(match side {
            Side::Attacker => format!("keeps the king from {goal}"),
            Side::Defender => "saves the king from capture".to_owned(),
        });
    }
    if rules.king_fate_is_threatened(after.position()) {
        reasons.push(match side {
            Side::Attacker => "threatens to capture the king".to_owned(),
            Side::Defender => format!("threatens to bring the king to {goal}"),
        });
    }
    let threatened = passed(&after).map_or(Bitboard::EMPTY, |it| capturable(&it));
    let new = threatened - capturable(game);
    if !new.is_empty() {
        reasons.push(format!(
            "threatens to capture {}",
            pieces(after.position(), new)
        ));
    }
    reasons
}

/// Returns how a game ended.
pub(crate) fn in_words(outcome: Outcome) -> String {
    let reason = match outcome.reason {
        EndReason::KingCaptured => "the king is captured",
        EndReason::KingEscaped => "the king has escaped",
        EndReason::Encirclement => "king and defenders are surrounded",
        EndReason::Fort => "the king stands in an unbreakable fort",
        EndReason::NoMove => "there is no legal move",
        EndReason::Repetition => "the position was repeated",
        EndReason::Captureless => "there was no capture for too long",
        EndReason::Unfinishable => "there was no capture for so long that nobody can win",
    };
    match outcome.winner {
        Some(side) => format!("the {side} win, as {reason}"),
        None => format!("a draw, as {reason}"),
    }
}

/// Returns the game as it would be if the side to move let its turn go by.
fn passed(game: &Game) -> Option<Game> {
    let rules = game.rules();
    let side = game.position().side().opponent();
    let setup = Setup::of(game.position(), rules.shape()).with_side(side);
    Game::from_setup(rules.clone(), &setup).ok()
}

/// Returns all pieces that some move of the side to move captures.
fn capturable(game: &Game) -> Bitboard {
    let moves = game.legal();
    let captured = moves.iter().map(|mv| {
        let mut position = *game.position();
        game.rules().play_unchecked(&mut position, *mv).captured
    });
    captured.fold(Bitboard::EMPTY, |all, some| all | some)
}

fn pieces(position: &Position, squares: Bitboard) -> String {
    let named = squares.squares().filter_map(|square| {
        let piece = position.piece_at(square)?;
        Some(format!("the {} on {square}", name(piece)))
    });
    listed(&named.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tafl_rules::{RankOrder, Rules};

    fn said(ranks: &str, side: Side, mv: &str) -> String {
        let rules = Rules::preset("brandubh").expect("a preset");
        let setup = Setup::from_text(ranks, RankOrder::HighestFirst).expect("a board");
        let game = Game::from_setup(rules, &setup.with_side(side)).expect("a position");
        reasons(&game, mv.parse().expect("a move")).join("; ")
    }

    #[test]
    fn a_hint_says_what_a_move_does_and_threatens() {
        let defender = Side::Defender;
        let expected = [
            (
                ("3t3/7/1tT4/7/7/5K1/7", Side::Attacker, "d7-d5"),
                "captures the defender on c5",
            ),
            (
                ("7/5t1/7/K6/7/7/7", defender, "a4-a1"),
                "ends the game: the defenders win, as the king has escaped",
            ),
            (
                ("7/5t1/7/2K4/7/7/7", defender, "c4-a4"),
                "threatens to bring the king to a corner",
            ),
            (("7/5t1/7/K6/7/7/7", Side::Attacker, "f6-a6"), ""),
            (
                ("7/7/1T1t3/7/3K3/4T2/5t1", defender, "b5-c5"),
                "threatens to capture the attacker on d5",
            ),
        ];
        for ((ranks, side, mv), words) in expected {
            assert_eq!(said(ranks, side, mv), words, "{ranks} {mv}");
        }
    }
}
