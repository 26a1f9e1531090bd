//! Custodial captures (spec.md 2.2 to 2.4).

use crate::rules::board::{check, check_turned, game, play, ruleset};
use tafl_rules::{PRESET_NAMES, Side};

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
    for name in PRESET_NAMES {
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
    for name in PRESET_NAMES {
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
    for name in PRESET_NAMES {
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

#[test]
fn defenders_capture_attackers_on_a_rank_and_on_a_file() {
    let board = "
        . . . . . . .
        . T . . K . .
        . t . . . . t
        . . T . . . .
        T t . . . . .
        . . . . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "c4-b4", "b5", "ongoing");
        check_turned(&ruleset(name), board, "c4-c3", "b3", "ongoing");
    }
}

#[test]
fn a_piece_on_an_edge_is_captured_along_it() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . t . . . t
        t . . . . . .
        T . . . . . .
        . . t . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "c2-a2", "a3", "ongoing");
    }
}

#[test]
fn an_attacker_that_moves_in_between_two_defenders_is_safe() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . T . T . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "c5-c2", "", "ongoing");
        let king = board
            .replacen("K", ".", 1)
            .replacen(". T . T", ". K . T", 1);
        check(&ruleset(name), &king, "c5-c2", "", "ongoing");
    }
}

#[test]
fn a_piece_that_moves_in_between_an_enemy_and_a_hostile_square_is_safe() {
    let corner = "
        . . . . . . .
        . . . . K . .
        . T . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .";
    let throne = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        T . . . . . .
        . . . t . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), corner, "b5-b1", "", "ongoing");
        check_turned(&ruleset(name), throne, "a3-d3", "", "ongoing");
    }
}

#[test]
fn the_edge_is_hostile_to_no_side() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        t . . T . . .
        . . . . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "d3-b3", "", "ongoing");
    }
}

#[test]
fn corners_are_hostile_to_soldiers_knight_and_commanders_of_both_sides() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . M . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . V . . . . .";
    for (victim, mover) in [
        ("t", "T"),
        ("c", "T"),
        ("T", "t"),
        ("N", "t"),
        ("t", "N"),
        ("T", "c"),
    ] {
        let board = board.replace('M', mover).replace('V', victim);
        for name in ["berserk-2017", "berserk-2024"] {
            check_turned(&ruleset(name), &board, "c5-c1", "b1", "ongoing");
        }
    }
}

#[test]
fn the_empty_throne_is_hostile_to_soldiers_knight_and_commanders_of_both_sides() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . V . . .
        . . . . . . .
        . . . M . . .";
    for (victim, mover) in [
        ("t", "T"),
        ("c", "T"),
        ("T", "t"),
        ("N", "t"),
        ("t", "N"),
        ("T", "c"),
    ] {
        let board = board.replace('M', mover).replace('V', victim);
        for name in ["berserk-2017", "berserk-2024"] {
            check_turned(&ruleset(name), &board, "d1-d2", "d3", "ongoing");
        }
    }
}

#[test]
fn the_throne_with_the_king_on_it_is_hostile_to_attackers_and_not_to_the_knight() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . t
        . . . V . . .
        . . . . . . .
        . . . M . . .";
    for (victim, mover, captured) in [
        ("t", "T", "d3"),
        ("c", "T", "d3"),
        ("T", "t", ""),
        ("N", "t", ""),
    ] {
        let board = board.replace('M', mover).replace('V', victim);
        check_turned(
            &ruleset("berserk-2024"),
            &board,
            "d1-d2",
            captured,
            "ongoing",
        );
    }
}

#[test]
fn the_king_captures_in_every_ruleset() {
    let mover = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        T t . . K . .
        . . . . . . .";
    let far = mover.replacen("T t . . K", "K t . . T", 1);
    let against_a_corner = mover.replacen(
        "T t . . K . .\n        . . . . . . .",
        "T . . . . . .\n        . t . . K . .",
        1,
    );
    for name in PRESET_NAMES {
        check(&ruleset(name), mover, "e2-c2", "b2", "ongoing");
        check(&ruleset(name), &far, "e2-c2", "b2", "ongoing");
        let captured = play(
            &mut game(&ruleset(name), &against_a_corner, Side::Defender),
            "e1-c1",
        )
        .0;
        assert_eq!(captured, "b1", "{name}");
    }
}

#[test]
fn the_square_of_a_captured_king_is_no_captured_square() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t K . T t . .
        . . t . . . .";
    let captured = "attackers win (king-captured)";
    check_turned(&ruleset("brandubh"), board, "c1-c2", "d2", captured);
}
