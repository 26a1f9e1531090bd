//! A king whom two take anywhere (spec.md 7.1), and one who takes no part in captures (7.2).

use crate::rules::board::{check, check_turned, drawn, game, ruleset, standing};
use tafl_rules::{KingCapture, Rules, Ruleset, SetupError, Side, Switch};

const CAPTURED: &str = "attackers win (king-captured)";

/// A preset with a king whom two take anywhere.
fn weak(name: &str) -> Ruleset {
    Ruleset {
        king_capture: KingCapture::TwoSides,
        ..ruleset(name)
    }
}

/// A preset with an unarmed king.
fn unarmed(name: &str) -> Ruleset {
    Ruleset {
        king_armed: Switch::Off,
        ..ruleset(name)
    }
}

#[test]
fn two_attackers_capture_a_weak_king_on_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . t K . . .
        . . . . . . .
        . . . . . . .
        . . . . t . .";
    check_turned(&weak("brandubh"), board, "e1-e4", "", CAPTURED);
    check(&ruleset("brandubh"), board, "e1-e4", "", "ongoing");
}

#[test]
fn two_attackers_capture_a_weak_king_beside_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K . . .
        . . . . . . .
        . . . . t . .";
    check_turned(&weak("brandubh"), board, "e1-e3", "", CAPTURED);
}

#[test]
fn an_attacker_and_the_empty_throne_capture_a_weak_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . t . .
        . . . . . . .";
    check_turned(&weak("brandubh"), board, "e2-d2", "", CAPTURED);
    check(&ruleset("brandubh"), board, "e2-d2", "", "ongoing");
}

#[test]
fn a_weak_king_is_not_captured_against_a_throne_that_is_not_hostile() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . t . .
        . . . . . . .";
    let harmless = Ruleset {
        throne_hostile: Switch::Off,
        ..weak("brandubh")
    };
    check(&harmless, board, "e2-d2", "", "ongoing");
    // Nor does a third attacker do what the other two, between whom he went, do not.
    let pocket = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K t . .
        . . . . . . .
        . . . . t . .";
    check(&harmless, pocket, "e1-d1", "", "ongoing");
}

#[test]
fn an_attacker_and_a_corner_capture_a_weak_king() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . . . . . . .
        T . . . . . .
        . K . . . . .";
    check_turned(&weak("fetlar"), board, "c4-c1", "", CAPTURED);
}

#[test]
fn the_edge_does_not_help_to_capture_a_weak_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . K . . . .";
    check(&weak("fetlar"), board, "c5-c2", "", "ongoing");
}

#[test]
fn a_weak_king_who_moves_in_between_is_safe() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . K . . .
        . . . . . . .
        . . t . t . .
        . . . . . . .
        . . . . . . .";
    check(&weak("brandubh"), board, "d5-d3", "", "ongoing");
}

#[test]
fn a_weak_king_in_a_row_is_not_taken_by_a_shieldwall() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . T
        . . . . t . .
        . . . . . . .
        . . t t . . .
        . t K T . . .";
    // e1 closes the row of c1 and d1 from the right; b1 stands beside the king, who is not between two on a line.
    check(&weak("copenhagen"), board, "e4-e1", "d1", "ongoing");
}

#[test]
fn a_weak_king_is_captured_against_the_throne_by_a_jump_where_jumps_capture_against_squares() {
    let board = "
        . . . . . . .
        . . . . . . N
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . c T . . . .
        . . . . . . .";
    let commanders = weak("berserk-2024");
    check(&commanders, board, "b2-d2", "", CAPTURED);
    let soldiers_only = Ruleset {
        jump_hostile: Switch::Off,
        ..commanders
    };
    check(&soldiers_only, board, "b2-d2", "", "ongoing");
}

#[test]
fn an_unarmed_king_captures_neither_as_mover_nor_as_far_piece() {
    let mover = "
        . . . . . . .
        . . . . . . .
        . . . . . K .
        . . . . . . .
        . . . T t . .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("fetlar"), mover, "f5-f3", "e3", "ongoing");
    check_turned(&unarmed("fetlar"), mover, "f5-f3", "", "ongoing");
    let far = "
        . . . . . . .
        . . . T . . .
        . . . . . . .
        . . . . . . .
        . . . . t K .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("fetlar"), far, "d6-d3", "e3", "ongoing");
    check_turned(&unarmed("fetlar"), far, "d6-d3", "", "ongoing");
}

#[test]
fn an_unarmed_king_does_not_capture_against_a_corner() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . K . . . .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("fetlar"), board, "c3-c1", "b1", "ongoing");
    check_turned(&unarmed("fetlar"), board, "c3-c1", "", "ongoing");
}

#[test]
fn an_unarmed_king_on_the_throne_makes_it_hostile_to_nobody() {
    let board = "
        . . . . . . .
        . T . . . . .
        . . . . . . .
        . . t K . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("fetlar"), board, "b6-b4", "c4", "ongoing");
    check_turned(&unarmed("fetlar"), board, "b6-b4", "", "ongoing");
}

/// Checks a move that captures the row of c1 and d1 unless the king, who is needed for it, is unarmed.
#[track_caller]
fn check_row(board: &str, mv: &str) {
    let armed = ruleset("copenhagen-tournament");
    check(&armed, board, mv, "c1 d1", "ongoing");
    check_turned(&unarmed("copenhagen-tournament"), board, mv, "", "ongoing");
}

#[test]
fn an_unarmed_king_closes_no_row_by_his_arrival() {
    let board = "
        . . . . . . .
        t . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . K . .
        . . T T . . .
        . T t t . . .";
    check_row(board, "e3-e1");
}

#[test]
fn an_unarmed_king_is_not_the_far_end_of_a_row() {
    let board = "
        . . . . . . .
        t . . . . . .
        . . . . . . .
        . . . . T . .
        . . . . . . .
        . . T T . . .
        . K t t . . .";
    check_row(board, "e4-e1");
}

#[test]
fn an_unarmed_king_does_not_stand_before_a_row() {
    let board = "
        . . . . . . .
        t . . . . . .
        . . . . . . .
        . . . . T . .
        . . . . . . .
        . . K T . . .
        . T t t . . .";
    check_row(board, "e4-e1");
}

#[test]
fn an_unarmed_king_still_stands_within_a_row_of_which_the_others_are_captured() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . T
        . . . . t . .
        . . . . . . .
        . . t t . . .
        . t K T . . .";
    check(&unarmed("copenhagen"), board, "e4-e1", "d1", "ongoing");
}

#[test]
fn an_unarmed_king_leaps_off_the_throne_and_captures_nothing() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K t . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    // The soldier stands between the king and the now empty throne.
    check(&ruleset("berserk-2024"), board, "d4-f4", "e4", "ongoing");
    check_turned(&unarmed("berserk-2024"), board, "d4-f4", "", "ongoing");
}

#[test]
fn no_chain_of_an_unarmed_king_is_pending() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    let mut setup = drawn(board, Side::Defender);
    let square = "d5".parse().expect("a square");
    setup.chain = Some(square);
    let position = |ruleset: Ruleset| {
        let start = setup.board();
        let rules = Rules::new(Ruleset { start, ..ruleset }).expect("playable");
        rules.position(&setup).map(|_| ())
    };
    assert_eq!(position(ruleset("berserk-2024")), Ok(()));
    let refused = Err(SetupError::Chain(square));
    assert_eq!(position(unarmed("berserk-2024")), refused);
}

#[test]
fn an_unarmed_king_in_a_fort_is_as_safe_as_an_armed_one() {
    let board = "
        . . . . . . .
        . . . . . t .
        t . . . . . .
        . . . . . . .
        . . . T . . .
        . . T T . . .
        . T . K . . .";
    let closing = board.replace(". . . T . . .", ". . . . T . .");
    for rules in [ruleset("copenhagen"), unarmed("copenhagen")] {
        let mut game = game(&rules, &closing, Side::Defender);
        game.play("e3-e1".parse().expect("a move")).expect("legal");
        assert_eq!(standing(&game), "defenders win (fort)");
    }
}
