//! `tafl export`: a checkpoint's network for other programs.

use crate::args::variant_of;
use crate::nets::{all_rules_for, checkpoint_named};
use crate::process::ExitCode;
use anyhow::ensure;
use std::path::PathBuf;
use tafl_network::{Export, ExportFormat, Exported, StoredAs};
use tafl_studies::strength_of;
use tafl_training::{Learned, learned_rules, load_any};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The folder gets the network, model.json and README.md, which describe inputs and outputs and how to
run it, and, but for taflzero, tafl_planes.py, which encodes positions. Before writing, the stored
weights are run on test positions and compared with the checkpoint. If outputs differ too much, the
command fails and writes nothing. An export of the same run in the same format is replaced.")]
pub(crate) struct Args {
    /// Folder of the checkpoint, or the name of a network of data/nets.
    #[arg(value_parser = checkpoint_named)]
    checkpoint: PathBuf,
    /// Format of the file, by the programs that read it.
    #[arg(long, value_parser = variant_of::<ExportFormat>())]
    format: ExportFormat,
    /// Folder to write into; created if missing.
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Precision of the stored weights; f16 halves the size.
    #[arg(long, default_value = "f32", value_parser = variant_of::<StoredAs>())]
    precision: StoredAs,
    /// Name of a ruleset, or path to a ruleset file; may be given several times; default: those that the checkpoint learned.
    #[arg(long)]
    ruleset: Vec<String>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (network, card) = load_any(&args.checkpoint)?;
    let count = args.ruleset.len();
    ensure!(
        count < 2 || args.format != ExportFormat::Taflzero,
        "--ruleset: a file for TaflZero is of one ruleset, not {count}"
    );
    let rules = match &args.ruleset[..] {
        [] => {
            let learned = learned_rules(&args.checkpoint, &card)?;
            learned.into_iter().map(|found| found.rules).collect()
        }
        names => all_rules_for(names, Some(&args.checkpoint))?,
    };
    let job = Export {
        network: &network,
        card: &card,
        rules: &rules,
        format: args.format,
        stored: args.precision,
        strength: strength_of(&args.checkpoint, &card, &rules)?,
    };
    let exported = tafl_network::export(&job, &args.output)?;
    print(args, &exported);
    let learned = Learned::of(&args.checkpoint, &card.provenance);
    for doubt in rules.iter().filter_map(|it| learned.doubt(it)) {
        eprintln!("warning: the checkpoint {doubt}");
    }
    Ok(ExitCode::SUCCESS)
}

fn print(args: &Args, exported: &Exported) {
    let (files, checked) = (&exported.files, &exported.verification);
    let names: Vec<&str> = exported.rulesets.iter().map(|it| &*it.name).collect();
    println!(
        "{}, {:.0} kB, weights in {}",
        files[0].display(),
        exported.bytes as f64 / 1e3,
        args.precision
    );
    println!(
        "stored weights compared with the checkpoint on {} positions of {}",
        checked.positions,
        names.join(", ")
    );
    println!(
        "largest difference  {}  (limit {:.0e}, relative to the output's largest magnitude or 1)",
        checked.differences, checked.bound
    );
    if let Some(left_out) = &checked.left_out {
        println!(
            "without history     {left_out}  (effect of what TaflZero's planes do not contain)"
        );
    }
    println!("how to use it: {}", files[1].display());
}
