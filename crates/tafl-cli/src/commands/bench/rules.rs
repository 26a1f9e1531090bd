//! `tafl bench rules`: perft leaves per second, and plies of random games per second.

use crate::process::ExitCode;
use crate::text::table;
use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tafl_rules::{PRESET_NAMES, RolloutConfig, Rules, RulesSpeed};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
nodes and plies depend on the rules alone: they are the same on every machine. Rates are the best of
several passes. `bulk` counts the moves of the last ply, `played` plays each; random play judges
every rule after every ply, repetition included. `all cores` is the rate on all cores
divided by that on one.")]
pub(crate) struct Args {
    /// Names of rulesets, or paths to ruleset files; default: all five presets.
    rulesets: Vec<String>,
    /// Depth in plies.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: u32,
    /// Random games.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Seed of the random games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Minimum seconds for each rate; each takes at least two passes.
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print one JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut names = args.rulesets.clone();
    if names.is_empty() {
        names = PRESET_NAMES.map(str::to_owned).to_vec();
    }
    let load = |name: &String| tafl_training::load_rules(name, Path::new("."));
    let all: Vec<Arc<Rules>> = names.iter().map(load).collect::<anyhow::Result<_>>()?;
    let games = RolloutConfig {
        seed: args.seed,
        games: 0..args.games,
        max_plies: 1_000,
    };
    let time = Duration::from_secs_f64(args.time);
    let mut rows = Vec::new();
    for rules in &all {
        let row = tafl_rules::measure(rules, args.depth, &games, time)
            .with_context(|| rules.ruleset().name.clone())?;
        if args.json {
            println!("{}", serde_json::to_string(&row)?);
        }
        rows.push(row);
    }
    if !args.json {
        print!("{}", format(&rows));
    }
    Ok(ExitCode::SUCCESS)
}

fn format(rows: &[RulesSpeed]) -> String {
    let millions = |rate: f64| format!("{:.1} M", rate / 1e6);
    let ratio = |all: f64, one: f64| format!("{:.2}x", all / one.max(1e-9));
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.ruleset.clone(),
                row.nodes.to_string(),
                millions(row.bulk_nodes_per_s),
                ratio(row.bulk_nodes_per_s_all_cores, row.bulk_nodes_per_s),
                millions(row.played_nodes_per_s),
                row.plies.to_string(),
                millions(row.plies_per_s),
                ratio(row.plies_per_s_all_cores, row.plies_per_s),
            ]
        })
        .collect();
    let (depth, games) = rows.first().map_or((0, 0), |row| (row.depth, row.games));
    let cores = rows.first().map_or(1, |row| row.cores);
    let head = "ruleset | >nodes | >bulk/s | >all cores | >played/s | >plies | >random plies/s | >all cores";
    let table = table::of(head, cells);
    format!(
        "{table}\nperft {depth} from the start; {games} random games; one core, and all {cores}\n"
    )
}
