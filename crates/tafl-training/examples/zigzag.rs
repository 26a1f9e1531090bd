//! Whether the values of networks depend on whose turn it is, in games against themselves.
//!
//! `cargo run --release -p tafl-training --example zigzag -- 1 data/nets/copenhagen data/nets/five-rulesets` prints for each
//! ruleset that a network learned the mean zigzag over 60 games ([`tafl_network::zigzag`]). The number is the visits of every
//! move; with 1, moves are drawn from the policy.
//!
//! `... --example zigzag -- even NET FOLDER` writes into FOLDER the network with values that do not, as training does with the
//! last checkpoint of a run ([`tafl_network::turn_offset`]).

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use anyhow::Context;
use std::path::Path;
use std::sync::Arc;
use tafl_network::{Compute, Device, Inference, ModelCard, Network, Precision, Trainer};
use tafl_network::{TrainerConfig, save_network, turn_offset, zigzag};
use tafl_play::RunnerConfig;
use tafl_rules::Rules;
use tafl_training::{OwnGames, learned_rules, load_any, own_games};

const GAMES: u64 = 60;

/// Games by which a network is set, for each ruleset.
const GAMES_TO_SET: u64 = 200;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["even", folder, to] => even_out(Path::new(folder), Path::new(to)),
        [visits, ref folders @ ..] => {
            let visits = visits.parse().with_context(|| visits.to_owned())?;
            folders
                .iter()
                .try_for_each(|folder| measure(Path::new(folder), visits))
        }
        [] => anyhow::bail!("VISITS NET..., or even NET FOLDER"),
    }
}

/// A network, ready to play.
struct Loaded {
    network: Network,
    card: ModelCard,
    rules: Vec<Arc<Rules>>,
    compute: Compute,
}

fn load(folder: &Path) -> anyhow::Result<Loaded> {
    let (network, card) = load_any(folder)?;
    let learned = learned_rules(folder, &card)?.into_iter();
    Ok(Loaded {
        rules: learned.map(|found| found.rules).collect(),
        compute: Precision::Auto.resolve(&network, Device::Cpu),
        network,
        card,
    })
}

fn measure(folder: &Path, visits: u32) -> anyhow::Result<()> {
    let Loaded {
        network,
        rules,
        compute,
        ..
    } = load(folder)?;
    let mut inference = Inference::new(&network, Device::Cpu, compute)?;
    let wanted = OwnGames {
        number: GAMES,
        visits,
        most_plies: 600,
        seed: 1,
        runner: RunnerConfig::default(),
    };
    for rules in rules.chunks(1) {
        let games = own_games(&network, (Device::Cpu, compute), rules, wanted)?;
        let found = zigzag(&mut inference, &games, rules);
        println!(
            "{} {}, {visits} visits: {:+.3}",
            folder.display(),
            rules[0].ruleset().name,
            found.unwrap_or_default(),
        );
    }
    Ok(())
}

fn even_out(folder: &Path, to: &Path) -> anyhow::Result<()> {
    let Loaded {
        network,
        card,
        rules,
        compute,
    } = load(folder)?;
    let wanted = OwnGames {
        number: GAMES_TO_SET * rules.len() as u64,
        visits: 1,
        most_plies: 600,
        // Not that of the games by which it is measured.
        seed: 2,
        runner: RunnerConfig::default(),
    };
    let games = own_games(&network, (Device::Cpu, compute), &rules, wanted)?;
    let mut inference = Inference::new(&network, Device::Cpu, compute)?;
    let offset = turn_offset(&mut inference, &games, &rules);
    let config = TrainerConfig::default();
    let mut trainer = Trainer::new(&network, config, Device::Cpu, Compute::F32)?;
    trainer.lower_mover(offset)?;
    save_network(to, &trainer.network()?, card)?;
    println!("{}: offset {offset:+.3} nats", folder.display());
    Ok(())
}
