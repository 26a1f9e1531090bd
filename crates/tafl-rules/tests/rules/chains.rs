//! Capture chains (spec.md 5.4).

use crate::rules::board::{check, game, legal, play, play_all, ruleset, standing};
use tafl_rules::{Chain, Escape, Game, Move, Ruleset, Side};

/// The soldier on e2 captures b2 from c2, and b5 from c5.
const TWO_CAPTURES: &str = "
    . . . . . . .
    . . . . K . .
    T t . . . . .
    . . . . . . t
    . . . . . . .
    T t . . T . .
    . . . . . . .";

/// The king captures d1 from c1, from where the corner is open.
const CAPTURE_BEFORE_A_CORNER: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . t
    . . K . . . .
    . . . . . . .
    . . . t T . .";

fn chain(chain: Chain) -> Ruleset {
    Ruleset {
        chain,
        ..ruleset("berserk-2024")
    }
}

fn after(ruleset: &Ruleset, board: &str, mv: &str) -> Game {
    let mut game = game(ruleset, board, Side::Defender);
    play_all(&mut game, mv);
    game
}

#[test]
fn after_a_capture_the_same_piece_may_capture_again_or_stop() {
    for name in ["berserk-2017", "berserk-2024"] {
        let mut game = after(&ruleset(name), TWO_CAPTURES, "e2-c2");
        assert_eq!(game.position().chain(), "c2".parse().ok());
        assert_eq!(game.position().side(), Side::Defender);
        assert_eq!(legal(&game), "c2-c5 end");
        assert_eq!(
            play(&mut game, "c2-c5"),
            ("b5".to_owned(), "ongoing".to_owned())
        );
        assert_eq!(game.position().side(), Side::Attacker);
        assert_eq!(game.position().chain(), None);
    }
}

#[test]
fn stopping_is_a_ply_of_its_own_and_hands_over_the_move() {
    let mut game = after(&chain(Chain::Optional), TWO_CAPTURES, "e2-c2");
    assert_eq!(
        play(&mut game, "end"),
        (String::new(), "ongoing".to_owned())
    );
    assert_eq!(game.position().side(), Side::Attacker);
    assert_eq!(game.position().chain(), None);
    assert_eq!(game.moves().len(), 2);
}

#[test]
fn in_a_forced_chain_there_is_no_end_while_a_continuation_exists() {
    let mut game = after(&chain(Chain::Forced), TWO_CAPTURES, "e2-c2");
    assert_eq!(legal(&game), "c2-c5");
    assert_eq!(play(&mut game, "end").1, "illegal");
}

#[test]
fn without_chains_a_capture_ends_the_turn() {
    let game = after(&chain(Chain::None), TWO_CAPTURES, "e2-c2");
    assert_eq!(standing(&game), "ongoing");
    assert_eq!(game.position().side(), Side::Attacker);
}

#[test]
fn a_piece_without_a_continuation_passes_the_turn_by_itself() {
    let board = TWO_CAPTURES.replacen("T t . . . . .", ". t . . . . .", 1);
    check(&chain(Chain::Optional), &board, "e2-c2", "b2", "ongoing");
}

#[test]
fn end_is_offered_only_inside_a_chain() {
    let mut game = game(&chain(Chain::Optional), TWO_CAPTURES, Side::Defender);
    assert!(!legal(&game).contains("end"));
    assert_eq!(play(&mut game, "end").1, "illegal");
}

#[test]
fn a_king_who_captured_may_finish_the_chain_on_a_corner_without_capturing() {
    let mut optional = after(&chain(Chain::Optional), CAPTURE_BEFORE_A_CORNER, "c3-c1");
    assert_eq!(legal(&optional), "c1-a1 end");
    let escaped = "defenders win (king-escaped)".to_owned();
    assert_eq!(play(&mut optional, "c1-a1"), (String::new(), escaped));
    let forced = after(&chain(Chain::Forced), CAPTURE_BEFORE_A_CORNER, "c3-c1");
    assert_eq!(legal(&forced), "c1-a1");
}

#[test]
fn a_soldier_may_not_finish_a_chain_without_capturing() {
    let board = "
        . . . . K . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . T . . . .
        . . . . . . .
        . . . t T . .";
    check(&chain(Chain::Optional), board, "c3-c1", "d1", "ongoing");
}

#[test]
fn nothing_more_is_judged_while_the_chain_may_go_on() {
    let last_attacker = CAPTURE_BEFORE_A_CORNER.replacen(". . . . . . t", ". . . . . . .", 1);
    let mut game = after(&chain(Chain::Optional), &last_attacker, "c3-c1");
    assert_eq!(standing(&game), "chain");
    assert_eq!(play(&mut game, "end").1, "defenders win (no-move)");
}

#[test]
fn slides_and_jumps_may_follow_each_other_in_a_chain() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . t . . . .
        T t . . N . .
        . . . . . . .";
    let mut game = game(&chain(Chain::Optional), board, Side::Defender);
    assert_eq!(
        play(&mut game, "e2-c2"),
        ("b2".to_owned(), "chain".to_owned())
    );
    assert_eq!(legal(&game), "c2-c4 end");
    assert_eq!(
        play(&mut game, "c2-c4"),
        ("c3".to_owned(), "ongoing".to_owned())
    );
}

#[test]
fn a_chain_may_capture_the_king() {
    let board = "
        . . . . . . .
        . . . . . . T
        c K . . . . .
        . . . . . . .
        . . . . . . .
        t T . . c . .
        . . . . . . .";
    let mut game = game(&chain(Chain::Optional), board, Side::Attacker);
    assert_eq!(
        play(&mut game, "e2-c2"),
        ("b2".to_owned(), "chain".to_owned())
    );
    assert_eq!(legal(&game), "c2-c5 end");
    let captured = "attackers win (king-captured)".to_owned();
    assert_eq!(play(&mut game, "c2-c5"), (String::new(), captured));
}

#[test]
fn the_end_of_a_chain_is_not_counted_as_a_captureless_ply() {
    let mut game = after(&chain(Chain::Optional), TWO_CAPTURES, "e2-c2");
    assert_eq!(game.position().captureless(), 0);
    play(&mut game, "end");
    assert_eq!(game.position().captureless(), 0);
    play(&mut game, "g4-g5");
    assert_eq!(game.position().captureless(), 1);
}

#[test]
fn a_position_inside_a_chain_can_be_set_up() {
    let after = after(&chain(Chain::Optional), TWO_CAPTURES, "e2-c2");
    let setup = tafl_rules::Setup::of(after.position(), after.rules().shape());
    let position = after.rules().position(&setup).unwrap();
    assert_eq!(&position, after.position());
    let mut game = Game::from_position(after.rules().clone(), position);
    assert_eq!(legal(&game), "c2-c5 end");
    game.play(Move::END).unwrap();
    assert_eq!(game.position().side(), Side::Attacker);
}

#[test]
fn a_chain_is_pending_only_right_after_a_capture() {
    let after = after(&chain(Chain::Optional), TWO_CAPTURES, "e2-c2");
    let mut setup = tafl_rules::Setup::of(after.position(), after.rules().shape());
    setup.captureless = 1;
    let refused = after.rules().position(&setup).map_err(|e| e.to_string());
    assert_eq!(refused, Err("no chain can be pending on c2".to_owned()));
}

#[test]
fn a_king_who_captured_may_finish_the_chain_by_a_leap_into_a_corner() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . K . . . .
        . . . . . . .
        . t . t T . .";
    let mut game = after(&chain(Chain::Optional), board, "c3-c1");
    assert_eq!(legal(&game), "c1-a1 end");
    let escaped = "defenders win (king-escaped)".to_owned();
    assert_eq!(play(&mut game, "c1-a1"), (String::new(), escaped));
}

#[test]
fn only_the_piece_that_captured_goes_on() {
    // The soldier on f5 could capture as well, b5 from c5, but it is not his chain.
    let board = TWO_CAPTURES.replacen("T t . . . . .", "T t . . . T .", 1);
    let game = after(&chain(Chain::Optional), &board, "e2-c2");
    assert_eq!(legal(&game), "c2-c5 end");
}

#[test]
fn a_chain_may_be_stopped_after_any_of_its_captures() {
    let board = "
        . . . . . . .
        . . . . K . .
        T t . . t T .
        . . . . . . t
        . . . . . . .
        T t . . T . .
        . . . . . . .";
    let mut game = after(&chain(Chain::Optional), board, "e2-c2");
    assert_eq!(play(&mut game, "c2-c5"), ("b5".into(), "chain".into()));
    assert_eq!(legal(&game), "c5-d5 end");
    let mut stopped = game.clone();
    assert_eq!(play(&mut stopped, "end").1, "ongoing");
    assert_eq!(play(&mut game, "c5-d5"), ("e5".into(), "ongoing".into()));
}

#[test]
fn a_capture_that_ends_the_game_leaves_no_chain() {
    // On c2 the commander captures b2 and the king at once; from c5 it could have captured b5.
    let board = "
        . . . . . . .
        . . . . . . T
        t T . . . . .
        . . . . . . .
        . . c . . . .
        t T . K c . .
        . . . . . . .";
    let captured = "attackers win (king-captured)";
    check(&chain(Chain::Optional), board, "c3-c2", "b2", captured);
    let alone = board.replacen("K c", "K .", 1);
    check(&chain(Chain::Optional), &alone, "c3-c2", "b2", "chain");
}

#[test]
fn encirclement_is_judged_before_a_chain_goes_on() {
    // From d2 the attacker could take the king on d3, but the ring is complete.
    let board = "
        . . . . . . .
        . . . . . . .
        . . . t . . .
        . . t K t . .
        . . t . t . .
        . t T . . . .
        . . . t . . .";
    let ruleset = Ruleset {
        chain: Chain::Optional,
        ..ruleset("fetlar")
    };
    check(
        &ruleset,
        board,
        "d1-d2",
        "c2",
        "attackers win (encirclement)",
    );
    let outside = board.replacen(". . . . . . .", ". . . T . . .", 1);
    check(&ruleset, &outside, "d1-d2", "c2", "chain");
}

#[test]
fn a_fort_is_judged_before_a_chain_goes_on() {
    // From f1 the soldier could capture f6 on f5.
    let board = "
        . . . . . T .
        . t . . . t .
        . . . . . . .
        . . . . . . T
        . . . . . . .
        . . T T T . .
        . T . K t . T";
    let ruleset = Ruleset {
        chain: Chain::Optional,
        ..ruleset("copenhagen")
    };
    let board =
        board
            .replacen("K t . T", "K t . .", 1)
            .replacen(". . T T T . .", ". . T T T T .", 1);
    check(&ruleset, &board, "f2-f1", "e1", "defenders win (fort)");
    let open = board.replacen("T T T T", "T T . T", 1);
    check(&ruleset, &open, "f2-f1", "e1", "chain");
}

#[test]
fn the_captureless_limit_is_judged_only_between_turns() {
    let ruleset = Ruleset {
        captureless_limit: std::num::NonZeroU32::new(1),
        ..chain(Chain::Optional)
    };
    let mut game = after(&ruleset, TWO_CAPTURES, "e2-c2");
    assert_eq!(standing(&game), "chain");
    assert_eq!(play(&mut game, "end").1, "ongoing");
    assert_eq!(play(&mut game, "g4-g5").1, "draw (unfinishable)");
}

#[test]
fn nobody_chains_in_copenhagen_fetlar_and_the_tournament() {
    for name in ["copenhagen", "copenhagen-tournament", "fetlar"] {
        check(&ruleset(name), TWO_CAPTURES, "e2-c2", "b2", "ongoing");
    }
}

#[test]
fn where_the_edges_are_the_goal_the_king_may_finish_the_chain_on_any_of_them() {
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . t
        . . K . . . .
        . . . . . . .
        . . . t T . .
        . . . . . . .";
    let to_the_edges = Ruleset {
        escape: Escape::Edges,
        ..chain(Chain::Optional)
    };
    let game = after(&to_the_edges, board, "c4-c2");
    assert_eq!(legal(&game), "c2-a2 c2-c1 c2-c7 end");
}
