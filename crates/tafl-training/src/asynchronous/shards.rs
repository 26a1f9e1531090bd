//! The shards of a run: those that it learns from, and the window over them.

use crate::observer::Notice;
use crate::run::Run;
use crate::stages::played::PlayedGames;
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use tafl_dataset::{ReplayWindow, games_in, positions_in, read_games, read_samples, sample_files};
use tafl_samples::{Batch, GameRecord, Sample};

/// Samples that are checked at a time.
const BATCH: usize = 1024;

/// Folder within a run with one folder for each worker that does not write to the run itself.
const WORKERS: &str = "workers";

/// All shards that the run counts, and what is counted.
///
/// A shard is counted from the moment on that it is found. The manifest lists those that were counted when the last
/// checkpoint was saved; the others are found again after a kill.
pub(super) struct Shards<'a> {
    run: &'a Run,
    /// Every file of samples that was found, whether it is counted or refused.
    found: BTreeSet<PathBuf>,
    /// Those that the manifest does not list yet, with the games beside them.
    fresh: Vec<[PathBuf; 2]>,
    /// What was played in shards that were found since this was taken the last time.
    pub(super) played: PlayedGames,
    /// The samples of all shards.
    pub(super) samples: u64,
    /// Those that are not held out.
    pub(super) to_learn: u64,
    /// The games of all shards.
    pub(super) games: u64,
    /// The files that are counted, the oldest first.
    counted: Vec<PathBuf>,
    pub(super) window: ReplayWindow,
    /// Folders of workers that could not be read at the last look.
    unreadable: BTreeSet<PathBuf>,
}

impl<'a> Shards<'a> {
    /// Counts the shards that there are.
    pub(super) fn open(run: &'a Run) -> anyhow::Result<Self> {
        let mut shards = Self {
            run,
            found: BTreeSet::new(),
            fresh: Vec::new(),
            played: PlayedGames::default(),
            samples: 0,
            to_learn: 0,
            games: 0,
            counted: Vec::new(),
            window: run.window_of_files(&[])?,
            unreadable: BTreeSet::new(),
        };
        let listed = shards.listed()?;
        for path in &listed {
            shards.samples += positions_in(path)?;
            shards.to_learn += run.positions_to_learn(path)?;
            shards.games += games_in(&games_beside(path))?;
        }
        shards.window = run.window_of_files(&listed)?;
        shards.found.extend(listed.iter().cloned());
        shards.counted = listed;
        shards.look()?;
        Ok(shards)
    }

    /// Returns the files that the manifest lists, the oldest generation first.
    fn listed(&self) -> anyhow::Result<Vec<PathBuf>> {
        let files = self.run.store().files("").into_iter();
        let mut listed: Vec<PathBuf> = files.filter(|path| is_of_samples(path)).collect();
        if let Some(missing) = listed.iter().find(|path| !path.is_file()) {
            bail!(
                "{}: missing, but the run was trained on it",
                missing.display()
            );
        }
        listed.sort_by_key(|path| by_age(path));
        Ok(listed)
    }

    /// Counts the shards that were finished since the last look.
    pub(super) fn look(&mut self) -> anyhow::Result<()> {
        let counted = self.counted.len();
        for path in self.files()? {
            if self.found.contains(&path) {
                continue;
            }
            match self.read(&path) {
                Ok((games, samples)) => {
                    self.played.add(&games, &samples);
                    self.samples += samples.len() as u64;
                    self.to_learn += self.run.positions_to_learn(&path)?;
                    self.games += games.len() as u64;
                    self.counted.push(path.clone());
                    self.fresh.push([path.clone(), games_beside(&path)]);
                }
                Err(error) => self.skip(&error, false),
            }
            self.found.insert(path);
        }
        if self.counted.len() > counted {
            self.window = self.run.window_of_files(&self.counted)?;
        }
        Ok(())
    }

    /// Returns all finished files of samples, the oldest generation first.
    ///
    /// Folders of workers may be elsewhere: one that cannot be read is left out until it can.
    fn files(&mut self) -> anyhow::Result<Vec<PathBuf>> {
        let folder = self.run.folder();
        let mut files = sample_files(folder)?;
        let workers = folder.join(WORKERS);
        let entries = if workers.is_dir() {
            let context = || format!("reading {}", workers.display());
            let entries = std::fs::read_dir(&workers).with_context(context)?;
            entries.collect::<Result<_, _>>().with_context(context)?
        } else {
            Vec::new()
        };
        let folders = entries.iter().map(DirEntry::path);
        for folder in folders.filter(|path| path.is_dir()) {
            match sample_files(&folder) {
                Ok(of_worker) => {
                    files.extend(of_worker);
                    self.unreadable.remove(&folder);
                }
                Err(error) => {
                    if self.unreadable.insert(folder) {
                        self.skip(&error.into(), true);
                    }
                }
            }
        }
        files.sort_by_key(|path| by_age(path));
        Ok(files)
    }

    fn skip(&self, reason: &anyhow::Error, is_for_now: bool) {
        let notice = Notice::Skipped { reason, is_for_now };
        self.run.observer().noticed(&notice);
    }

    /// Reads a shard, which anyone may have written.
    fn read(&self, path: &Path) -> anyhow::Result<(Vec<GameRecord>, Vec<Sample>)> {
        let games = read_games(&games_beside(path))?;
        let samples = read_samples(path)?;
        for game in &games {
            let is_known = self.run.rules.iter().any(|rules| {
                let ruleset = rules.ruleset();
                (&ruleset.name, ruleset.fingerprint()) == (&game.ruleset, game.ruleset_fingerprint)
            });
            if !is_known {
                let (path, ruleset) = (path.display(), &game.ruleset);
                bail!("{path}: ruleset {ruleset} is not in the run's config, or differs");
            }
        }
        let numbers: BTreeSet<u64> = games.iter().map(|game| game.game_id).collect();
        if let Some(stray) = samples.iter().find(|it| !numbers.contains(&it.game_id)) {
            let (path, game) = (path.display(), stray.game_id);
            bail!("{path}: game {game} is not in the file of games");
        }
        self.check(&samples)
            .with_context(|| path.display().to_string())?;
        Ok((games, samples))
    }

    /// Makes the batches that training would make, so that samples which are none are refused before they count.
    fn check(&self, samples: &[Sample]) -> anyhow::Result<()> {
        for samples in samples.chunks(BATCH) {
            let samples: Vec<&Sample> = samples.iter().collect();
            Batch::new(&samples, &self.run.rules, &self.run.config.targets, 0)?;
        }
        Ok(())
    }

    /// Lists in the manifest what was counted since the last time.
    pub(super) fn enter(&mut self) -> anyhow::Result<()> {
        let fresh = std::mem::take(&mut self.fresh);
        let paths: Vec<&Path> = fresh.iter().flatten().map(PathBuf::as_path).collect();
        Ok(self.run.store().enter(&paths)?)
    }
}

/// Returns whether a file is `samples/000003/a.parquet` below whatever.
fn is_of_samples(path: &Path) -> bool {
    let kind = path.parent().and_then(Path::parent);
    kind.is_some_and(|kind| kind.ends_with("samples"))
}

/// Returns `R/games/000003/a.parquet` of `R/samples/000003/a.parquet`.
fn games_beside(samples: &Path) -> PathBuf {
    let name = samples.file_name().unwrap_or_default();
    let generation = samples.parent().unwrap_or(Path::new(""));
    let root = generation.parent().and_then(Path::parent);
    root.unwrap_or(Path::new(""))
        .join("games")
        .join(generation.file_name().unwrap_or_default())
        .join(name)
}

/// Orders files by generation, then by name.
fn by_age(path: &Path) -> [OsString; 2] {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    [path.parent().map(name).unwrap_or_default(), name(path)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_lie_beside_samples_and_generations_come_before_names() {
        let one = Path::new("r/workers/samples/samples/000003/b.parquet");
        let games = Path::new("r/workers/samples/games/000003/b.parquet");
        assert_eq!(games_beside(one), games);
        assert!(is_of_samples(one) && !is_of_samples(games));
        let other = Path::new("r/samples/000010/a.parquet");
        assert!(by_age(one) < by_age(other));
    }
}
