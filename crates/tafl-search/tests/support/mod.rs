//! Configs and boards for the tests of this folder.

use std::sync::Arc;
use tafl_rules::{Game, RankOrder, Rules, Setup, Side};
use tafl_search::{Algorithm, QRange, SearchConfig};

pub(crate) const ALGORITHMS: [Algorithm; 2] = [Algorithm::Gumbel, Algorithm::Puct];

pub(crate) fn config(algorithm: Algorithm, visits: u32) -> SearchConfig {
    SearchConfig {
        algorithm,
        visits,
        considered_moves: 16,
        c_visit: 50.0,
        c_scale: 1.0,
        q_range: QRange::Unit,
        c_puct: 1.25,
        c_puct_base: 19_652.0,
        fpu_reduction: 0.33,
        dirichlet_alpha: 10.0,
        dirichlet_fraction: 0.25,
        temperature: 1.0,
        temperature_plies: 30,
        win_in_one: true,
        draw_value: 0.0,
        reuse_tree: true,
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
    let position = rules
        .position(&setup.with_side(side))
        .expect("a playable board");
    Game::from_position(rules, position)
}
