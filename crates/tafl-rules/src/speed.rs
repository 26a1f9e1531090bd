//! How fast the rules are, and whether counting in different ways comes to the same.

use crate::{Perft, RolloutConfig, Rules, perft, perft_parallel, rollouts, rollouts_parallel};
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was measured of one ruleset. Rates are a second, the best of several passes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RulesSpeed {
    /// The ruleset.
    pub ruleset: String,
    /// Plies from the start to the leaves.
    pub depth: u32,
    /// Leaves.
    pub nodes: u64,
    /// Leaves on one core; the moves of the last ply are counted.
    pub bulk_nodes_per_s: f64,
    /// The same on all cores.
    pub bulk_nodes_per_s_all_cores: f64,
    /// Leaves on one core; the moves of the last ply are played.
    pub played_nodes_per_s: f64,
    /// Random games.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Plies of random play on one core.
    pub plies_per_s: f64,
    /// The same on all cores.
    pub plies_per_s_all_cores: f64,
    /// All cores.
    pub cores: usize,
}

/// Two passes over the same came to different numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one pass counted {0}, another {1}")]
pub struct Miscount(u64, u64);

/// Measures perft from the start and random play, each for some time and in two passes at least.
///
/// # Errors
/// If passes differ: on one core and on all, counted and played.
pub fn measure(
    rules: &Arc<Rules>,
    depth: u32,
    games: &RolloutConfig,
    time: Duration,
) -> Result<RulesSpeed, Miscount> {
    let start = rules.start();
    let [played, bulk] = [false, true].map(|bulk| Perft {
        by_turns: false,
        bulk,
    });
    let (nodes, bulk_nodes_per_s) = rate(time, None, || perft(rules, &start, depth, bulk))?;
    let all_cores = || perft_parallel(rules, &start, depth, bulk);
    let (_, bulk_nodes_per_s_all_cores) = rate(time, Some(nodes), all_cores)?;
    let played = || perft(rules, &start, depth, played);
    let (_, played_nodes_per_s) = rate(time, Some(nodes), played)?;
    let (plies, plies_per_s) = rate(time, None, || rollouts(rules, games).plies)?;
    let all_cores = || rollouts_parallel(rules, games).plies;
    let (_, plies_per_s_all_cores) = rate(time, Some(plies), all_cores)?;
    Ok(RulesSpeed {
        ruleset: rules.ruleset().name.clone(),
        depth,
        nodes,
        bulk_nodes_per_s,
        bulk_nodes_per_s_all_cores,
        played_nodes_per_s,
        games: games.games.end - games.games.start,
        plies,
        plies_per_s,
        plies_per_s_all_cores,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    })
}

/// Counts again and again for some time; returns the count and how much of it the quickest pass made a second.
fn rate(
    time: Duration,
    mut expected: Option<u64>,
    count: impl Fn() -> u64,
) -> Result<(u64, f64), Miscount> {
    let begun = Instant::now();
    let (mut quickest, mut passes) = (f64::INFINITY, 0);
    loop {
        let pass = Instant::now();
        let counted = count();
        quickest = quickest.min(pass.elapsed().as_secs_f64());
        let expected = *expected.get_or_insert(counted);
        if counted != expected {
            return Err(Miscount(expected, counted));
        }
        passes += 1;
        if passes >= 2 && begun.elapsed() >= time {
            return Ok((counted, counted as f64 / quickest.max(1e-9)));
        }
    }
}
