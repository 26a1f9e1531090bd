//! A throne that is not hostile (spec.md 7.3).

use crate::rules::board::{check, check_turned, game, ruleset, standing, targets};
use tafl_rules::{Ruleset, Side, Switch};

const CAPTURED: &str = "attackers win (king-captured)";

/// A preset whose throne is not hostile.
fn harmless(name: &str) -> Ruleset {
    Ruleset {
        throne_hostile: Switch::Off,
        ..ruleset(name)
    }
}

#[test]
fn a_defender_is_not_captured_against_it() {
    let board = "
        . . . . . . .
        . . . . . . K
        . t . . . . .
        . . T . . . .
        . . . . . . .
        . . . . . . .
        . . . . . T .";
    check(&ruleset("fetlar"), board, "b5-b4", "c4", "ongoing");
    check_turned(&harmless("fetlar"), board, "b5-b4", "", "ongoing");
}

#[test]
fn an_attacker_is_not_captured_against_it() {
    let board = "
        . . . . . . .
        . . . . . . K
        . T . . . . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . t .";
    check(&ruleset("fetlar"), board, "b5-b4", "c4", "ongoing");
    check_turned(&harmless("fetlar"), board, "b5-b4", "", "ongoing");
}

#[test]
fn an_attacker_is_captured_against_the_king_on_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . T . . . . .
        . . t K . . .
        . . . . . . .
        . . . . . . .
        . . . . . t .";
    check_turned(&harmless("fetlar"), board, "b5-b4", "c4", "ongoing");
}

#[test]
fn corners_stay_hostile() {
    let board = "
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . T . . . . .";
    check_turned(&harmless("fetlar"), board, "c4-c1", "b1", "ongoing");
}

#[test]
fn three_attackers_still_capture_the_king_beside_it() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K t . .
        . . . . . . .
        . . . t . . .";
    for name in ["fetlar", "brandubh"] {
        check_turned(&harmless(name), board, "d1-d2", "", CAPTURED);
    }
}

#[test]
fn two_attackers_do_not_capture_the_king_beside_it() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K . . .
        . . . . . . .
        . . . . t . .";
    for name in ["fetlar", "brandubh"] {
        check(&harmless(name), board, "e1-e3", "", "ongoing");
    }
}

#[test]
fn only_the_king_stops_on_it_and_all_cross_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . K . . .
        t . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let rules = harmless("fetlar");
    assert_eq!(
        targets(&rules, board, "a4"),
        "a4-a2 a4-a3 a4-a5 a4-a6 a4-b4 a4-c4 a4-e4 a4-f4 a4-g4".replace("a4-", "")
    );
    assert!(targets(&rules, board, "d5").contains("d4"));
}

#[test]
fn a_stone_of_a_fort_cannot_be_captured_against_it() {
    // The throne on d4 lies within: against it attackers could take c4, d5 and e4 from outside.
    let board = "
        . . . . T . .
        . . . . . . .
        . . T T . . .
        t . T . T . t
        . . T . T . .
        . . T . T . .
        . . T K T . .";
    let found = |rules: &Ruleset| {
        let mut game = game(rules, board, Side::Defender);
        game.play("e7-e5".parse().expect("a move")).expect("legal");
        standing(&game)
    };
    assert_eq!(found(&ruleset("copenhagen")), "ongoing");
    assert_eq!(found(&harmless("copenhagen")), "defenders win (fort)");
}

#[test]
fn a_jump_off_it_captures_nothing_against_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K t . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    check(&ruleset("berserk-2024"), board, "d4-f4", "e4", "ongoing");
    check_turned(&harmless("berserk-2024"), board, "d4-f4", "", "ongoing");
}
