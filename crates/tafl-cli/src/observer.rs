//! What runs, tournaments and studies tell, as lines and bars on stderr.

use crate::failure::one_line;
use crate::progress::{Progress as Bar, seconds, thousands};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tafl_arena::{MatchResult, Tally};
use tafl_network::{Assessment, Losses, RoleAssessment};
use tafl_rules::{Rules, Side};
use tafl_training::{
    Freed, Notice, Observer, Progress, SelfPlaySummary, Stage, Summary, TrainingSummary,
    WorkerReport,
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
            Progress::Waiting { samples } => {
                format!("waiting for more than {} samples", thousands(samples))
            }
            Progress::Results(now) if stage == Stage::SelfMatch => {
                format!("attackers {}", versus(now))
            }
            Progress::Results(now) => versus(now),
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
            Some(Summary::HeldOut(roles)) => held_out(roles),
            Some(Summary::Match(result)) if stage == Stage::SelfMatch => self_match(result),
            Some(Summary::Match(result)) => match_line(result),
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
            Notice::WaitingForCheckpoint => self.say("waiting for the first checkpoint"),
            Notice::NewCheckpoint {
                run,
                player,
                folder,
            } => self.say(&format!("{player} of {run}: {}", folder.display())),
            Notice::Skipped { reason, is_for_now } => {
                let word = if *is_for_now {
                    "skipped for now:"
                } else {
                    "skipped"
                };
                self.say(&format!("{word} {}", one_line(reason)));
            }
            Notice::Gone { first, count } => self.say(&gone(first, *count)),
            Notice::Workers(workers) => self.say(&working(workers)),
            Notice::RunEnded => {
                self.say("the run has its last checkpoint: no more games are needed")
            }
            Notice::MuchMemory { needs, available } => {
                self.say(&format!("warning: {needs}; there are {available}"));
            }
            Notice::Freed(freed) => self.say(&freed_text(freed)),
            Notice::Resting { samples } => self.say(&resting(*samples)),
            Notice::NewStage(stage) => {
                self.say(&format!("from checkpoint {} on:", stage.checkpoint));
                for [field, before, after] in &stage.changes {
                    self.say(&format!("  {field} {before} -> {after}"));
                }
            }
            Notice::FewOpenings { found, wanted } => self.say(&format!(
                "only {found} of {wanted} openings are distinct; increase --opening-plies for more"
            )),
            Notice::Shard {
                name,
                summary,
                is_left: true,
            } => self.say(&format!("from a killed worker: {}", shard(summary, name))),
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

/// Returns how games ended, in per cent, where the attackers count them.
pub(crate) fn ended(games: &Tally) -> String {
    let all = games.games().max(1) as f64;
    let [attackers, defenders, draws, capped] =
        [games.wins, games.losses, games.draws, games.capped]
            .map(|count| 100.0 * count as f64 / all);
    format!(
        "attackers {attackers:.0} %, defenders {defenders:.0} %, draws {draws:.0} %, capped {capped:.0} %"
    )
}

fn games_and_samples(summary: &SelfPlaySummary) -> String {
    let (games, samples) = (thousands(summary.games), thousands(summary.samples));
    let size = summary
        .samples_bytes
        .checked_div(summary.samples)
        .unwrap_or(0);
    let ended = ended(&summary.ended);
    format!("{games} games, {samples} samples ({size} bytes each): {ended}")
}

fn self_play(summary: &SelfPlaySummary) -> String {
    let even = summary.even.as_ref();
    let even = even.map_or_else(String::new, |even| format!("; even games: {}", ended(even)));
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
        by_role(losses)
    )
}

/// Returns losses, of both roles and of each: one may be forgotten while the other is learned.
fn by_role(losses: &Losses) -> String {
    let Losses {
        policy,
        value,
        policy_attackers,
        policy_defenders,
        value_attackers,
        value_defenders,
        ..
    } = losses;
    let accuracy = 100.0 * losses.policy_accuracy;
    format!(
        "policy loss {policy:.2} (top-1 accuracy {accuracy:.0} %; attackers {policy_attackers:.2}, defenders \
         {policy_defenders:.2}), value loss {value:.3} (attackers {value_attackers:.3}, defenders {value_defenders:.3})"
    )
}

/// Returns what a checkpoint predicts of held-out games, of all and of each role.
fn held_out(roles: &[RoleAssessment]) -> String {
    let all = sum(roles.iter());
    let by_side = Side::ALL.map(|side| sum(roles.iter().filter(|role| role.side == side)));
    let [attackers, defenders] = by_side.map(|side| side.value_loss());
    let (accuracy, error) = (
        100.0 * all.policy_accuracy(),
        100.0 * all.calibration_error(),
    );
    format!(
        "{} positions: policy loss {:.2} (top-1 accuracy {accuracy:.0} %), value loss {:.3} (attackers {attackers:.3}, defenders {defenders:.3}), calibration error {error:.0} %",
        all.positions,
        all.policy_loss(),
        all.value_loss(),
    )
}

fn sum<'a>(roles: impl Iterator<Item = &'a RoleAssessment>) -> Assessment {
    let mut all = Assessment::default();
    roles.for_each(|role| all.add(&role.assessment));
    all
}

/// Returns games as `+12 =0 -4`.
fn versus(games: Tally) -> String {
    let draws = games.draws + games.capped;
    format!("+{} ={draws} -{}", games.wins, games.losses)
}

/// Returns a line such as `a against b: +12 =0 -4, Elo +191 (+20 to +400), under copenhagen`.
fn match_line(result: &MatchResult) -> String {
    let [first, second] = &result.players;
    let (games, elo) = (versus(result.total(0)), result.elo());
    format!(
        "{first} against {second}: {games}, Elo {:+.0} ({:+.0} to {:+.0}), under {}",
        elo.value, elo.low, elo.high, result.ruleset
    )
}

/// Returns a line such as `greedy under fetlar: attackers +8 =1 -11`.
fn self_match(result: &MatchResult) -> String {
    let attackers = versus(result.tally(0, Side::Attacker));
    format!(
        "{} under {}: attackers {attackers}",
        result.players[0], result.ruleset
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

/// Returns what was removed to free the disk.
pub(crate) fn freed_text(freed: &Freed) -> String {
    let Freed {
        samples,
        checkpoints,
        bytes,
    } = freed;
    let counted = |count, one: &str, more: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {more}")),
    };
    let parts = [
        counted(*checkpoints, "checkpoint", "checkpoints"),
        counted(*samples, "file of samples", "files of samples"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "nothing to remove".to_owned();
    }
    let megabytes = *bytes as f64 / 1e6;
    format!("removed {}, {megabytes:.1} MB", parts.join(" and "))
}

fn resting(samples: u64) -> String {
    format!(
        "resting until there is a newer checkpoint: with {samples} samples of this one training lags behind by more \
         than loop.asynchronous.most_lag"
    )
}
