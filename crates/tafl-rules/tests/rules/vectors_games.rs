//! `games-copenhagen.csv`: 700 human games.

use crate::rules::board::{draw, names, ruleset};
use crate::rules::fixtures;
use std::collections::BTreeMap;
use std::sync::Arc;
use tafl_rules::{Game, Repetition, Rules, Ruleset, Side, TurnText};

/// Replays one game; returns how it ended on the board, if it did.
fn replay(rules: &Arc<Rules>, plies: &str, result: &str, place: &str) -> Option<String> {
    let mut game = Game::new(rules.clone());
    let mut words = plies.split(' ').peekable();
    while let Some(word) = words.next() {
        if word == "timeout" {
            assert_eq!(words.peek(), None, "{place}: timeout ends a game");
            break;
        }
        let turn: TurnText = word.parse().expect("a ply");
        let [(mv, captured)] = turn.plies[..] else {
            panic!("{place}: {word} is one ply")
        };
        let before = draw(&game);
        let ply = game
            .play(mv)
            .unwrap_or_else(|error| panic!("{place}: {error}\n{before}"));
        let found = names(ply.captured);
        assert_eq!(found, names(captured), "{place}: {word}\n{before}");
    }
    let outcome = game.outcome()?;
    let winner = match result {
        "White" => Some(Side::Defender),
        "Black" => Some(Side::Attacker),
        _ => None,
    };
    assert_eq!(
        outcome.winner,
        winner,
        "{place}: {outcome}\n{}",
        draw(&game)
    );
    Some(outcome.reason.to_string())
}

#[test]
fn every_human_game_is_legal_and_ends_as_reported() {
    let rules = Ruleset {
        repetition: Repetition::Off,
        ..ruleset("copenhagen")
    };
    let rules = Rules::new(rules).expect("a ruleset");
    let text = fixtures::read("games-copenhagen.csv");
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    let mut games = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let place = format!("game {number}");
        let fields: Vec<&str> = line.split(',').collect();
        let ending = replay(&rules, fields[0], fields[3], &place);
        *endings.entry(ending.unwrap_or_default()).or_default() += 1;
        games += 1;
    }
    assert_eq!(games, 700);
    let expected = [
        ("", 574),
        ("encirclement", 6),
        ("fort", 23),
        ("king-captured", 20),
        ("king-escaped", 71),
        ("no-move", 6),
    ];
    assert_eq!(
        endings,
        expected
            .map(|(reason, count)| (reason.to_owned(), count))
            .into()
    );
}
