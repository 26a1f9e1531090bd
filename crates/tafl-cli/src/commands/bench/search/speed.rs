//! The speed of pure search, with an evaluator that costs next to nothing.

use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_rules::{Game, Rules};
use tafl_search::{
    Mode, Search, SearchConfig, UniformEvaluator, run as search_to_the_end, start_search_clock,
    stop_search_clock,
};

/// How fast one algorithm searches with one number of visits a move, on one core.
#[derive(Debug, Serialize)]
pub(super) struct SearchSpeed {
    pub(super) ruleset: String,
    /// `gumbel` or `puct`.
    pub(super) algorithm: &'static str,
    pub(super) visits_per_move: u32,
    pub(super) visits: u64,
    /// Nodes of the largest tree.
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Its memory by its nodes.
    pub(super) bytes_per_node: f64,
    /// Visits a second, of the quickest of three passes.
    pub(super) visits_per_s: f64,
    /// Walking down the tree; this and the next three are shares of the time, in percent.
    pub(super) select: f64,
    pub(super) rules: f64,
    pub(super) expand: f64,
    pub(super) back_up: f64,
}

/// What some games came to.
struct Played {
    visits: u64,
    /// The largest tree's nodes, edges and bytes.
    nodes: usize,
    edges: usize,
    bytes: usize,
    time: Duration,
}

/// Measures searches of at least `budget` visits, with equal logits and even chances; otherwise they are those of
/// `config`. The phases are timed in a pass of their own.
pub(super) fn search_speed(
    rules: &Arc<Rules>,
    config: &SearchConfig,
    budget: u64,
) -> anyhow::Result<SearchSpeed> {
    let mut quickest = play(rules, config, budget)?;
    for _ in 0..2 {
        let again = play(rules, config, budget)?;
        if again.time < quickest.time {
            quickest = again;
        }
    }
    start_search_clock();
    let timed = play(rules, config, budget)?;
    let times = stop_search_clock().unwrap_or_default();
    let percent = |time: Duration| 100.0 * time.as_secs_f64() / timed.time.as_secs_f64();
    let [rules_share, expand, back_up] = [times.rules, times.expand, times.back_up].map(percent);
    Ok(SearchSpeed {
        ruleset: rules.ruleset().name.clone(),
        algorithm: match config.puct {
            None => "gumbel",
            Some(_) => "puct",
        },
        visits_per_move: config.visits,
        visits: quickest.visits,
        nodes: quickest.nodes,
        edges: quickest.edges,
        bytes_per_node: quickest.bytes as f64 / quickest.nodes.max(1) as f64,
        visits_per_s: quickest.visits as f64 / quickest.time.as_secs_f64(),
        select: 100.0 - rules_share - expand - back_up,
        rules: rules_share,
        expand,
        back_up,
    })
}

/// Plays games by themselves, one after another, until the visits are spent.
fn play(rules: &Arc<Rules>, config: &SearchConfig, budget: u64) -> anyhow::Result<Played> {
    let begun = Instant::now();
    let mut played = Played {
        visits: 0,
        nodes: 0,
        edges: 0,
        bytes: 0,
        time: Duration::ZERO,
    };
    let mut seed = 0;
    while played.visits < budget {
        let mut search = Search::new(config, Game::new(rules.clone()), Mode::SelfPlay, seed);
        search.keep_tree();
        while search.game().outcome().is_none() && played.visits < budget {
            let stats = search_to_the_end(&mut search, &mut UniformEvaluator);
            played.visits += u64::from(stats.visits);
            let size = search.tree_size();
            if size.nodes > played.nodes {
                (played.nodes, played.edges, played.bytes) = (size.nodes, size.edges, size.bytes);
            }
            search.advance(stats.chosen)?;
        }
        seed += 1;
    }
    played.time = begun.elapsed();
    Ok(played)
}
