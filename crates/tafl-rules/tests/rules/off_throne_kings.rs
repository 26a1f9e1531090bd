//! A king whom two attackers capture beside the throne, but not on it (spec.md 7.1).

use crate::rules::board::{ALL_HOSTILE, check, check_turned, ruleset};
use tafl_rules::{KingCapture, Ruleset, Side, Switch, ThroneUse};

const CAPTURED: &str = "attackers win (king-captured)";

const BELOW_THE_THRONE: &str = "
    . . . . . . .
    . . . . . . T
    . . . . . . .
    . . . . . . .
    . . . K . . .
    t . . . . . .
    . . . . . T .";

/// Brandubh with a king whom two take, but not on the throne.
fn off_throne() -> Ruleset {
    Ruleset {
        king_capture: KingCapture::TwoSidesOffThrone,
        ..ruleset("brandubh")
    }
}

fn away() -> Ruleset {
    Ruleset {
        king_capture: KingCapture::TwoSidesAwayFromThrone,
        ..ruleset("brandubh")
    }
}

#[test]
fn two_attackers_capture_the_king_beside_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K . . .
        . . . . . . .
        . . . . t . .";
    check_turned(&off_throne(), board, "e1-e3", "", CAPTURED);
    check(&away(), board, "e1-e3", "", "ongoing");
}

#[test]
fn an_attacker_and_the_throne_do_not_capture_him_beside_it() {
    for throne_hostile in [Switch::On, Switch::Off] {
        let rules = Ruleset {
            throne_hostile,
            ..off_throne()
        };
        check_turned(&rules, BELOW_THE_THRONE, "a2-d2", "", "ongoing");
    }
    let two_sides = Ruleset {
        king_capture: KingCapture::TwoSides,
        ..off_throne()
    };
    check(&two_sides, BELOW_THE_THRONE, "a2-d2", "", CAPTURED);
}

#[test]
fn a_defender_on_the_throne_shields_the_king_beside_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . . . K . . .
        t . . . . . .
        . . . . . T .";
    let rules = Ruleset {
        throne_stop: ThroneUse::Defenders,
        ..off_throne()
    };
    check_turned(&rules, board, "a2-d2", "", "ongoing");
}

#[test]
fn on_the_throne_the_king_falls_to_four_only() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . t . . .
        . . t K . t .
        . . . t . . .
        . . . . . . .
        . . . . . . .";
    check_turned(&off_throne(), board, "f4-e4", "", CAPTURED);
    let three = board.replacen(". . . t . . .", ". . . . . . .", 1);
    check_turned(&off_throne(), &three, "f4-e4", "", "ongoing");
}

#[test]
fn elsewhere_the_king_falls_like_any_other_piece() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t K . . t . .
        . . . . . . .";
    check_turned(&off_throne(), board, "e2-c2", "", CAPTURED);
}

#[test]
fn three_and_a_harmless_throne_surround_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t K t . .
        t . . . . . .
        . . . . . T .";
    let rules = Ruleset {
        throne_hostile: Switch::Off,
        ..off_throne()
    };
    check_turned(&rules, board, "a2-d2", "", CAPTURED);
    let two_sides = Ruleset {
        king_capture: KingCapture::TwoSides,
        ..rules
    };
    check(&two_sides, board, "a2-d2", "", "ongoing");
}

#[test]
fn without_a_throne_two_capture_him_in_the_middle_too() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t . . K t . .
        . . . . . . .
        . . . . . . .
        . . . . . T .";
    let throneless = Ruleset {
        throne: Switch::Off,
        ..off_throne()
    };
    check_turned(&throneless, board, "a4-c4", "", CAPTURED);
    check(&off_throne(), board, "a4-c4", "", "ongoing");
}

#[test]
fn a_king_like_any_piece_falls_against_a_throne_that_is_hostile_to_defenders() {
    for to in ALL_HOSTILE {
        let rules = Ruleset {
            king_capture: KingCapture::TwoSides,
            throne_hostile_to: to,
            ..ruleset("brandubh")
        };
        let result = match to.contains(Side::Defender) {
            true => CAPTURED,
            false => "ongoing",
        };
        check_turned(&rules, BELOW_THE_THRONE, "a2-d2", "", result);
    }
}

#[test]
fn an_attacker_on_the_throne_captures_the_king_beside_it_against_another() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        t . . . . . .
        . . . K . . .
        . . . t . . .
        . . . . . T .";
    let rules = Ruleset {
        throne_stop: ThroneUse::All,
        throne_hostile: Switch::Off,
        ..off_throne()
    };
    check_turned(&rules, board, "a4-d4", "", CAPTURED);
}
