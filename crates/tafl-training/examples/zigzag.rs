//! Whether the values of networks depend on whose turn it is, in games against themselves.
//!
//! `cargo run --release -p tafl-training --example zigzag -- 1 data/nets/copenhagen data/nets/five-rulesets` prints for each
//! ruleset that a network learned the mean zigzag with its 95 % interval ([`tafl_network::Zigzag`]), over 60 games. The number
//! is the visits of every move; with 1, moves are drawn from the policy.

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use tafl_network::{Device, Inference, Precision, zigzag};
use tafl_play::{Curriculum, Player, SelfplayConfig, SelfplayPlan, Session, Watch, generate_games};
use tafl_play::{MakeEvaluator, Repertoire, RunnerConfig};
use tafl_samples::PlayerId;
use tafl_search::{Evaluator, SearchConfig};
use tafl_training::{learned_rules, load_any};

const GAMES: u64 = 60;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let visits = arguments.next().context("VISITS NET ...")?;
    let visits = visits
        .parse()
        .with_context(|| format!("visits: {visits}"))?;
    for folder in arguments {
        measure(Path::new(&folder), visits).with_context(|| folder.clone())?;
    }
    Ok(())
}

fn measure(folder: &Path, visits: u32) -> anyhow::Result<()> {
    let (network, card) = load_any(folder)?;
    let compute = Precision::Auto.resolve(&network, Device::Cpu);
    let mut inference = Inference::new(&network, Device::Cpu, compute)?;
    let make: MakeEvaluator = Arc::new(move |_| {
        let inference = Inference::new(&network, Device::Cpu, compute)?;
        Ok(Box::new(inference) as Box<dyn Evaluator>)
    });
    let search = SearchConfig {
        visits,
        ..SearchConfig::default()
    };
    let plan = Arc::new(SelfplayPlan {
        number: 0,
        generation: 0,
        config: SelfplayConfig {
            full_search_fraction: 1.0,
            ..SelfplayConfig::default()
        },
        curriculum: Curriculum::default(),
        player: Arc::new(Player::network(PlayerId::Checkpoint(0), search, make)),
    });
    for rules in learned_rules(folder, &card)? {
        let rules = Repertoire::from(vec![rules]);
        let session = Session {
            rules: &rules,
            run_seed: 1,
            runner: RunnerConfig::default(),
        };
        let numbers: Vec<u64> = (0..GAMES).collect();
        let games = generate_games(&session, &plan, &numbers, &Watch::default())?;
        let found = zigzag(&mut inference, &games, &rules);
        println!(
            "{} {}, {visits} visits: {:+.3} (95 %: {:+.3} to {:+.3}), {} plies",
            folder.display(),
            rules[0].ruleset().name,
            found.mean,
            found.mean - 1.96 * found.error,
            found.mean + 1.96 * found.error,
            found.plies,
        );
    }
    Ok(())
}
