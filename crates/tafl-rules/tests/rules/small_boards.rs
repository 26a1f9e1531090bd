//! Brandubh and Tablut: the fields beyond the five presets.

use crate::rules::board::{check, ruleset, targets};

const CAPTURED: &str = "attackers win (king-captured)";

#[test]
fn in_brandubh_two_attackers_capture_the_king_away_from_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t K . . t . .
        . . . . . . .";
    check(&ruleset("brandubh"), board, "e2-c2", "", CAPTURED);
}

#[test]
fn in_brandubh_the_king_on_an_edge_is_captured_along_it() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t K . t . .";
    check(&ruleset("brandubh"), board, "e1-d1", "", CAPTURED);
}

#[test]
fn in_brandubh_an_attacker_and_a_corner_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . K . . . . .";
    check(&ruleset("brandubh"), board, "c5-c1", "", CAPTURED);
}

#[test]
fn in_brandubh_a_king_who_moves_in_between_is_safe() {
    let board = "
        . . . . . . .
        . . . . . . T
        . K . . . . .
        . . . . . . .
        . . . . . . .
        t . t . . . .
        . . . . . . .";
    check(&ruleset("brandubh"), board, "b5-b2", "", "ongoing");
}

#[test]
fn in_brandubh_the_king_beside_the_throne_falls_to_three_attackers() {
    let two = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K . t .
        . . . . . . .
        . . . . . . .";
    check(&ruleset("brandubh"), two, "f3-e3", "", "ongoing");
    let three = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K . t .
        . . . t . . .
        . . . . . . .";
    check(&ruleset("brandubh"), three, "f3-e3", "", CAPTURED);
}

#[test]
fn in_brandubh_the_king_on_the_throne_falls_to_four_attackers() {
    let three = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . t K . t .
        . . . t . . .
        . . . . . . .
        . . . . . . .";
    check(&ruleset("brandubh"), three, "f4-e4", "", "ongoing");
    let four = "
        . . . . . . .
        . . . . . . T
        . . . t . . .
        . . t K . t .
        . . . t . . .
        . . . . . . .
        . . . . . . .";
    check(&ruleset("brandubh"), four, "f4-e4", "", CAPTURED);
}

#[test]
fn in_brandubh_the_king_escapes_to_corners_only() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . K . . t .
        . . . . . . .
        . . . . . . .";
    check(&ruleset("brandubh"), board, "c3-c1", "", "ongoing");
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . t .
        . . . . . . .
        . . K . . . .";
    check(
        &ruleset("brandubh"),
        board,
        "c1-a1",
        "",
        "defenders win (king-escaped)",
    );
}

const TABLUT: &str = "
    . . . . . . . . .
    . . . . . . . . .
    . . t . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . K . . . . . .
    . . . . . . . . .
    . T . . t . . . .";

#[test]
fn in_tablut_the_king_escapes_to_any_edge_square() {
    for mv in ["c3-c1", "c3-a3", "c3-i3"] {
        check(
            &ruleset("tablut"),
            TABLUT,
            mv,
            "",
            "defenders win (king-escaped)",
        );
    }
}

#[test]
fn in_tablut_corners_are_ordinary_squares() {
    assert_eq!(
        targets(&ruleset("tablut"), TABLUT, "b1"),
        "a1 b2 b3 b4 b5 b6 b7 b8 b9 c1 d1"
    );
    check(&ruleset("tablut"), TABLUT, "e1-c1", "", "ongoing");
}

#[test]
fn in_tablut_two_attackers_capture_the_king_away_from_the_throne() {
    let board = "
        . . . . . . . . .
        . . . . . . . T .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . t K . t . . . .
        . . . . . . . . .
        . . . . . . . . .";
    check(&ruleset("tablut"), board, "e3-d3", "", CAPTURED);
}
