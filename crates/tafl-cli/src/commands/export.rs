//! `tafl export`: a checkpoint's network for other programs.

use anyhow::Context;
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tafl_network::{
    Export, ExportCard, ExportFormat, Exported, ModelCard, RulesetCard, StoredAs, StrengthCard,
};
use tafl_rules::Rules;
use tafl_samples::PlayerId;
use tafl_studies::{Resampling, ladder_standings};
use tafl_training::{hinted, load, load_any, matches_of, run_config_of, run_of};

/// Arguments of `tafl export`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The folder gets the network, and model.json and README.md, which say what its numbers mean and how
to run it. The weights as stored are first run on test positions and compared with the checkpoint;
if they differ too much, the command fails and writes nothing.")]
pub(crate) struct Args {
    /// Folder of the checkpoint.
    checkpoint: PathBuf,
    /// Which program reads the file.
    #[arg(long)]
    format: Format,
    /// Folder to write into; it is made if it is missing.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// How weights are stored; f16 is half the size.
    #[arg(long, default_value = "f32")]
    precision: Precision,
    /// Name of a ruleset, or path to a ruleset file; without it, those that the checkpoint learned.
    #[arg(long)]
    ruleset: Option<String>,
}

/// A format by its name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// ONNX Runtime, tract, browsers
    Onnx,
    /// The tensors by name
    Safetensors,
    /// PyTorch
    Torchscript,
    /// TaflZero 0.3
    Taflzero,
}

/// A number format by its name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Precision {
    F32,
    F16,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Onnx => Self::Onnx,
            Format::Safetensors => Self::Safetensors,
            Format::Torchscript => Self::Torchscript,
            Format::Taflzero => Self::Taflzero,
        }
    }
}

impl From<Precision> for StoredAs {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32,
            Precision::F16 => Self::F16,
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (network, card) = load_any(&args.checkpoint)?;
    let rules = match &args.ruleset {
        Some(name) => vec![tafl_training::load_rules(name, Path::new("."))?],
        None => learned(&args.checkpoint, &card)?,
    };
    let strength = strength(&args.checkpoint, &card, &rules)?;
    let job = Export {
        network: &network,
        card: &card,
        rules: &rules,
        format: args.format.into(),
        stored: args.precision.into(),
        strength,
    };
    let exported = tafl_network::export(&job, &args.output)?;
    print(&exported);
    warn_of_unlearned(&exported.card);
    Ok(ExitCode::SUCCESS)
}

/// Returns the rulesets that a checkpoint learned: of its run, or those that are compiled in.
fn learned(checkpoint: &Path, card: &ModelCard) -> anyhow::Result<Vec<Arc<Rules>>> {
    let of_run = match run_config_of(checkpoint) {
        Some(path) => load(&path, &[])?.rules,
        None => Vec::new(),
    };
    let find = |wanted: &RulesetCard| {
        let found = of_run
            .iter()
            .find(|rules| RulesetCard::of(rules) == *wanted);
        let preset =
            || Rules::preset(&wanted.name).filter(|rules| RulesetCard::of(rules) == *wanted);
        found.cloned().or_else(preset).ok_or_else(|| {
            hinted(
                format!(
                    "{}: it learned the ruleset {} ({}), which is neither compiled in nor in its run",
                    checkpoint.join("model.json").display(),
                    wanted.name,
                    wanted.fingerprint
                ),
                "--ruleset FILE gives it",
            )
        })
    };
    card.provenance.rulesets.iter().map(find).collect()
}

/// Returns how strong the checkpoint is, if it lies in a run in which it played rated matches.
fn strength(
    checkpoint: &Path,
    card: &ModelCard,
    rules: &[Arc<Rules>],
) -> anyhow::Result<Option<StrengthCard>> {
    let Some(folder) = run_of(checkpoint) else {
        return Ok(None);
    };
    let all = load(&folder.join("config.toml"), &[])
        .map_or_else(|_| rules.to_vec(), |loaded| loaded.rules);
    let matches = matches_of(&folder, &all)
        .with_context(|| format!("reading the matches of {}", folder.display()))?;
    let id = PlayerId::Checkpoint(card.provenance.generation);
    let none = Resampling {
        resamples: 0,
        seed: 0,
    };
    let standings = ladder_standings(&matches, &all, none)?;
    let Some(standings) = standings else {
        return Ok(None);
    };
    let own = standings.player(&id.to_string());
    Ok(own.map(|own| StrengthCard {
        elo: own.elo.value,
        interval: [own.elo.low, own.elo.high],
        above: standings.anchor.clone(),
        games: (own.attackers + own.defenders).games(),
    }))
}

fn print(exported: &Exported) {
    let Exported { files, bytes, card } = exported;
    let [network, ..] = files;
    println!(
        "{}, {:.0} kB, weights in {}",
        network.display(),
        *bytes as f64 / 1e3,
        card.weights
    );
    let checked = &card.verification;
    println!(
        "weights as stored, compared with the checkpoint on {} positions of {}",
        checked.positions,
        names(card)
    );
    println!(
        "largest difference  {}  (at most {:.0e}, of the output's largest magnitude or 1)",
        list(&checked.differences),
        checked.bound
    );
    if let Some(left_out) = &checked.left_out {
        println!(
            "without history     {}  (what TaflZero's planes do not tell changes as much)",
            list(left_out)
        );
    }
    println!("what it means and how to run it: {}", files[2].display());
}

fn names(card: &ExportCard) -> String {
    let names: Vec<&str> = card.rulesets.iter().map(|ruleset| &*ruleset.name).collect();
    names.join(", ")
}

fn list(differences: &BTreeMap<String, f32>) -> String {
    let pairs = differences.iter();
    let pairs = pairs.map(|(output, largest)| format!("{output} {largest:.1e}"));
    pairs.collect::<Vec<_>>().join(", ")
}

fn warn_of_unlearned(card: &ExportCard) {
    let learned = &card.checkpoint.provenance.rulesets;
    for ruleset in card.rulesets.iter().filter(|r| !learned.contains(r)) {
        eprintln!("warning: the checkpoint did not learn {}", ruleset.name);
    }
}
