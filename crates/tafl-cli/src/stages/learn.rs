//! Training on the replay window, and checkpoints.

use super::held_out;
use crate::failure::hinted;
use crate::progress::{Progress, thousands};
use crate::run::{Purpose, Run};
use tafl_dataset::{Feed, Metric, ReplayWindow, Stretch, samples_path};
use tafl_network::{GenerationCard, Losses, ModelCard, Trainer, load_trainer, save_checkpoint};

const STAGE: &str = "training";

/// Steps between two lines of losses in the progress.
const SHOWN_STEPS: u64 = 5;

/// Makes checkpoint 0, the untrained network.
pub(crate) fn create_first_checkpoint(run: &Run) -> anyhow::Result<()> {
    if run.has_checkpoint(0) {
        return Ok(());
    }
    let network = run.untrained_network();
    let trainer = Trainer::new(&network, run.config.trainer, run.config.device, run.compute)?;
    save_checkpoint(
        &run.checkpoint_folder(0),
        &trainer,
        run.checkpoint_provenance(0),
    )?;
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
    let mean = mean(&losses);
    let mut provenance = run.checkpoint_provenance(generation + 1);
    provenance.history = history(run, &plan, card, mean);
    let reuse = reuse(run, &provenance.history, &window);
    record_window(run, &plan, &window, reuse)?;
    let steps = losses.len();
    let positions = thousands(window.len() as u64);
    let Losses {
        policy,
        value,
        policy_accuracy,
        ..
    } = mean;
    let agreed = 100.0 * policy_accuracy;
    progress.finish(&format!(
        "{steps} steps on {positions} positions, each drawn {reuse:.1} times so far: policy loss {policy:.2} ({agreed:.0} % agree), value loss {value:.3}"
    ));
    held_out::measure(
        run,
        (generation, plan.first_step + plan.steps),
        &trainer,
        &window,
    )?;
    // Last of all: once it is there, the generation's training counts as done.
    save_checkpoint(&run.checkpoint_folder(generation + 1), &trainer, provenance)?;
    Ok(())
}

/// What one generation's training is to be.
struct Plan {
    generation: u32,
    /// New samples of the generation, those of held-out games included.
    samples: u64,
    steps: u64,
    /// Steps of the generations before.
    first_step: u64,
    /// Steps of the whole run, if the generations to come are like this one.
    total_steps: u64,
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
            first_step: card.steps,
            total_steps: card.steps + steps * generations_left,
        })
    }

    fn learning_rate(&self, run: &Run, step: u64) -> f64 {
        run.config.trainer.learning_rate.at(step, self.total_steps)
    }
}

fn train(
    run: &Run,
    plan: &Plan,
    trainer: &mut Trainer,
    (window, progress): (&ReplayWindow, &Progress),
) -> anyhow::Result<Vec<Losses>> {
    let amounts = &run.config.amounts;
    let (steps, batch_size) = (plan.steps as usize, amounts.batch_size as usize);
    let seed = |purpose: u64, step: usize| {
        run.seed(
            Purpose::Training,
            &[plan.generation.into(), purpose, step as u64],
        )
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
        let done = losses.len() as u64;
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
fn reuse(run: &Run, history: &[GenerationCard], window: &ReplayWindow) -> f64 {
    let stretch = |card: &GenerationCard| Stretch {
        new_positions: card.samples,
        drawn: card.steps * u64::from(run.config.amounts.batch_size),
    };
    let stretches: Vec<Stretch> = history.iter().map(stretch).collect();
    // The window's law counts held-out positions, which are not drawn.
    let all = (window.len() + window.held_out_len()) as f64;
    run.config.replay.reuse(&stretches) * all / window.len().max(1) as f64
}

fn record_window(run: &Run, plan: &Plan, window: &ReplayWindow, reuse: f64) -> anyhow::Result<()> {
    let drawn = (plan.first_step + plan.steps) * u64::from(run.config.amounts.batch_size);
    let values = [
        ("replay/positions", window.len() as f64),
        ("replay/held_out_positions", window.held_out_len() as f64),
        ("replay/positions_of_run", window.total() as f64),
        ("replay/reuse", reuse),
        (
            "replay/reuse_of_run",
            drawn as f64 / window.total().max(1) as f64,
        ),
    ];
    let values = values.map(|(name, value)| (name.to_owned(), value));
    let step = plan.first_step + plan.steps;
    run.record_values((plan.generation, "replay"), step, &values)
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

/// The losses by the names under which they are recorded.
fn named(losses: &Losses) -> [(&'static str, f64); 9] {
    [
        ("loss/total", losses.total),
        ("loss/policy", losses.policy),
        ("loss/value", losses.value),
        ("loss/moves_left", losses.moves_left),
        ("loss/policy_entropy", losses.policy_entropy),
        ("loss/policy_accuracy", losses.policy_accuracy),
        ("loss/value_attackers", losses.value_attackers),
        ("loss/value_defenders", losses.value_defenders),
        ("loss/gradient_norm", losses.gradient_norm),
    ]
}

fn mean(losses: &[Losses]) -> Losses {
    let count = losses.len().max(1) as f64;
    let of = |part: fn(&Losses) -> f64| losses.iter().map(part).sum::<f64>() / count;
    Losses {
        total: of(|l| l.total),
        policy: of(|l| l.policy),
        value: of(|l| l.value),
        moves_left: of(|l| l.moves_left),
        policy_entropy: of(|l| l.policy_entropy),
        policy_accuracy: of(|l| l.policy_accuracy),
        value_attackers: of(|l| l.value_attackers),
        value_defenders: of(|l| l.value_defenders),
        gradient_norm: of(|l| l.gradient_norm),
    }
}

/// Records the losses of every step.
fn record(run: &Run, plan: &Plan, losses: &[Losses]) -> anyhow::Result<()> {
    let generation = plan.generation;
    let mut events = run.events(generation, "training")?;
    let mut metrics = Vec::new();
    for (step, losses) in (plan.first_step..).zip(losses) {
        let rate = plan.learning_rate(run, step);
        let values: Vec<(&str, f64)> = named(losses)
            .into_iter()
            .chain([("loss/learning_rate", rate)])
            .collect();
        events.scalars(step, crate::run::now(), &values)?;
        metrics.extend(values.into_iter().map(|(name, value)| Metric {
            generation,
            step,
            name: name.to_owned(),
            value,
        }));
    }
    run.record(generation, "loss", metrics)
}
