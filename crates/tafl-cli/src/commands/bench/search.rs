//! `tafl bench search`: visits per second of the search alone, with a trivial evaluator.

use crate::process::ExitCode;
use crate::text::table;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_rules::{Game, Rules};
use tafl_search::{
    Mode, Search, SearchConfig, UniformEvaluator, run as search_to_the_end, start_search_clock,
    stop_search_clock,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
One core, equal logits, even chances. Visits, nodes and edges do not depend on the machine. The
phases are timed in a separate pass; `select` is the rest.")]
pub(crate) struct Args {
    /// Name of a ruleset, or path to a ruleset file.
    #[arg(default_value = "copenhagen")]
    ruleset: String,
    /// Visits per move; one line for each.
    #[arg(long, value_delimiter = ',', default_values_t = [64, 400, 100_000], value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    visits: Vec<u32>,
    /// Minimum visits for each line.
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    budget: u64,
    /// Print one JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = tafl_training::load_rules(&args.ruleset, Path::new("."))?;
    let quickstart = tafl_training::quickstart()?.search;
    let mut rows = Vec::new();
    for reference in [SearchConfig::gumbel(1), SearchConfig::puct(1)] {
        for &visits in &args.visits {
            let config = SearchConfig {
                visits,
                puct: reference.puct,
                ..quickstart.clone()
            };
            let (about, row) = search_speed(&rules, &config, args.budget)?;
            if args.json {
                println!("{about}");
            }
            rows.push(row);
        }
    }
    if !args.json {
        print!("{}", table::of(HEAD, rows));
    }
    Ok(ExitCode::SUCCESS)
}

/// What some games came to.
#[derive(Default)]
struct Played {
    visits: u64,
    /// The largest tree's nodes, edges and bytes.
    nodes: usize,
    edges: usize,
    bytes: usize,
    time: Duration,
}

/// Columns of [`search_speed`].
const HEAD: &str = "algorithm | >visits a move | >visits | >visits/s | >nodes | >edges | >bytes a node | >select | \
    >rules | >expand | >back up";

/// Measures searches of at least `budget` visits on one core, with equal logits and even chances; otherwise they are those
/// of `config`. Returns JSON and a row of a table: visits a second of the quickest of three passes, the size of the largest
/// tree, and in percent where the time of a pass of their own went.
fn search_speed(
    rules: &Arc<Rules>,
    config: &SearchConfig,
    budget: u64,
) -> anyhow::Result<(Value, Vec<String>)> {
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
    let select = 100.0 - rules_share - expand - back_up;
    let Played {
        visits,
        nodes,
        edges,
        bytes,
        time,
    } = quickest;
    let bytes_per_node = bytes as f64 / nodes.max(1) as f64;
    let visits_per_s = visits as f64 / time.as_secs_f64();
    let algorithm = if config.puct.is_some() {
        "puct"
    } else {
        "gumbel"
    };
    let mut row = vec![
        algorithm.to_owned(),
        config.visits.to_string(),
        visits.to_string(),
        format!("{:.0} k", visits_per_s / 1e3),
        nodes.to_string(),
        edges.to_string(),
        format!("{bytes_per_node:.0}"),
    ];
    row.extend([select, rules_share, expand, back_up].map(|share| format!("{share:.0} %")));
    let about = json!({
        "ruleset": rules.ruleset().name, "algorithm": algorithm, "visits_per_move": config.visits,
        "visits": visits, "nodes": nodes, "edges": edges, "bytes_per_node": bytes_per_node,
        "visits_per_s": visits_per_s, "select": select, "rules": rules_share, "expand": expand,
        "back_up": back_up,
    });
    Ok((about, row))
}

/// Plays games by themselves, one after another, until the visits are spent.
fn play(rules: &Arc<Rules>, config: &SearchConfig, budget: u64) -> anyhow::Result<Played> {
    let begun = Instant::now();
    let mut played = Played::default();
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
