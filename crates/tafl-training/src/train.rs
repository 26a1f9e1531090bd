//! The training loop. Start reading here.

use crate::asynchronous::learn_side_by_side;
use crate::observer::Notice;
use crate::run::Run;
use crate::stages::learn::{create_first_checkpoint, learn};
use crate::stages::matches::{play_ladder, play_pool};
use crate::stages::one_sided::OneSided;
use crate::stages::self_play::self_play;
use crate::storage::{Freed, remove_old_samples};
use tafl_arena::MatchResult;
use tafl_network::{Network, Origin};

/// Learns from self-play and measures what was learned; returns all matches of the run.
///
/// Every stage reads and writes the run's folder, and does nothing where its result is complete there, so a run that
/// was stopped continues where it was. `from` is a network whose weights a new run begins with.
///
/// # Errors
/// If a stage fails; what was complete before stays.
pub fn train(run: &Run, from: Option<&(Network, Origin)>) -> anyhow::Result<Vec<MatchResult>> {
    // checkpoints/0: the network that has seen nothing, or another run's.
    create_first_checkpoint(run, from)?;
    // What the run could not remove when it was stopped.
    run.free(|| Ok(Freed::default()))?;

    match &run.config.training_loop.asynchronous {
        None => learn_in_turns(run)?,
        Some(config) => learn_side_by_side(run, config)?,
    }

    if let Some(found) = OneSided::of(run.folder())? {
        run.observer().noticed(&Notice::OneSided(found));
    }

    // arena/: checkpoints of the whole run and baselines play each other.
    play_ladder(run)
}

/// Self-play, training and matches, generation after generation.
fn learn_in_turns(run: &Run) -> anyhow::Result<()> {
    // What led to the last checkpoint is done, but for its matches, and those that other settings played.
    let last = run.last_checkpoint();
    (1..=last).try_for_each(|checkpoint| play_pool(run, checkpoint))?;
    for generation in last..run.config.training_loop.generations {
        run.observer().noticed(&Notice::Generation(generation));

        // games/<g>: the newest checkpoint plays against itself.
        self_play(run, generation)?;

        // checkpoints/<g+1>: the network learns from the latest generations' positions.
        learn(run, generation)?;

        // arena/: the new checkpoint plays the pool.
        play_pool(run, generation + 1)?;

        run.free(|| remove_old_samples(run.store(), &run.replay))?;
    }
    Ok(())
}
