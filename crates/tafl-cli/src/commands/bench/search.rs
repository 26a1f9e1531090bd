//! `tafl bench search`: visits per second of the search alone, with a trivial evaluator.

mod speed;

use crate::text::table;
use speed::{SearchSpeed, search_speed};
use std::path::Path;
use std::process::ExitCode;
use tafl_search::SearchConfig;

/// Arguments of `tafl bench search`.
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
            let row = search_speed(&rules, &config, args.budget)?;
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

fn format(rows: &[SearchSpeed]) -> String {
    let percent = |share: f64| format!("{share:.0} %");
    let row = |row: &SearchSpeed| {
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
    };
    let head = "algorithm | >visits a move | >visits | >visits/s | >nodes | >edges | >bytes a node | >select | \
                >rules | >expand | >back up";
    table::of(head, rows.iter().map(row))
}
