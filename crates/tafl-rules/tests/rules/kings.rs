//! How the king is captured, and how he is not (spec.md 2.5).

use crate::rules::board::{check, check_turned, draw, game, play_all, ruleset, standing};
use tafl_rules::{PRESET_NAMES, Side};

const CAPTURED: &str = "attackers win (king-captured)";
const BERSERK: [&str; 2] = ["berserk-2017", "berserk-2024"];

#[test]
fn four_attackers_capture_the_king_away_from_the_throne() {
    let board = "
        . . . . . . .
        . t . . . . .
        . . . . . . .
        . . . . . . .
        t K t . . . T
        . t . . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "b6-b4", "", CAPTURED);
    }
}

#[test]
fn three_attackers_do_not_capture_the_king_away_from_the_throne() {
    let board = "
        . . . . . . .
        . t . . . . .
        . . . . . . .
        . . . . . . .
        t K . . . . T
        . t . . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "b6-b4", "", "ongoing");
    }
}

#[test]
fn three_attackers_and_the_empty_throne_capture_the_king_beside_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t K t . T
        . . . . . . .
        . . . t . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "d1-d2", "", CAPTURED);
    }
}

#[test]
fn two_attackers_the_throne_and_a_free_square_do_not_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t K . . T
        . . . . . . .
        . . . t . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "d1-d2", "", "ongoing");
    }
}

#[test]
fn four_attackers_capture_the_king_on_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . . t K t . T
        . . . . . . .
        . . . . . . .
        . . . t . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "d1-d3", "", CAPTURED);
    }
}

#[test]
fn a_defender_beside_the_king_saves_him() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . t K t . .
        . . . . . . .
        . . . . . . .
        . . . t . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "d1-d3", "", "ongoing");
    }
}

#[test]
fn the_king_on_an_edge_is_not_captured_by_soldiers() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . T
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . t K t . . .";
    for name in PRESET_NAMES {
        check(&ruleset(name), board, "c4-c2", "", "ongoing");
    }
}

#[test]
fn a_king_who_moves_into_a_pocket_is_captured_only_when_an_attacker_arrives_beside_him() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . K . . .
        . . t . t . .
        . . . t . . T
        . . . . . . .";
    for name in PRESET_NAMES {
        let mut game = game(&ruleset(name), board, Side::Defender);
        play_all(&mut game, "d4-d3 g5-g6 g2-f2 d2-d1 f2-g2 d1-d2");
        assert_eq!(standing(&game), CAPTURED, "{name}:\n{}", draw(&game));
    }
}

#[test]
fn a_soldier_and_a_corner_do_not_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . K . . . . .";
    check(&ruleset("berserk-2024"), board, "c5-c1", "", "ongoing");
}

#[test]
fn a_jump_may_complete_three_attackers_and_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t K t . .
        . c T . . . .
        . . . . . . .";
    check(&ruleset("berserk-2017"), board, "b2-d2", "", CAPTURED);
    check(&ruleset("berserk-2024"), board, "b2-d2", "", CAPTURED);
}

#[test]
fn three_attackers_and_a_free_square_do_not_capture_the_king_on_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t K t . T
        . . . . . . .
        . . . . . . .
        . . . t . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "d1-d3", "", "ongoing");
    }
}

#[test]
fn the_king_falls_on_every_side_of_the_throne_to_whichever_attacker_arrives() {
    let front = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t K t . T
        . . . . . . .
        . . . t . . .";
    let flank = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t K . t T
        . . . t . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), front, "d1-d2", "", CAPTURED);
        check_turned(&ruleset(name), flank, "f3-e3", "", CAPTURED);
    }
}

#[test]
fn a_defender_beside_the_king_saves_him_beside_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . T K t . T
        . . . . . . .
        . . . t . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "d1-d2", "", "ongoing");
    }
}

#[test]
fn the_throne_is_the_fourth_only_beside_it() {
    // c3 lies diagonally from the throne, c4 beside it.
    let diagonal = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t K . . . T
        . . t . . . .
        . . . . t . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), diagonal, "e1-e3", "", "ongoing");
    }
    let beside = "
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . t K . . . T
        . . . . . . .
        . . t . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), beside, "c2-c3", "", CAPTURED);
    }
}

#[test]
fn a_corner_does_not_stand_for_the_fourth() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . t . . . .
        . . . . . . .
        . t . . . . .
        . K . . . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "c4-c1", "", "ongoing");
    }
}

#[test]
fn a_king_on_the_throne_in_a_pocket_of_his_own_is_captured_when_an_attacker_arrives_again() {
    let board = "
        . . . . . . .
        . . . . . . t
        . . . t . . .
        . . t . t . .
        . . . K . . .
        . . . . . . .
        . . . t . T .";
    for name in PRESET_NAMES {
        let mut game = game(&ruleset(name), board, Side::Defender);
        play_all(&mut game, "d3-d4 d1-d2 f1-f2 d2-d3");
        assert_eq!(standing(&game), CAPTURED, "{name}:\n{}", draw(&game));
    }
}

#[test]
fn an_attacker_who_moves_elsewhere_does_not_capture_a_surrounded_king() {
    let board = "
        . . . . . . .
        . . . t . . .
        . . t K t . .
        . . . . . . t
        . . . t . . .
        . . . . . . T
        . . . . . . .";
    // The king on d5 stands beside the throne; c5, e5 and d6 surround him already.
    for name in PRESET_NAMES {
        let mut game = game(&ruleset(name), board, Side::Attacker);
        play_all(&mut game, "g4-f4 g2-f2 d3-e3 f2-g2 e5-e6 g2-f2");
        assert_eq!(standing(&game), "ongoing", "{name}");
        play_all(&mut game, "e6-e5");
        assert_eq!(standing(&game), CAPTURED, "{name}");
    }
}

#[test]
fn a_jump_may_be_the_arrival_of_the_fourth_attacker() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        t K . T c . .
        . t . . . . .";
    for name in BERSERK {
        check_turned(&ruleset(name), board, "e2-c2", "", CAPTURED);
    }
}
