//! What is stored of a search.

use tafl_samples::SearchRecord;
use tafl_search::RootStats;

/// Returns what is stored of a finished search.
pub fn search_record(stats: &RootStats) -> SearchRecord {
    let moves = stats.moves.iter().filter(|root| root.policy > 0.0);
    let array = |wdl: tafl_search::MoverWdl| [wdl.win, wdl.draw, wdl.loss];
    SearchRecord {
        policy: moves.map(|root| (root.mv, root.policy)).collect(),
        wdl: array(stats.value),
        network_wdl: array(stats.network_value),
        visits: stats.visits,
        proven: stats.proven.is_some(),
        prior_divergence: prior_divergence(stats),
        checkpoint: None,
    }
}

/// Returns the Kullback-Leibler divergence of the target policy from the network's prior, in nats:
/// sum over the moves of policy ln(policy / prior).
fn prior_divergence(stats: &RootStats) -> f32 {
    let terms = stats.moves.iter().filter(|root| root.policy > 0.0);
    let sum: f32 = terms
        // A prior may underflow to 0; the least positive number keeps the quotient finite.
        .map(|root| root.policy * (root.policy / root.prior.max(f32::MIN_POSITIVE)).ln())
        .sum();
    // Rounding may bring equal distributions below 0.
    sum.max(0.0)
}
