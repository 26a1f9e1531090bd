//! Many games side by side, whose leaves an evaluator judges as one batch: how a network is kept busy.
//!
//! `cargo run --release -p tafl-search --example side_by_side` plays 32 games of Tablut and counts the batches.

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use tafl_rules::{Game, IllegalMove, Rules};
use tafl_search::{Evaluator, Leaf, Mode, RolloutEvaluator, Search, SearchConfig, Step};

fn main() -> Result<(), IllegalMove> {
    let rules = Rules::preset("tablut").expect("a preset");
    let config = SearchConfig {
        visits: 16,
        ..SearchConfig::default()
    };
    let mut evaluator = RolloutEvaluator { seed: 1 };
    // Noise, which self-play has, makes each seed another game.
    let new = |seed| Search::new(&config, Game::new(rules.clone()), Mode::SelfPlay, seed);
    let mut searches: Vec<Search> = (0..32).map(new).collect();

    let (mut batches, mut positions) = (0, 0);
    let mut evaluations = Vec::new();
    loop {
        let mut waiting = Vec::new();
        for search in &mut searches {
            if needs_evaluation(search)? {
                waiting.push(search);
            }
        }
        if waiting.is_empty() {
            break;
        }
        let leaves: Vec<Leaf<'_>> = waiting.iter().map(|search| search.leaf()).collect();
        evaluator.evaluate(&leaves, &mut evaluations);
        (batches, positions) = (batches + 1, positions + leaves.len());
        for (search, evaluation) in waiting.into_iter().zip(&evaluations) {
            search.expand(evaluation);
        }
    }
    let plies: usize = searches
        .iter()
        .map(|search| search.game().moves().len())
        .sum();
    println!(
        "{} games, {plies} plies, {positions} positions in {batches} batches",
        searches.len()
    );
    assert!(
        searches
            .iter()
            .all(|search| search.game().outcome().is_some())
    );
    assert!(batches < positions / 4);
    Ok(())
}

/// Plays the moves of searches that are at their end, up to a position that needs an evaluation; false if the game is over.
fn needs_evaluation(search: &mut Search) -> Result<bool, IllegalMove> {
    while search.select() == Step::Finished {
        if search.game().outcome().is_some() {
            return Ok(false);
        }
        search.advance(search.root_stats().chosen)?;
    }
    Ok(true)
}
