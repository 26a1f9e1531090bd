//! `tafl perft`: counts leaves of the game tree, to compare with other programs.

use crate::args::PositionSource;
use crate::process::ExitCode;
use std::path::Path;
use std::time::Instant;
use tafl_rules::{Perft, perft_divide, perft_parallel};

#[derive(Debug, clap::Args)]
#[command(after_help = "Repetition and limits are off, and a finished game has no moves.")]
pub(crate) struct Args {
    /// Name of a ruleset, or path to a ruleset file.
    ruleset: String,
    /// Depth in plies.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    #[command(flatten)]
    position: PositionSource,
    /// Also print the count for each first move.
    #[arg(long)]
    divide: bool,
    /// Count turns instead of plies: a capture chain is one step.
    #[arg(long)]
    turns: bool,
    /// Play every move of the last step instead of only counting them.
    #[arg(long)]
    no_bulk: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = tafl_training::load_rules(&args.ruleset, Path::new("."))?;
    let position = args.position.read(&rules)?;
    let how = Perft {
        by_turns: args.turns,
        bulk: !args.no_bulk,
    };
    let start = Instant::now();
    let nodes = if args.divide {
        let mut counts = perft_divide(&rules, &position, args.depth, how);
        counts.sort_by_cached_key(|(mv, _)| mv.to_string());
        for (mv, nodes) in &counts {
            println!("{mv:<8} {nodes}");
        }
        // At depth 0 there is no first move, and the position itself is the one leaf.
        if args.depth == 0 {
            1
        } else {
            counts.iter().map(|(_, nodes)| nodes).sum()
        }
    } else {
        perft_parallel(&rules, &position, args.depth, how)
    };
    let seconds = start.elapsed().as_secs_f64();
    println!("nodes    {nodes}");
    println!("seconds  {seconds:.3}");
    println!("nodes/s  {:.0}", nodes as f64 / seconds.max(1e-9));
    Ok(ExitCode::SUCCESS)
}
