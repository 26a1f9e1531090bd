//! Training on the replay window, and checkpoints.

use super::held_out;
use crate::config::Loaded;
use crate::failure::hinted;
use crate::players;
use crate::progress::{Progress, thousands};
use crate::run::{Purpose, Run};
use anyhow::Context;
use std::path::Path;
use tafl_dataset::{Feed, Metric, ReplayWindow, Stretch, samples_path};
use tafl_network::{
    GenerationCard, Losses, ModelCard, Network, Origin, Provenance, Trainer, drop_optimizer,
    load_trainer, save_checkpoint,
};

const STAGE: &str = "training";

/// Steps between two lines of losses in the progress.
const SHOWN_STEPS: u64 = 5;

/// Loads the checkpoint that a run is to begin with, whose network must have the size that the config says.
pub(crate) fn load_origin(path: &Path, loaded: &Loaded) -> anyhow::Result<(Network, ModelCard)> {
    let rules = &loaded.rules[0];
    let (network, card) = players::load(path, rules)?;
    Network::new(loaded.config.network, rules.shape(), 0)
        .with_weights_of(&network)
        .with_context(|| format!("--from {}", path.display()))?;
    Ok((network, card))
}

/// Makes checkpoint 0: the untrained network, or one with the weights of another.
pub(crate) fn create_first_checkpoint(
    run: &Run,
    from: Option<&(Network, ModelCard)>,
) -> anyhow::Result<()> {
    if run.has_checkpoint(0) {
        return Ok(());
    }
    if run.config.amounts.gate.is_on() {
        run.gate().create()?;
    }
    let mut provenance = run.checkpoint_provenance(0);
    let mut network = run.untrained_network();
    if let Some((other, card)) = from {
        network = network.with_weights_of(other)?;
        provenance.origin = Some(Origin::of(card));
    }
    let trainer = Trainer::new(&network, run.config.trainer, run.config.device, run.compute)?;
    save_checkpoint(&run.checkpoint_folder(0), &trainer, provenance)?;
    Ok(())
}

/// The network learns from the latest positions, and becomes the next checkpoint.
pub(crate) fn learn(run: &Run, generation: u32) -> anyhow::Result<()> {
    if run.has_checkpoint(generation + 1) {
        return Ok(());
    }
    let window = run.replay_window(generation)?;
    if window.is_empty() {
        return Err(hinted(
            "self-play gave no samples to learn from",
            "raise selfplay.games or selfplay.full_search_fraction",
        ));
    }
    let folder = run.checkpoint_folder(generation);
    let (device, compute) = (run.config.device, run.compute);
    let (mut trainer, card) = load_trainer(&folder, run.config.trainer, device, compute)?;
    let plan = Plan::new(run, generation, &card, &window)?;
    let progress = Progress::start(STAGE, "steps", plan.steps);
    let losses = train(run, &plan, &mut trainer, (&window, &progress))?;
    record(run, &plan, &losses)?;
    let mean = Losses::mean(&losses);
    let mut provenance = run.checkpoint_provenance(generation + 1);
    provenance.origin.clone_from(&card.provenance.origin);
    provenance.history = history(run, &plan, card, mean);
    let reuse = reuse(run, &provenance.history, &window);
    record_window(run, (generation, trainer.steps()), &window, reuse)?;
    let (positions, steps) = (thousands(window.len() as u64), losses.len());
    let news = by_role(&mean);
    progress.finish(&format!(
        "{steps} steps on {positions} positions, each drawn {reuse:.1} times so far: {news}"
    ));
    held_out::measure(run, (generation, trainer.steps()), &trainer, &window)?;
    // Last of all: once it is there, the generation's training counts as done.
    save(run, &trainer, provenance)?;
    Ok(())
}

/// Saves the checkpoint after the last one, whose optimizer's state is kept beside its own; the other ones' go.
pub(crate) fn save(
    run: &Run,
    trainer: &Trainer,
    provenance: Provenance,
) -> anyhow::Result<ModelCard> {
    let last = provenance.generation;
    let card = save_checkpoint(&run.checkpoint_folder(last), trainer, provenance)?;
    for generation in 0..last.saturating_sub(1) {
        drop_optimizer(&run.checkpoint_folder(generation))?;
    }
    Ok(card)
}

/// Says the losses of a generation, of both roles and of each: one may be forgotten while the other is learned.
pub(crate) fn by_role(losses: &Losses) -> String {
    let Losses {
        policy,
        value,
        policy_attackers,
        policy_defenders,
        value_attackers,
        value_defenders,
        ..
    } = losses;
    let agreed = 100.0 * losses.policy_accuracy;
    format!(
        "policy loss {policy:.2} ({agreed:.0} % agree; attackers {policy_attackers:.2}, defenders \
         {policy_defenders:.2}), value loss {value:.3} (attackers {value_attackers:.3}, defenders {value_defenders:.3})"
    )
}

/// What one generation's training is to be, or a part of it.
pub(crate) struct Plan {
    pub(crate) generation: u32,
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
    fn new(
        run: &Run,
        generation: u32,
        card: &ModelCard,
        window: &ReplayWindow,
    ) -> anyhow::Result<Self> {
        let path = samples_path(run.folder(), generation);
        let samples = tafl_dataset::positions_in(&path)?;
        let to_learn = window.positions_to_learn(&path).unwrap_or(samples);
        let steps = run.config.steps(to_learn);
        let generations_left = u64::from(run.config.amounts.generations - generation);
        Ok(Self {
            generation,
            samples,
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
    (window, progress): (&ReplayWindow, &Progress),
) -> anyhow::Result<Vec<Losses>> {
    let amounts = &run.config.amounts;
    let (steps, batch_size) = (plan.steps as usize, amounts.batch_size as usize);
    let seed = |purpose: u64, step: usize| {
        let step = plan.steps_before + step as u64;
        run.seed(Purpose::Training, &[plan.generation.into(), purpose, step])
    };
    let drawn = window.draw(steps * batch_size, seed(0, 0))?;
    let feed = Feed {
        rules: &run.rules,
        targets: &run.config.targets,
        batch_size,
        seed: &|step| seed(1, step),
    };
    let mut losses = Vec::with_capacity(steps);
    window.feed(&drawn, &feed, |batch| {
        let rate = plan.learning_rate(run, trainer.steps());
        let loss = trainer.step(&batch, rate)?;
        losses.push(loss);
        let done = plan.steps_before + losses.len() as u64;
        if done.is_multiple_of(SHOWN_STEPS) {
            progress.show(done, || {
                let samples = (done as usize * batch_size) as f64;
                let rate = (samples / progress.elapsed().as_secs_f64().max(1e-3)) as u64;
                format!("{} samples/s, loss {:.2}", thousands(rate), loss.total)
            });
        }
        Ok::<(), anyhow::Error>(())
    })?;
    Ok(losses)
}

/// Returns how often a position of the window was drawn so far, on average.
pub(crate) fn reuse(run: &Run, history: &[GenerationCard], window: &ReplayWindow) -> f64 {
    let stretch = |card: &GenerationCard| Stretch {
        new_positions: card.samples,
        drawn: card.steps * u64::from(run.config.amounts.batch_size),
    };
    let stretches: Vec<Stretch> = history.iter().map(stretch).collect();
    // The window's law counts held-out positions, which are not drawn.
    let all = (window.len() + window.held_out_len()) as f64;
    run.config.replay.reuse(&stretches) * all / window.len().max(1) as f64
}

/// Records how large the window is and how often its positions were drawn, after so many steps of the run.
pub(crate) fn record_window(
    run: &Run,
    (generation, step): (u32, u64),
    window: &ReplayWindow,
    reuse: f64,
) -> anyhow::Result<()> {
    let drawn = step * u64::from(run.config.amounts.batch_size);
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

/// Returns the training history of the next checkpoint: that of the last one, and this generation.
fn history(run: &Run, plan: &Plan, card: ModelCard, losses: Losses) -> Vec<GenerationCard> {
    let mut history = card.provenance.history;
    history.push(GenerationCard {
        generation: plan.generation,
        games: run.config.selfplay.games.into(),
        samples: plan.samples,
        steps: plan.steps,
        losses,
    });
    history
}

/// Records the losses of every step.
pub(crate) fn record(run: &Run, plan: &Plan, losses: &[Losses]) -> anyhow::Result<()> {
    let generation = plan.generation;
    let mut events = run.events(generation, "training")?;
    let mut metrics = Vec::new();
    for (step, losses) in (plan.first_step..).zip(losses) {
        let rate = plan.learning_rate(run, step);
        let mut values: Vec<(String, f64)> = losses
            .named()
            .into_iter()
            .chain([("learning_rate", rate)])
            .map(|(name, value)| (format!("loss/{name}"), value))
            .collect();
        let named: Vec<(&str, f64)> = values.iter().map(|(name, v)| (&**name, *v)).collect();
        events.scalars(step, crate::run::now(), &named)?;
        metrics.extend(values.drain(..).map(|(name, value)| Metric {
            generation,
            step,
            name,
            value,
        }));
    }
    run.record(generation, "loss", metrics)
}
