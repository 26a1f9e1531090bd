//! Custodial captures (spec.md 2.2 to 2.4).

use crate::board::{check, ruleset};

#[test]
fn a_piece_is_captured_between_two_enemies_by_the_ply_that_closes_the_line() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t T . . t . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "e2-c2", "b2", "ongoing");
}

#[test]
fn moving_in_between_two_enemies_is_safe() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . T . . . .
        . . . . . . .
        . . . . . . .
        . t . t . . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "c5-c2", "", "ongoing");
}

#[test]
fn three_pieces_may_be_captured_at_once() {
    let board = "
        . . t . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        t T . T t . .
        . . T . . . .
        . . t . . . .";
    check(&ruleset("fetlar"), board, "c7-c3", "b3 c2 d3", "ongoing");
}

#[test]
fn a_line_that_another_piece_closed_before_captures_nothing() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . t .
        . . . . . . .
        . . . . . . .
        t T t . . . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "f5-f3", "", "ongoing");
}

#[test]
fn two_neighbors_between_enemies_are_not_captured() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t T T . t . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "e2-d2", "", "ongoing");
}

#[test]
fn the_edge_is_not_hostile() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        T . . t . . .
        . . . . . . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "d3-b3", "", "ongoing");
}

#[test]
fn a_corner_is_hostile_to_attackers() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . T . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("fetlar"), board, "c5-c1", "b1", "ongoing");
}

#[test]
fn a_corner_is_hostile_to_defenders() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . T . . . . .";
    check(&ruleset("fetlar"), board, "c5-c1", "b1", "ongoing");
}

#[test]
fn the_empty_throne_is_hostile_to_attackers() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . t . . .
        . . . . . . .
        . . . T . . .";
    check(&ruleset("fetlar"), board, "d1-d2", "d3", "ongoing");
}

#[test]
fn the_empty_throne_is_hostile_to_defenders() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . . . . . .
        . . . t . . .";
    for name in [
        "fetlar",
        "copenhagen",
        "copenhagen-tournament",
        "berserk-2017",
        "berserk-2024",
    ] {
        check(&ruleset(name), board, "d1-d2", "d3", "ongoing");
    }
}

#[test]
fn the_throne_with_the_king_on_it_is_not_hostile_to_defenders() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . T . . .
        . . . . . . .
        . . . t . . .";
    for name in [
        "fetlar",
        "copenhagen",
        "copenhagen-tournament",
        "berserk-2017",
        "berserk-2024",
    ] {
        check(&ruleset(name), board, "d1-d2", "", "ongoing");
    }
}

#[test]
fn an_attacker_is_captured_against_the_king_on_his_throne() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . t
        . . . t . . .
        . . . . . . .
        . . . T . . .";
    check(&ruleset("fetlar"), board, "d1-d2", "d3", "ongoing");
}

#[test]
fn the_king_captures_as_mover() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        T t . . K . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "e2-c2", "b2", "ongoing");
}

#[test]
fn the_king_captures_as_far_piece() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        K t . . T . .
        . . . . . . .";
    check(&ruleset("fetlar"), board, "e2-c2", "b2", "ongoing");
}

#[test]
fn the_king_is_not_captured_between_two_soldiers() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t K . . t . .
        . . . . . . .";
    for name in [
        "fetlar",
        "copenhagen",
        "copenhagen-tournament",
        "berserk-2017",
        "berserk-2024",
    ] {
        check(&ruleset(name), board, "e2-c2", "", "ongoing");
    }
}

#[test]
fn a_knight_is_captured_like_a_soldier() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t N . . t . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "e2-c2", "b2", "ongoing");
}

#[test]
fn a_commander_is_captured_like_a_soldier() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        T c . . T . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "e2-c2", "b2", "ongoing");
}

#[test]
fn a_commander_is_captured_against_a_corner() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . T . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . c . . . . .";
    check(&ruleset("berserk-2017"), board, "c5-c1", "b1", "ongoing");
}
