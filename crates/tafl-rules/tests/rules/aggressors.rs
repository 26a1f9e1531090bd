//! Who loses by repetition where the aggressor does (spec.md 4.4), in cycles beyond the plain ones.

use crate::rules::board::{game, play, play_all, ruleset, standing};
use std::num::NonZeroU32;
use tafl_rules::{Chain, Escape, Repetition, Ruleset, Side, Switch};

/// The defenders lose: they had a choice, or nobody had, or both had.
const ATTACKERS_WIN: &str = "attackers win (repetition)";
/// The attackers lose: only they had a choice.
const DEFENDERS_WIN: &str = "defenders win (repetition)";

fn berserk() -> Ruleset {
    ruleset("berserk-2017")
}

/// Plays two cycles, at whose end the first position is there for the third time; returns the result.
#[track_caller]
fn result_of(ruleset: &Ruleset, drawing: &str, side: Side, [first, second]: [&str; 2]) -> String {
    let mut game = game(ruleset, drawing, side);
    play_all(&mut game, first);
    assert_eq!(
        (standing(&game).as_str(), game.occurrences()),
        ("ongoing", 2)
    );
    play_all(&mut game, second);
    assert_eq!(game.occurrences(), 3);
    standing(&game)
}

/// The king can only go to and fro between b2 and b3, as long as a3 is closed.
const CAGED_KING: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . t . . . . .
    t . t . . . .
    t K t . . t .
    . t . . . . .";
const CAGED: &str = "b2-b3 f2-f3 b3-b2 f3-f2";
const A3_OPEN: &str = "b2-b3 a3-a4 b3-b2 a4-a3";

#[test]
fn only_the_plies_between_the_second_and_the_third_occurrence_count() {
    let result = |cycles| result_of(&berserk(), CAGED_KING, Side::Defender, cycles);
    assert_eq!(result([A3_OPEN, CAGED]), DEFENDERS_WIN);
    assert_eq!(result([CAGED, A3_OPEN]), ATTACKERS_WIN);
    assert_eq!(result([CAGED, CAGED]), DEFENDERS_WIN);
}

#[test]
fn a_side_is_bound_only_when_all_of_its_plies_were_forced() {
    // From b2 the king can only go to b3; from there he could go to c3 as well.
    let board = CAGED_KING.replacen("t . t . . . .", "t . . . . . .", 1);
    let result = result_of(&berserk(), &board, Side::Defender, [CAGED, CAGED]);
    assert_eq!(result, ATTACKERS_WIN);
}

/// Commanders threaten the king on b2 from c2, and on b3 from c3.
const THREATENED_KING: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . t t . . . .
    c . c t . . .
    c K . t . . .
    . t t . . . .";
const THREATS: &str = "b2-b3 c3-c2 b3-b2 c2-c3";

#[test]
fn turns_that_leave_the_king_to_be_captured_are_no_choice() {
    // The soldier on f7 has many turns, none of which helps the king.
    let board = THREATENED_KING.replacen(". . . . . . .", ". . . . . T .", 1);
    let result = result_of(&berserk(), &board, Side::Defender, [THREATS, THREATS]);
    assert_eq!(result, DEFENDERS_WIN);
}

#[test]
fn two_ways_to_parry_one_threat_make_neither_forced() {
    // From b2 the king could go to b1 as well.
    let ranks = THREATENED_KING.strip_suffix(". t t . . . .");
    let board = format!("{}. . t . . . .", ranks.expect("rank 1 is the last"));
    let result = result_of(&berserk(), &board, Side::Defender, [THREATS, THREATS]);
    assert_eq!(result, ATTACKERS_WIN);
}

#[test]
fn what_other_turns_lead_to_is_judged_without_limits() {
    // By the eighth ply the limit is reached as well: were it judged, each other turn of the king
    // would end the game.
    let limited = Ruleset {
        captureless_limit: NonZeroU32::new(8),
        ..berserk()
    };
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t t . . . .
        c K c t . . .
        c . . t . . .
        . t t . . . .";
    let cycle = "c3-c2 b3-b2 c2-c3 b2-b3";
    for ruleset in [berserk(), limited] {
        let result = result_of(&ruleset, board, Side::Attacker, [cycle, cycle]);
        assert_eq!(result, DEFENDERS_WIN);
    }
}

#[test]
fn whether_the_ply_that_was_played_itself_avoids_the_loss_does_not_matter() {
    // Whatever the defenders play, the king falls, also after the plies of the cycle.
    let board = "
        . c K . c . .
        . . t . . . .
        . . . . . . .
        . . . . t . .
        . . . . . . .
        . . . . . . .
        . T . . . . .";
    let cycle = "b1-b6 e4-e2 b6-b1 e2-e4";
    for plies in ["b1-b6", "b1-b6 e4-e2 b6-b1"] {
        let mut game = game(&berserk(), board, Side::Defender);
        play_all(&mut game, plies);
        assert_eq!(play(&mut game, "e7-d7").1, "attackers win (king-captured)");
    }
    let result = result_of(&berserk(), board, Side::Defender, [cycle, cycle]);
    assert_eq!(result, DEFENDERS_WIN);
}

fn with_chain(chain: Chain) -> Ruleset {
    Ruleset { chain, ..berserk() }
}

#[test]
fn going_on_with_a_chain_is_a_turn_of_its_own() {
    // From c6 the king could capture b7 from c7. There he would fall between b7 and d7, but he may
    // go on to the corner.
    let board = "
        . t . c . . .
        t . K t . . .
        . c t . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .";
    let cycle = "b5-b4 c6-b6 b4-b5 b6-c6";
    for (chain, result) in [
        (Chain::Optional, ATTACKERS_WIN),
        (Chain::Forced, ATTACKERS_WIN),
        (Chain::None, DEFENDERS_WIN),
    ] {
        let found = result_of(&with_chain(chain), board, Side::Attacker, [cycle, cycle]);
        assert_eq!(found, result, "{chain:?}");
    }
}

#[test]
fn stopping_a_chain_is_a_turn_of_its_own() {
    // One of the defenders' chains saves the king if it stops, and not if it must go on.
    let board = "
        . . . . . . .
        t . . . . . .
        . . . . . . .
        . . . . c . .
        . . . t . t .
        . . t . K t .
        . . c . t T .";
    let cycle = "e2-e3 a6-e6 e3-e2 e6-a6";
    for (chain, result) in [
        (Chain::Optional, ATTACKERS_WIN),
        (Chain::None, ATTACKERS_WIN),
        (Chain::Forced, DEFENDERS_WIN),
    ] {
        let found = result_of(&with_chain(chain), board, Side::Defender, [cycle, cycle]);
        assert_eq!(found, result, "{chain:?}");
    }
}

#[test]
fn the_opponents_winning_turn_may_be_a_chain() {
    // One of the defenders' other turns is lost only to a chain that ends in the king's capture.
    let board = "
        . . . c . . .
        . . . T . c .
        . . . t K t .
        . . . . t . .
        . . . . . . .
        . . . . . . .
        . t . . . . .";
    let cycle = "e5-e6 b1-b5 e6-e5 b5-b1";
    for (chain, result) in [
        (Chain::Optional, DEFENDERS_WIN),
        (Chain::Forced, DEFENDERS_WIN),
        (Chain::None, ATTACKERS_WIN),
    ] {
        let found = result_of(&with_chain(chain), board, Side::Defender, [cycle, cycle]);
        assert_eq!(found, result, "{chain:?}");
    }
}

/// The king has one square to go to; only an attacker who follows him keeps him from the edge.
const BOTH_BOUND: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . t . . . .
    . t K t . . .
    . t . . . . .
    . . t . . . .";

fn to_the_edge() -> Ruleset {
    Ruleset {
        encirclement: Switch::Off,
        repetition: Repetition::Aggressor,
        escape: Escape::Edges,
        ..ruleset("copenhagen")
    }
}

#[test]
fn where_both_are_bound_the_defenders_lose() {
    let cycle = "c3-c2 d3-d2 c2-c3 d2-d3";
    let result = result_of(&to_the_edge(), BOTH_BOUND, Side::Defender, [cycle, cycle]);
    assert_eq!(result, ATTACKERS_WIN);
}

#[test]
fn where_only_the_defenders_are_bound_the_attackers_lose() {
    // Another attacker keeps both rows closed, so the one on d3 need not have followed.
    let board = BOTH_BOUND.replacen(". t . . . . .", ". t . . t . .", 1);
    let board = board.replacen(". t K t . . .", ". t K t t . .", 1);
    let cycle = "c3-c2 d3-d2 c2-c3 d2-d3";
    let result = result_of(&to_the_edge(), &board, Side::Defender, [cycle, cycle]);
    assert_eq!(result, DEFENDERS_WIN);
}
