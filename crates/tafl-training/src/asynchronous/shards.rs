//! The shards of a run: those that it learns from, and the window over them.

use super::validation::{Accepted, Validator};
use crate::observer::{Notice, Progress, Stage};
use crate::run::Run;
use crate::stages::played::PlayedGames;
use crate::storage::{Freed, before_window, remove_samples};
use crate::worker::{self, WORKER_FOLDERS};
use anyhow::{Context, anyhow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tafl_dataset::{
    EnteredGames, ReplayWindow, by_generation, check_place, game_files, positions_in,
};
use tafl_store::{ShardCount, checkpoints, entries};

/// Length and time of change of a file.
type Stamp = (u64, SystemTime);

/// A shard that cannot be learned from, at least not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    /// None if it is not there.
    stamp: Option<Stamp>,
    /// The generation that the run has not reached, if that is the reason.
    ahead: Option<u32>,
    reason: String,
}

/// All shards that the run counts, and what is counted.
///
/// A shard is counted from the moment on that it is found. The manifest lists those that were counted when the last
/// checkpoint was saved; the others are found again after a kill.
pub(super) struct Shards<'a> {
    run: &'a Run,
    validator: Validator<'a>,
    /// Files that were put aside, as they were then; they are looked at again when they change.
    aside: BTreeMap<PathBuf, Aside>,
    /// Those that the manifest does not list yet.
    fresh: Vec<(PathBuf, ShardCount)>,
    /// What was played in shards that were found since this was taken the last time.
    pub(super) played: PlayedGames,
    /// Games to be found again that were recorded as played: the process was killed between a checkpoint and the manifest.
    recorded: u64,
    /// What all shards hold.
    pub(super) count: ShardCount,
    /// The samples of those that are no longer there.
    gone: u64,
    /// The files that are counted and there, the oldest first.
    counted: Vec<PathBuf>,
    /// All that are counted.
    known: BTreeSet<PathBuf>,
    pub(super) window: ReplayWindow,
    /// The last checkpoint, as of the last look.
    newest: u32,
    /// Workers whose shards are left out.
    purged: BTreeSet<String>,
    /// Folders of workers that could not be read at the last look.
    unreadable: BTreeSet<PathBuf>,
    /// Folders of workers with games that are not where they are looked for, at the last look.
    misplaced: BTreeMap<PathBuf, String>,
    /// What was said last of files that are put aside.
    told: Option<BTreeMap<PathBuf, String>>,
}

impl<'a> Shards<'a> {
    /// Counts the shards that there are; `learned` games were counted with the checkpoints.
    pub(super) fn open(run: &'a Run, learned: u64) -> anyhow::Result<Self> {
        let mut shards = Self {
            run,
            validator: Validator::new(run.folder(), &run.rules),
            aside: BTreeMap::new(),
            fresh: Vec::new(),
            played: PlayedGames::under(&run.rules),
            recorded: 0,
            count: ShardCount::default(),
            gone: 0,
            counted: Vec::new(),
            known: BTreeSet::new(),
            window: run.replay.window_of_files(&[], 0)?,
            newest: run.last_checkpoint(),
            purged: BTreeSet::new(),
            unreadable: BTreeSet::new(),
            misplaced: BTreeMap::new(),
            told: None,
        };
        let store = run.store();
        let EnteredGames { there, gone } =
            EnteredGames::learned_from(&store.manifest(), store.folder());
        for path in there.iter().chain(&gone) {
            let missing = || format!("{}: missing, but the run was trained on it", path.display());
            shards.count = shards.count + store.count(path).with_context(missing)?;
        }
        shards.recorded = learned.saturating_sub(shards.count.games);
        let gone_counts = gone.iter().filter_map(|path| store.count(path));
        shards.gone = gone_counts.map(|count| count.samples).sum();
        let played = there.iter().chain(&gone).filter(|path| path.is_file());
        let played: Vec<PathBuf> = played.cloned().collect();
        shards.validator.know(&played)?;
        shards.known.extend(there.iter().cloned().chain(gone));
        shards.counted = there;
        shards.window = run.replay.window_of_files(&shards.counted, shards.gone)?;
        // What an earlier process put aside may be taken now.
        shards.tell_put_aside();
        shards.look()?;
        shards.recorded = 0;
        Ok(shards)
    }

    /// Counts the shards that were finished since the last look; returns what the search for them took.
    ///
    /// What it takes to check those that it finds is no reason to look seldom: it comes with each of them, now or later, and
    /// until then neither training nor self-play knows how far training lags behind.
    pub(super) fn look(&mut self) -> anyhow::Result<Duration> {
        let (begin, mut checked) = (Instant::now(), Duration::ZERO);
        let counted = self.counted.len();
        let has_purged = self.leave_out_purged()?;
        // Those between may be there no more, where a run keeps only what it needs.
        let last = checkpoints(self.run.folder())?.pop();
        self.newest = last.map_or(0, |(last, _)| last).max(self.newest);
        let files = self.files()?.into_iter();
        let files = files.map(|path| (stamp(&path), path));
        let new: Vec<_> = files.filter(|file| self.is_new(file)).collect();
        let (total, observer) = (new.len() as u64, self.run.observer());
        let mut left_out: BTreeMap<String, u64> = BTreeMap::new();
        if total > 0 {
            observer.started(Stage::Reading, Some(total));
        }
        for (done, (stamp, path)) in (1..).zip(new) {
            let (generation, _) = by_generation(&path);
            let ahead = (generation > self.newest).then_some(generation);
            if let Some(worker) = self.purged_worker(&path) {
                let aside = Aside {
                    stamp,
                    ahead: None,
                    reason: format!("{worker} was purged"),
                };
                self.aside.insert(path, aside);
                *left_out.entry(worker).or_default() += 1;
                continue;
            }
            let found = Instant::now();
            let taken = match ahead {
                // Sorted by generation, it would count as newer than all that the run plays.
                Some(generation) => Err(ahead_of_run(&path, generation)),
                None => self.validator.take(&path),
            };
            match taken {
                Ok(shard) => self.count(path, &shard)?,
                Err(error) => self.put_aside(path, (stamp, ahead), &error),
            }
            checked += found.elapsed();
            observer.progressed(Stage::Reading, done, Progress::Count);
        }
        if total > 0 {
            observer.finished(Stage::Reading, None);
        }
        for (worker, shards) in left_out {
            let reason = &anyhow!("shards of {worker}, which was purged: {shards}");
            let is_for_now = false;
            observer.noticed(&Notice::Skipped { reason, is_for_now });
        }
        self.tell_put_aside();
        let searched = begin.elapsed().saturating_sub(checked);
        self.counted.sort_by_key(|path| by_generation(path));
        if self.counted.len() > counted || has_purged {
            self.window = self.run.replay.window_of_files(&self.counted, self.gone)?;
        }
        Ok(searched)
    }

    /// Returns whether a shard is neither counted nor put aside for a reason that still holds.
    fn is_new(&self, (stamp, path): &(Option<Stamp>, PathBuf)) -> bool {
        let is_as_it_was =
            |aside: &Aside| aside.stamp == *stamp && aside.ahead.is_none_or(|it| it > self.newest);
        !self.known.contains(path) && !self.aside.get(path).is_some_and(is_as_it_was)
    }

    /// Takes the shards of purged workers out of the window; those that a checkpoint has learned from stay counted, the
    /// others never were, as after a restart. Returns whether there were any.
    fn leave_out_purged(&mut self) -> anyhow::Result<bool> {
        let purged = worker::purged(self.run.folder())?;
        if purged == self.purged {
            return Ok(false);
        }
        let folder = self.run.folder();
        let is_out = |path: &Path| worker::is_of(&purged, folder, path);
        let out = self.counted.extract_if(.., |path| is_out(path));
        let out: Vec<PathBuf> = out.collect();
        for (path, count) in self.fresh.extract_if(.., |(path, _)| is_out(path)) {
            self.known.remove(&path);
            self.count.games -= count.games;
            self.count.samples -= count.samples;
            self.count.to_learn -= count.to_learn;
        }
        for path in out.iter().filter(|path| self.known.contains(*path)) {
            self.gone += positions_in(path)?;
        }
        self.purged = purged;
        Ok(!out.is_empty())
    }

    /// Returns the worker of a shard, if it was purged.
    fn purged_worker(&self, shard: &Path) -> Option<String> {
        worker::one_of(&self.purged, self.run.folder(), shard)
    }

    fn count(&mut self, path: PathBuf, (games, samples): &Accepted) -> anyhow::Result<()> {
        let count = ShardCount {
            games: games.len() as u64,
            samples: samples.len() as u64,
            to_learn: self.run.replay.positions_to_learn(&path)?,
        };
        if self.recorded == 0 {
            self.played.add(games, samples);
        }
        self.recorded = self.recorded.saturating_sub(count.games);
        self.count = self.count + count;
        self.counted.push(path.clone());
        self.known.insert(path.clone());
        self.aside.remove(&path);
        self.fresh.push((path, count));
        Ok(())
    }

    /// Remembers a shard that was not taken, and says why unless that was said.
    fn put_aside(
        &mut self,
        path: PathBuf,
        (stamp, ahead): (Option<Stamp>, Option<u32>),
        error: &anyhow::Error,
    ) {
        let reason = format!("{error:#}");
        let before = self.aside.get(&path);
        if before.is_none_or(|before| before.reason != reason) {
            self.skip(error);
        }
        let aside = Aside {
            stamp,
            ahead,
            reason,
        };
        self.aside.insert(path, aside);
    }

    /// Leaves word of what is put aside, if that has changed since the last time.
    fn tell_put_aside(&mut self) {
        let folder = self.run.folder();
        let aside = self.aside.iter();
        let aside = aside.filter_map(|(path, aside)| {
            let path = path.strip_prefix(folder).ok()?;
            Some((path.to_owned(), aside.reason.clone()))
        });
        let aside: BTreeMap<PathBuf, String> = aside.collect();
        if self.told.as_ref() != Some(&aside) {
            worker::tell_put_aside(folder, &aside);
            self.told = Some(aside);
        }
    }

    /// Returns all finished files of games, the oldest generation first.
    ///
    /// Folders of workers may be elsewhere: one that cannot be read is left out until it can.
    fn files(&mut self) -> anyhow::Result<Vec<PathBuf>> {
        let folder = self.run.folder();
        let mut files = game_files(folder)?;
        let folders = entries(&folder.join(WORKER_FOLDERS))?.into_iter();
        for folder in folders.filter(|path| path.is_dir()) {
            match game_files(&folder) {
                Ok(of_worker) => {
                    files.extend(of_worker);
                    self.unreadable.remove(&folder);
                }
                Err(error) => {
                    if self.unreadable.insert(folder) {
                        self.skip(&error.into());
                    }
                }
            }
        }
        let mut misplaced = worker::misplaced(self.run.folder());
        misplaced.retain(|folder, _| self.purged_worker(folder).is_none());
        for (folder, reason) in &misplaced {
            if !self.misplaced.contains_key(folder) {
                self.skip(&anyhow!("{reason}"));
            }
        }
        self.misplaced = misplaced;
        files.sort_by_key(|path| by_generation(path));
        Ok(files)
    }

    /// Returns the samples that allow steps: none as long as there is nothing to draw, as all shards are empty or purged.
    pub(super) const fn to_learn(&self) -> u64 {
        if self.window.is_empty() {
            0
        } else {
            self.count.to_learn
        }
    }

    /// Returns how many shards are put aside.
    pub(super) fn aside(&self) -> usize {
        self.aside.len()
    }

    fn skip(&self, reason: &anyhow::Error) {
        let is_for_now = true;
        let notice = Notice::Skipped { reason, is_for_now };
        self.run.observer().noticed(&notice);
    }

    /// Lists in the manifest what was counted since the last time.
    pub(super) fn enter(&mut self) -> anyhow::Result<()> {
        let fresh = std::mem::take(&mut self.fresh);
        let files = fresh
            .iter()
            .map(|(path, count)| (path.as_path(), Some(*count)));
        Ok(self.run.store().enter_counted(&files.collect::<Vec<_>>())?)
    }

    /// Lists what was found since the last time without what it holds: no checkpoint has learned from it, so it is found again.
    pub(super) fn enter_uncounted(&self) -> anyhow::Result<()> {
        let fresh = self.fresh.iter().map(|(path, _)| path.as_path());
        Ok(self.run.store().enter(&fresh.collect::<Vec<_>>())?)
    }

    /// Removes the samples that the window has left, once they are entered.
    pub(super) fn remove_old(&mut self) -> anyhow::Result<Freed> {
        let old = before_window(&self.counted, &self.window);
        let store = self.run.store();
        let old: Vec<PathBuf> = self.counted.drain(..old).collect();
        let counts = old.iter().filter_map(|path| store.count(path));
        self.gone += counts.map(|count| count.samples).sum::<u64>();
        remove_samples(store, &old)
    }
}

/// Returns why a shard of a checkpoint that the run does not have is not taken.
fn ahead_of_run(path: &Path, generation: u32) -> anyhow::Error {
    match check_place(path) {
        Err(error) => error.into(),
        Ok(()) => anyhow!(
            "{}: played by checkpoint {generation}, which this run does not have: it is of another run, or was removed",
            path.display()
        ),
    }
}

/// Returns the stamp of a file; nothing where there is none.
fn stamp(path: &Path) -> Option<Stamp> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?))
}

#[cfg(test)]
mod tests;
