//! How games end, but for king captures, forts and repetition (spec.md 2.6, 2.7, 3, 4.3, 4.5).

use crate::rules::board::{check, check_turned, game, play_all, ruleset, standing};
use std::num::NonZeroU32;
use tafl_rules::{CapturelessReason, Escape, PRESET_NAMES, Repetition, Ruleset, Side};

const ENCIRCLED: &str = "attackers win (encirclement)";

#[test]
fn the_king_on_a_corner_wins() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . . K . . .";
    for name in PRESET_NAMES {
        check(
            &ruleset(name),
            board,
            "d1-a1",
            "",
            "defenders win (king-escaped)",
        );
        check(&ruleset(name), board, "d1-b1", "", "ongoing");
    }
}

/// The attacker on d1 closes the last gap of a ring around everything.
const RING: &str = "
    . . . . . . .
    . . . t . . .
    . . t . t . .
    . t . K . t .
    . . t . t . .
    . . . . . . .
    . . . t . . .";

/// The same ring without a gap, and one attacker outside.
const CLOSED_RING: &str = "
    . . . . . . .
    . . . t . . .
    . . t . t . .
    . t . K . t .
    . . t . t . .
    . . . t . . .
    . . . t . . .";

#[test]
fn a_ring_around_the_king_and_all_defenders_wins() {
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        check(&ruleset(name), RING, "d1-d2", "", ENCIRCLED);
    }
}

#[test]
fn berserk_knows_no_encirclement() {
    for name in ["berserk-2017", "berserk-2024"] {
        check(&ruleset(name), RING, "d1-d2", "", "ongoing");
    }
}

#[test]
fn a_defender_outside_the_ring_prevents_it() {
    let board = RING.replacen(". . . t . . .", ". . . t . . T", 1);
    check(&ruleset("fetlar"), &board, "d1-d2", "", "ongoing");
}

#[test]
fn capturing_the_last_defender_outside_completes_the_ring() {
    let board = "
        . . . . . . .
        . . . t . . .
        . . t . t . .
        . t . K . t .
        . . t . t . .
        . . . t . . .
        . T . . . t .";
    check(&ruleset("fetlar"), board, "f1-c1", "b1", ENCIRCLED);
}

#[test]
fn a_ring_that_needs_an_edge_does_not_win() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . t . . t . .
        . t K t . . .";
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        check(&ruleset(name), board, "e2-d2", "", "ongoing");
    }
}

#[test]
fn encirclement_is_judged_after_a_ply_of_the_attackers_only() {
    let mut game = game(&ruleset("fetlar"), CLOSED_RING, Side::Defender);
    play_all(&mut game, "d4-d5");
    assert_eq!(standing(&game), "ongoing");
    play_all(&mut game, "d1-c1");
    assert_eq!(standing(&game), ENCIRCLED);
}

#[test]
fn a_capture_that_the_defenders_could_make_does_not_prevent_encirclement() {
    // Next the king could go to f6 and capture e6, which d6 holds from the other side.
    let board = "
        . . . . . . . . . . .
        . . . . . t . . . . .
        . . . . t . t . . . .
        . . . t . . . t . . .
        . . t . . . . . t . .
        . t . T t . . K . t .
        . . t . . . . . t . .
        . . . t . . . t . . .
        . . . . t . t . . . .
        . . . . . . . . . . .
        . . . . . t . . . . .";
    check(&ruleset("fetlar"), board, "f1-f2", "", ENCIRCLED);
}

/// The attackers' only piece has no move once b3 is closed.
const LAST_GAP: &str = "
    . . . . . . .
    . . . . K . .
    . . . . . . .
    T . . . . . .
    t . . . T . .
    T . . . . . .
    . . . . . . .";

#[test]
fn a_side_without_a_legal_move_loses_and_draws_in_the_tournament() {
    for name in PRESET_NAMES {
        let result = match name {
            "copenhagen-tournament" => "draw (no-move)",
            _ => "defenders win (no-move)",
        };
        check(&ruleset(name), LAST_GAP, "e3-b3", "", result);
    }
}

#[test]
fn attackers_without_a_piece_have_no_legal_move() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . .
        T t . . T . .
        . . . . . . .
        . . . . . . .";
    for name in PRESET_NAMES {
        let result = match name {
            "copenhagen-tournament" => "draw (no-move)",
            _ => "defenders win (no-move)",
        };
        check(&ruleset(name), board, "e3-c3", "b3", result);
    }
}

#[test]
fn a_lone_king_shut_in_on_an_edge_has_no_legal_move() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . t K t . . .";
    // In Berserk the king would leap into the corner over b1.
    for (name, result) in [
        ("copenhagen", "attackers win (no-move)"),
        ("fetlar", "attackers win (no-move)"),
        ("copenhagen-tournament", "draw (no-move)"),
        ("berserk-2024", "ongoing"),
    ] {
        check(&ruleset(name), board, "c4-c2", "", result);
    }
}

#[test]
fn a_start_position_is_judged_for_no_legal_move_only() {
    let stuck = LAST_GAP.replacen("t . . . T . .", "t T . . . . .", 1);
    let stuck = game(&ruleset("copenhagen"), &stuck, Side::Attacker);
    assert_eq!(standing(&stuck), "defenders win (no-move)");
    let ring = game(&ruleset("fetlar"), CLOSED_RING, Side::Defender);
    assert_eq!(standing(&ring), "ongoing");
}

/// A position in which both sides can shuffle for ever.
const QUIET: &str = "
    . . . . . . .
    . . . . . . .
    . K . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . t .
    . . . . . . .";

/// Shuffles until the game ends or `limit` plies are played; returns how many and how it stands.
fn shuffle(ruleset: &Ruleset, limit: usize) -> (usize, String) {
    let quiet = Ruleset {
        repetition: Repetition::Off,
        ..ruleset.clone()
    };
    let mut game = game(&quiet, QUIET, Side::Attacker);
    let cycle = ["f2-f3", "b5-b6", "f3-f2", "b6-b5"];
    for mv in cycle.into_iter().cycle().take(limit) {
        if game.outcome().is_some() {
            break;
        }
        play_all(&mut game, mv);
    }
    (game.moves().len(), standing(&game))
}

#[test]
fn a_run_without_captures_is_a_draw_at_the_limit() {
    assert_eq!(
        shuffle(&ruleset("copenhagen"), 300),
        (100, "draw (captureless)".to_owned())
    );
    assert_eq!(
        shuffle(&ruleset("fetlar"), 300),
        (200, "draw (unfinishable)".to_owned())
    );
    assert_eq!(
        shuffle(&ruleset("berserk-2024"), 300),
        (200, "draw (unfinishable)".to_owned())
    );
    assert_eq!(
        shuffle(&ruleset("berserk-2017"), 300),
        (300, "ongoing".to_owned())
    );
    assert_eq!(
        shuffle(&ruleset("copenhagen-tournament"), 300),
        (300, "ongoing".to_owned())
    );
}

fn limited(plies: u32) -> Ruleset {
    Ruleset {
        captureless_limit: NonZeroU32::new(plies),
        captureless_reason: CapturelessReason::Captureless,
        ..ruleset("fetlar")
    }
}

#[test]
fn a_capture_starts_the_captureless_count_again() {
    let board = "
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        T t . . T . .
        . . . . . . .";
    let mut game = game(&limited(3), board, Side::Attacker);
    play_all(&mut game, "g4-g5 e2-c2");
    assert_eq!(game.position().captureless(), 0);
    play_all(&mut game, "g5-g6 c2-c3 g6-g5");
    assert_eq!(standing(&game), "draw (captureless)");
}

#[test]
fn a_third_occurrence_comes_before_the_captureless_limit() {
    let mut game = game(&limited(8), QUIET, Side::Attacker);
    play_all(&mut game, "f2-f3 b5-b6 f3-f2 b6-b5 f2-f3 b5-b6 f3-f2 b6-b5");
    assert_eq!(standing(&game), "draw (repetition)");
}

#[test]
fn the_captureless_limit_comes_before_no_legal_move() {
    check(&limited(1), LAST_GAP, "e3-b3", "", "draw (captureless)");
}

#[test]
fn what_the_board_decides_comes_before_every_count() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . . K . . .";
    check(
        &limited(1),
        board,
        "d1-a1",
        "",
        "defenders win (king-escaped)",
    );
}

#[test]
fn the_king_wins_on_each_corner_by_a_slide_along_either_edge() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        . . . . . . .
        . . . K . . .";
    for name in PRESET_NAMES {
        let escaped = "defenders win (king-escaped)";
        check_turned(&ruleset(name), board, "d1-a1", "", escaped);
    }
}

#[test]
fn a_ring_may_have_any_place_and_shape() {
    check_turned(&ruleset("fetlar"), RING, "d1-d2", "", ENCIRCLED);
    let board = "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . t t t . . . . . .
        . t . T K t . . . . .
        . t . . t . . . . . .
        . . t t . . . . . . .
        . . . . . t . . . . .";
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        // c5-c6 opens the ring, c6-c5 closes it again.
        let mut game = game(&ruleset(name), board, Side::Attacker);
        play_all(&mut game, "c5-c6 d4-d3 c6-c5");
        assert_eq!(standing(&game), ENCIRCLED, "{name}");
    }
}

#[test]
fn the_throne_is_no_part_of_a_ring() {
    let open = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t T t . .
        . . t K t . .
        . . . . . t .";
    let closed_beyond_it = "
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . . t . t . .
        . . t T t . .
        . . t K t . .
        . . . . . t .";
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        check_turned(&ruleset(name), open, "f1-d1", "", "ongoing");
        check_turned(&ruleset(name), closed_beyond_it, "f1-d1", "", ENCIRCLED);
    }
}

#[test]
fn a_ring_around_a_corner_does_not_win() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t t . . . . .
        . . t . . . .
        . K . t . . .
        . . . . . t .";
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        check_turned(&ruleset(name), board, "f1-d1", "", "ongoing");
    }
}

#[test]
fn a_defender_in_a_ring_of_his_own_is_surrounded_as_well() {
    let board = "
        . . . . . . . . . . .
        . . . . . . t . . . .
        . . . . . t T t . . .
        . . . . . . t . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . t . . . . . . .
        . . t K t . . . . . .
        . . t . t . . . . . .
        . . . . . . . . . . .
        . . . t . . . . . . .";
    check_turned(&ruleset("fetlar"), board, "d1-d2", "", ENCIRCLED);
    let open = board.replacen(". . . . . . t . . . .", ". . . . . . . . . . .", 1);
    check_turned(&ruleset("fetlar"), &open, "d1-d2", "", "ongoing");
}

#[test]
fn a_king_shut_in_with_a_man_who_can_move_is_not_without_a_move() {
    let board = "
        . . . . . . .
        . . . . . T .
        . . . . . . .
        . . t . . . .
        . . . . . . .
        . . . . . . .
        . t K t . . .";
    for name in PRESET_NAMES {
        check_turned(&ruleset(name), board, "c4-c2", "", "ongoing");
    }
}

#[test]
fn defenders_all_of_whom_are_shut_in_have_no_legal_move() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . t . . . .
        . . . . . . .
        . . . t . . .
        . t K T t . .";
    for (name, result) in [
        ("copenhagen", "attackers win (no-move)"),
        ("fetlar", "attackers win (no-move)"),
        ("copenhagen-tournament", "draw (no-move)"),
    ] {
        check_turned(&ruleset(name), board, "c4-c2", "", result);
    }
}

#[test]
fn what_a_start_position_shows_on_the_board_is_not_judged() {
    let fort = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . . . . .
        . . T T . . .
        . T K . T . .";
    let captured = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . . . . .
        t K t . . . T
        . t . . . . .
        . . . . . . .";
    for side in Side::ALL {
        let fort = game(&ruleset("copenhagen"), fort, side);
        assert_eq!(standing(&fort), "ongoing");
        let captured = game(&ruleset("copenhagen"), captured, side);
        assert_eq!(standing(&captured), "ongoing");
    }
}

#[test]
fn a_capture_of_the_king_is_reported_before_encirclement() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . . t K t . .
        . . . . . . .
        . . . . . . .
        . . . t . . .";
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        check_turned(
            &ruleset(name),
            board,
            "d1-d3",
            "",
            "attackers win (king-captured)",
        );
    }
}

#[test]
fn an_escape_is_reported_before_a_fort() {
    let board = "
        . . . . . . .
        . . . . . . .
        . t . . . t .
        . . . . . . .
        . . . K . . .
        . . T . . . .
        . T . . T . .";
    let to_the_edges = Ruleset {
        escape: Escape::Edges,
        ..ruleset("copenhagen")
    };
    check_turned(
        &to_the_edges,
        board,
        "d3-d1",
        "",
        "defenders win (king-escaped)",
    );
}
