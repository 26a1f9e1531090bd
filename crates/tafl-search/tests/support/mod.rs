//! Rules and boards for the tests of this folder.

use std::sync::Arc;
use tafl_rules::{Game, RankOrder, Rules, Setup, Side};
use tafl_search::SearchConfig;

pub(crate) const ALGORITHMS: [&str; 2] = ["gumbel", "puct"];

/// Returns the config that tests of an algorithm start from.
pub(crate) fn reference(algorithm: &str, visits: u32) -> SearchConfig {
    match algorithm {
        "gumbel" => SearchConfig::gumbel(visits),
        _ => SearchConfig::puct(visits),
    }
}

/// Returns the same with every move of the root considered.
pub(crate) fn considering_all(algorithm: &str, visits: u32) -> SearchConfig {
    SearchConfig {
        considered_moves: 1_000,
        ..reference(algorithm, visits)
    }
}

pub(crate) fn rules(name: &str) -> Arc<Rules> {
    Rules::preset(name).expect("a preset")
}

/// Starts a game from a drawn board, highest rank first, a dot for an empty square.
pub(crate) fn game(ruleset: &str, side: Side, board: &str) -> Game {
    let rank = |line: &str| {
        let line: String = line.split_whitespace().collect();
        let mut text = String::new();
        let mut empty = 0;
        for letter in line.chars().chain([' ']) {
            if letter != '.' && empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            match letter {
                '.' => empty += 1,
                ' ' => {}
                piece => text.push(piece),
            }
        }
        text
    };
    let ranks: Vec<String> = board
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(rank)
        .collect();
    let setup = Setup::from_text(&ranks.join("/"), RankOrder::HighestFirst).expect("a board");
    let rules = rules(ruleset);
    Game::from_setup(rules, &setup.with_side(side)).expect("a playable board")
}
