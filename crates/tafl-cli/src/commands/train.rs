//! `tafl train`: the whole loop. Start reading here.

use crate::args::{ConfigSource, DataFolder};
use crate::config::LoopMode;
use crate::run::{Begin, Run};
use crate::{asynchronous, config, ladder, process, stages};
use std::process::ExitCode;

/// Arguments of `tafl train`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    source: ConfigSource,
    /// Name of the run's folder; without it the config's name.
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Continue the run where it was stopped; what is complete on disk is kept.
    #[arg(long)]
    resume: bool,
    /// Drop a field of the stored config that this version of the program no longer knows.
    #[arg(long, value_name = "FIELD", requires = "resume")]
    unset: Vec<String>,
    #[command(flatten)]
    data: DataFolder,
}

/// Learns from self-play, and measures what was learned.
///
/// Every stage reads and writes the run's folder, and does nothing where its result is complete there.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let loaded = config::load(args.source.path(), &args.source.changes)?;
    let begin = if args.resume {
        let unset = args.unset.clone();
        Begin::Resume { unset }
    } else {
        Begin::New
    };
    let run = Run::open(loaded, &args.data.path, args.run.as_deref(), begin)?;
    process::end_on_interrupt("the same command with --resume continues the run".to_owned())?;
    run.introduce();

    // checkpoints/0: the network that has seen nothing.
    stages::create_first_checkpoint(&run)?;

    match run.config.amounts.mode {
        LoopMode::Synchronous => learn_in_turns(&run)?,
        LoopMode::Asynchronous => asynchronous::learn_side_by_side(&run)?,
    }

    // Checkpoints of the whole run and baselines play each other.
    run.introduce_ladder();
    let matches = stages::play_ladder(&run)?;

    println!("{}", ladder::tables(&matches, &run.rules)?);
    println!("{}", run.summary());
    Ok(ExitCode::SUCCESS)
}

/// Self-play, training and matches, generation after generation.
fn learn_in_turns(run: &Run) -> anyhow::Result<()> {
    for generation in 0..run.config.amounts.generations {
        run.introduce_generation(generation);

        // The newest checkpoint plays against itself: games/<g>, samples/<g>.
        stages::self_play(run, generation)?;

        // The network learns from the latest generations' positions: checkpoints/<g+1>.
        stages::learn(run, generation)?;

        // Where the config has a gate, the new checkpoint is to show that it does not lose: gate/.
        stages::pass_gate(run, generation + 1)?;

        // The new checkpoint plays earlier ones: arena/.
        stages::play_opponents(run, generation + 1)?;
    }
    Ok(())
}
