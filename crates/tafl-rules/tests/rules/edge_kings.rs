//! A king whom three attackers capture on an edge (spec.md 7.1).

use crate::rules::board::{check, check_turned, ruleset};
use tafl_rules::{KingCapture, Ruleset, Switch};

const CAPTURED: &str = "attackers win (king-captured)";

fn edge(name: &str) -> Ruleset {
    Ruleset {
        king_capture: KingCapture::FourSidesThreeOnEdge,
        ..ruleset(name)
    }
}

#[test]
fn three_attackers_capture_the_king_on_an_edge() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . . . t . . .
        . . . K t . .";
    check_turned(&edge("brandubh"), board, "c3-c1", "", CAPTURED);
    let by_four = Ruleset {
        king_capture: KingCapture::FourSides,
        ..edge("brandubh")
    };
    check(&by_four, board, "c3-c1", "", "ongoing");
    // Two do not, on whichever sides they stand.
    let two = board.replace(". . . t . . .\n", ". . . . . . .\n");
    check(&edge("brandubh"), &two, "c3-c1", "", "ongoing");
    let corner = board.replace("K t", "K T");
    check(&edge("brandubh"), &corner, "c3-c1", "", "ongoing");
}

#[test]
fn a_corner_stands_for_one_of_the_three() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        . K . . t . .";
    check_turned(&edge("brandubh"), board, "e1-c1", "", CAPTURED);
    let open = board.replace(". t . . . . .", "t . . . . . .");
    check(&edge("brandubh"), &open, "e1-c1", "", "ongoing");
}

#[test]
fn elsewhere_four_capture_him_or_three_beside_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . t . t t .
        . . . t . . .";
    // Two beside him and the throne are not enough.
    check(&edge("brandubh"), board, "f2-f3", "", "ongoing");
    let three = board
        .replace(". . . K", ". . t K")
        .replace("K . .", "K t .")
        .replace(". . t . t t .", ". . . . . . .");
    check_turned(&edge("brandubh"), &three, "d1-d2", "", CAPTURED);
    let middle = "
        . . . . . . .
        . . . . . . T
        . . . . t . .
        . . . . . K t
        . . . . . t .
        . . . . . . .
        . . . . . . .";
    check(&edge("brandubh"), middle, "e5-f5", "", "ongoing");
    let four = middle.replace(". . . . . K", ". . . . t K");
    check_turned(&edge("brandubh"), &four, "e5-f5", "", CAPTURED);
}

#[test]
fn where_the_king_escapes_to_the_edges_it_means_nothing() {
    let by_four = Ruleset {
        king_capture: KingCapture::FourSides,
        ..ruleset("tablut")
    };
    assert!(edge("tablut").plays_as(&by_four));
    let corners = Ruleset {
        throne: Switch::Off,
        ..edge("brandubh")
    };
    assert!(!corners.plays_as(&Ruleset {
        king_capture: KingCapture::FourSides,
        ..corners.clone()
    }));
}
