//! `tafl run prune`: frees the disk that a run or a study does not need.

use crate::args::store_kind;
use crate::process::ExitCode;
use crate::text::freed_text;
use anyhow::ensure;
use std::path::PathBuf;
use tafl_store::StoreKind;
use tafl_studies::prune;
use tafl_training::{Kept, WORKER, others, workers};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Games, matches and metrics stay, so do the first checkpoint, the last two, and those that play the
ladder or the pool. The run can be resumed and reported as before; samples that were removed count
as learned from. With `keep = \"needed\"` in its config a run does the same by itself.

Of a balance study --samples removes what the searches said, nearly all of its room. Games and
results stay, to be shown; the study cannot go on.")]
pub(crate) struct Args {
    /// Folder of a run or a study that no process works on, such as data/runs/quickstart.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Remove samples that are too old for the replay window; of a study all of them.
    #[arg(long)]
    samples: bool,
    /// Of the earlier checkpoints keep every N-th.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    checkpoint_every: u32,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let kind = store_kind(&args.folder)?;
    ensure!(
        kind == StoreKind::Run || args.checkpoint_every == 1,
        "--checkpoint-every: only a run has checkpoints"
    );
    let kept = Kept {
        old_samples: !args.samples,
        checkpoint_every: args.checkpoint_every,
    };
    let freed = prune(&args.folder, kept)?;
    if kind == StoreKind::Run {
        let mut known = workers(&args.folder)?;
        known.retain(|name, it| name != WORKER && it.is_at_work());
        if !known.is_empty() {
            eprintln!(
                "Note: at work there: {}; the last checkpoint and games that the run has not taken in stay.",
                others(&known)
            );
        }
    }
    println!("{}", freed_text(&freed));
    for (count, what, field) in [
        (freed.for_pool, "pool", "ladder.pool_every"),
        (freed.for_ladder, "ladder", "ladder.checkpoints"),
    ] {
        if count > 0 {
            println!("kept {count} more for the {what} ({field} in the run's config)");
        }
    }
    Ok(ExitCode::SUCCESS)
}
