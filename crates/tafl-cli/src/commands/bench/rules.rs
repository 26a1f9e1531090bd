//! `tafl bench rules`: leaves of the game tree and plies of random play a second.

use crate::table;
use anyhow::ensure;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tafl_rules::{
    PRESET_NAMES, Perft, RolloutConfig, Rules, perft, perft_parallel, rollouts, rollouts_parallel,
};

/// Arguments of `tafl bench rules`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
nodes and plies depend on the rules alone: they are the same on every machine. Rates are the best of
several passes. `bulk` counts the moves of the last ply, `played` plays each; random play judges
every rule after every ply, repetition included. `all cores` is the rate on all cores by that on one.")]
pub(crate) struct Args {
    /// Names of rulesets, or paths to ruleset files; all five presets when none is given.
    rulesets: Vec<String>,
    /// Plies to look ahead.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: u32,
    /// Random games.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Seed of the random games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds to spend on each rate, at least; every rate is of two passes or more.
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = super::seconds)]
    time: f64,
    /// Print one JSON object a line instead of a table.
    #[arg(long)]
    json: bool,
}

/// What was measured of one ruleset; rates are a second.
#[derive(Debug, Serialize)]
struct Row {
    ruleset: String,
    depth: u32,
    nodes: u64,
    bulk_nodes_per_s: f64,
    bulk_nodes_per_s_all_cores: f64,
    played_nodes_per_s: f64,
    games: u64,
    plies: u64,
    plies_per_s: f64,
    plies_per_s_all_cores: f64,
    cores: usize,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut names = args.rulesets.clone();
    if names.is_empty() {
        names = PRESET_NAMES.map(str::to_owned).to_vec();
    }
    let all: Vec<Arc<Rules>> = names
        .iter()
        .map(|name| tafl_training::load_rules(name, Path::new(".")))
        .collect::<anyhow::Result<_>>()?;
    let mut rows = Vec::new();
    for rules in &all {
        let row = measure(rules, args)?;
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

fn measure(rules: &Arc<Rules>, args: &Args) -> anyhow::Result<Row> {
    let start = rules.start();
    let [played, bulk] = [false, true].map(|bulk| Perft {
        by_turns: false,
        bulk,
    });
    let config = RolloutConfig {
        seed: args.seed,
        games: 0..args.games,
        max_plies: 1_000,
    };
    let time = Duration::from_secs_f64(args.time);
    let leaves = rate(time, || perft(rules, &start, args.depth, bulk))?;
    let leaves_on_all = rate(time, || perft_parallel(rules, &start, args.depth, bulk))?;
    let leaves_played = rate(time, || perft(rules, &start, args.depth, played))?;
    let plies = rate(time, || rollouts(rules, &config).plies)?;
    let plies_on_all = rate(time, || rollouts_parallel(rules, &config).plies)?;
    let name = &rules.ruleset().name;
    ensure!(
        leaves.count == leaves_on_all.count && leaves.count == leaves_played.count,
        "{name}: {} leaves in bulk, {} on all cores, {} played",
        leaves.count,
        leaves_on_all.count,
        leaves_played.count
    );
    ensure!(
        plies.count == plies_on_all.count,
        "{name}: other games on all cores"
    );
    Ok(Row {
        ruleset: name.clone(),
        depth: args.depth,
        nodes: leaves.count,
        bulk_nodes_per_s: leaves.per_s,
        bulk_nodes_per_s_all_cores: leaves_on_all.per_s,
        played_nodes_per_s: leaves_played.per_s,
        games: args.games,
        plies: plies.count,
        plies_per_s: plies.per_s,
        plies_per_s_all_cores: plies_on_all.per_s,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    })
}

/// Something counted, and how much of it a second.
struct Rate {
    count: u64,
    per_s: f64,
}

/// Counts again and again for some time and returns the rate of the quickest pass.
fn rate(time: Duration, count: impl Fn() -> u64) -> anyhow::Result<Rate> {
    let begun = Instant::now();
    let (mut first, mut quickest, mut passes) = (None, f64::INFINITY, 0);
    while passes < 2 || begun.elapsed() < time {
        let pass = Instant::now();
        let counted = count();
        quickest = quickest.min(pass.elapsed().as_secs_f64());
        ensure!(
            *first.get_or_insert(counted) == counted,
            "two passes counted differently"
        );
        passes += 1;
    }
    let count = first.unwrap_or(0);
    Ok(Rate {
        count,
        per_s: count as f64 / quickest.max(1e-9),
    })
}

fn format(rows: &[Row]) -> String {
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
