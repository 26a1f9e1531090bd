//! Forts on an edge (spec.md 4.2).

use crate::board::{check, game, play_all, ruleset, standing};
use tafl_rules::{Ruleset, Side};

const FORT: &str = "defenders win (fort)";

fn copenhagen() -> Ruleset {
    ruleset("copenhagen")
}

/// The defender on g2 closes the wall on d2.
const LAST_STONE: &str = "
    . . . . . . .
    . . . . . . .
    . t . . . t .
    . . . . . . .
    . . . . . . .
    . . T . . . T
    . T K . T . .";

#[test]
fn a_king_with_room_behind_a_wall_that_cannot_be_broken_wins() {
    check(&copenhagen(), LAST_STONE, "g2-d2", "", FORT);
}

#[test]
fn only_copenhagen_knows_forts() {
    for name in [
        "copenhagen-tournament",
        "fetlar",
        "berserk-2017",
        "berserk-2024",
    ] {
        check(&ruleset(name), LAST_STONE, "g2-d2", "", "ongoing");
    }
}

#[test]
fn a_wall_with_a_gap_is_no_fort() {
    check(&copenhagen(), LAST_STONE, "g2-e2", "", "ongoing");
}

#[test]
fn a_king_without_room_is_in_no_fort() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . . . . .
        . . T T . . T
        . T K T T . .";
    check(&copenhagen(), board, "g2-e2", "", "ongoing");
}

#[test]
fn a_king_away_from_the_edge_is_in_no_fort() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . T T . . .
        . T K . T . .
        . . T . . T .";
    check(&copenhagen(), board, "f1-d1", "", "ongoing");
}

#[test]
fn an_attacker_inside_prevents_a_fort() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . . . . .
        . . T T . . T
        . T K . t T .";
    check(&copenhagen(), board, "g2-e2", "", "ongoing");
    let empty = board.replacen("K . t T", "K . . T", 1);
    check(&copenhagen(), &empty, "g2-e2", "", FORT);
}

#[test]
fn a_stone_that_could_be_captured_does_not_count() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . T . t .
        . . . . . . .
        . . . . . . .
        . . T . T . .
        . T K . T . .";
    check(&copenhagen(), board, "d5-d3", "", "ongoing");
}

#[test]
fn a_single_attacker_captures_a_stone_only_against_a_hostile_square() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . T . . .
        . . . . . . .
        . . . . . . .
        . . T . T . .
        . T K . T . .";
    check(&copenhagen(), board, "d5-d3", "", FORT);
}

#[test]
fn a_single_attacker_captures_a_stone_against_the_throne() {
    let board = "
        . . . . . . .
        t . T . . . .
        . . . . . . .
        . . . . . . .
        . T . T . . .
        . T . T . . .
        . T K T . . .";
    check(&copenhagen(), board, "c6-c4", "", "ongoing");
}

#[test]
fn stones_fall_one_after_another() {
    // b3 and c4 shield d3 from the left until they fall themselves.
    let board = "
        . . . . . . .
        . T . . . . .
        t . . . . t .
        . . T . . . .
        . . . T . . .
        . . T . T . .
        . T K . T . .";
    check(&copenhagen(), board, "b6-b3", "", "ongoing");
    let single = board.replacen("t . . . . t .", "t . . . . . .", 1);
    check(&copenhagen(), &single, "b6-b3", "", FORT);
}

#[test]
fn a_corner_is_hostile_to_the_stones_of_a_fort() {
    let board = "
        . . . . . . .
        . . . . . t .
        . . T . . t .
        . . . . . . .
        . . . . . . .
        T T . . . . .
        . K . . . . .";
    check(&copenhagen(), board, "c5-c1", "", "ongoing");
}

#[test]
fn the_empty_throne_is_passed_and_turned_on() {
    let board = "
        . . . . . . .
        t T . . . . .
        . . . . T T T
        . . T . . . K
        . . . . T T T
        . . . . . . .
        . . . . . . .";
    check(&copenhagen(), board, "b6-b4", "", "ongoing");
}

#[test]
fn a_fort_is_judged_after_a_ply_of_the_defenders_only() {
    let closed = LAST_STONE.replacen(". . T . . . T", ". . T T . . T", 1);
    let mut game = game(&copenhagen(), &closed, Side::Attacker);
    play_all(&mut game, "b5-b6");
    assert_eq!(standing(&game), "ongoing");
    play_all(&mut game, "g2-g3");
    assert_eq!(standing(&game), FORT);
}
