//! Games as a reader plays them: by taps, dragging and keys.

use crate::support::browser::LEFT;
use crate::web::page::{
    begin, choose, click_square, is_quiet, opened, press_button, square, state, wait_for_ply,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use tafl_rules::notation::taflzero::Fen;
use tafl_rules::{Game, Move, Rules, Setup};

#[test]
fn a_tap_on_a_phone_moves_a_piece_and_the_engine_answers() {
    let Some(browser) = opened(390, "") else {
        return;
    };
    browser.devtools(
        "Emulation.setTouchEmulationEnabled",
        &json!({ "enabled": true }),
    );
    let legal = |index: usize| {
        browser.ask(&format!(
            "return document.querySelector('[data-square=\"{index}\"]').classList.contains('own')"
        ))
    };
    let [from, to] = ["d1", "d3"].map(|name| square(name, 11));
    assert_eq!((legal(from), legal(to)), (json!(true), json!(false)));
    browser.tap(&format!("[data-square='{from}']"));
    browser.wait("document.querySelectorAll('.goal-dot').length > 3");
    assert_eq!(
        browser.text(&format!(
            "document.querySelector('[data-square=\"{to}\"]').getAttribute('aria-label')"
        )),
        "d3, empty, can move here"
    );
    browser.tap(&format!("[data-square='{to}']"));
    wait_for_ply(&browser, 2);
    assert_eq!(state(&browser, "parent.move"), "d1-d3");
    assert_eq!(state(&browser, "state.mover"), "defenders");
    press_button(&browser, "Take back");
    wait_for_ply(&browser, 0);
    browser.tap(&format!("[data-square='{from}']"));
    browser.tap(&format!("[data-square='{}']", square("a1", 11)));
    assert_eq!(state(&browser, "ply"), 0, "a corner is the king's alone");
    press_button(&browser, "Hint");
    browser.wait("document.querySelector('.panel .note').textContent.startsWith('Hint: ')");
    browser.wait("document.querySelectorAll('.hints .arrow').length === 1");
    is_quiet(&browser);
}

#[test]
fn two_people_play_by_mouse_and_keys_to_an_end_in_words() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    begin(&browser, "brandubh", "people");
    let [from, to] = ["d1", "f1"].map(|name| square(name, 7));
    browser.drag(
        &format!("[data-square='{from}']"),
        &format!("[data-square='{to}']"),
    );
    wait_for_ply(&browser, 1);
    assert_eq!(state(&browser, "move"), "d1-f1");
    // By keys, from the square that was dragged to: two up and two to the left is d3; three more to the left is a3.
    for key in [UP, UP, LEFT, LEFT, ENTER, LEFT, LEFT, LEFT, ENTER] {
        browser.press(key);
    }
    wait_for_ply(&browser, 2);
    assert_eq!(state(&browser, "move"), "d3-a3");
    for (ply, mv) in (3..).zip(["d2-f2", "d4-d1", "f2-e2", "d1-a1"]) {
        let (from, to) = mv.split_once('-').expect("a move");
        click_square(&browser, square(from, 7));
        click_square(&browser, square(to, 7));
        wait_for_ply(&browser, ply);
    }
    assert_eq!(
        browser.text("document.querySelector('.result').textContent"),
        "Defenders win: the king has escaped"
    );
    press_button(&browser, "Take back");
    wait_for_ply(&browser, 5);
    assert_eq!(
        browser.text("document.querySelector('.result').textContent"),
        ""
    );
    press_button(&browser, "Resign");
    press_button(&browser, "Really resign?");
    assert_eq!(
        browser.text("document.querySelector('.result').textContent"),
        "Attackers win: by resignation"
    );
    is_quiet(&browser);
}

#[test]
fn a_game_of_the_defenders_against_the_engine_from_a_position_with_a_clock() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    let ui = "taflforge.parts.play.ui";
    choose(&browser, &format!("{ui}.rules.select"), "brandubh");
    choose(&browser, &format!("{ui}.you.select"), "defenders");
    choose(&browser, &format!("{ui}.against.select"), "strong");
    choose(&browser, &format!("{ui}.clocks.select"), "5+3");
    browser.ask(&format!(
        "{ui}.start.value = '7/3t3/7/t2K2t/7/7/1t5 attackers'"
    ));
    press_button(&browser, "New game");
    browser.wait("taflforge.parts.play.game.tree.start !== null");
    wait_for_ply(&browser, 1);
    assert_eq!(state(&browser, "state.side"), "defenders");
    assert_eq!(
        browser.number("document.querySelectorAll('.clock').length"),
        2.0
    );
    browser.wait("document.querySelector('.clock.defenders').classList.contains('running')");
    browser.ask(&format!("{ui}.start.value = '7/7/7 attackers'"));
    press_button(&browser, "New game");
    browser.wait("!document.getElementById('trouble').hidden");
    let said = browser.text("document.getElementById('trouble').textContent");
    assert!(said.contains("The position cannot be played: "), "{said}");
    assert_eq!(state(&browser, "ply"), 1, "the game goes on");
    browser.ask(
        "const { rulesets, playRules } = taflforge;
         return playRules(rulesets.find((one) => one.form.name === 'tablut'))",
    );
    let first = browser.text(&format!("{ui}.start.value"));
    assert_eq!(first, "", "the next game has a first position of its own");
    is_quiet(&browser);
}

#[test]
fn a_hint_that_comes_after_the_move_is_not_shown() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    begin(&browser, "brandubh", "people");
    browser.ask(
        "const { keys, onMove } = taflforge.parts.play;
         return Promise.all([keys.h(), onMove(3, 5)])",
    );
    assert_eq!(state(&browser, "ply"), 1);
    let note = "taflforge.parts.play.ui.note.textContent";
    assert_eq!(browser.text(note), "", "it was for the other side");
    is_quiet(&browser);
}

#[test]
fn of_two_moves_at_once_the_first_counts() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    begin(&browser, "brandubh", "people");
    let both = "const { onMove, game } = taflforge.parts.play;
        return Promise.all([onMove(45, 44), onMove(45, 46)]).then(() => game.tree.root.children.map((child) => child.move))";
    assert_eq!(browser.ask(both), json!(["d7-c7"]), "no variation either");
    is_quiet(&browser);
}

#[test]
fn the_opponents_clock_stands_while_its_search_does() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    choose(&browser, "taflforge.parts.play.ui.clocks.select", "5+3");
    begin(&browser, "brandubh", "strong");
    let clocks = browser.ask(
        "const { go, parts: { play: { game, onMove } } } = taflforge;
         const wait = (time) => new Promise((done) => { setTimeout(done, time); });
         const leave = async () => {
           onMove(3, 5);
           while (game.tree.current.ply === 0) await wait(5);
           go('learn');
           const before = game.clock.kept();
           await wait(300);
           return [before, game.clock.kept()];
         };
         return leave()",
    );
    assert_eq!(clocks[0], clocks[1]);
    browser.ask("taflforge.go('play')");
    wait_for_ply(&browser, 2);
    browser.wait("document.querySelector('.clock.attackers').classList.contains('running')");
    is_quiet(&browser);
}

#[test]
fn the_goal_says_no_wider_steps_than_the_rules() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    for (ruleset, is_far) in [("brandubh", true), ("magpie", false)] {
        begin(&browser, ruleset, "people");
        let goal = browser.text("document.querySelector('.goal').textContent");
        assert_eq!(goal.contains("as far as they like"), is_far, "{goal}");
    }
    is_quiet(&browser);
}

/// A position of Berserk in which a move captures and its piece may go on, and that move.
fn before_a_chain() -> (String, Move) {
    let rules = Rules::preset("berserk-2024").expect("a preset");
    for seed in 0.. {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = Game::new(rules.clone());
        let mut moves = Vec::new();
        while game.outcome().is_none() && game.moves().len() < 200 {
            let before = *game.position();
            game.legal_moves(&mut moves);
            let mv = moves[rng.random_range(0..moves.len())];
            game.play(mv).expect("legal");
            game.legal_moves(&mut moves);
            if game.position().chain().is_some() && moves.contains(&Move::END) {
                let setup = Setup::of(&before, rules.shape());
                return (Fen::of(setup).to_taflforge(), mv);
            }
        }
    }
    unreachable!("numbers do not end")
}

#[test]
fn chains_are_played_step_by_step_and_ended_by_a_button() {
    let Some(browser) = opened(1200, "") else {
        return;
    };
    let (position, mv) = before_a_chain();
    let ui = "taflforge.parts.play.ui";
    choose(&browser, &format!("{ui}.rules.select"), "berserk-2024");
    choose(&browser, &format!("{ui}.against.select"), "people");
    browser.ask(&format!("{ui}.start.value = '{position}'"));
    press_button(&browser, "New game");
    browser.wait("taflforge.parts.play.game.tree.start !== null");
    let side = state(&browser, "state.side");
    for square_of in [mv.from(), mv.to()] {
        click_square(&browser, square(&square_of.to_string(), 11));
    }
    wait_for_ply(&browser, 1);
    assert_eq!(state(&browser, "state.side"), side, "the same side goes on");
    let said = browser.text("document.querySelector('.result').textContent");
    assert_eq!(said, "Capture on with the same piece, or end the turn.");
    press_button(&browser, "End turn");
    wait_for_ply(&browser, 2);
    assert_ne!(state(&browser, "state.side"), side);
    is_quiet(&browser);
}

/// Keys of the protocol (WebDriver, 17.4.2).
const ENTER: char = '\u{e007}';
const UP: char = '\u{e013}';
