//! `tafl selfplay`: self-play alone.

use crate::args::ConfigSource;
use crate::failure::hinted;
use crate::players;
use crate::stages::{Ended, show_games};
use crate::{config, process};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use tafl_dataset::{Provenance, samples_path, sha256_hex, write_generation};
use tafl_network::Network;
use tafl_selfplay::{Generation, derive_seed};

/// Arguments of `tafl selfplay`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Checkpoint that plays; without it an untrained network.
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Folder that gets samples/ and games/.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of the generation: names the folders, and gives other games for each number.
    #[arg(long, default_value_t = 0)]
    generation: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = config::load(&args.source.config, &args.source.changes)?;
    let (config, rules) = (&loaded.config, &loaded.rules);
    let path = samples_path(&args.out, args.generation);
    if path.exists() {
        let message = format!("{} exists", path.display());
        return Err(hinted(
            message,
            "--generation or --out gives the games another place",
        ));
    }
    let (network, player) = match &args.checkpoint {
        Some(folder) => (
            players::load(folder, &rules[0])?.0,
            folder.display().to_string(),
        ),
        None => {
            let seed = derive_seed(config.seed, &[]);
            (
                Network::new(config.network, rules[0].shape(), seed),
                "untrained".to_owned(),
            )
        }
    };
    let compute = players::prepare(config.device, config.precision, &network)?;
    process::end_on_interrupt("nothing was written; the same command begins anew".to_owned())?;
    let job = Generation {
        config: &config.selfplay,
        search: &config.search,
        rules,
        run_seed: config.seed,
        generation: args.generation,
        player: &player,
        done: &BTreeSet::new(),
    };
    let make_evaluator = players::evaluator_maker(network, config.device, compute);
    let (games, progress) = show_games(&job, &*make_evaluator, &|_| {}, &AtomicBool::new(false))?;
    let provenance = Provenance {
        run: config.name.clone(),
        generation: args.generation,
        checkpoint: player.clone(),
        config_sha256: sha256_hex(toml::to_string(config)?.as_bytes()),
    };
    let written = write_generation(&args.out, &games, rules, &provenance)?;
    progress.finish(&format!("{} games", games.len()));
    println!("games    {}: {}", games.len(), Ended::of(&games));
    println!(
        "samples  {} in {}",
        written.samples.len(),
        written.samples_path.display()
    );
    println!("         {}", written.games_path.display());
    Ok(ExitCode::SUCCESS)
}
