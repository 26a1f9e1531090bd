//! What an untrained network learns from samples that are there, without self-play: for trials of optimizers and layers.
//!
//! `cargo run --release -p tafl-training --example learn -- CONFIG FOLDER STEPS OUT` learns from the samples in `FOLDER`, those
//! of a run or of `tafl selfplay --out FOLDER`, on the config's device, and prints five times how well the held-out ones
//! (`replay.held_out_fraction`) are predicted: losses in nats, and the share of positions in which the likeliest move is that
//! of the search. The network is stored in `OUT`, to be matched with others.

#![expect(clippy::print_stdout, reason = "an example prints its findings")]

use anyhow::{Context, ensure};
use std::path::Path;
use tafl_dataset::{Feed, ReplayWindow};
use tafl_network::{
    Architecture, Assessment, Compute, Inference, Network, Provenance, RulesetCard, Trainer,
    assess, save_checkpoint,
};
use tafl_samples::{Batch, derive_seed};
use tafl_training::{Loaded, load, prepare, window_of_run};

/// Held-out positions, at most.
const MOST_HELD_OUT: usize = 4000;

/// The last batches, by which the weights are prepared to play.
const STATISTICS_BATCHES: usize = 4;

/// Lines that are printed.
const REPORTS: u64 = 5;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [config, folder, steps, out] = &arguments[..] else {
        anyhow::bail!("usage: learn CONFIG FOLDER STEPS OUT");
    };
    let steps: u64 = steps.parse().context("STEPS is not a number")?;
    ensure!(steps > 0, "no steps");
    let loaded = load(Path::new(config), &[])?;
    let config = &loaded.config;
    let window = window_of_run(Path::new(folder), config)?;
    let architecture = Architecture::new(config.network, loaded.rules[0].shape());
    let architecture = architecture.with_auxiliary(config.trainer.auxiliary());
    let network = Network::untrained(architecture, derive_seed(config.seed, &[]));
    prepare(config.device, config.precision, &network)?;
    let compute = config
        .precision
        .resolve_for_training(&network, config.device);
    let mut trainer = Trainer::new(&network, config.trainer, config.device, compute)?;
    learn(&mut trainer, compute, &loaded, (&window, steps))?;
    let provenance = Provenance {
        run: config.name.clone(),
        generation: 1,
        seed: config.seed,
        compute,
        rulesets: loaded
            .rules
            .listed()
            .iter()
            .map(|rules| RulesetCard::of(rules))
            .collect(),
        rule_changes: config.rule_changes.clone(),
        history: Vec::new(),
        origin: None,
    };
    save_checkpoint(Path::new(out), &trainer, provenance)?;
    Ok(())
}

fn learn(
    trainer: &mut Trainer,
    compute: Compute,
    loaded: &Loaded,
    (window, steps): (&ReplayWindow, u64),
) -> anyhow::Result<()> {
    let (config, rules) = (&loaded.config, &loaded.rules);
    let held_out = window.read_held_out(MOST_HELD_OUT)?;
    ensure!(!held_out.is_empty(), "no samples are held out");
    println!("{} positions, {} held out", window.len(), held_out.len());
    let batch_size = config.training_loop.batch_size as usize;
    let drawn = window.draw(steps as usize * batch_size, config.seed);
    let feed = Feed {
        rules,
        targets: &config.targets,
        batch_size,
        seed: &|step| derive_seed(config.seed, &[step as u64]),
    };
    let mut latest: Vec<Batch> = Vec::new();
    window.feed(&drawn, &feed, |batch| {
        let rate = config.trainer.learning_rate.at(trainer.steps(), steps);
        trainer.step(&batch, rate)?;
        latest.insert(0, batch);
        latest.truncate(STATISTICS_BATCHES);
        if trainer.steps().is_multiple_of(steps.div_ceil(REPORTS)) || trainer.steps() == steps {
            trainer.prepare_to_play(&latest)?;
            let mut inference = Inference::new(&trainer.network()?, config.device, compute)?;
            let roles = assess(&mut inference, &held_out, rules, &config.targets)?;
            let all: Assessment = roles.iter().sum();
            println!(
                "step {}: policy loss {:.3}, found {:.1} %, value loss {:.3}",
                trainer.steps(),
                all.policy_loss(),
                100.0 * all.policy_accuracy(),
                all.value_loss(),
            );
        }
        Ok::<(), anyhow::Error>(())
    })
}
