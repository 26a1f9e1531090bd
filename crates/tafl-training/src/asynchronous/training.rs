//! The training of the asynchronous loop: as many steps as the samples allow, with regular checkpoints.

use super::{Shards, Signals};
use crate::config::AsynchronousConfig;
use crate::observer::{Notice, Progress, Stage};
use crate::run::Run;
use crate::stages::learn::{self, Plan, Trained};
use crate::worker::{WORKER, WorkerReport, workers};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};
use tafl_network::{GenerationCard, Losses, ModelCard, Trainer};

/// Time between two looks for new shards.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The same while there is nothing to learn from.
const WAIT: Duration = Duration::from_millis(100);

/// Time between two questions whether any worker is at work.
const WORKER_INTERVAL: Duration = Duration::from_mins(1);

/// Share of the time that the search for new shards takes, at most, as its inverse: there may be many shards.
const LOOK_SHARE: u32 = 20;

/// Steps that are made on one draw from the window, at least, but for the last ones of a checkpoint.
const STEPS_AT_A_TIME: u64 = 20;

/// Positions of the window for each that is drawn at a time, at most: files are decompressed as wholes, so a few
/// rows of each take nearly as long as many.
const MOST_SPARSE: u64 = 16;

/// Trains until there are all checkpoints, each of which is told to `checkpoints`; those of before are told at once.
pub(super) fn learn(
    run: &Run,
    config: &AsynchronousConfig,
    shards: &mut Shards<'_>,
    signals: &Signals<'_>,
    checkpoints: &Sender<u32>,
) -> anyhow::Result<()> {
    let first = run.last_checkpoint();
    // Nobody listens any more if measuring has failed, which ends everything.
    let tell = |checkpoint| checkpoints.send(checkpoint).unwrap_or_default();
    (1..=first).for_each(tell);
    let (trainer, card) = run.trainer(first)?;
    let count = shards.count;
    let learned = count.to_learn as f64 / count.samples.max(1) as f64;
    let now = run.pace_in(first);
    let beyond = beyond(&card.provenance.history, learned, now, |it| run.pace_in(it));
    let mut training = Training {
        run,
        beyond,
        config,
        signals,
        trainer,
        card,
        shards,
        looked: Instant::now(),
        search_times: [Duration::ZERO; 2],
        waits: false,
        waited: Duration::ZERO,
        rested: Duration::ZERO,
        asked: None,
        is_idle: false,
    };
    for generation in first..run.config.training_loop.generations {
        let Some(losses) = training.learn(generation)? else {
            return Ok(());
        };
        training.save(generation, losses)?;
        tell(generation + 1);
    }
    Ok(())
}

/// Returns the games and the samples that were counted with a checkpoint and those before it.
pub(super) fn behind(card: &ModelCard) -> [u64; 2] {
    let history = card.provenance.history.iter();
    history.fold([0, 0], |[games, samples], generation| {
        [games + generation.games, samples + generation.samples]
    })
}

/// Samples beyond those that steps and samples come to by the config of today, as it was another one before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Beyond {
    /// Drawn.
    drawn: f64,
    /// Allowed to be drawn.
    allowed: f64,
}

/// Returns them for what a run has learned: of each generation's samples, a share `learned` is not held out. Batch size and
/// reuse are those of `now` and, by generation, of `then`.
fn beyond(
    history: &[GenerationCard],
    learned: f64,
    now: (u64, f64),
    then: impl Fn(u32) -> (u64, f64),
) -> Beyond {
    history.iter().fold(Beyond::default(), |sum, card| {
        let (batch_size, reuse) = then(card.generation);
        let batch_size = batch_size as f64 - now.0 as f64;
        Beyond {
            drawn: sum.drawn + card.steps as f64 * batch_size,
            allowed: sum.allowed + card.samples as f64 * learned * (reuse - now.1),
        }
    })
}

/// A trainer and what it learns from.
struct Training<'a, 'r> {
    run: &'a Run,
    beyond: Beyond,
    config: &'a AsynchronousConfig,
    signals: &'a Signals<'a>,
    trainer: Trainer,
    /// The last checkpoint's.
    card: ModelCard,
    shards: &'a mut Shards<'r>,
    looked: Instant,
    /// What the search for new shards took in the last two looks.
    search_times: [Duration; 2],
    /// Whether there was nothing to learn from a moment ago.
    waits: bool,
    /// Time since the last checkpoint during which there was nothing to learn from.
    waited: Duration,
    /// Time since then during which self-play rested, as far as it was seen.
    rested: Duration,
    /// When it was last asked whether anybody plays.
    asked: Option<Instant>,
    /// Whether nobody did.
    is_idle: bool,
}

impl Training<'_, '_> {
    /// Makes the steps up to the next checkpoint as samples come; `None` if another thread has failed.
    fn learn(&mut self, generation: u32) -> anyhow::Result<Option<Vec<Losses>>> {
        let steps = u64::from(self.config.checkpoint_steps);
        let observer = self.run.observer();
        observer.started(Stage::Training, Some(steps));
        let mut losses: Vec<Losses> = Vec::new();
        while (losses.len() as u64) < steps {
            if self.run.given_up.load(Ordering::Relaxed) {
                observer.finished(Stage::Training, None);
                return Ok(None);
            }
            let allowed = self.steps_allowed()?;
            let left = steps - losses.len() as u64;
            let wanted = left.min(self.steps_at_a_time());
            // Where self-play rests no more samples come before there are steps.
            let rests = self.signals.rest.load(Ordering::Relaxed);
            if allowed == 0 || allowed < wanted && !rests {
                self.wait(losses.len() as u64, wanted)?;
                continue;
            }
            let plan = Plan {
                steps: wanted.min(allowed),
                steps_before: losses.len() as u64,
                first_step: self.trainer.steps(),
                ..self.plan(generation)
            };
            self.waits = false;
            let window = &self.shards.window;
            let made = learn::train(self.run, &plan, &mut self.trainer, window)?;
            losses.extend(made);
        }
        Ok(Some(losses))
    }

    /// Returns how many steps may be made now, after a look for new shards; lets self-play rest where they are too many.
    fn steps_allowed(&mut self) -> anyhow::Result<u64> {
        let since = self.looked.elapsed();
        if since >= pause_after(self.search_times, self.waits) {
            if self.signals.rest.load(Ordering::Relaxed) {
                self.rested += since;
            }
            let shards = &mut self.shards;
            let search_time = self.run.timed("validation", || shards.look())?;
            self.looked = Instant::now();
            self.search_times = [self.search_times[1], search_time];
        }
        let left = self.left();
        let most_lag = self.config.most_lag as f64;
        let rests = left > 0 && self.lag() > most_lag;
        self.signals.rest.store(rests, Ordering::Relaxed);
        Ok(left)
    }

    fn steps_at_a_time(&self) -> u64 {
        let batch_size = u64::from(self.run.config.training_loop.batch_size);
        let positions = self.shards.window.len() as u64;
        STEPS_AT_A_TIME.max(positions / (MOST_SPARSE * batch_size))
    }

    fn left(&self) -> u64 {
        let allowed = self.steps_of(self.shards.to_learn());
        allowed.saturating_sub(self.trainer.steps())
    }

    /// Returns the samples that would not be learned from often enough if there were no more steps.
    fn lag(&self) -> f64 {
        let drawn = self.drawn() - self.beyond.allowed;
        self.shards.count.to_learn as f64 - drawn / self.run.config.training_loop.reuse
    }

    /// Returns the samples drawn so far.
    fn drawn(&self) -> f64 {
        let batch_size = f64::from(self.run.config.training_loop.batch_size);
        self.trainer.steps() as f64 * batch_size + self.beyond.drawn
    }

    fn wait(&mut self, done: u64, wanted: u64) -> anyhow::Result<()> {
        let samples = self.shards.to_learn();
        let needed = self.samples_for(self.trainer.steps() + wanted);
        let now = Progress::Waiting { samples, needed };
        self.run.observer().progressed(Stage::Training, done, now);
        thread::sleep(WAIT);
        self.waited += WAIT;
        self.waits = true;
        self.tell_idle()
    }

    /// Says that nobody plays for a run that does not play itself, once each time that it becomes so.
    fn tell_idle(&mut self) -> anyhow::Result<()> {
        let run = self.run;
        if run.plays || (self.asked).is_some_and(|at| at.elapsed() < WORKER_INTERVAL) {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        let (workers, run) = (&workers(run.folder())?, run.folder());
        let is_idle = !workers.values().any(WorkerReport::is_at_work);
        if is_idle && !self.is_idle {
            let notice = Notice::NobodyPlays { run, workers };
            self.run.observer().noticed(&notice);
        }
        self.is_idle = is_idle;
        Ok(())
    }

    /// Returns the plan of a whole generation.
    fn plan(&self, generation: u32) -> Plan {
        let steps = u64::from(self.config.checkpoint_steps);
        let left = self.run.config.training_loop.generations - generation;
        let [games, samples] = behind(&self.card);
        Plan {
            generation,
            games: self.shards.count.games.saturating_sub(games),
            samples: self.shards.count.samples.saturating_sub(samples),
            steps,
            steps_before: 0,
            first_step: self.card.steps,
            total_steps: self.card.steps + steps * u64::from(left),
        }
    }

    /// Records what was measured, and saves the next checkpoint.
    fn save(&mut self, generation: u32, losses: Vec<Losses>) -> anyhow::Result<()> {
        let run = self.run;
        let played = self.shards.played.take();
        run.record_played(generation, "selfplay", &played.values())?;
        let samples = self.shards.count.to_learn.max(1) as f64;
        let values = [
            ("loop/reuse", self.drawn() / samples),
            ("loop/lag_samples", self.lag()),
            ("loop/samples", self.shards.count.samples as f64),
            ("loop/window_positions", self.shards.window.len() as f64),
            ("loop/shards_put_aside", self.shards.aside() as f64),
            ("loop/training_waited_s", self.waited.as_secs_f64()),
            ("loop/self_play_rested_s", self.rested.as_secs_f64()),
        ];
        run.record_played(generation, "loop", &values)?;
        run.record_played(generation, "speed", &self.signals.meter.take())?;
        let trained = Trained {
            plan: self.plan(generation),
            losses,
            waited: Some(self.waited),
        };
        (self.waited, self.rested) = (Duration::ZERO, Duration::ZERO);
        let (card, window) = (self.card.clone(), &self.shards.window);
        self.card = learn::finish(run, &mut self.trainer, card, &trained, window)?;
        self.shards.enter()?;
        let workers = workers(run.folder())?;
        if workers.keys().any(|name| name != WORKER) {
            run.observer().noticed(&Notice::Workers(&workers));
        }
        run.free(|| self.shards.remove_old())
    }

    /// Returns the samples that allow so many steps.
    fn samples_for(&self, steps: u64) -> u64 {
        let config = &self.run.config.training_loop;
        let drawn = steps as f64 * f64::from(config.batch_size);
        let drawn = drawn + self.beyond.drawn - self.beyond.allowed;
        self.config
            .first_samples
            .max((drawn / config.reuse).ceil() as u64)
    }

    /// Returns the steps that `loop.reuse` allows for this number of samples.
    fn steps_of(&self, samples: u64) -> u64 {
        if samples < self.config.first_samples {
            return 0;
        }
        let config = &self.run.config.training_loop;
        let allowed = samples as f64 * config.reuse + self.beyond.allowed;
        ((allowed - self.beyond.drawn) / f64::from(config.batch_size)) as u64
    }
}

/// Returns how long to wait with the next look after the last two searched so long.
///
/// The shorter counts: one may have taken hours, as the machine slept or a disk hung.
fn pause_after(searches: [Duration; 2], waits: bool) -> Duration {
    let interval = if waits { WAIT } else { LOOK_INTERVAL };
    let [before, last] = searches;
    interval.max(before.min(last).saturating_mul(LOOK_SHARE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_before_a_change_counts_by_the_config_of_then() {
        let card = |generation| GenerationCard {
            generation,
            games: 1,
            samples: 100,
            steps: 10,
            losses: Losses::default(),
        };
        let (before, now) = ((16, 2.0), (32, 4.0));
        let then = |generation| if generation == 0 { before } else { now };
        // 160 samples were drawn in the first generation, not 320, and each of 50 was to be learned from twice, not four times.
        let found = beyond(&[card(0), card(1)], 0.5, now, then);
        let expected = Beyond {
            drawn: -160.0,
            allowed: -100.0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_look_during_which_the_machine_slept_does_not_end_the_training() {
        let ms = Duration::from_millis;
        let night = Duration::from_secs(8 * 3600);
        for [before, last] in [[ms(1), ms(1)], [ms(1), night], [night, ms(1)]] {
            assert_eq!(pause_after([before, last], true), WAIT);
            assert_eq!(pause_after([before, last], false), LOOK_INTERVAL);
        }
        // Where all are long, they take no more than their share.
        assert_eq!(pause_after([ms(200), ms(300)], true), ms(4_000));
        assert_eq!(pause_after([ms(300), Duration::MAX], false), ms(6_000));
    }
}
