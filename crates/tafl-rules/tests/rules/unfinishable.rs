//! "Not possible to end the game" (spec.md 4.5), and what comes before it (spec.md 2.7).

use crate::rules::board::{game, game_after, legal, play, play_all, ruleset, standing};
use tafl_rules::{Game, Move, Ruleset, Side, Square};

const UNFINISHABLE: &str = "draw (unfinishable)";

/// The two presets in which the limit stands for "not possible to end the game".
fn both() -> [Ruleset; 2] {
    ["fetlar", "berserk-2024"].map(ruleset)
}

/// The attacker on i2 and the king tour their files; d10-c10 captures b10.
const OPEN: &str = "
    . . . . . . . . . . .
    T t . T . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . K . . . . . t . .
    . . . . . . . . . . .";

/// Plays quiet plies: attackers tour seven squares, the king eight.
///
/// No position occurs three times in 220 plies, for 56 rounds lead through 56 positions.
fn tour(game: &mut Game, plies: usize) {
    for _ in 0..plies {
        assert_eq!(
            standing(game),
            "ongoing",
            "after {} plies",
            game.moves().len()
        );
        let position = game.position();
        let (from, top) = match position.side() {
            Side::Attacker => {
                let mut attackers = position.pieces(Side::Attacker).squares();
                let touring = attackers.find(|square| square.file() == 8);
                (touring.expect("an attacker on the file i"), 7)
            }
            Side::Defender => (position.king(), 8),
        };
        let rank = if from.rank() < top {
            from.rank() + 1
        } else {
            1
        };
        let mv = Move::new(from, Square::new(from.file(), rank));
        game.play(mv.expect("another square of the file"))
            .expect("an open file");
    }
}

#[test]
fn two_hundred_plies_in_a_row_without_a_capture_are_a_draw() {
    for ruleset in both() {
        let mut game = game(&ruleset, OPEN, Side::Attacker);
        tour(&mut game, 199);
        assert_eq!(standing(&game), "ongoing", "{}", ruleset.name);
        tour(&mut game, 1);
        assert_eq!(standing(&game), UNFINISHABLE, "{}", ruleset.name);
    }
}

#[test]
fn a_hundred_plies_without_a_capture_are_copenhagens_own_draw() {
    let mut game = game(&ruleset("copenhagen"), OPEN, Side::Attacker);
    tour(&mut game, 99);
    assert_eq!(standing(&game), "ongoing");
    tour(&mut game, 1);
    assert_eq!(standing(&game), "draw (captureless)");
}

#[test]
fn the_tournament_and_berserk_2017_know_no_limit() {
    for name in ["copenhagen-tournament", "berserk-2017"] {
        let mut game = game(&ruleset(name), OPEN, Side::Attacker);
        tour(&mut game, 220);
        assert_eq!(standing(&game), "ongoing", "{name}");
    }
}

#[test]
fn a_capture_starts_the_two_hundred_again() {
    for ruleset in both() {
        let mut game = game(&ruleset, OPEN, Side::Attacker);
        tour(&mut game, 151);
        let captured = play(&mut game, "d10-c10").0;
        assert_eq!(
            (captured.as_str(), game.position().captureless()),
            ("b10", 0)
        );
        tour(&mut game, 199);
        assert_eq!(standing(&game), "ongoing", "{}", ruleset.name);
        tour(&mut game, 1);
        assert_eq!(standing(&game), UNFINISHABLE, "{}", ruleset.name);
    }
}

#[test]
fn a_capture_by_the_two_hundredth_ply_prevents_the_draw() {
    for ruleset in both() {
        let mut game = game_after(&ruleset, OPEN, Side::Defender, 199);
        assert_eq!(play(&mut game, "d10-c10"), ("b10".into(), "ongoing".into()));
        let mut game = game_after(&ruleset, OPEN, Side::Defender, 199);
        assert_eq!(
            play(&mut game, "d10-d9"),
            (String::new(), UNFINISHABLE.into())
        );
    }
}

#[test]
fn the_end_of_a_chain_is_not_counted_among_the_two_hundred() {
    let board = OPEN.replacen("T t . T . . .", "T t . T . t T", 1);
    let mut game = game(&ruleset("berserk-2024"), &board, Side::Defender);
    play(&mut game, "d10-c10");
    assert_eq!(legal(&game), "c10-e10 end");
    play(&mut game, "end");
    tour(&mut game, 199);
    assert_eq!(standing(&game), "ongoing");
    tour(&mut game, 1);
    assert_eq!(standing(&game), UNFINISHABLE);
    assert_eq!(game.moves().len(), 202);
}

#[test]
fn a_third_occurrence_by_the_two_hundredth_ply_decides() {
    let cycle = "i2-i3 c2-c3 i3-i2 c3-c2";
    for (name, result) in [
        ("fetlar", "draw (repetition)"),
        ("berserk-2024", "attackers win (repetition)"),
    ] {
        let mut game = game_after(&ruleset(name), OPEN, Side::Attacker, 192);
        play_all(&mut game, &format!("{cycle} {cycle}"));
        assert_eq!(game.position().captureless(), 200);
        assert_eq!(standing(&game), result, "{name}");
    }
}

#[test]
fn the_two_hundredth_ply_comes_before_no_legal_move() {
    let last_gap = "
        . . . . . . .
        . . . . K . .
        . . . . . . .
        T . . . . . .
        t . . . T . .
        T . . . . . .
        . . . . . . .";
    for ruleset in both() {
        for (captureless, result) in [(198, "defenders win (no-move)"), (199, UNFINISHABLE)] {
            let mut game = game_after(&ruleset, last_gap, Side::Defender, captureless);
            assert_eq!(play(&mut game, "e3-b3").1, result, "{}", ruleset.name);
        }
    }
}

#[test]
fn what_the_board_decides_comes_before_the_two_hundredth_ply() {
    let board = "
        . . . . . . .
        . t . . . . .
        . . . . . . .
        . . . . . . .
        t K t . . . .
        . t . . . . .
        . . . . . . .";
    for ruleset in both() {
        let mut game = game_after(&ruleset, board, Side::Attacker, 199);
        let captured = "attackers win (king-captured)";
        assert_eq!(play(&mut game, "b6-b4").1, captured, "{}", ruleset.name);
        let mut game = game_after(&ruleset, OPEN, Side::Defender, 199);
        play(&mut game, "c2-c1");
        assert_eq!(standing(&game), UNFINISHABLE, "{}", ruleset.name);
        let mut game = game_after(&ruleset, OPEN, Side::Defender, 197);
        play_all(&mut game, "c2-c1 i2-i3 c1-a1");
        assert_eq!(standing(&game), "defenders win (king-escaped)");
    }
}

#[test]
fn a_first_position_is_not_judged_for_the_limit() {
    for ruleset in both() {
        let mut game = game_after(&ruleset, OPEN, Side::Attacker, 200);
        assert_eq!(standing(&game), "ongoing");
        tour(&mut game, 1);
        assert_eq!(standing(&game), UNFINISHABLE);
    }
}
