//! How commanders capture the king, and how they do not (spec.md 5.5).

use crate::rules::board::{check, check_turned, ruleset};
use tafl_rules::{Ruleset, Switch};

const CAPTURED: &str = "attackers win (king-captured)";
const BERSERK: [&str; 2] = ["berserk-2017", "berserk-2024"];

#[test]
fn two_commanders_capture_the_king_when_one_arrives() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        c K . . c . .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "e2-c2", "", CAPTURED);
    check(&ruleset("berserk-2024"), board, "e2-c2", "", CAPTURED);
}

#[test]
fn a_soldier_that_arrives_opposite_a_commander_does_not_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        c K . . t . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "e2-c2", "", "ongoing");
}

#[test]
fn a_commander_that_arrives_opposite_a_soldier_does_not_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t K . . c . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "e2-c2", "", "ongoing");
}

#[test]
fn a_commander_and_a_corner_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . c . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . K . . . . .";
    check(&ruleset("berserk-2017"), board, "c5-c1", "", CAPTURED);
    check(&ruleset("berserk-2024"), board, "c5-c1", "", CAPTURED);
}

#[test]
fn a_commander_that_jumped_captures_the_king_against_a_corner_only_where_jump_hostile_is_on() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . K . T c . .";
    check(&ruleset("berserk-2017"), board, "e1-c1", "", "ongoing");
    check(&ruleset("berserk-2024"), board, "e1-c1", "", CAPTURED);
}

#[test]
fn the_settling_example_of_the_jump_against_a_corner() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . T . .
        t . . . . . . . . . t
        . . . . . . . T . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        t . . . . . . . . . t
        . . . . . . . . . . .
        . . . . . . . . . . .
        . K . T c . . . . . .";
    check(&ruleset("berserk-2017"), board, "e1-c1", "", "ongoing");
    check(&ruleset("berserk-2024"), board, "e1-c1", "", CAPTURED);
}

#[test]
fn a_commander_that_jumped_captures_the_king_against_a_commander_in_both() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        c K . T c . .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "e2-c2", "", CAPTURED);
    check(&ruleset("berserk-2024"), board, "e2-c2", "", CAPTURED);
}

#[test]
fn two_commanders_do_not_capture_the_king_on_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . c K . . c
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "g4-e4", "", "ongoing");
}

#[test]
fn two_commanders_do_not_capture_the_king_beside_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . c K . . c
        . . . . . . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "g3-e3", "", "ongoing");
}

#[test]
fn a_king_who_moves_in_between_two_commanders_is_safe() {
    let board = "
        . . . . . . .
        . . . . . . T
        . K . . . . .
        . . . . . . .
        . . . . . . .
        c . c . . . .
        . . . . . . .";
    check(&ruleset("berserk-2024"), board, "b5-b2", "", "ongoing");
}

#[test]
fn two_commanders_capture_the_king_on_an_edge() {
    let board = "
        . . . . . . .
        c . . . . . T
        . . . . . . .
        . . . . . . .
        K . . . . . .
        c . . . . . .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "a6-a4", "", CAPTURED);
    check(&ruleset("berserk-2024"), board, "a6-a4", "", CAPTURED);
}

#[test]
fn a_commander_that_arrives_at_a_right_angle_to_another_does_not_capture_the_king() {
    let board = "
        . . . . . . .
        . c . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        c K . . . . .
        . . . . . . .";
    for name in BERSERK {
        check_turned(&ruleset(name), board, "b6-b3", "", "ongoing");
    }
}

#[test]
fn a_commander_beside_the_king_does_not_help_one_that_arrives_elsewhere() {
    let board = "
        . . . . . . .
        . . . . . c T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        c K c . . . .
        . . . . . . .";
    for name in BERSERK {
        check_turned(&ruleset(name), board, "f6-f2", "", "ongoing");
    }
}

#[test]
fn neither_the_edge_nor_the_throne_helps_a_commander_to_capture_the_king() {
    let edge = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . c . . . . .
        . . . . . . .
        K . . . . . .
        . . . . . . .";
    let throne = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . . . .
        . . . c . . .";
    for name in BERSERK {
        check_turned(&ruleset(name), edge, "b4-b2", "", "ongoing");
        check_turned(&ruleset(name), throne, "d1-d2", "", "ongoing");
    }
}

#[test]
fn two_commanders_capture_the_king_on_every_line_and_at_every_corner() {
    let line = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        c K . . c . .
        . . . . . . .";
    let corner = "
        . . . . . . .
        . . . . . . T
        . . c . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . K . . . . .";
    for name in BERSERK {
        check_turned(&ruleset(name), line, "e2-c2", "", CAPTURED);
        check_turned(&ruleset(name), corner, "c5-c1", "", CAPTURED);
    }
}

#[test]
fn two_commanders_capture_the_king_wherever_there_are_ranks_and_two_soldiers_nowhere() {
    let copenhagen = Ruleset {
        ranks: Switch::On,
        ..ruleset("copenhagen")
    };
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        P K . . P . .
        . . . . . . .";
    check(&copenhagen, &board.replace('P', "c"), "e2-c2", "", CAPTURED);
    for name in [
        "copenhagen",
        "copenhagen-tournament",
        "fetlar",
        "berserk-2024",
    ] {
        check(
            &ruleset(name),
            &board.replace('P', "t"),
            "e2-c2",
            "",
            "ongoing",
        );
    }
}
