//! What runs, tournaments and studies tell, as lines and bars on stderr.

use crate::failure::one_line;
use crate::output::{command, counted, pasted};
use crate::progress::{Progress as Bar, seconds, thousands};
use crate::text::{
    capped_text, ended_text, freed_text, held_out_text, losses_text, match_text, one_sided_text,
    self_match_text, versus_text,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tafl_store::RunStage;
use tafl_training::{
    Notice, Observer, Progress, RUN_CONFIG, SelfPlaySummary, Stage, Summary, TrainingSummary,
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
        Stage::Reading => ("reading", "new shards"),
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
            Progress::Waiting { samples, needed } => {
                let [samples, needed] = [samples, needed].map(thousands);
                format!("waiting for samples, {samples} of {needed}")
            }
            Progress::Count => String::new(),
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
        if let Some(text) = self.text(notice) {
            self.say(&text);
        }
    }
}

impl Terminal {
    /// Returns a notice in words; nothing of one that is not for this command.
    fn text(&self, notice: &Notice<'_>) -> Option<String> {
        Some(match notice {
            Notice::Generation(number) => {
                format!("generation {} of {}", number + 1, self.generations)
            }
            Notice::Ladder { games, time } => {
                let time = time.map(|it| format!(" more, about {}", seconds(it)));
                format!("ladder: {games} games{}", time.unwrap_or_default())
            }
            Notice::Strength { reference, games } => format!(
                "how strong the players are: {games} games against {reference}; --set strength.openings=0 leaves them out"
            ),
            Notice::Skipped { reason, is_for_now } => {
                let word = if *is_for_now { " for now:" } else { "" };
                format!("skipped{word} {}", one_line(reason))
            }
            Notice::Warning(text) => format!("warning: {text}"),
            Notice::AllCapped(max_plies) => format!("warning: {}", capped_text(*max_plies)),
            Notice::OneSided(found) => format!("warning: {}", one_sided_text(found)),
            Notice::FailedRun { run, reason } => format!("failed: {run}: {}", one_line(reason)),
            Notice::Workers(workers) => working(workers),
            Notice::Freed(freed) => freed_text(freed),
            Notice::NewStage { stage, pruned } => new_stage(stage, *pruned),
            Notice::Begun(text) | Notice::Uncounted(text) => (*text).to_owned(),
            Notice::EarlierGames { games, engines } => earlier_games(*games, engines),
            Notice::FewOpenings { found, wanted } => format!(
                "only {found} of {wanted} openings are distinct and not over: another --opening-plies may find more"
            ),
            Notice::Untrained
            | Notice::WaitingForRun(_)
            | Notice::OtherRunEnded(_)
            | Notice::OtherField { .. }
            | Notice::WaitingForCheckpoint
            | Notice::NewCheckpoint { .. }
            | Notice::RunEnded
            | Notice::NobodyPlays { .. }
            | Notice::Resting(_)
            | Notice::Shard { .. } => return self.text_of_worker(notice),
        })
    }

    /// Does what [`Self::text`] does with a notice of a worker.
    fn text_of_worker(&self, notice: &Notice<'_>) -> Option<String> {
        Some(match notice {
            Notice::Untrained => "an untrained network plays: no --checkpoint was given".to_owned(),
            Notice::WaitingForRun(run) => format!("waiting for the run {}", run.display()),
            Notice::OtherRunEnded(run) => format!(
                "the run {} has its last checkpoint: without --games no more are played",
                run.display()
            ),
            Notice::OtherField { field, own, of_run } => format!(
                "warning: {field} is {own} here and {of_run} in the run that learns from these games"
            ),
            Notice::WaitingForCheckpoint => "waiting for the first checkpoint".to_owned(),
            Notice::NewCheckpoint {
                run,
                player,
                folder,
            } => format!("{player} of {run}: {}", folder.display()),
            Notice::RunEnded => {
                "the run has its last checkpoint: no more games are needed".to_owned()
            }
            Notice::NobodyPlays { run, workers } => nobody_plays(run, workers),
            Notice::Resting(samples) => format!(
                "resting until there is a newer checkpoint: {samples} samples ahead of the newest, which is more than \
                 loop.asynchronous.most_lag allows"
            ),
            Notice::Shard {
                name,
                summary,
                is_left,
            } => {
                let words = match is_left {
                    true => "left by a stopped worker:",
                    false if self.shows_shards => "  shard     ",
                    false => return None,
                };
                format!("{words} {}: {name}", games_and_samples(summary))
            }
            _ => return None,
        })
    }
}

fn games_and_samples(summary: &SelfPlaySummary) -> String {
    let (games, samples) = (thousands(summary.games), thousands(summary.samples));
    let size = summary.bytes.checked_div(summary.samples).unwrap_or(0);
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

fn new_stage(stage: &RunStage, pruned: usize) -> String {
    let mut fields = stage.changes.iter().map(|[field, ..]| field);
    let lacks = match pruned > 0 && fields.any(|it| it.starts_with("replay.")) {
        true => format!(
            "\nwarning: {} no samples any more: the replay window lacks those that it would reach",
            counted(pruned as u64, ["file of games has", "files of games have"])
        ),
        false => String::new(),
    };
    let changes = stage.changes.iter();
    let changes = changes.map(|[field, from, to]| {
        let [from, to] = [from, to].map(|it| if it.is_empty() { "none" } else { it });
        format!("\n  {field} {from} -> {to}")
    });
    let changes: String = changes.collect();
    format!("from checkpoint {} on:{changes}{lacks}", stage.checkpoint)
}

fn earlier_games(games: usize, engines: &BTreeSet<String>) -> String {
    let games = counted(games as u64, ["game", "games"]);
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    let (engines, its) = (
        engines.join(", "),
        if engines.len() == 1 { "its" } else { "a" },
    );
    format!(
        "played by earlier calls: {games} of {engines}; if {its} program has changed since, use another --folder"
    )
}

/// Asks for workers of a run that does not play itself.
fn nobody_plays(run: &Path, workers: &BTreeMap<String, WorkerReport>) -> String {
    let states = match workers.is_empty() {
        true => String::new(),
        false => format!(" ({})", states(workers)),
    };
    let [config, run, out] = [&*run.join(RUN_CONFIG), run, &run.join("workers/NAME")].map(pasted);
    let command = command();
    format!(
        "nobody plays for this run{states}: start workers, such as `{command} selfplay {config} --checkpoint {run} --out {out}`"
    )
}

/// Returns a line such as `  workers    3 playing, 1 silent: 1,240 games/h`, without the rate of workers that just began.
fn working(workers: &BTreeMap<String, WorkerReport>) -> String {
    let playing = workers.values().filter(|it| it.state() == "playing");
    let rates = playing.filter_map(WorkerReport::games_per_hour);
    let rate = rates.reduce(|sum, it| sum + it);
    let rate = rate.map(|it| format!(": {} games/h", thousands(it as u64)));
    format!(
        "  workers    {}{}",
        states(workers),
        rate.unwrap_or_default()
    )
}

/// Returns what workers do, such as `3 playing, 1 silent`.
fn states(workers: &BTreeMap<String, WorkerReport>) -> String {
    let mut states: BTreeMap<&str, u32> = BTreeMap::new();
    for worker in workers.values() {
        *states.entry(worker.state()).or_default() += 1;
    }
    let states = states
        .iter()
        .map(|(state, count)| format!("{count} {state}"));
    states.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_replay_window_is_told_of_samples_that_were_removed() {
        let said = |field: &str, pruned| {
            let change = [field, "500", "900"].map(str::to_owned);
            let stage = RunStage {
                checkpoint: 3,
                changes: vec![change],
                config_sha256_before: String::new(),
            };
            new_stage(&stage, pruned)
        };
        let changed = "from checkpoint 3 on:\n  replay.minimum 500 -> 900";
        assert_eq!(said("replay.minimum", 0), changed);
        let lacks = format!("{changed}\nwarning: 2 files of games have no samples any more: ");
        assert!(said("replay.minimum", 2).starts_with(&lacks));
        assert!(!said("search.visits", 2).contains("warning"));
    }
}
