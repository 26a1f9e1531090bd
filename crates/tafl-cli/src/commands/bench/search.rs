//! `tafl bench search`: visits a second of pure search, with an evaluator that costs next to nothing.

use crate::table::{self, Align};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_rules::{Game, Rules};
use tafl_search::{
    Mode, Search, SearchConfig, UniformEvaluator, run as search_to_the_end, start_search_clock,
    stop_search_clock,
};

/// Arguments of `tafl bench search`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
One core, equal logits, even chances. Visits, nodes and edges do not depend on the machine. The
phases are timed in a pass of their own; `select` is what the others leave.")]
pub(crate) struct Args {
    /// Name of a ruleset, or path to a ruleset file.
    #[arg(default_value = "copenhagen")]
    ruleset: String,
    /// Visits a move; a line for each.
    #[arg(long, value_delimiter = ',', default_values_t = [64, 400, 100_000], value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    visits: Vec<u32>,
    /// Visits to spend on each line, at least.
    #[arg(long, default_value_t = 400_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    budget: u64,
    /// Print one JSON object a line instead of a table.
    #[arg(long)]
    json: bool,
}

/// What was measured of one algorithm and number of visits.
#[derive(Debug, Serialize)]
struct Row {
    ruleset: String,
    algorithm: &'static str,
    visits_per_move: u32,
    visits: u64,
    nodes: usize,
    edges: usize,
    bytes_per_node: f64,
    visits_per_s: f64,
    /// Shares of the time, in percent.
    select: f64,
    rules: f64,
    expand: f64,
    back_up: f64,
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

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = tafl_training::load_rules(&args.ruleset, Path::new("."))?;
    let mut rows = Vec::new();
    for (name, reference) in [
        ("gumbel", SearchConfig::gumbel(1)),
        ("puct", SearchConfig::puct(1)),
    ] {
        for &visits in &args.visits {
            let config = SearchConfig {
                visits,
                algorithm: reference.algorithm,
                ..tafl_training::quickstart()?.search
            };
            let row = measure(&rules, (name, &config), args.budget)?;
            if args.json {
                println!("{}", serde_json::to_string(&row)?);
            }
            rows.push(row);
        }
    }
    if !args.json {
        print!("{}", format(&rows));
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(
    rules: &Arc<Rules>,
    (algorithm, config): (&'static str, &SearchConfig),
    budget: u64,
) -> anyhow::Result<Row> {
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
    Ok(Row {
        ruleset: rules.ruleset().name.clone(),
        algorithm,
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

fn format(rows: &[Row]) -> String {
    let percent = |share: f64| format!("{share:.0} %");
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.algorithm.to_owned(),
                row.visits_per_move.to_string(),
                row.visits.to_string(),
                format!("{:.0} k", row.visits_per_s / 1e3),
                row.nodes.to_string(),
                row.edges.to_string(),
                format!("{:.0}", row.bytes_per_node),
                percent(row.select),
                percent(row.rules),
                percent(row.expand),
                percent(row.back_up),
            ]
        })
        .collect();
    let head = [
        "visits a move",
        "visits",
        "visits/s",
        "nodes",
        "edges",
        "bytes a node",
        "select",
        "rules",
        "expand",
        "back up",
    ];
    let mut columns = vec![("algorithm", Align::Left)];
    columns.extend(head.map(|name| (name, Align::Right)));
    table::format(&columns, &cells)
}
