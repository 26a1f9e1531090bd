//! The viewer of games, by keys and by buttons.

use crate::report::small_run::{LIST, PLY, choose_game, data, look_at_games, page, records};
use crate::support::browser::{Browser, END, HOME, LEFT, RIGHT};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::notation::words::Words;
use tafl_rules::{Game, Move, Piece, Rules, Side};
use tafl_samples::GameRecord;

/// Where each kind of piece stands at the end of a game: letters by rising square.
fn final_pieces(record: &GameRecord) -> BTreeMap<usize, char> {
    let rules = Rules::preset(&record.ruleset).expect("a preset");
    let mut game = Game::new(Arc::clone(&rules));
    for ply in &record.plies {
        game.play(ply.mv).expect("a legal move");
    }
    let shape = rules.shape();
    let squares = (0..shape.squares()).filter_map(|index| {
        let piece = game.position().piece_at(shape.square(index))?;
        Some((index, Piece::letter(piece)))
    });
    squares.collect()
}

/// The pieces that the page draws, in the same form, from the places of the drawn shapes.
fn drawn_pieces(browser: &Browser) -> BTreeMap<usize, char> {
    let drawn = browser.ask(
        "return [...document.querySelectorAll('#viewer .board .piece')].map((piece) =>
           [piece.classList[1], ...piece.getAttribute('transform').match(/[\\d.]+/g).map(Number)])",
    );
    let size = browser.number("document.querySelectorAll('#viewer .board .coordinate').length / 2")
        as usize;
    let letters = [
        ("attacker", 't'),
        ("commander", 'c'),
        ("defender", 'T'),
        ("knight", 'N'),
        ("king", 'K'),
    ];
    let place = |piece: &Value| {
        let number =
            |index: usize| ((piece[index].as_f64().expect("a number") - 22.0) / 40.0) as usize;
        let (_, letter) = letters
            .iter()
            .find(|(name, _)| piece[0] == *name)
            .expect("a kind");
        ((size - 1 - number(2)) * size + number(1), *letter)
    };
    drawn
        .as_array()
        .expect("a list")
        .iter()
        .map(place)
        .collect()
}

#[test]
fn every_game_of_the_page_ends_as_it_is_recorded() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    look_at_games(&browser);
    let (records, data) = (records(), data());
    let games = data["run"]["games"].as_array().expect("a list");
    assert!(games.len() >= 40, "{}", games.len());
    for (index, game) in games.iter().enumerate() {
        let is_it = |(is_match, record): &&(bool, GameRecord)| {
            game["is_match"] == *is_match
                && game["generation"] == record.generation
                && game["game_id"].as_str() == Some(&*record.game_id.to_string())
                && game["ruleset"] == record.ruleset
                && game["attackers"] == record.attackers.to_string()
                && game["defenders"] == record.defenders.to_string()
        };
        let (is_match, record) = records.iter().find(is_it).expect("a game of the run");
        choose_game(&browser, index);
        // As the terminal counts them, from 1.
        let kind = match is_match {
            true => format!("match of {} and {}", record.attackers, record.defenders),
            false => format!("self-play, generation {}", record.generation + 1),
        };
        let listed = browser.text(&format!("{LIST}.options[{index}].textContent"));
        let expected = format!("{kind}, game {} · ", record.game_id);
        assert!(listed.starts_with(&expected), "{listed}");
        assert_eq!(browser.number(PLY), 0.0);
        browser.press(END);
        assert_eq!(browser.number(PLY), record.plies.len() as f64, "{game}");
        let reason = browser.text("document.getElementById('viewer').dataset.end");
        assert_eq!(reason, record.ending.reason.name());
        let winner = browser.text("document.querySelector('#viewer h3').textContent");
        let expected = match record.ending.winner {
            Some(Side::Attacker) => "Attackers win",
            Some(Side::Defender) => "Defenders win",
            None => "",
        };
        assert!(winner.starts_with(expected), "{winner}");
        assert_eq!(drawn_pieces(&browser), final_pieces(record), "game {index}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn keys_step_through_a_game_and_through_its_chains() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    look_at_games(&browser);
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    let has_chain = |game: &&Value| {
        game["chained"]
            .as_array()
            .is_some_and(|chained| !chained.is_empty())
    };
    let index = games
        .iter()
        .position(|game| has_chain(&game))
        .expect("a game of berserk with a chain");
    choose_game(&browser, index);
    let game = &games[index];
    let (plies, sides) = (
        game["plies"].as_str().expect("text"),
        game["sides"].as_str().expect("text"),
    );
    let status = || browser.text("document.querySelector('#viewer .status').textContent");
    for (ply, text) in plies.split(' ').enumerate() {
        let before = browser.number("document.querySelectorAll('#viewer .board .piece').length");
        browser.press(RIGHT);
        assert_eq!(browser.number(PLY), (ply + 1) as f64);
        let captured = text.matches('x').count() as f64;
        let after = browser.number("document.querySelectorAll('#viewer .board .piece').length");
        assert_eq!(before - after, captured, "{text}");
        let is_chained = game["chained"]
            .as_array()
            .expect("a list")
            .contains(&json!(ply));
        let says = status();
        assert_eq!(
            says.contains("same side again") || text == "end",
            is_chained,
            "{says}"
        );
        let side = if sides.as_bytes()[ply] == b'a' {
            "attackers"
        } else {
            "defenders"
        };
        assert!(says.contains(&format!(" {side} ")), "{says}");
        if is_chained {
            assert_eq!(
                sides.as_bytes()[ply],
                sides.as_bytes()[ply - 1],
                "the same side moves on"
            );
        }
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn keys_buttons_slider_and_list_go_to_the_same_plies() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    look_at_games(&browser);
    choose_game(&browser, 0);
    let game = &data()["run"]["games"][0];
    let plies = game["sides"].as_str().expect("text").len();
    browser.press(END);
    browser.press(LEFT);
    assert_eq!(browser.number(PLY), (plies - 1) as f64);
    browser.press(HOME);
    assert_eq!(browser.number(PLY), 0.0);
    browser.press(LEFT);
    assert_eq!(
        browser.number(PLY),
        0.0,
        "there is nothing before the start"
    );
    browser.press(' ');
    browser.wait(&format!("{PLY} >= 2"));
    browser.press(' ');
    // Buttons and the slider do the same as the keys.
    browser.ask("document.querySelector('[aria-label=\"End of the game\"]').click()");
    assert_eq!(browser.number(PLY), plies as f64);
    browser.ask("const slider = document.querySelector('#viewer [type=range]'); slider.value = 3; slider.dispatchEvent(new Event('input'))");
    assert_eq!(browser.number(PLY), 3.0);
    browser.ask("document.querySelector('#viewer .moves [data-ply=\"5\"]').click()");
    assert_eq!(browser.number(PLY), 5.0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_the_search_said_is_beside_the_board() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    let searched = |game: &Value| {
        game["searches"]
            .as_object()
            .is_some_and(|found| found.len() > 2)
    };
    let index = games.iter().position(searched).expect("a searched game");
    choose_game(&browser, index);
    browser.wait("document.querySelectorAll('#viewer .plot path.line').length >= 2");
    for (ply, search) in games[index]["searches"]
        .as_object()
        .expect("searches")
        .iter()
        .take(5)
    {
        browser.ask(&format!("const slider = document.querySelector('#viewer [type=range]'); slider.value = {ply}; slider.dispatchEvent(new Event('input'))"));
        let says = browser.text("document.querySelector('#viewer .search').textContent");
        assert!(
            says.contains(&format!("{} visit", search["visits"])),
            "{says}"
        );
        for mv in search["moves"].as_array().expect("moves") {
            assert!(says.contains(mv[0].as_str().expect("text")), "{says} {mv}");
        }
        assert!(says.contains("played"), "{says}");
        assert!(browser.number("document.querySelectorAll('#viewer .arrow').length") >= 1.0);
    }
}

#[test]
fn games_are_filtered_by_ruleset_and_result() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    let choose = |label: &str, value: &str| {
        let script = format!(
            "const label = [...document.querySelectorAll('#games .choice')].find((one) => one.textContent.startsWith('{label}'));
             const select = label.querySelector('select'); select.value = '{value}'; select.dispatchEvent(new Event('change'));"
        );
        browser.ask(&script);
    };
    let listed = || browser.number(&format!("{LIST}.options.length")) as usize;
    assert_eq!(listed(), games.len());
    for ruleset in ["copenhagen", "berserk-2024"] {
        choose("Ruleset", ruleset);
        let own: Vec<&Value> = games
            .iter()
            .filter(|game| game["ruleset"] == ruleset)
            .collect();
        assert_eq!(listed(), own.len());
        for (key, winner) in [("attackers", json!("attackers")), ("none", json!(null))] {
            choose("Result", key);
            let wanted = own.iter().filter(|game| game["winner"] == winner).count();
            assert_eq!(listed(), wanted, "{ruleset} {key}");
            let hidden = browser.ask("return document.getElementById('viewer').hidden");
            assert_eq!(hidden, json!(wanted == 0));
        }
        choose("Result", "");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Clicks on a tool below the board; returns what it copies.
fn copied(browser: &Browser, button: usize) -> String {
    let tool = format!("document.querySelectorAll('#viewer .tools button')[{button}]");
    browser.ask(&format!("delete {tool}.dataset.copied; {tool}.click()"));
    browser.wait(&format!("{tool}.dataset.copied !== undefined"));
    browser.text(&format!("{tool}.dataset.copied"))
}

#[test]
fn boards_are_flipped_and_games_are_copied() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    let (records, data) = (records(), data());
    let games = data["run"]["games"].as_array().expect("a list");
    let shown = browser.number(&format!("{LIST}.selectedIndex")) as usize;
    let has_searches = |game: &Value| {
        game["searches"]
            .as_object()
            .is_some_and(|it| !it.is_empty())
    };
    assert!(has_searches(&games[shown]), "it opens on a searched game");
    let has_chain = |game: &Value| game["chained"].as_array().is_some_and(|it| !it.is_empty());
    let index = games
        .iter()
        .position(has_chain)
        .expect("a game with a chain");
    choose_game(&browser, index);
    browser.press(END);
    let before = drawn_pieces(&browser);
    browser.ask("document.querySelectorAll('#viewer .tools button')[0].click()");
    let turned = before
        .iter()
        .map(|(square, letter)| (120 - square, *letter));
    assert_eq!(drawn_pieces(&browser), turned.collect());

    let turns = Words::read(&copied(&browser, 1)).expect("turns").turns();
    let plies = turns.iter().flat_map(|turn| &turn.plies).map(|(mv, _)| *mv);
    let plies: Vec<Move> = plies.collect();
    let is_it = |record: &GameRecord| {
        games[index]["game_id"].as_str() == Some(&*record.game_id.to_string())
            && record
                .plies
                .iter()
                .map(|ply| ply.mv)
                .eq(plies.iter().copied())
    };
    assert!(records.iter().any(|(_, record)| is_it(record)), "{plies:?}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn each_game_has_a_link_of_its_own() {
    let Some(browser) = Browser::start() else {
        return;
    };
    browser.open(&page());
    look_at_games(&browser);
    let data = data();
    let games = data["run"]["games"].as_array().expect("a list");
    // Matches of one checkpoint with several players have games of the same numbers.
    let number = |game: &Value| {
        ["is_match", "ruleset", "generation", "game_id"].map(|field| game[field].clone())
    };
    let is_later = |&place: &usize| {
        let mut before = games[..place].iter();
        before.any(|it| number(it) == number(&games[place]))
    };
    let twin = (0..games.len()).find(is_later).expect("two of one number");
    for index in [twin, 0] {
        choose_game(&browser, index);
        browser.press(END);
        browser.press(LEFT);
        let (link, ply) = (copied(&browser, 2), browser.number(PLY));
        choose_game(&browser, usize::from(index == 0));
        let (_, place) = link.split_once('#').expect("a place in the page");
        browser.ask(&format!("location.hash = '{place}'"));
        browser.wait(&format!("{LIST}.selectedIndex === {index}"));
        assert_eq!(browser.number(PLY), ply);
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
