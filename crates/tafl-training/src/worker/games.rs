//! Takes the games of a worker as they end, and newer checkpoints as they come.

use super::shard::Shard;
use super::status::WorkerState;
use super::{
    Checkpoint, Current, PAUSE, QUEUE, WORKER, Worker, check_purged, check_there, has_ended,
    put_aside, tell_differences,
};
use crate::config::{RUN_CONFIG, RunConfig, read_stored};
use crate::error::StoredConfigFor;
use crate::observer::Notice;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use tafl_dataset::{Provenance, game_files, read_games};
use tafl_play::SelfplayPlan;
use tafl_samples::{EndingReason, GameRecord};

/// Time between two looks for a newer checkpoint.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Time after which a worker that rests plays for one more checkpoint, as samples of it may be lost to the run: both would wait.
const LONGEST_REST: Duration = Duration::from_secs(600);

/// Games that the next plan depends on, at most.
const LATEST_GAMES: usize = 1_000;

/// Games that say together whether any comes to its end.
const LEAST_GAMES: usize = 10;

/// A finished game and the number of its plan.
pub(super) type Finished = (GameRecord, u64);

/// A plan that has games in progress, and the shard that its games go to.
pub(super) struct Playing {
    pub(super) plan: Arc<SelfplayPlan>,
    pub(super) provenance: Provenance,
    pub(super) shard: Option<Shard>,
}

impl Worker<'_> {
    /// Writes all games; `current` says how those are played that begin now.
    pub(super) fn take_all(
        &mut self,
        games: &Receiver<Finished>,
        current: &Current,
        stop: &AtomicBool,
        rest: &AtomicBool,
    ) -> anyhow::Result<()> {
        let (mut looked, mut purged) = (Instant::now(), Ok(()));
        loop {
            self.check_there()?;
            self.write_ended(games)?;
            match games.recv_timeout(PAUSE) {
                Ok(game) => self.add(game)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let is_asked = self.job.asked.load(Ordering::Relaxed);
            if is_asked || self.has_ended || purged.is_err() {
                stop.store(true, Ordering::Relaxed);
            } else if looked.elapsed() >= LOOK_INTERVAL {
                self.look(current);
                self.tell_put_aside();
                purged = self.check_purged();
                self.write_old()?;
                looked = Instant::now();
            }
            let rests = self.job.rest.load(Ordering::Relaxed) || self.is_too_far_ahead();
            rest.store(rests, Ordering::Relaxed);
            self.status.write(match rests {
                true => WorkerState::Resting,
                false => WorkerState::Playing,
            });
        }
        self.check_there()?;
        self.status.write(WorkerState::Ended);
        for playing in std::mem::take(&mut self.playing) {
            self.write(playing.shard)?;
        }
        purged
    }

    /// Refuses to write where the run was: what is in progress was moved with it.
    fn check_there(&self) -> anyhow::Result<()> {
        let run = self.learner.as_ref();
        run.map_or(Ok(()), |run| check_there(run))
    }

    fn check_purged(&self) -> anyhow::Result<()> {
        let run = self.learner.as_ref();
        run.map_or(Ok(()), |run| check_purged(self.job, run))
    }

    /// Returns whether so much was played that its run seems to have ended, or training cannot keep up.
    fn is_too_far_ahead(&mut self) -> bool {
        let job = self.job;
        let config = job.config.training_loop.asynchronous.unwrap_or_default();
        // What the next checkpoint waits for comes from here, if there is no other worker.
        let needed = config.first_samples + needed_by_checkpoint(job.config);
        let most = config.most_lag.saturating_add(needed);
        if self.location.is_none() || self.ahead <= most {
            return false;
        }
        let (is_new, ahead) = (self.rests_since.is_none(), self.ahead);
        let since = *self.rests_since.get_or_insert_with(Instant::now);
        if is_new {
            job.observer.noticed(&Notice::Resting(ahead));
        } else if since.elapsed() >= LONGEST_REST {
            (self.ahead, self.rests_since) = (config.most_lag, None);
        }
        true
    }

    fn add(&mut self, (game, number): Finished) -> anyhow::Result<()> {
        self.status.ended_game(game.plies.len());
        let mut all = self.playing.iter_mut();
        let playing = all.find(|playing| playing.plan.number == number);
        let playing = playing.expect("a plan stays until its games are here");
        let mut shard = match playing.shard.take() {
            Some(shard) => shard,
            None => self.shards.begin(&playing.provenance)?,
        };
        shard.add(game.clone())?;
        remember(&mut self.latest, game);
        if shard.games.len() < self.job.shard_games as usize {
            playing.shard = Some(shard);
            return Ok(());
        }
        self.write(Some(shard))
    }

    /// Writes the shards whose first game ended so long ago that they are not to wait for more.
    fn write_old(&mut self) -> anyhow::Result<()> {
        let Some(most) = self.job.shard_time else {
            return Ok(());
        };
        let shards = self.playing.iter_mut().map(|playing| &mut playing.shard);
        let is_old = |shard: &mut Shard| shard.age().is_some_and(|age| age >= most);
        let old: Vec<_> = shards.filter_map(|shard| shard.take_if(is_old)).collect();
        old.into_iter()
            .try_for_each(|shard| self.write(Some(shard)))
    }

    /// Writes the shards of plans that have no games in progress any more.
    fn write_ended(&mut self, games: &Receiver<Finished>) -> anyhow::Result<()> {
        let count = self.playing.len();
        // Nobody but this place has it, so nobody plays by it, and its games were sent.
        let ended: Vec<u64> = self.playing[..count.saturating_sub(1)]
            .iter_mut()
            .filter_map(|playing| Arc::get_mut(&mut playing.plan).map(|plan| plan.number))
            .collect();
        if ended.is_empty() {
            return Ok(());
        }
        // Its games are among those that wait now; others may come as fast as these are taken.
        for game in games.try_iter().take(QUEUE) {
            self.add(game)?;
        }
        let (over, playing) = std::mem::take(&mut self.playing)
            .into_iter()
            .partition(|playing| ended.contains(&playing.plan.number));
        self.playing = playing;
        let over: Vec<Playing> = over;
        over.into_iter().try_for_each(|over| self.write(over.shard))
    }

    fn write(&mut self, shard: Option<Shard>) -> anyhow::Result<()> {
        let Some(shard) = shard else { return Ok(()) };
        let Some(written) = self.shards.write(shard)? else {
            return Ok(());
        };
        let summary = &mut self.summary;
        summary.shards += 1;
        summary.games += written.summary.games;
        summary.samples += written.summary.samples;
        self.ahead += written.summary.samples;
        let job = self.job;
        job.observer.noticed(&written.notice(false));
        if is_all_capped(&self.latest) {
            let most = job.config.selfplay.max_plies;
            job.observer.noticed(&Notice::AllCapped(most));
        }
        Ok(())
    }

    /// Looks whether the run has ended; lets a newer checkpoint play the games that begin from now on, if there is one.
    fn look(&mut self, current: &Current) {
        let (job, observer) = (self.job, self.job.observer);
        // Asked first, so that the last checkpoint is found below.
        self.has_ended = has_ended(job, self.learner.as_deref(), self.location.as_ref());
        let location = self.location.as_mut();
        if let Some(newer) = location.and_then(|location| location.newer(observer)) {
            self.play_by(newer, current);
        }
        if self.has_ended {
            observer.noticed(&Notice::RunEnded);
        }
    }

    /// Tells once if the run puts aside what this worker has played since it started; the run itself knows.
    fn tell_put_aside(&mut self) {
        let Some(run) = self.learner.as_ref().filter(|_| !self.has_told) else {
            return;
        };
        let job = self.job;
        let own = format!("{}-{:016x}-", job.name, self.start);
        let is_own = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            job.name != WORKER && name.to_string_lossy().starts_with(&own)
        };
        let aside = put_aside(run).unwrap_or_default();
        if let Some((_, reason)) = aside.iter().find(|(path, _)| is_own(path)) {
            let reason = &anyhow::anyhow!("by the run: {reason}");
            let is_for_now = false;
            let notice = Notice::Skipped { reason, is_for_now };
            job.observer.noticed(&notice);
            self.has_told = true;
        }
    }

    /// Returns the config of the run as it is now, if that can be read; a stopped run may go on with another.
    fn config_of_run(&self) -> Option<RunConfig> {
        let played = self.location.as_ref().map(|it| it.path.as_path());
        let run = self.learner.as_deref().or(played)?;
        read_stored(&run.join(RUN_CONFIG), StoredConfigFor::Worker).ok()
    }

    fn play_by(&mut self, newer: Checkpoint, current: &Current) {
        let of_run = self.config_of_run();
        let needed = needed_by_checkpoint(of_run.as_ref().unwrap_or(self.job.config));
        if let Some(of_run) = of_run.filter(|_| self.learner.is_some()) {
            // Nothing depends on its being told.
            let _ = tell_differences(self.job.config, &of_run, &mut self.told, self.job.observer);
        }
        let before = self.playing.last();
        let before = before.map_or(0, |it| it.provenance.generation);
        let passed = newer.generation.saturating_sub(before).max(1);
        let needed = needed.saturating_mul(passed.into());
        self.ahead = self.ahead.saturating_sub(needed);
        let playing = self.plan(newer);
        self.status.plays(&playing.provenance.checkpoint);
        self.rests_since = None;
        let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::clone(&playing.plan);
        self.playing.push(playing);
    }
}

/// Returns the samples that a run needs for the steps of a checkpoint.
fn needed_by_checkpoint(config: &RunConfig) -> u64 {
    let all = &config.training_loop;
    let steps = all.asynchronous.unwrap_or_default().checkpoint_steps;
    let learned = f64::from(steps) * f64::from(all.batch_size) / all.reuse;
    // More than the share of games is held out at times, which must not add up: in the end both would wait.
    let held_out = 2.0 * config.replay.held_out_fraction;
    (learned * (1.0 + held_out)).ceil() as u64
}

/// Returns whether none of the latest games came to its end. Those of one shard do not tell: the last one of a checkpoint
/// holds the few games that took the longest.
fn is_all_capped(latest: &VecDeque<GameRecord>) -> bool {
    let is_capped = |game: &GameRecord| game.ending.reason == EndingReason::Capped;
    latest.len() >= LEAST_GAMES && latest.iter().all(is_capped)
}

/// Returns the latest games in a folder, the newest last, for a worker that starts again.
///
/// A file that cannot be read is left out: it is not this worker's to judge.
pub(super) fn latest_games(folder: &Path) -> anyhow::Result<VecDeque<GameRecord>> {
    let mut files = game_files(folder)?;
    let mut latest = VecDeque::new();
    while let Some(path) = files.pop()
        && latest.len() < LATEST_GAMES
    {
        for mut game in read_games(&path).unwrap_or_default().into_iter().rev() {
            forget_searches(&mut game);
            latest.push_front(game);
        }
    }
    Ok(latest)
}

fn forget_searches(game: &mut GameRecord) {
    for ply in &mut game.plies {
        ply.search = None;
    }
}

/// Keeps what a game played and how it ended.
fn remember(latest: &mut VecDeque<GameRecord>, mut game: GameRecord) {
    forget_searches(&mut game);
    latest.push_back(game);
    while latest.len() > LATEST_GAMES {
        latest.pop_front();
    }
}
