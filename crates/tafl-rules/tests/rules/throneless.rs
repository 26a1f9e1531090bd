//! A board without a throne (spec.md 7.5).

use crate::rules::board::{check, check_turned, ruleset, targets};
use tafl_rules::{KingCapture, Ruleset, Switch};

const CAPTURED: &str = "attackers win (king-captured)";

fn throneless(king_capture: KingCapture) -> Ruleset {
    Ruleset {
        throne: Switch::Off,
        king_capture,
        ..ruleset("brandubh")
    }
}

#[test]
fn all_may_stop_in_the_middle() {
    let board = "
        . . . . . . .
        . . . . . . K
        . . . . . . .
        . t . . T . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let rules = throneless(KingCapture::FourSides);
    assert_eq!(targets(&rules, board, "b4"), "a4 b1 b2 b3 b5 b6 b7 c4 d4");
    let own = targets(&ruleset("brandubh"), board, "b4");
    assert_eq!(own, "a4 b1 b2 b3 b5 b6 b7 c4");
    // From there it captures.
    check(
        &rules,
        &board.replace("T . .", "T t ."),
        "b4-d4",
        "e4",
        "ongoing",
    );
}

#[test]
fn nothing_is_captured_against_the_middle() {
    let board = "
        . . . . . . .
        . . . . . . K
        . t . . . . .
        . . T . . . .
        . . . . . . .
        . . . . . . .
        . . . . . T .";
    check(&ruleset("brandubh"), board, "b5-b4", "c4", "ongoing");
    check_turned(
        &throneless(KingCapture::FourSides),
        board,
        "b5-b4",
        "",
        "ongoing",
    );
}

#[test]
fn beside_the_middle_four_capture_the_king_and_not_three() {
    let three = "
        . . . . . . .
        . . . . . . .
        . . t . . . .
        t . K . . . .
        . . t . . . .
        . . . . . . .
        . . . . . T .";
    let throne = Ruleset {
        throne: Switch::On,
        ..throneless(KingCapture::FourSides)
    };
    check(&throne, three, "a4-b4", "", CAPTURED);
    let rules = throneless(KingCapture::FourSides);
    check_turned(&rules, three, "a4-b4", "", "ongoing");
    let four = three.replace("K . . . .", "K t . . .");
    check_turned(&rules, &four, "a4-b4", "", CAPTURED);
}

#[test]
fn in_the_middle_two_capture_the_king_as_elsewhere() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t . . K t . .
        . . . . . . .
        . . . . . . .
        . . . . . T .";
    let throne = ruleset("brandubh");
    check(&throne, board, "a4-c4", "", "ongoing");
    for capture in [KingCapture::TwoSidesAwayFromThrone, KingCapture::TwoSides] {
        check_turned(&throneless(capture), board, "a4-c4", "", CAPTURED);
    }
}
