//! Rows captured on an edge (spec.md 4.1).

use crate::rules::board::{check, check_turned, game, play, ruleset};
use tafl_rules::{Escape, Ruleset, Side, Switch};

const ROW_CLOSED_ALONG_THE_EDGE: &str = "
    . . . . . . .
    . . . . K . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . t t . . .
    . t T T . t .";

#[test]
fn a_row_is_captured_by_a_slide_along_the_edge() {
    for name in ["copenhagen", "copenhagen-tournament"] {
        check(
            &ruleset(name),
            ROW_CLOSED_ALONG_THE_EDGE,
            "f1-e1",
            "c1 d1",
            "ongoing",
        );
    }
}

#[test]
fn rulesets_without_shieldwalls_capture_no_row() {
    for name in ["fetlar", "berserk-2017", "berserk-2024"] {
        check(
            &ruleset(name),
            ROW_CLOSED_ALONG_THE_EDGE,
            "f1-e1",
            "",
            "ongoing",
        );
    }
}

#[test]
fn a_row_is_captured_by_a_slide_from_inside() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . t . .
        . . . . . . .
        . . . . . . .
        . . t t . . .
        . t T T . . .";
    check(&ruleset("copenhagen"), board, "e5-e1", "c1 d1", "ongoing");
}

#[test]
fn a_corner_closes_the_end_of_a_row() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . t t . . . .
        . T T . . . .";
    check(&ruleset("copenhagen"), board, "d3-d1", "b1 c1", "ongoing");
}

#[test]
fn a_row_on_the_left_edge_is_captured() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . t . . . .
        T t . . . . .
        T t . . . . .
        t . . . . . .
        . . . . . . .";
    check(&ruleset("copenhagen"), board, "c5-a5", "a3 a4", "ongoing");
}

#[test]
fn a_row_with_a_piece_that_has_no_enemy_in_front_is_safe() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . t . . . . .
        . T T . . . .";
    check(&ruleset("copenhagen"), board, "d3-d1", "", "ongoing");
}

#[test]
fn a_row_with_an_open_end_is_safe() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . t . .
        . . t t . . .
        . . T T . . .";
    check(&ruleset("copenhagen"), board, "e3-e1", "", "ongoing");
}

#[test]
fn a_ply_that_ends_in_front_of_a_row_does_not_capture_it() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . t .
        . t T T t . .";
    check(&ruleset("copenhagen"), board, "f2-d2", "", "ongoing");
}

#[test]
fn a_row_that_stands_closed_already_is_safe() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . t t . . .
        . t T T t . .";
    check(&ruleset("copenhagen"), board, "g5-g4", "", "ongoing");
}

#[test]
fn a_king_within_the_row_counts_as_part_of_it_and_is_not_captured() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . t . .
        . t t t . . .
        . T K T . . .";
    check(&ruleset("copenhagen"), board, "e3-e1", "b1 d1", "ongoing");
}

#[test]
fn the_king_may_be_the_closing_piece() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . K . .
        . . T T . . .
        . T t t . . .";
    check(&ruleset("copenhagen"), board, "e3-e1", "c1 d1", "ongoing");
}

#[test]
fn the_king_may_be_a_front_piece() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . T . .
        . . T K . . .
        . T t t . . .";
    check(&ruleset("copenhagen"), board, "e3-e1", "c1 d1", "ongoing");
}

#[test]
fn rows_on_both_sides_of_the_piece_that_moved_are_captured() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . t t . t t .
        . T T . T T .";
    check(
        &ruleset("copenhagen"),
        board,
        "d3-d1",
        "b1 c1 e1 f1",
        "ongoing",
    );
}

#[test]
fn a_king_who_arrives_on_a_corner_closes_a_row() {
    let board = "
        . . . . . . .
        . . . . . . .
        K . . . . . .
        . . . . . . t
        . . . . . . .
        . T T . . . .
        . t t T . . .";
    let escaped = "defenders win (king-escaped)";
    check(&ruleset("copenhagen"), board, "a5-a1", "b1 c1", escaped);
}

#[test]
fn a_row_and_a_single_piece_may_be_captured_by_one_ply() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . t . .
        . . t t . . .
        . t T T . T .";
    check(
        &ruleset("copenhagen"),
        board,
        "e3-e1",
        "c1 d1 f1",
        "ongoing",
    );
}

#[test]
fn a_jump_never_closes_a_row_and_a_slide_of_the_same_piece_does() {
    let ranks = Ruleset {
        ranks: Switch::On,
        ..ruleset("copenhagen")
    };
    let jump = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . c . .
        . . t t T . .
        . t T T . . .";
    check(&ranks, jump, "e3-e1", "", "ongoing");
    let slide = jump.replacen("t t T", "t t .", 1);
    check(&ranks, &slide, "e3-e1", "c1 d1", "ongoing");
}

#[test]
fn a_row_on_any_edge_is_captured() {
    let copenhagen = ruleset("copenhagen");
    check_turned(
        &copenhagen,
        ROW_CLOSED_ALONG_THE_EDGE,
        "f1-e1",
        "c1 d1",
        "ongoing",
    );
}

#[test]
fn defenders_capture_rows_too() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . T T . . .
        . T t t . T .";
    for name in ["copenhagen", "copenhagen-tournament"] {
        check_turned(&ruleset(name), board, "f1-e1", "c1 d1", "ongoing");
    }
}

#[test]
fn a_long_row_is_captured_whole_or_not_at_all() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . K . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . t t t t t t . . .
        . t T T T T T T . t .";
    let copenhagen = ruleset("copenhagen");
    check_turned(&copenhagen, board, "j1-i1", "c1 d1 e1 f1 g1 h1", "ongoing");
    let hole = board.replacen("t t t t t t", "t t t . t t", 1);
    check_turned(&copenhagen, &hole, "j1-i1", "", "ongoing");
    let gap = board.replacen("T T T T T T", "T T T . T T", 1);
    check_turned(&copenhagen, &gap, "j1-i1", "", "ongoing");
    let friend_in_front = board.replacen("t t t t t t", "t t t T t t", 1);
    check_turned(&copenhagen, &friend_in_front, "j1-i1", "", "ongoing");
}

#[test]
fn a_piece_that_moves_into_a_closed_place_is_safe() {
    // Only a leap leads into a closed place: the commander on d3 leaps over d2.
    let ranks = Ruleset {
        ranks: Switch::On,
        ..ruleset("copenhagen")
    };
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . T
        . . t . . . .
        . . . c . . .
        . . T T . . .
        . T t . T . .";
    let mut game = game(&ranks, board, Side::Attacker);
    let plies = ["d3-d1", "g5-g4", "c4-c5", "e1-e3", "c5-c4", "e3-e1"];
    let captured = plies.map(|mv| play(&mut game, mv).0);
    assert_eq!(captured, ["", "", "", "", "", "c1 d1"]);
}

#[test]
fn a_row_of_the_king_and_one_man_loses_the_man() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . t . .
        . . t t . . .
        . t K T . . .";
    check_turned(&ruleset("copenhagen"), board, "e3-e1", "d1", "ongoing");
}

#[test]
fn the_king_may_close_the_far_end() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . T . .
        . . T T . . .
        . K t t . . .";
    check_turned(&ruleset("copenhagen"), board, "e3-e1", "c1 d1", "ongoing");
}

#[test]
fn a_row_of_knights_or_commanders_is_captured() {
    let ranks = Ruleset {
        ranks: Switch::On,
        ..ruleset("copenhagen")
    };
    let knights = ROW_CLOSED_ALONG_THE_EDGE.replacen("t T T .", "t N T .", 1);
    check_turned(&ranks, &knights, "f1-e1", "c1 d1", "ongoing");
    let commanders = "
        . . . . . . .
        . . . . K . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . T N . . .
        . T c c . N .";
    check_turned(&ranks, commanders, "f1-e1", "c1 d1", "ongoing");
}

#[test]
fn a_corner_that_is_no_goal_closes_no_row() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . t t . . . .
        . T T . . . .";
    let to_the_edges = Ruleset {
        escape: Escape::Edges,
        ..ruleset("copenhagen")
    };
    check_turned(&ruleset("copenhagen"), board, "d3-d1", "b1 c1", "ongoing");
    check_turned(&to_the_edges, board, "d3-d1", "", "ongoing");
}
