//! Training on the replay window, and checkpoints.

use super::even_out::even_out;
use super::held_out;
use crate::config::Loaded;
use crate::error::RunError;
use crate::observer::{Notice, Progress, Stage, Summary, TrainingSummary};
use crate::player;
use crate::run::{Purpose, Run};
use anyhow::Context;
use std::path::Path;
use std::time::{Duration, Instant};
use tafl_dataset::{ReplayWindow, Span, games_path};
use tafl_network::{
    Architecture, GenerationCard, Losses, ModelCard, Network, Origin, Trainer, load_module_weights,
    save_checkpoint, with_ranges_under,
};

/// Batches by which the weights of a checkpoint are prepared to play.
const STATISTICS_BATCHES: usize = 4;

/// Steps between two reports of losses.
const REPORTED_STEPS: u64 = 5;

/// Loads the weights that a run is to begin with: of a checkpoint, or of a file that a module of PyTorch saved. The
/// network must have the size that the config says.
///
/// # Errors
/// If they are missing or damaged, or of another size.
pub fn load_origin(path: &Path, loaded: &Loaded) -> anyhow::Result<(Network, Origin)> {
    let rules = &loaded.rules[0];
    let expected = Architecture::new(loaded.config.network, rules.shape());
    if !path.is_dir() {
        let (network, origin) = load_module_weights(path, expected)?;
        player::must_compute_numbers(path, &network)?;
        return Ok((network, origin));
    }
    let (network, card) = player::load(path, rules)?;
    Network::untrained(expected, 0)
        .with_weights_of(&network)
        .with_context(|| path.display().to_string())?;
    Ok((network, Origin::of(&card)))
}

/// Makes checkpoint 0: the untrained network, or one with the weights of another.
pub(crate) fn create_first_checkpoint(
    run: &Run,
    from: Option<&(Network, Origin)>,
) -> anyhow::Result<()> {
    if run.has_checkpoint(0) {
        return Ok(());
    }
    let mut provenance = run.checkpoint_provenance(0);
    let mut network = run.untrained_network();
    if let Some((other, origin)) = from {
        // What it knows of its ranges is of the rulesets that it learned.
        network = with_ranges_under(network.with_weights_of(other)?, run.rules.listed())?;
        provenance.origin = Some(origin.clone());
    }
    let trainer = Trainer::new(
        &network,
        run.config.trainer,
        run.config.device,
        run.training_compute,
    )?;
    save_checkpoint(&run.checkpoint_folder(0), &trainer, provenance)?;
    Ok(())
}

/// The network learns from the latest positions, and becomes the next checkpoint.
pub(crate) fn learn(run: &Run, generation: u32) -> anyhow::Result<()> {
    let window = run.replay.window_of_store(run.store(), generation + 1)?;
    if window.is_empty() {
        return Err(RunError::NoSamples.into());
    }
    let (mut trainer, card) = run.trainer(generation)?;
    let plan = Plan::new(run, generation, &card)?;
    run.observer().started(Stage::Training, Some(plan.steps));
    let losses = train(run, &plan, &mut trainer, &window)?;
    let trained = Trained {
        plan,
        losses,
        waited: None,
    };
    finish(run, &mut trainer, card, &trained, &window)?;
    Ok(())
}

/// Training that led to a new checkpoint.
pub(crate) struct Trained {
    pub(crate) plan: Plan,
    /// Of each step.
    pub(crate) losses: Vec<Losses>,
    /// Time spent waiting for samples, if self-play runs side by side.
    pub(crate) waited: Option<Duration>,
}

/// Records what was measured in training, measures the network on held-out games, and saves it as the checkpoint after
/// that of `card`; returns the new one's card.
///
/// Both loops end the training of a checkpoint so.
pub(crate) fn finish(
    run: &Run,
    trainer: &mut Trainer,
    card: ModelCard,
    trained: &Trained,
    window: &ReplayWindow,
) -> anyhow::Result<ModelCard> {
    let Trained {
        plan,
        losses,
        waited,
    } = trained;
    record(run, plan, losses)?;
    prepare_to_play(run, plan, trainer, window)?;
    let mean = Losses::mean(losses);
    let mut provenance = run.checkpoint_provenance(plan.generation + 1);
    provenance.origin = card.provenance.origin;
    provenance.history = card.provenance.history;
    provenance.add(GenerationCard {
        generation: plan.generation,
        games: plan.games,
        samples: plan.samples,
        steps: plan.steps,
        losses: mean,
    });
    let now = (plan.generation, trainer.steps());
    let (samples, held) = (plan.samples, (window.len() + window.held_out_len()) as u64);
    if held < samples {
        let minimum = run.config.replay.minimum;
        let text = format!(
            "the replay window holds {held} positions, and {samples} are new: some of these are never learned from, and the \
             others the more often; raise replay.minimum = {minimum}"
        );
        run.observer().noticed(&Notice::Warning(&text));
    }
    let stretches = stretches(run, &provenance.history);
    let reuse = reuse(run, &stretches, window);
    let drawn = stretches.iter().map(|it| it.drawn).sum();
    record_window(run, now, window, (reuse, drawn))?;
    let summary = Summary::Training(TrainingSummary {
        checkpoint: plan.generation + 1,
        steps: plan.steps,
        window: window.len() as u64,
        reuse,
        losses: mean,
        waited: *waited,
    });
    run.observer().finished(Stage::Training, Some(&summary));
    if let Some(high) = run.config.high_loss(now.1, &mean, run.shape()) {
        run.observer().noticed(&Notice::Warning(&high));
    }
    run.timed("measuring", || {
        even_out(run, now, trainer)?;
        held_out::measure(run, now, trainer, window)
    })?;
    run.record_times(plan.generation, trainer.steps())?;
    // Once it is there, the generation's training counts as done.
    let folder = run.checkpoint_folder(provenance.generation);
    let begin = Instant::now();
    let card = save_checkpoint(&folder, trainer, provenance)?;
    // Afterwards, so that it proves that the checkpoint was there.
    let seconds = begin.elapsed().as_secs_f64();
    run.record_values((now.0, SAVED), now.1, &[("checkpoint/saved_s", seconds)])?;
    Ok(card)
}

/// The stage of a generation's metrics that its checkpoint's saving gives.
pub(crate) const SAVED: &str = "checkpoint";

/// Prepares the weights that play, by batches such as they learned from.
fn prepare_to_play(
    run: &Run,
    plan: &Plan,
    trainer: &mut Trainer,
    window: &ReplayWindow,
) -> anyhow::Result<()> {
    let seed = |purpose: u64, step: usize| {
        let path = [plan.generation.into(), purpose, step as u64];
        run.seed(Purpose::Training, &path)
    };
    let batch_size = run.config.training_loop.batch_size as usize;
    let drawn = window.draw(STATISTICS_BATCHES * batch_size, seed(2, 0));
    let mut batches = Vec::with_capacity(STATISTICS_BATCHES);
    window.feed(&drawn, &run.feed(&|step| seed(3, step)), |batch| {
        batches.push(batch);
        Ok::<(), anyhow::Error>(())
    })?;
    Ok(trainer.prepare_to_play(&batches)?)
}

/// What one generation's training is to be, or a part of it.
pub(crate) struct Plan {
    pub(crate) generation: u32,
    /// New games of the generation.
    pub(crate) games: u64,
    /// New samples of the generation, those of held-out games included.
    pub(crate) samples: u64,
    pub(crate) steps: u64,
    /// Steps of the generation that were made before.
    pub(crate) steps_before: u64,
    /// Steps of the run that were made before.
    pub(crate) first_step: u64,
    /// Steps of the whole run, if the generations to come are like this one.
    pub(crate) total_steps: u64,
}

impl Plan {
    fn new(run: &Run, generation: u32, card: &ModelCard) -> anyhow::Result<Self> {
        let path = games_path(run.folder(), generation);
        let unknown = || {
            format!(
                "{}: the manifest does not say what it holds",
                path.display()
            )
        };
        let count = run.store().count(&path).with_context(unknown)?;
        if let Some(large) = run.config.large_batch(count.to_learn) {
            run.observer().noticed(&Notice::Warning(&large));
        }
        let steps = run.config.steps(count.to_learn);
        let generations_left = u64::from(run.config.training_loop.generations - generation);
        Ok(Self {
            generation,
            games: count.games,
            samples: count.samples,
            steps,
            steps_before: 0,
            first_step: card.steps,
            total_steps: card.steps + steps * generations_left,
        })
    }

    fn learning_rate(&self, run: &Run, step: u64) -> f64 {
        run.config.trainer.learning_rate.at(step, self.total_steps)
    }
}

/// Makes the steps of a plan on samples drawn from a window; returns the losses of each.
pub(crate) fn train(
    run: &Run,
    plan: &Plan,
    trainer: &mut Trainer,
    window: &ReplayWindow,
) -> anyhow::Result<Vec<Losses>> {
    let batch_size = run.config.training_loop.batch_size as usize;
    let steps = plan.steps as usize;
    let seed = |purpose: u64, step: usize| {
        let step = plan.steps_before + step as u64;
        run.seed(Purpose::Training, &[plan.generation.into(), purpose, step])
    };
    let drawn = window.draw(steps * batch_size, seed(0, 0));
    let mut losses = Vec::with_capacity(steps);
    let learned = || {
        window.feed(&drawn, &run.feed(&|step| seed(1, step)), |batch| {
            let rate = plan.learning_rate(run, trainer.steps());
            let loss = trainer.step(&batch, rate)?;
            losses.push(loss);
            let done = plan.steps_before + losses.len() as u64;
            if done.is_multiple_of(REPORTED_STEPS) {
                let now = Progress::Steps {
                    samples: done * batch_size as u64,
                    loss: loss.total,
                };
                run.observer().progressed(Stage::Training, done, now);
            }
            Ok::<(), anyhow::Error>(())
        })
    };
    run.timed("training", learned)?;
    Ok(losses)
}

/// Returns what was new and what was drawn in the run so far, by batches of the size that they had then.
fn stretches(run: &Run, history: &[GenerationCard]) -> Vec<Span> {
    let stretch = |card: &GenerationCard| Span {
        new_positions: card.samples,
        drawn: card.steps * run.pace_in(card.generation).0,
    };
    history.iter().map(stretch).collect()
}

/// Returns how often a position of the window was drawn so far, on average.
fn reuse(run: &Run, stretches: &[Span], window: &ReplayWindow) -> f64 {
    // The window's law counts held-out positions, which are not drawn.
    let all = (window.len() + window.held_out_len()) as f64;
    run.config.replay.reuse(stretches) * all / window.len().max(1) as f64
}

/// Records the size of the window, and how often its positions and those of the whole run were drawn, at a step of the run.
fn record_window(
    run: &Run,
    (generation, step): (u32, u64),
    window: &ReplayWindow,
    (reuse, drawn): (f64, u64),
) -> anyhow::Result<()> {
    let values = vec![
        ("replay/positions", window.len() as f64),
        ("replay/held_out_positions", window.held_out_len() as f64),
        ("replay/positions_of_run", window.total() as f64),
        ("replay/reuse", reuse),
        (
            "replay/reuse_of_run",
            drawn as f64 / window.total().max(1) as f64,
        ),
    ];
    run.record_values((generation, "replay"), step, &values)
}

fn record(run: &Run, plan: &Plan, losses: &[Losses]) -> anyhow::Result<()> {
    let values = |(step, losses): (u64, &Losses)| {
        let rate = plan.learning_rate(run, step);
        let named = losses.measured().chain([("learning_rate", rate)]);
        let values = named.map(|(name, value)| (format!("loss/{name}"), value));
        (step, values.collect())
    };
    let steps = (plan.first_step..).zip(losses).map(values);
    run.record_steps((plan.generation, "loss"), steps)
}
