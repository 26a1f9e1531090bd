//! One generation of self-play without a run: the same games for a config and a seed, whenever they are played.

use crate::config::Loaded;
use crate::error::WorkerError;
use crate::found_rules::{Learned, keep_rules};
use crate::observer::{Notice, Observer, Progress, SelfPlaySummary, Stage, Summary};
use crate::player::{evaluator_maker, load, prepare, untrained};
use crate::worker::check_apart;
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::{Provenance, WrittenGeneration, games_path, write_generation};
use tafl_network::Origin;
use tafl_play::{Watch, generate_games};
use tafl_samples::PlayerId;
use tafl_store::sha256_hex;

/// Plays a generation and writes its games below a folder. A checkpoint plays, else an untrained network.
///
/// # Errors
/// If the files exist, the folder is for workers of a run, the checkpoint cannot be used, or a file cannot be written.
pub fn play_generation(
    loaded: &Loaded,
    checkpoint: Option<&Path>,
    (out, generation): (&Path, u32),
    observer: &dyn Observer,
) -> anyhow::Result<(SelfPlaySummary, WrittenGeneration)> {
    let (config, rules) = (&loaded.config, &loaded.rules);
    let games = u64::from(config.training_loop.games);
    check_apart(out)?;
    let path = games_path(out, generation);
    if path.exists() {
        return Err(WorkerError::Exists(path).into());
    }
    let (network, name, weights_sha256) = match checkpoint {
        Some(folder) => {
            let (network, card) = load(folder, &rules[0])?;
            let weights = Origin::of(&card).weights_sha256;
            observer.noticed(&Notice::NewCheckpoint {
                run: &card.provenance.run,
                player: &PlayerId::Checkpoint(card.provenance.generation),
                folder,
            });
            let player = (&*card.provenance.run, card.provenance.generation);
            let learned = Learned::of(folder, &card.provenance);
            learned.tell_doubts(player, rules.listed(), observer);
            (network, folder.display().to_string(), Some(weights))
        }
        None => {
            observer.noticed(&Notice::Untrained);
            (untrained(config, rules), "untrained".to_owned(), None)
        }
    };
    let compute = prepare(config.device, config.precision, &network)?;
    let make = evaluator_maker(network, config.device, compute);
    let id = PlayerId::Other(name.clone());
    let plan = Arc::new(config.plan(rules, &[], generation, id, make));
    observer.started(Stage::SelfPlay, Some(games));
    let watch = Watch {
        progress: &|now| {
            observer.progressed(Stage::SelfPlay, now.games_done, Progress::Games(now));
        },
        ..Watch::default()
    };
    let numbers: Vec<u64> = (0..games).collect();
    let games = generate_games(&config.session(rules), &plan, &numbers, &watch)?;
    let provenance = Provenance {
        run: config.name.clone(),
        generation,
        checkpoint: name,
        config_sha256: sha256_hex(tafl_config::show(config)?.as_bytes()),
        weights_sha256,
    };
    keep_rules(out, rules)?;
    let written = write_generation(out, &games, rules, &provenance)?;
    let samples = written.samples.len() as u64;
    let summary = SelfPlaySummary::of(&games, rules, samples, written.bytes);
    let told = Summary::SelfPlay(summary.clone());
    observer.finished(Stage::SelfPlay, Some(&told));
    Ok((summary, written))
}
