//! The page's search against the native one, with libtorch: the same moves, visit by visit.

use crate::support::root;
use crate::web::page::{is_quiet, opened};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;
use tafl_network::{Compute, Device, Inference, load_network};
use tafl_rules::{Game, Move, Rules};
use tafl_search::{Mode, RootStats, Search, SearchConfig};
use tafl_training::PlayerSource;

const VISITS: u32 = 100;

/// Rulesets, the networks that know them, their numbers in the page, and positions.
const POSITIONS: [(&str, &str, usize, u64); 6] = [
    ("copenhagen", "five-rulesets", 3, 20),
    ("copenhagen-tournament", "five-rulesets", 3, 5),
    ("fetlar", "five-rulesets", 3, 5),
    ("berserk-2024", "berserk", 0, 10),
    ("brandubh", "brandubh", 2, 10),
    ("tablut", "tablut", 1, 5),
];

/// A game some random plies long that is not over.
fn game(ruleset: &str, seed: u64) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let plies = 2 * seed as usize;
    loop {
        let mut game = Game::new(Rules::preset(ruleset).expect("a preset"));
        let mut moves = Vec::new();
        while game.outcome().is_none() && game.moves().len() < plies {
            game.legal_moves(&mut moves);
            let mv = moves[rng.random_range(0..moves.len())];
            game.play(mv).expect("legal");
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

fn visits(stats: &RootStats) -> Vec<(String, u32)> {
    let moves = stats.moves.iter().filter(|root| root.visits > 0);
    moves
        .map(|root| (root.mv.to_string(), root.visits))
        .collect()
}

/// Searches in the page; returns the best move, the visits of all moves that have some, and the time in milliseconds.
const PAGE: &str = "
  const begun = performance.now();
  const number = await taflforge.engine.think(game, { net, visits, seed: 1 });
  const took = performance.now() - begun;
  const found = await taflforge.engine.ask('findings', { number, lines: 1 });
  return [found.lines[0].moves[0], found.moves.filter((move) => move[3] > 0).map((move) => [move[0], move[3]]), took];";

#[test]
#[expect(
    clippy::print_stderr,
    reason = "whoever asks for it sees how fast it is"
)]
fn the_page_searches_as_the_program_does() {
    let Some(browser) = opened(1000, "") else {
        return;
    };
    browser.ask("taflforge.parts.play.leave()");
    let (mut total, mut ms) = (0, 0.0);
    for (ruleset, net, number, count) in POSITIONS {
        let folder = root().join("data/nets").join(net);
        let (network, _) = load_network(&folder).expect("a network");
        let own = PlayerSource::checkpoint(folder)
            .own_config()
            .expect("a config");
        let config = SearchConfig {
            visits: VISITS,
            ..own.search
        };
        let mut inference = Inference::new(&network, Device::Cpu, Compute::F32).expect("libtorch");
        for seed in 0..count {
            let game = game(ruleset, seed);
            let moves: Vec<String> = game.moves().iter().map(Move::to_string).collect();
            let mut search = Search::new(&config, game, Mode::Match, 1);
            let stats = tafl_search::run(&mut search, &mut inference);
            let expected = (stats.chosen.to_string(), visits(&stats));
            let asked = json!({ "ruleset": ruleset, "moves": moves });
            let found = browser.ask(&format!(
                "return (async () => {{ const game = {asked}; const net = {number}; const visits = {VISITS}; {PAGE} }})()"
            ));
            let (best, counts, took): (String, Vec<(String, u32)>, f64) =
                serde_json::from_value(found).expect("a search");
            assert_eq!((best, counts), expected, "{ruleset}, {seed}");
            ms += took;
            total += 1;
        }
    }
    assert_eq!(total, 55);
    eprintln!(
        "{VISITS} visits take {:.0} ms in the page",
        ms / f64::from(total)
    );
    is_quiet(&browser);
}

#[test]
fn random_games_judge_where_no_network_can() {
    let Some(browser) = opened(1000, "") else {
        return;
    };
    let game = json!({ "ruleset": "tablut", "moves": [] });
    let twice = (0..2).map(|_| {
        browser.ask(&format!(
            "return (async () => {{ const game = {game}; const net = null; const visits = 300; {PAGE} }})()"
        ))
    });
    let twice: Vec<_> = twice.collect();
    assert_eq!(twice[0][1], twice[1][1], "the same seed");
    let counts: Vec<(String, u32)> = serde_json::from_value(twice[0][1].clone()).expect("moves");
    assert_eq!(counts.iter().map(|(_, count)| count).sum::<u32>(), 300);
    let refused = browser.ask(&format!(
        "return taflforge.engine.think({game}, {{ net: 0, visits: 10 }}).catch((error) => error.message)"
    ));
    assert_eq!(refused, "There is no network for this board.");
}
