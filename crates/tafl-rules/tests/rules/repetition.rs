//! The third occurrence of a position (spec.md 2.8, 3, 4.4).

use crate::rules::board::{game, play_all, ruleset, standing};
use tafl_rules::{Game, PRESET_NAMES, Repetition, Ruleset, Side};

const ATTACKERS_WIN: &str = "attackers win (repetition)";
const DEFENDERS_WIN: &str = "defenders win (repetition)";

/// Berserk 2017, whose own rule is the aggressor's, with another rule of repetition.
fn judged_by(repetition: Repetition) -> Ruleset {
    Ruleset {
        repetition,
        ..ruleset("berserk-2017")
    }
}

/// Plays a cycle twice, which brings the first position about for the third time.
fn twice(ruleset: &Ruleset, board: &str, side: Side, cycle: &str) -> Game {
    let mut game = game(ruleset, board, side);
    play_all(&mut game, cycle);
    assert_eq!(standing(&game), "ongoing");
    assert_eq!(game.occurrences(), 2);
    play_all(&mut game, cycle);
    game
}

/// Both sides have all the choice in the world.
const FREE: &str = "
    . . . . . . .
    . . . . . . .
    . K . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . t .
    . . . . . . .";
const FREE_CYCLE: &str = "f2-f3 b5-b6 f3-f2 b6-b5";

#[test]
fn the_third_occurrence_ends_the_game_as_the_ruleset_says() {
    for (repetition, result) in [
        (Repetition::Off, "ongoing"),
        (Repetition::Defenders, ATTACKERS_WIN),
        (Repetition::Attackers, DEFENDERS_WIN),
        (Repetition::Draw, "draw (repetition)"),
        (Repetition::Aggressor, ATTACKERS_WIN),
    ] {
        let game = twice(&judged_by(repetition), FREE, Side::Attacker, FREE_CYCLE);
        assert_eq!(standing(&game), result, "{repetition:?}");
    }
}

#[test]
fn a_game_that_forgets_is_judged_alike() {
    for repetition in [Repetition::Draw, Repetition::Aggressor] {
        let ruleset = judged_by(repetition);
        let whole = twice(&ruleset, FREE, Side::Attacker, FREE_CYCLE);
        let mut forgetful = game(&ruleset, FREE, Side::Attacker);
        for mv in FREE_CYCLE.split(' ').chain(FREE_CYCLE.split(' ')) {
            play_all(&mut forgetful, mv);
            forgetful.forget(8);
        }
        assert_eq!(standing(&forgetful), standing(&whole), "{repetition:?}");
    }
}

#[test]
fn the_presets_judge_repetition_as_the_table_says() {
    for name in PRESET_NAMES {
        let game = twice(&ruleset(name), FREE, Side::Attacker, FREE_CYCLE);
        let result = if name == "fetlar" {
            "draw (repetition)"
        } else {
            ATTACKERS_WIN
        };
        assert_eq!(standing(&game), result, "{name}");
    }
}

#[test]
fn the_same_pieces_with_the_other_side_to_move_are_another_position() {
    let mut game = game(&judged_by(Repetition::Draw), FREE, Side::Attacker);
    // The attacker takes three plies to come back, the king two: the sides have changed roles.
    play_all(&mut game, "f2-f3 b5-b6 f3-g3 b6-b5 g3-g2 b5-b6 g2-f2 b6-b5");
    assert_eq!(game.occurrences(), 2);
    let mut game = self::game(&judged_by(Repetition::Draw), FREE, Side::Attacker);
    play_all(&mut game, "f2-f4 b5-b6 f4-f3 b6-b5 f3-f2");
    assert_eq!(game.occurrences(), 1);
}

#[test]
fn the_last_position_of_a_game_that_the_board_ended_is_new() {
    let mut game = game(&ruleset("brandubh"), FREE, Side::Attacker);
    play_all(&mut game, "f2-f3 b5-a5 f3-f2 a5-b5 f2-f3 b5-a5");
    assert_eq!(game.occurrences(), 2);
    play_all(&mut game, "f3-f2 a5-a7");
    assert_eq!(
        (standing(&game).as_str(), game.occurrences()),
        ("defenders win (king-escaped)", 1)
    );
}

#[test]
fn the_repeating_ply_may_be_anyones() {
    // The position after f2-f3 occurs for the third time by a ply of the attackers.
    let mut game = game(&judged_by(Repetition::Defenders), FREE, Side::Attacker);
    play_all(
        &mut game,
        "f2-f4 b5-b6 f4-f3 b6-b5 f3-f2 b5-b6 f2-f3 b6-b5 f3-f2 b5-b6",
    );
    assert_eq!(standing(&game), "ongoing");
    play_all(&mut game, "f2-f3");
    assert_eq!(standing(&game), ATTACKERS_WIN);
}

/// The king can only go to and fro between b2 and b3; the attackers shuffle on f2.
const CAGED_KING: &str = "
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . t . . . . .
    t . t . . . .
    t K t . . t .
    . t . . . . .";

#[test]
fn a_side_without_another_turn_is_forced_and_the_other_one_is_the_aggressor() {
    let cycle = "b2-b3 f2-f3 b3-b2 f3-f2";
    let game = twice(
        &judged_by(Repetition::Aggressor),
        CAGED_KING,
        Side::Defender,
        cycle,
    );
    assert_eq!(standing(&game), DEFENDERS_WIN);
}

#[test]
fn the_aggressor_who_threatens_the_king_again_and_again_loses() {
    // The commander threatens to take the king from c2, then from c3. Elsewhere the king falls too:
    // on c2 to a2-b2, on c3 to a3-b3.
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t t . . . .
        c . c t . . .
        c K . t . . .
        . t t . . . .";
    let cycle = "b2-b3 c3-c2 b3-b2 c2-c3";
    let aggressor = judged_by(Repetition::Aggressor);
    assert_eq!(
        standing(&twice(&aggressor, board, Side::Defender, cycle)),
        DEFENDERS_WIN
    );
    let berserk_2024 = ruleset("berserk-2024");
    assert_eq!(
        standing(&twice(&berserk_2024, board, Side::Defender, cycle)),
        ATTACKERS_WIN
    );
}

#[test]
fn the_aggressor_who_threatens_to_escape_again_and_again_loses() {
    // The attackers' only defense is to close b7, then b1, again and again.
    let board = "
        . . . . . T .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . t . K . T .";
    let cycle = "d1-d7 b1-b7 d7-d1 b7-b1";
    let aggressor = judged_by(Repetition::Aggressor);
    assert_eq!(
        standing(&twice(&aggressor, board, Side::Defender, cycle)),
        ATTACKERS_WIN
    );
    let plain = judged_by(Repetition::Attackers);
    assert_eq!(
        standing(&twice(&plain, board, Side::Defender, cycle)),
        DEFENDERS_WIN
    );
}

#[test]
fn a_side_that_could_end_the_game_is_not_forced() {
    // The king could go to a1 and win, so he was not forced to come back.
    let board = "
        . . . . . . .
        . . . . . . .
        . . . . . . .
        t . . . . . .
        . t . . . . .
        K t . . . t .
        . . . . . . .";
    let cycle = "a2-a3 f2-f3 a3-a2 f3-f2";
    let aggressor = judged_by(Repetition::Aggressor);
    assert_eq!(
        standing(&twice(&aggressor, board, Side::Defender, cycle)),
        ATTACKERS_WIN
    );
}

#[test]
fn a_side_with_any_harmless_other_turn_is_not_forced() {
    // As above, but a soldier on d1 could move instead of the king.
    let board = CAGED_KING
        .strip_suffix(". t . . . . .")
        .expect("rank 1 is the last");
    let board = format!("{board}. t . T . . .");
    let cycle = "b2-b3 f2-f3 b3-b2 f3-f2";
    let aggressor = judged_by(Repetition::Aggressor);
    assert_eq!(
        standing(&twice(&aggressor, &board, Side::Defender, cycle)),
        ATTACKERS_WIN
    );
}

#[test]
fn a_capture_makes_earlier_occurrences_impossible() {
    let board = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        . . . . . . t
        . . . . . . .
        T t . . T . .
        . . . . . . .";
    let mut game = game(&judged_by(Repetition::Draw), board, Side::Attacker);
    play_all(&mut game, "g4-g5 e6-e7 g5-g4 e7-e6");
    assert_eq!(game.occurrences(), 2);
    play_all(&mut game, "g4-g5 e2-c2");
    assert_eq!(game.occurrences(), 1);
}

#[test]
fn pieces_of_one_kind_are_alike_and_a_soldier_is_no_commander() {
    // The pieces on f2 and f3 change places by way of the files f and g.
    let board = "
        . . . . . . .
        . . . . . . .
        . K . . . . .
        . . . . . . .
        . . . . . P .
        . . . . . t .
        . . . . . . .";
    let exchange = "f2-g2 b5-b6 f3-f2 b6-b5 g2-g3 b5-b6 g3-f3 b6-b5";
    for (piece, occurrences) in [("t", 2), ("c", 1)] {
        let board = board.replace('P', piece);
        let mut game = game(&judged_by(Repetition::Draw), &board, Side::Attacker);
        play_all(&mut game, exchange);
        assert_eq!(game.occurrences(), occurrences, "{piece}");
    }
}

#[test]
fn the_three_occurrences_need_not_follow_each_other() {
    let mut game = game(&judged_by(Repetition::Draw), FREE, Side::Attacker);
    let detour = "f2-e2 b5-c5 e2-e3 c5-c6 e3-f3 c6-b6 f3-f2 b6-b5";
    play_all(&mut game, FREE_CYCLE);
    play_all(&mut game, "f2-g2 b5-a5 g2-g3 a5-a6");
    assert_eq!(game.occurrences(), 1);
    play_all(&mut game, "g3-g2 a6-a5 g2-f2 a5-b5");
    assert_eq!(standing(&game), "draw (repetition)");
    let mut twice = self::game(&judged_by(Repetition::Draw), FREE, Side::Attacker);
    play_all(&mut twice, detour);
    assert_eq!(
        (twice.occurrences(), standing(&twice).as_str()),
        (2, "ongoing")
    );
}
