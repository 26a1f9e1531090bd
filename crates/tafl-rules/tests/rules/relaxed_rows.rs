//! Rows that a piece in front captures, too (spec.md 7.10).

use crate::rules::board::{ALL_HOSTILE, check, check_turned, ruleset};
use tafl_rules::{Chain, Ruleset, Side, Switch};

/// Copenhagen where a piece in front captures a row.
fn relaxed() -> Ruleset {
    Ruleset {
        shieldwall_by_end: Switch::Off,
        ..ruleset("copenhagen")
    }
}

/// The piece on f2 comes in front of d1.
const UNFACED: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . K
    . . . . . . .
    . . t . . t .
    . t T T t . .";

#[test]
fn a_piece_that_comes_in_front_of_a_row_captures_it() {
    check_turned(&relaxed(), UNFACED, "f2-d2", "c1 d1", "ongoing");
    check(&ruleset("copenhagen"), UNFACED, "f2-d2", "", "ongoing");
}

#[test]
fn defenders_capture_so_too() {
    let board = "
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . T . . T .
        . T t t T . .";
    check_turned(&relaxed(), board, "f2-d2", "c1 d1", "ongoing");
    check(&ruleset("copenhagen"), board, "f2-d2", "", "ongoing");
}

#[test]
fn a_king_in_front_captures_a_row_only_if_he_is_armed() {
    let board = "
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . T . . K .
        . T t t T . .";
    check_turned(&relaxed(), board, "f2-d2", "c1 d1", "ongoing");
    let unarmed = Ruleset {
        king_armed: Switch::Off,
        ..relaxed()
    };
    check(&unarmed, board, "f2-d2", "", "ongoing");
}

#[test]
fn an_end_may_be_a_corner_that_is_hostile_to_the_row() {
    for (own, enemy, side) in [("T", "t", Side::Defender), ("t", "T", Side::Attacker)] {
        let board = "
            . . . . . . .
            . . . . . . t
            . . . . . . .
            . . . . . . K
            . . . . . . .
            . y . . . y .
            . x x y . . .";
        let board = board.replace('x', own).replace('y', enemy);
        for to in ALL_HOSTILE {
            let rules = Ruleset {
                corners_hostile_to: to,
                ..relaxed()
            };
            let captured = if to.contains(side) { "b1 c1" } else { "" };
            check_turned(&rules, &board, "f2-c2", captured, "ongoing");
        }
    }
}

#[test]
fn a_row_of_which_another_piece_is_not_faced_is_safe() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . t . . . t
        . t T T T t .";
    check_turned(&relaxed(), board, "g2-d2", "", "ongoing");
    let faced = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . K
        . . . t . . .
        . . t . t . .
        . t T T T t .";
    check_turned(&relaxed(), faced, "d3-d2", "c1 d1 e1", "ongoing");
}

#[test]
fn a_row_with_an_open_end_is_safe_from_the_front() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . t . . t .
        . t T T . . .";
    check_turned(&relaxed(), board, "f2-d2", "", "ongoing");
}

#[test]
fn a_single_piece_is_no_row_from_the_front_either() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . . . . t .
        . . t T t . .";
    check_turned(&relaxed(), board, "f2-d2", "", "ongoing");
}

#[test]
fn a_king_within_the_row_is_not_captured_from_the_front() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . t .
        . t T K t . .";
    check_turned(&relaxed(), board, "f2-d2", "c1", "ongoing");
}

#[test]
fn a_piece_at_an_end_still_captures_the_row() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t t . . .
        . t T T . t .";
    check_turned(&relaxed(), board, "f1-e1", "c1 d1", "ongoing");
}

#[test]
fn a_row_that_stands_captured_already_is_safe_from_a_piece_elsewhere() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . t t . . .
        . t T T t . .";
    check_turned(&relaxed(), board, "g5-g4", "", "ongoing");
}

#[test]
fn a_jump_to_the_front_captures_no_row() {
    let rules = Ruleset {
        shieldwall: Switch::On,
        shieldwall_by_end: Switch::Off,
        chain: Chain::None,
        ..ruleset("berserk-2024")
    };
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . c T . t . .
        . . t T T t .";
    check_turned(&rules, board, "b2-d2", "", "ongoing");
    let slide = board.replace(". c T . t", ". c . . t");
    check_turned(&rules, &slide, "b2-d2", "d1 e1", "ongoing");
}

#[test]
fn who_captures_a_row_means_nothing_without_shieldwalls() {
    let other = Ruleset {
        shieldwall_by_end: Switch::Off,
        ..ruleset("fetlar")
    };
    assert!(other.plays_as(&ruleset("fetlar")));
    assert!(!relaxed().plays_as(&ruleset("copenhagen")));
    check(&other, UNFACED, "f2-d2", "", "ongoing");
}
