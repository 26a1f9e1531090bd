//! `states-*.jsonl.xz`: games of each preset by a plain implementation of spec.md.

use crate::rules::board::{draw, names, ruleset, sorted_moves};
use crate::rules::fixtures;
use serde_json::Value;
use std::sync::Arc;
use tafl_rules::{Game, RankOrder, Rules, Setup, Side};

fn text<'a>(state: &'a Value, field: &str) -> &'a str {
    state[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is a text in {state}"))
}

fn texts<'a>(state: &'a Value, field: &str) -> Vec<&'a str> {
    let list = state[field]
        .as_array()
        .unwrap_or_else(|| panic!("{field} is a list in {state}"));
    list.iter()
        .map(|item| item.as_str().expect("a text"))
        .collect()
}

fn begin(rules: &Arc<Rules>, state: &Value) -> Game {
    let setup = Setup::from_text(text(state, "position"), RankOrder::HighestFirst);
    let mut setup = setup
        .expect("a position")
        .with_side(text(state, "side").parse().unwrap());
    setup.chain = state["chain"]
        .as_str()
        .map(|square| square.parse().expect("a square"));
    Game::from_setup(rules.clone(), &setup).expect("a playable position")
}

fn compare_before(game: &Game, state: &Value, place: &str) {
    let shape = game.rules().shape();
    let position = Setup::of(game.position(), shape).to_text(RankOrder::HighestFirst);
    assert_eq!(position, text(state, "position"), "{place}");
    let chain = game.position().chain().map(|square| square.to_string());
    assert_eq!(
        chain.as_deref(),
        state["chain"].as_str(),
        "{place}\n{}",
        draw(game)
    );
    if game.outcome().is_none() {
        let side: Side = text(state, "side").parse().expect("a side");
        assert_eq!(game.position().side(), side, "{place}");
    }
    assert_eq!(
        sorted_moves(game),
        texts(state, "moves"),
        "{place}\n{}",
        draw(game)
    );
}

fn compare_after(game: &mut Game, state: &Value, place: &str) {
    let before = draw(game);
    let captured = match state["move"].as_str() {
        Some(mv) => names(
            game.play(mv.parse().expect("a move"))
                .expect(place)
                .captured,
        ),
        None => String::new(),
    };
    assert_eq!(
        captured,
        texts(state, "captured").join(" "),
        "{place}\n{before}"
    );
    let status = match game.outcome() {
        None => "ongoing",
        Some(outcome) => outcome.winner.map_or("draw", Side::name),
    };
    assert_eq!(status, text(state, "status"), "{place}\n{before}");
    let reason = game.outcome().map(|outcome| outcome.reason.name());
    assert_eq!(reason, state["reason"].as_str(), "{place}\n{before}");
}

/// Compares every state of a file; returns how many there are, and how many games.
fn walk(name: &str) -> (usize, usize) {
    let rules = Rules::new(ruleset(name)).expect("a ruleset");
    let file = format!("states-{name}.jsonl.xz");
    let (mut states, mut games) = (0, 0);
    let mut current: Option<(u64, Game)> = None;
    for (number, line) in (1..).zip(fixtures::read(&file).lines()) {
        let place = format!("{file}:{number}");
        let state: Value = serde_json::from_str(line).expect("an object");
        assert_eq!(text(&state, "ruleset"), name, "{place}");
        let id = state["game"].as_u64().expect("a number");
        if current.as_ref().is_none_or(|(game, _)| *game != id) {
            current = Some((id, begin(&rules, &state)));
            games += 1;
        }
        let (_, game) = current.as_mut().expect("a game was begun");
        compare_before(game, &state, &place);
        compare_after(game, &state, &place);
        if state["capped"] == true {
            assert_eq!(game.outcome(), None, "{place}");
        }
        states += 1;
    }
    (states, games)
}

#[test]
fn berserk_2017_agrees_with_its_states() {
    assert_eq!(walk("berserk-2017"), (5379, 120));
}

#[test]
fn berserk_2024_agrees_with_its_states() {
    assert_eq!(walk("berserk-2024"), (6578, 120));
}

#[test]
fn copenhagen_tournament_agrees_with_its_states() {
    assert_eq!(walk("copenhagen-tournament"), (5354, 120));
}

#[test]
fn copenhagen_agrees_with_its_states() {
    assert_eq!(walk("copenhagen"), (5440, 120));
}

#[test]
fn fetlar_agrees_with_its_states() {
    assert_eq!(walk("fetlar"), (6292, 120));
}
