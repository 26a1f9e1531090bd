//! Forts on an edge (spec.md 4.2).

use crate::rules::board::{check, check_turned, game, play_all, ruleset, standing};
use tafl_rules::{Ruleset, Side, Switch};

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

#[test]
fn a_fort_may_stand_on_any_edge() {
    check_turned(&copenhagen(), LAST_STONE, "g2-d2", "", FORT);
    check_turned(&copenhagen(), LAST_STONE, "g2-e2", "", "ongoing");
}

#[test]
fn a_fort_may_stand_in_the_middle_of_a_long_edge() {
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . t . . . t . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . T . . . . T
        . . . . T K . T . . .";
    check_turned(&copenhagen(), board, "k2-g2", "", FORT);
    check_turned(&copenhagen(), board, "k2-h2", "", "ongoing");
}

#[test]
fn the_room_behind_the_wall_may_lead_away_from_the_edge() {
    // The king's room is d2, d3 and e2.
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . t . . . t . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . T
        . . . T T . . . . . .
        . . T . T . . . . . .
        . . T . . T . . . . .
        . . T K T T . . . . .";
    check_turned(&copenhagen(), board, "k5-k6", "", FORT);
    // A wall has no single point: without e4 and f1, d4 and f2 are taken from both sides.
    for (stone, hole) in [
        ("T T . . . . . .", "T . . . . . . ."),
        ("T K T T", "T K T ."),
    ] {
        let pointed = board.replacen(stone, hole, 1);
        assert_ne!(pointed, board);
        check_turned(&copenhagen(), &pointed, "k5-k6", "", "ongoing");
    }
}

#[test]
fn the_room_may_reach_into_a_corner_that_attackers_cannot_enter() {
    // a2 is safe between the corner and a3; without a3 it falls against the corner.
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        T . . . . . .
        T T T . . . .
        . . K . . T .";
    check_turned(&copenhagen(), board, "f1-d1", "", FORT);
    let single = board.replacen("T . . . . . .", ". . . . . . .", 1);
    check_turned(&copenhagen(), &single, "f1-d1", "", "ongoing");
}

#[test]
fn the_corner_beside_the_king_is_an_empty_neighbor() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        T . . . . . .
        T T . . . . .
        . K . . T . .";
    check_turned(&copenhagen(), board, "e1-c1", "", FORT);
}

#[test]
fn a_king_who_can_walk_over_the_corner_to_where_attackers_come_is_in_no_fort() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . . . . .
        . T T . . . .
        . . K . . T .";
    check_turned(&copenhagen(), board, "f1-d1", "", "ongoing");
}

#[test]
fn a_king_on_a_corner_has_won_by_escaping() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . . . . .
        T T T . . . .
        . K . . . . .";
    let escaped = "defenders win (king-escaped)";
    check(&copenhagen(), board, "b1-a1", "", escaped);
}

#[test]
fn a_stone_between_the_throne_and_where_several_attackers_come_falls() {
    let board = "
        . . . . . . .
        t . T . . t .
        . . . . . . .
        . . . . . . .
        . T . T . . .
        . T . T . . .
        . T K T . . .";
    check(&copenhagen(), board, "c6-c4", "", "ongoing");
    let away_from_the_throne = "
        . . . . . . .
        t . T . . t .
        . . . . . . .
        . . . . . . .
        . T . . . . .
        . T . T . . .
        . T K T . . .";
    check(&copenhagen(), away_from_the_throne, "c6-c3", "", FORT);
}

#[test]
fn a_single_attacker_captures_a_stone_against_a_corner() {
    let board = "
        . . . . . . .
        . . . . . t .
        . . T . . . .
        . . . . . . .
        . . . . . . .
        T T . . . . .
        . K . . . . .";
    check(&copenhagen(), board, "c5-c1", "", "ongoing");
    let doubled = "
        . . . . . . .
        . . . . . t .
        . . T . . . .
        . . . . . . .
        T . . . . . .
        T T . . . . .
        . K . . . . .";
    check(&copenhagen(), doubled, "c5-c1", "", FORT);
}

#[test]
fn no_attacker_at_all_never_breaks_in() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        T t . T . . .
        . . T T . T .
        . T K . T . .";
    // The capture takes the last attacker: a fort comes before "no legal move".
    let mut game = game(&copenhagen(), board, Side::Defender);
    play_all(&mut game, "d3-c3");
    assert_eq!(standing(&game), FORT);
}

#[test]
fn a_capture_may_complete_a_fort() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . T .
        . . . . . . .
        . . T T T . .
        . T . K t . .";
    check(&copenhagen(), board, "f4-f1", "e1", FORT);
    let open = board.replacen("T T T", "T T .", 1);
    check(&copenhagen(), &open, "f4-f1", "e1", "ongoing");
}

#[test]
fn the_throne_is_passed_by_nobody_who_cannot_reach_it() {
    // As the throne is turned on below, but e4 stands in the way.
    let board = "
        . . . . . . .
        t T . . . . .
        . . . . T T T
        . . T . T . K
        . . . . T T T
        . . . . . . .
        . . . . . . .";
    check(&copenhagen(), board, "b6-b4", "", FORT);
}

#[test]
fn a_row_that_a_shieldwall_could_take_is_no_hole() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t T
        . . . . . t T
        . . . . . . t
        . . T . T . .
        . T K . T . .";
    check(&copenhagen(), board, "e2-d2", "", FORT);
}

#[test]
fn jumps_into_a_fort_are_not_considered() {
    let ranks = Ruleset {
        ranks: Switch::On,
        ..copenhagen()
    };
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . . . . .
        . . T . . . T
        . T K . T c .";
    check(&ranks, board, "g2-d2", "", FORT);
    let mut game = game(
        &ranks,
        &board.replacen("T . . . T", "T T . . T", 1),
        Side::Attacker,
    );
    play_all(&mut game, "f1-d1");
    assert_eq!(standing(&game), "ongoing");
}

#[test]
fn a_fort_whose_stones_must_move_next_is_a_fort() {
    // All pieces but the king are stones, and he has one square.
    let closed = LAST_STONE.replacen(". . T . . . T", ". . T T . . .", 1);
    let mut game = game(&copenhagen(), &closed, Side::Attacker);
    play_all(&mut game, "b5-b6 c1-d1");
    assert_eq!(standing(&game), FORT);
}
