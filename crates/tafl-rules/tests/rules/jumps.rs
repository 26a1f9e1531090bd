//! Jumps of king, knight and commanders (spec.md 5.2, 5.3).

use crate::rules::board::{check, check_turned, ruleset, targets};
use tafl_rules::{Ruleset, Switch};

fn berserk() -> Ruleset {
    ruleset("berserk-2024")
}

#[test]
fn a_knight_leaps_over_an_adjacent_enemy_soldier_to_the_next_square() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . T . . . . .
        . t . . . . .
        . N t . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), board, "b2"), "a2 b1 d2");
}

#[test]
fn a_commander_leaps_over_an_adjacent_enemy_soldier_to_the_next_square() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        . c T . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), board, "b2"), "a2 b1 d2");
}

#[test]
fn soldiers_do_not_leap() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . T t . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), board, "b2"), "a2 b1 b3 b4 b5 b6 b7");
}

#[test]
fn nobody_leaps_over_a_square_further_away() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        . N . t . . .
        . t . . . . .";
    assert_eq!(targets(&berserk(), board, "b2"), "a2 b4 c2");
}

#[test]
fn nobody_leaps_over_king_knight_or_commander() {
    let knight = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . c . . . . .
        . N c . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), knight, "b2"), "a2 b1");
    let commander = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . N . . . . .
        . c K . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), commander, "b2"), "a2 b1");
}

#[test]
fn the_square_beyond_must_be_empty_and_on_the_board() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . T . . . . .
        . t . . . . .
        . N t T . . .
        . t . . . . .";
    assert_eq!(targets(&berserk(), board, "b2"), "a2");
}

#[test]
fn only_the_king_lands_on_a_restricted_square() {
    let knight = "
        . . . . . . .
        . . . . . . .
        . K . . . . .
        . N t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), knight, "b4"), "a4 b1 b2 b3");
    let commander = "
        . . . . . . .
        . . . . . . .
        . K . . . . .
        . . . . . . .
        c . . . . . .
        T . . . . . .
        . . . . . . .";
    assert_eq!(
        targets(&berserk(), commander, "a3"),
        "a4 a5 a6 b3 c3 d3 e3 f3 g3"
    );
}

#[test]
fn the_king_leaps_only_from_or_to_a_restricted_square() {
    let elsewhere = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        . K t . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), elsewhere, "b2"), "a2 b1");
    let from_the_throne = "
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . T K t . .
        . . . T . . .
        . . . . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), from_the_throne, "d4"), "f4");
    let to_the_throne = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . . T K T . .
        . . . T . . .";
    assert_eq!(targets(&berserk(), to_the_throne, "d2"), "d4");
}

#[test]
fn a_king_who_leaps_into_a_corner_wins() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t K . . . .";
    let escaped = "defenders win (king-escaped)";
    check(&ruleset("berserk-2017"), board, "c1-a1", "", escaped);
    check(&ruleset("berserk-2024"), board, "c1-a1", "", escaped);
}

#[test]
fn a_king_who_leaps_onto_the_throne_does_not_capture_by_that() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . . . K . . .
        . . . T . . .";
    check(&berserk(), board, "d2-d4", "", "ongoing");
}

#[test]
fn a_king_who_leaps_off_the_throne_captures_against_it_only_where_jump_hostile_is_on() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . t . . .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("berserk-2017"), board, "d4-d2", "", "ongoing");
    check(&ruleset("berserk-2024"), board, "d4-d2", "d3", "ongoing");
}

#[test]
fn the_settling_example_of_the_leap_off_the_throne() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . K . . . . .
        . . . . . t . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . t . . . . . . . . .";
    check(&ruleset("berserk-2017"), board, "f6-f4", "", "ongoing");
    check(&ruleset("berserk-2024"), board, "f6-f4", "f5", "ongoing");
}

#[test]
fn a_knight_captures_the_soldier_it_leaps_over() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . N t . . . .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "b2-d2", "c2", "ongoing");
    check(&ruleset("berserk-2024"), board, "b2-d2", "c2", "ongoing");
}

#[test]
fn a_commander_does_not_capture_the_soldier_it_leaps_over() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . c T . . . .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "b2-d2", "", "ongoing");
    check(&ruleset("berserk-2024"), board, "b2-d2", "", "ongoing");
}

#[test]
fn a_knight_also_captures_what_it_encloses_where_it_lands() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . N t . c T .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "b2-d2", "c2 e2", "ongoing");
    check(&ruleset("berserk-2024"), board, "b2-d2", "c2 e2", "ongoing");
}

#[test]
fn a_commander_that_leapt_captures_against_a_friend() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . c T . T t .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "b2-d2", "e2", "ongoing");
    check(&ruleset("berserk-2024"), board, "b2-d2", "e2", "ongoing");
}

#[test]
fn a_commander_that_leapt_captures_against_a_corner_only_where_jump_hostile_is_on() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . T . T c . .";
    check(&ruleset("berserk-2017"), board, "e1-c1", "", "ongoing");
    check(&ruleset("berserk-2024"), board, "e1-c1", "b1", "ongoing");
}

#[test]
fn a_slide_captures_against_a_corner_whatever_jump_hostile_says() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . T . . c . .";
    check(&ruleset("berserk-2017"), board, "e1-c1", "b1", "ongoing");
}

#[test]
fn a_knight_that_leapt_captures_against_a_corner_in_both() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . t . t N . .";
    check(&ruleset("berserk-2017"), board, "e1-c1", "b1 d1", "ongoing");
    check(&ruleset("berserk-2024"), board, "e1-c1", "b1 d1", "ongoing");
}

#[test]
fn without_ranks_the_king_does_not_leap() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . T K t . .
        . . . T . . .
        . . . . . . .
        . . . . . . .";
    assert_eq!(targets(&ruleset("fetlar"), board, "d4"), "");
    let ranks = Ruleset {
        ranks: Switch::On,
        ..ruleset("fetlar")
    };
    assert_eq!(targets(&ranks, board, "d4"), "f4");
}

#[test]
fn nobody_leaps_over_a_friend() {
    let knight = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . T . . . . .
        . N T . . . .
        . t . . . . .";
    assert_eq!(targets(&berserk(), knight, "b2"), "a2");
    let commander = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . c . . . . .
        . c t . . . .
        . T . . . . .";
    assert_eq!(targets(&berserk(), commander, "b2"), "a2");
}

#[test]
fn the_king_does_not_leap_over_a_commander() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . c . . .
        . . T K t . .
        . . . c . . .
        . . . . . . .
        . . . . . . .";
    assert_eq!(targets(&berserk(), board, "d4"), "f4");
}

#[test]
fn nobody_leaps_two_pieces_or_further_than_the_next_square() {
    let board = "
        . . . . . . .
        . . . . K . .
        . t . . . . .
        . t . . . . .
        . . . . . . .
        . N t t . . .
        . t . . . . .";
    assert_eq!(targets(&berserk(), board, "b2"), "a2 b3");
    let beyond = board.replacen("t t", "t .", 1);
    assert_eq!(targets(&berserk(), &beyond, "b2"), "a2 b3 d2");
}

#[test]
fn neither_knight_nor_commander_leaps_into_a_corner_or_onto_the_throne() {
    for (piece, enemy) in [("N", "t"), ("c", "T")] {
        let corner = "
            . . . . . . .
            . . . . K . .
            . . . . . . .
            . . . . . . .
            P . . . . . .
            E . . . . . .
            . E . . . . .";
        let corner = corner.replace('P', piece).replace('E', enemy);
        let targets_of = targets(&berserk(), &corner, "a3");
        assert_eq!(targets_of, "a4 a5 a6 b3 c3 d3 e3 f3 g3", "{piece}");
        let throne = "
            . . . . . . .
            . . . . K . .
            . . . . . . .
            . . . . . . .
            . . . E . . .
            . . E P E . .
            . . . . . . .";
        let throne = throne.replace('P', piece).replace('E', enemy);
        assert_eq!(targets(&berserk(), &throne, "d2"), "b2 d1 f2", "{piece}");
    }
}

#[test]
fn the_king_leaps_off_and_onto_the_throne_on_every_side() {
    let off = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K t . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    let onto = off.replacen(". . . K t . .", ". . . . t K .", 1);
    for name in ["berserk-2017", "berserk-2024"] {
        check_turned(&ruleset(name), &onto, "f4-d4", "", "ongoing");
    }
    check_turned(&ruleset("berserk-2017"), off, "d4-f4", "", "ongoing");
    check_turned(&ruleset("berserk-2024"), off, "d4-f4", "e4", "ongoing");
}

#[test]
fn a_king_who_leapt_captures_against_a_friend() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K T . .
        . . . t . . .
        . . . . t T .
        . t . . . . .";
    check(&ruleset("berserk-2017"), board, "d4-d2", "e2", "ongoing");
    check(&ruleset("berserk-2024"), board, "d4-d2", "d3 e2", "ongoing");
}

#[test]
fn a_king_who_leaps_into_a_corner_captures_against_a_friend() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        T . . . . . .
        t . . . . . .
        . t K . . . .";
    let escaped = "defenders win (king-escaped)";
    for name in ["berserk-2017", "berserk-2024"] {
        check_turned(&ruleset(name), board, "c1-a1", "a2", escaped);
    }
}

#[test]
fn a_commander_that_leapt_captures_against_the_throne_only_where_jump_hostile_is_on() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . c T . . . .
        . . . . . . .";
    check_turned(&ruleset("berserk-2017"), board, "b2-d2", "", "ongoing");
    check_turned(&ruleset("berserk-2024"), board, "b2-d2", "d3", "ongoing");
}

#[test]
fn a_knight_that_leapt_captures_against_the_throne_in_both() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . t . . .
        . N t . . . .
        . . . . . . .";
    for name in ["berserk-2017", "berserk-2024"] {
        check_turned(&ruleset(name), board, "b2-d2", "c2 d3", "ongoing");
    }
}
