//! How pieces move (spec.md 2.1).

use crate::rules::board::{game, ruleset, targets};
use tafl_rules::{Move, PRESET_NAMES, Side};

#[test]
fn a_piece_slides_over_empty_squares_until_something_stands_in_its_way() {
    let board = "
        . . . . . . .
        . . . . K . .
        . T . . . . .
        . . . . . . .
        . . . . . . .
        . t . . t . .
        . . . . . . .";
    assert_eq!(
        targets(&ruleset("fetlar"), board, "b2"),
        "a2 b1 b3 b4 c2 d2"
    );
}

#[test]
fn a_soldier_crosses_the_empty_throne_but_does_not_stop_there() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . T . . .
        . t . . . . .";
    for name in PRESET_NAMES {
        let targets = targets(&ruleset(name), board, "d2");
        assert_eq!(targets, "a2 b2 c2 d1 d3 d5 d6 d7 e2 f2 g2");
    }
}

#[test]
fn the_king_may_come_back_to_the_throne() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . t . . . . .";
    let targets = targets(&ruleset("fetlar"), board, "d2");
    assert_eq!(targets, "a2 b2 c2 d1 d3 d4 d5 d6 d7 e2 f2 g2");
}

#[test]
fn nobody_crosses_the_throne_while_the_king_is_on_it() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . K . . .
        . . . . . . .
        . . . T . . .
        . t . . . . .";
    assert_eq!(
        targets(&ruleset("fetlar"), board, "d2"),
        "a2 b2 c2 d1 d3 e2 f2 g2"
    );
}

#[test]
fn soldiers_do_not_enter_corners() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    assert_eq!(
        targets(&ruleset("fetlar"), board, "b1"),
        "b2 b3 b4 b5 b6 b7 c1 d1 e1 f1"
    );
}

#[test]
fn the_king_enters_corners() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        . K . . . . .";
    assert_eq!(
        targets(&ruleset("fetlar"), board, "b1"),
        "a1 c1 d1 e1 f1 g1"
    );
}

#[test]
fn nobody_passes() {
    for name in PRESET_NAMES {
        let start = &ruleset(name).start;
        let game = tafl_rules::Game::new(tafl_rules::Rules::preset(name).expect("a preset"));
        assert_eq!(game.position().side(), Side::Attacker);
        assert!(
            !game.rules().is_legal(game.position(), Move::END),
            "{start:?}"
        );
        assert!(!crate::rules::board::sorted_moves(&game).contains(&"end".to_owned()));
    }
}

#[test]
fn a_side_moves_its_own_pieces_only() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . T . .
        . . . . . . .";
    let mut game = game(&ruleset("fetlar"), board, Side::Attacker);
    assert!(game.play("e2-e3".parse().unwrap()).is_err());
    assert!(game.play("c3-c4".parse().unwrap()).is_err());
    assert!(game.play("b2-b3".parse().unwrap()).is_ok());
    assert!(game.play("b3-b2".parse().unwrap()).is_err());
}

#[test]
fn every_kind_of_piece_crosses_the_empty_throne_and_only_the_king_stops_there() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . P . T .
        . . . . . . .";
    for piece in ["t", "c", "T", "N"] {
        let board = board.replace('P', piece);
        let targets = targets(&ruleset("berserk-2024"), &board, "d2");
        assert_eq!(targets, "c2 d1 d3 d5 d6 d7 e2", "{piece}");
    }
    let board = board.replace('K', ".").replace('P', "K");
    for name in PRESET_NAMES {
        let targets = targets(&ruleset(name), &board, "d2");
        assert_eq!(targets, "c2 d1 d3 d4 d5 d6 d7 e2", "{name}");
    }
}

#[test]
fn no_kind_of_piece_but_the_king_enters_a_corner() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        P t . . . . .
        . . T . . . .";
    for piece in ["t", "c", "T", "N"] {
        let board = board.replace('P', piece);
        let targets = targets(&ruleset("berserk-2024"), &board, "a2");
        let jump = if piece == "N" { " c2" } else { "" };
        assert_eq!(targets, format!("a3 a4 a5 a6{jump}"), "{piece}");
    }
}

#[test]
fn friends_and_enemies_alike_stop_a_slide() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        T . T . t . .
        . . . . . . .";
    assert_eq!(targets(&ruleset("fetlar"), board, "c2"), "b2 c1 c3 c4 d2");
    assert_eq!(
        targets(&ruleset("fetlar"), board, "c5"),
        "a5 b5 c3 c4 c6 c7 d5 e5 f5 g5"
    );
}
