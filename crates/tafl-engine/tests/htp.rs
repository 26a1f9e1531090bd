//! Our engine in the Hnefatafl Text Protocol.

use crate::support::{Conversation, Whim, with_evaluator};
use tafl_engine::Protocol;
use tafl_rules::notation::opentafl;
use tafl_rules::{Game, RULESET_NAMES, Rules, Setup, Side};

#[test]
fn the_commands_of_hnefatafl_copenhagen_are_answered() {
    let mut engine = Conversation::htp();
    assert_eq!(engine.htp_answer("name"), "= test");
    assert_eq!(engine.htp_answer("version  # a comment"), "= 1");
    assert_eq!(engine.htp_answer("protocol_version"), "= 1-beta");
    assert_eq!(engine.htp_answer("known_command play"), "= true");
    assert_eq!(engine.htp_answer("known_command fly"), "= false");
    assert_eq!(engine.htp_answer("board_size 11"), "= ");
    assert_eq!(engine.htp_answer("final_status"), "= ongoing");
    assert_eq!(
        engine.htp_answer("play_from").split_whitespace().nth(1),
        Some("attacker")
    );
    assert_eq!(
        engine.htp_answer("play_to attacker D1"),
        "= d2 d3 d4 d5 c1 b1"
    );
    assert_eq!(engine.htp_answer("play attacker d1 d2"), "= ");
    assert!(
        engine
            .htp_answer("generate_move")
            .starts_with("= play defender ")
    );
    assert_eq!(engine.htp_answer("play_undo"), "= ");
    assert_eq!(engine.htp_answer("play d f8 f9"), "= ");
    assert_eq!(engine.htp_answer("first_move defender"), "= ");
    assert!(engine.htp_answer("play_from").starts_with("= defender "));
    assert_eq!(engine.htp_answer("play defender resigns"), "= ");
    assert_eq!(engine.htp_answer("final_status"), "= attacker_wins");
    assert_eq!(engine.htp_answer("play_undo"), "= ");
    assert_eq!(engine.htp_answer("final_status"), "= ongoing");
    assert!(engine.htp_answer("play_undo").starts_with("? "), "no ply");
    assert_eq!(engine.htp_answer("board_size 7"), "= ");
    assert_eq!(engine.htp_answer("ruleset"), "= brandubh");
    let board = engine.htp_answer("show_board_open_tafl");
    assert_eq!(board, "= /3A3/3A3/3D3/AADKDAA/3D3/3A3/3A3/");
    engine.htp_answer("ruleset berserk-2024");
    engine.htp_answer("play attacker d1 d2");
    let board = engine.htp_answer("show_board_open_tafl");
    let read = opentafl::read_position(&board[2..]).expect("it is read back");
    let mut game = Game::new(Rules::preset("berserk-2024").expect("a preset"));
    game.play("d1-d2".parse().expect("a move")).expect("legal");
    assert_eq!(read.pieces, Setup::of(game.position(), read.shape).pieces);
    engine.say("quit");
    assert_eq!(engine.wait().0, Ok(()));
}

#[test]
fn captures_are_told_and_turns_are_kept() {
    let mut engine = Conversation::htp();
    engine.htp_answer("ruleset brandubh");
    // Between d1 and e2 nothing is captured; c4 falls between b4 and the attacker that comes to c5's side.
    for line in ["play a d6 c6", "play d c4 c5", "play a c6 a6"] {
        assert_eq!(engine.htp_answer(line), "= ", "{line}");
    }
    assert!(
        engine
            .htp_answer("play a a6 b6")
            .starts_with("? it is not the attackers' turn")
    );
    assert!(
        engine
            .htp_answer("play d a1 a2")
            .starts_with("? play: a1-a2 is not legal")
    );
}

#[test]
fn clocks_run_and_decide() {
    let mut engine = Conversation::htp();
    assert_eq!(engine.htp_answer("time_settings fischer 1 2"), "= ");
    assert!(
        engine
            .htp_answer("generate_move")
            .starts_with("= play attacker ")
    );
    assert_eq!(engine.htp_answer("time_settings un-timed"), "= ");
    assert!(
        engine
            .htp_answer("time_settings blitz")
            .starts_with("? expected: time_settings")
    );
}

#[test]
fn what_cannot_be_done_is_answered_by_a_question_mark() {
    let mut engine = Conversation::htp();
    for line in [
        "hello",
        "board_size 13",
        "play",
        "play attacker d1",
        "play attacker d1 e2",
        "play_to attacker f6",
        "play_undo",
        "ruleset chess",
        "first_move nobody",
    ] {
        assert!(engine.htp_answer(line).starts_with("? "), "{line}");
    }
    engine.say_bytes(b"\xc3\x28");
    assert!(
        engine
            .hear_until("?")
            .pop()
            .expect("it")
            .contains("not UTF-8")
    );
    engine.say("");
    engine.say("   # nothing");
    assert_eq!(engine.htp_answer("name"), "= test");
}

#[test]
fn after_a_refused_ruleset_or_board_nothing_is_played_by_the_last_one() {
    let mut engine = Conversation::htp();
    let is_stopped = |engine: &mut Conversation, refused: &str| {
        for line in ["generate_move", "play a d1 d2", "ruleset", "final_status"] {
            let answer = engine.htp_answer(line);
            assert!(
                answer.starts_with(&format!("? {refused:?} was refused")),
                "{line}: {answer}"
            );
        }
    };
    for refused in ["ruleset chess", "board_size 13", "board_size 400"] {
        assert!(engine.htp_answer(refused).starts_with("? "), "{refused}");
        is_stopped(&mut engine, refused);
        assert_eq!(engine.htp_answer("ruleset brandubh"), "= ");
        assert!(engine.htp_answer("generate_move").starts_with("= play a"));
    }
    engine.htp_answer("ruleset chess");
    engine.htp_answer("board_size 13");
    assert_eq!(engine.htp_answer("board_size 11"), "= ");
    is_stopped(&mut engine, "ruleset chess");
    engine.htp_answer("ruleset copenhagen");
    engine.htp_answer("board_size 13");
    assert_eq!(engine.htp_answer("board_size 11"), "= ");
    assert_eq!(engine.htp_answer("ruleset"), "= copenhagen");
}

#[test]
fn a_game_is_driven_to_its_end_under_every_ruleset() {
    let make = || with_evaluator(|| Box::new(Whim));
    let mut engine = Conversation::begin(Protocol::Htp, make);
    for name in RULESET_NAMES {
        assert_eq!(
            engine.htp_answer(&format!("ruleset {name}")),
            "= ",
            "{name}"
        );
        let mut game = Game::new(Rules::preset(name).expect("a preset"));
        while game.outcome().is_none() && game.moves().len() < 3_000 {
            let answer = engine.htp_answer("generate_move");
            let words: Vec<&str> = answer.split_whitespace().skip(3).collect();
            let mv = match words[..] {
                ["end"] => tafl_rules::Move::END,
                [from, to] => format!("{from}-{to}").parse().expect("a move"),
                _ => panic!("{answer}"),
            };
            game.play(mv).expect("legal");
        }
        let expected = match game.outcome().expect("the game ends").winner {
            None => "= draw",
            Some(Side::Attacker) => "= attacker_wins",
            Some(Side::Defender) => "= defender_wins",
        };
        assert_eq!(engine.htp_answer("final_status"), expected, "{name}");
        assert!(
            engine
                .htp_answer("generate_move")
                .starts_with("? the game is over")
        );
    }
}

/// Both kings' men go to and fro, which makes the defenders' last ply of the line an earlier board.
const TO_AND_FRO: [&str; 3] = ["play a d1 c1", "play d f8 g8", "play a c1 d1"];

#[test]
fn plies_that_hnefatafl_copenhagen_refuses_are_not_offered() {
    for (ruleset, offers) in [("copenhagen", false), ("fetlar", true)] {
        let mut engine = Conversation::htp();
        engine.htp_answer(&format!("ruleset {ruleset}"));
        for line in TO_AND_FRO {
            assert_eq!(engine.htp_answer(line), "= ", "{line}");
        }
        let targets = engine.htp_answer("play_to defender g8");
        assert_eq!(targets.contains("f8"), offers, "{ruleset}: {targets}");
        // It is the other program's business to refuse it to others.
        assert_eq!(engine.htp_answer("play d g8 f8"), "= ");
    }
}

#[test]
fn a_game_that_only_our_rules_ended_goes_on_when_a_move_is_wanted() {
    let mut engine = Conversation::htp();
    for _ in 0..2 {
        for line in TO_AND_FRO.into_iter().chain(["play d g8 f8"]) {
            assert_eq!(engine.htp_answer(line), "= ", "{line}");
        }
    }
    assert_eq!(engine.htp_answer("final_status"), "= attacker_wins");
    let answer = engine.htp_answer("generate_move");
    assert!(answer.starts_with("= play attacker "), "{answer}");
    assert_eq!(engine.htp_answer("final_status"), "= ongoing");
}
