//! What runs, tournaments and studies tell, as lines and bars on stderr.

use crate::failure::one_line;
use crate::progress::{Progress as Bar, seconds, thousands};
use crate::text::{
    ended_text, few_openings, freed_text, held_out_text, losses_text, match_text, no_run,
    other_field, self_match_text, versus_text,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tafl_rules::Rules;
use tafl_training::{
    Notice, Observer, Progress, SelfPlaySummary, Stage, Summary, TrainingSummary, WorkerReport,
};

/// Prints the progress of runs, workers, tournaments and studies.
#[derive(Default)]
pub(crate) struct Terminal {
    stages: Mutex<BTreeMap<Stage, Bar>>,
    /// Generations or checkpoints of the run.
    generations: u32,
    /// Whether lines are printed even on a terminal, because several stages go on side by side.
    lines_only: bool,
    /// Whether finished shards are printed.
    shows_shards: bool,
}

impl Terminal {
    /// Returns an observer of a run with so many generations; `side_by_side` if its stages do not take turns.
    pub(crate) fn of_run(generations: u32, side_by_side: bool) -> Self {
        Self {
            generations,
            lines_only: side_by_side,
            ..Self::default()
        }
    }

    /// Returns an observer of a worker.
    pub(crate) fn of_worker() -> Self {
        Self {
            shows_shards: true,
            ..Self::default()
        }
    }

    fn stages(&self) -> MutexGuard<'_, BTreeMap<Stage, Bar>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line that stays.
    fn say(&self, line: &str) {
        match self.stages().values().next() {
            Some(bar) => bar.say(line),
            None => eprintln!("{line}"),
        }
    }
}

const fn name_of(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::SelfPlay => ("self-play", "games"),
        Stage::Training => ("training", "steps"),
        Stage::HeldOut => ("held out", "positions"),
        Stage::Match => ("match", "games"),
        Stage::SelfMatch => ("self-match", "games"),
        Stage::Probing => ("difficulty", "positions"),
    }
}

impl Observer for Terminal {
    fn started(&self, stage: Stage, total: Option<u64>) {
        let (name, unit) = name_of(stage);
        let bar = Bar::new(name, unit, total, self.lines_only);
        self.stages().insert(stage, bar);
    }

    fn progressed(&self, stage: Stage, done: u64, progress: Progress) {
        let stages = self.stages();
        let Some(bar) = stages.get(&stage) else {
            return;
        };
        let elapsed = bar.elapsed().as_secs_f64().max(1e-3);
        let rate = |count: u64| thousands((count as f64 / elapsed) as u64);
        bar.show(done, || match progress {
            Progress::Games(now) => {
                let [plies, evaluations] = [now.plies, now.evaluations].map(rate);
                format!("{plies} plies/s, {evaluations} evaluations/s")
            }
            Progress::Steps { samples, loss } => {
                format!("{} samples/s, loss {loss:.2}", rate(samples))
            }
            Progress::Waiting(samples) => {
                format!("waiting for samples, {} so far", thousands(samples))
            }
            Progress::Results(now) if stage == Stage::SelfMatch => {
                format!("attackers {}", versus_text(now))
            }
            Progress::Results(now) => versus_text(now),
        });
    }

    fn finished(&self, stage: Stage, summary: Option<&Summary<'_>>) {
        let bar = self.stages().remove(&stage);
        let Some(bar) = bar else {
            return;
        };
        let text = match summary {
            None => return bar.clear(),
            Some(Summary::SelfPlay(summary)) => self_play(summary),
            Some(Summary::Training(summary)) => training(summary, self.generations),
            Some(Summary::HeldOut(roles)) => held_out_text(roles),
            Some(Summary::Match(result)) if stage == Stage::SelfMatch => self_match_text(result),
            Some(Summary::Match(result)) => match_text(result),
        };
        bar.finish(&text);
    }

    fn noticed(&self, notice: &Notice<'_>) {
        match notice {
            Notice::Generation(generation) => {
                self.say(&format!(
                    "generation {} of {}",
                    generation + 1,
                    self.generations
                ));
            }
            Notice::Ladder => self.say("ladder"),
            Notice::Cell {
                number,
                count,
                player,
                ruleset,
            } => self.say(&format!("{number} of {count}: {player} under {ruleset}")),
            Notice::NoRun(folder) => self.say(&no_run(folder)),
            Notice::OtherField { field, own, of_run } => {
                self.say(&other_field(field, own, of_run));
            }
            Notice::WaitingForCheckpoint => self.say("waiting for the first checkpoint"),
            Notice::NewCheckpoint {
                run,
                player,
                folder,
            } => self.say(&format!("{player} of {run}: {}", folder.display())),
            Notice::Skipped { reason, is_for_now } => self.say(&skipped(reason, *is_for_now)),
            Notice::Gone { first, count } => self.say(&gone(first, *count)),
            Notice::Workers(workers) => self.say(&working(workers)),
            Notice::RunEnded => {
                self.say("the run has its last checkpoint: no more games are needed")
            }
            Notice::MuchMemory { needs, available } => {
                self.say(&format!("warning: {needs}; there are {available}"));
            }
            Notice::Freed(freed) => self.say(&freed_text(freed)),
            Notice::Resting(samples) => self.say(&resting(*samples)),
            Notice::NewStage(stage) => {
                self.say(&format!("from checkpoint {} on:", stage.checkpoint));
                for [field, before, after] in &stage.changes {
                    self.say(&format!("  {field} {before} -> {after}"));
                }
            }
            Notice::FewOpenings { found, wanted } => self.say(&few_openings(*found, *wanted)),
            Notice::Shard {
                name,
                summary,
                is_left: true,
            } => self.say(&format!(
                "left by a stopped worker: {}",
                shard(summary, name)
            )),
            Notice::Shard { name, summary, .. } if self.shows_shards => {
                self.say(&format!("  shard      {}", shard(summary, name)));
            }
            Notice::Worker {
                name,
                rules,
                compute,
                shard_games,
                out,
            } => {
                let (played, out) = (played(rules), out.display());
                self.say(&format!(
                    "worker {name}: {played}, in {compute}, shards of {shard_games} games to {out}"
                ));
            }
            Notice::Shard { .. } => {}
        }
    }
}

fn games_and_samples(summary: &SelfPlaySummary) -> String {
    let (games, samples) = (thousands(summary.games), thousands(summary.samples));
    let size = summary
        .samples_bytes
        .checked_div(summary.samples)
        .unwrap_or(0);
    let ended = ended_text(&summary.ended);
    format!("{games} games, {samples} samples ({size} bytes each): {ended}")
}

fn self_play(summary: &SelfPlaySummary) -> String {
    let even = summary.even.as_ref();
    let even = even.map_or_else(String::new, |even| {
        format!("; even games: {}", ended_text(even))
    });
    format!("{}{even}", games_and_samples(summary))
}

fn shard(summary: &SelfPlaySummary, name: &str) -> String {
    format!("{}: {name}", games_and_samples(summary))
}

fn training(summary: &TrainingSummary, generations: u32) -> String {
    let TrainingSummary {
        checkpoint,
        steps,
        window,
        reuse,
        losses,
        waited,
    } = summary;
    let number = match waited {
        Some(_) => format!("checkpoint {checkpoint} of {generations}: "),
        None => String::new(),
    };
    let waited = waited.map_or_else(String::new, |time| format!(", waited {}", seconds(time)));
    format!(
        "{number}{steps} steps on {} positions, each drawn {reuse:.1} times so far: {}{waited}",
        thousands(*window),
        losses_text(losses)
    )
}

fn played(rules: &[Arc<Rules>]) -> String {
    let size = rules[0].shape().size();
    let names = rules.iter().map(|rules| rules.ruleset().name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    format!("{names} on {size}x{size}")
}

fn gone(first: &Path, count: usize) -> String {
    let files = match count {
        1 => first.display().to_string(),
        more => format!("{} and {} more files", first.display(), more - 1),
    };
    format!("missing: {files}; they count as learned from, and are not learned from again")
}

fn skipped(reason: &anyhow::Error, is_for_now: bool) -> String {
    let word = match is_for_now {
        true => "skipped for now:",
        false => "skipped",
    };
    format!("{word} {}", one_line(reason))
}

/// Returns a line such as `  workers    3 playing, 1 silent: 1,240 games/h`.
fn working(workers: &BTreeMap<String, WorkerReport>) -> String {
    let mut states: BTreeMap<&str, u32> = BTreeMap::new();
    let mut rate = 0.0;
    for worker in workers.values() {
        *states.entry(worker.state()).or_default() += 1;
        if let ("playing", Some((status, _))) = (worker.state(), &worker.status) {
            rate += status.games_per_hour();
        }
    }
    let states: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    let rate = thousands(rate as u64);
    format!("  workers    {}: {rate} games/h", states.join(", "))
}

fn resting(samples: u64) -> String {
    format!(
        "resting until there is a newer checkpoint: with {samples} samples of this one training lags behind by more \
         than loop.asynchronous.most_lag"
    )
}
