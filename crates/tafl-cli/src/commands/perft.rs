//! `tafl perft`: counts leaves of the game tree, to compare with other programs.

use crate::rulesets;
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use tafl_rules::{Perft, Position, RankOrder, Rules, Setup, Side, perft_divide, perft_parallel};

/// Arguments of `tafl perft`.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(after_help = "Repetition and limits are off, and a finished game has no moves.")]
pub(crate) struct Args {
    /// Name of a ruleset, or path to a ruleset file.
    ruleset: String,
    /// How many plies to look ahead.
    depth: u32,
    /// Count from this position instead of the start: ranks between slashes, the highest first.
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// The position lists rank 1 first, as OpenTafl's texts do.
    #[arg(long, requires = "position")]
    lowest_first: bool,
    /// Side to move in the position: attackers or defenders.
    #[arg(
        long,
        value_name = "SIDE",
        default_value = "attackers",
        requires = "position"
    )]
    side: Side,
    /// Print the count below each first move as well.
    #[arg(long)]
    divide: bool,
    /// Count whole turns: a chain of captures is one step.
    #[arg(long)]
    turns: bool,
    /// Play every move of the last step instead of counting them.
    #[arg(long)]
    no_bulk: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rules = rulesets::load_rules(&args.ruleset, Path::new("."))?;
    let position = first_position(&rules, args)?;
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

fn first_position(rules: &Rules, args: &Args) -> anyhow::Result<Position> {
    let Some(text) = &args.position else {
        return Ok(rules.start());
    };
    let order = if args.lowest_first {
        RankOrder::LowestFirst
    } else {
        RankOrder::HighestFirst
    };
    let setup = Setup::from_text(text, order).context("--position")?;
    rules
        .position(&setup.with_side(args.side))
        .context("--position")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn first(words: &[&str]) -> anyhow::Result<Position> {
        let line = Line::try_parse_from([&["perft", "brandubh", "1"], words].concat())?;
        first_position(&Rules::preset("brandubh").expect("a preset"), &line.args)
    }

    #[test]
    fn positions_are_read_in_the_order_asked_for() {
        let king = |words: &[&str]| first(words).expect("a position").king().to_string();
        assert_eq!(king(&["--position", "1K5/7/7/7/7/7/1t5"]), "b7");
        assert_eq!(
            king(&["--position", "1K5/7/7/7/7/7/1t5", "--lowest-first"]),
            "b1"
        );
        assert_eq!(king(&[]), "d4");
    }

    #[test]
    fn the_side_to_move_is_the_attackers_unless_said() {
        let side = |words: &[&str]| first(words).expect("a position").side();
        let board = "1K5/7/7/7/7/7/1t5";
        assert_eq!(side(&["--position", board]), Side::Attacker);
        assert_eq!(
            side(&["--position", board, "--side", "defenders"]),
            Side::Defender
        );
        assert!(first(&["--position", board, "--side", "black"]).is_err());
        assert!(first(&["--position", "7/7"]).is_err());
    }
}
