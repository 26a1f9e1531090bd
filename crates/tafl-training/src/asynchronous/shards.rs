//! The shards of a run: those that it learns from, and the window over them.

use super::validation::{Accepted, Validator};
use crate::observer::Notice;
use crate::run::Run;
use crate::stages::played::PlayedGames;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tafl_dataset::{ReplayWindow, games_in, positions_in, sample_files};

/// Folder within a run with one folder for each worker that does not write to the run itself.
const WORKERS: &str = "workers";

/// A shard that cannot be learned from, at least not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    /// Length and time of change of the samples and the games; none of what is not there.
    stamps: [Option<(u64, SystemTime)>; 2],
    reason: String,
}

/// All shards that the run counts, and what is counted.
///
/// A shard is counted from the moment on that it is found. The manifest lists those that were counted when the last
/// checkpoint was saved; the others are found again after a kill.
pub(super) struct Shards<'a> {
    run: &'a Run,
    validator: Validator<'a>,
    /// Files of samples that were put aside, as they were then; they are looked at again when they change.
    aside: BTreeMap<PathBuf, Aside>,
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
    /// The same, to be found among them.
    known: BTreeSet<PathBuf>,
    pub(super) window: ReplayWindow,
    /// Folders of workers that could not be read at the last look.
    unreadable: BTreeSet<PathBuf>,
}

impl<'a> Shards<'a> {
    /// Counts the shards that there are.
    pub(super) fn open(run: &'a Run) -> anyhow::Result<Self> {
        let mut shards = Self {
            run,
            validator: Validator::new(&run.rules),
            aside: BTreeMap::new(),
            fresh: Vec::new(),
            played: PlayedGames::default(),
            samples: 0,
            to_learn: 0,
            games: 0,
            counted: Vec::new(),
            known: BTreeSet::new(),
            window: run.window_of_files(&[])?,
            unreadable: BTreeSet::new(),
        };
        let listed = shards.listed()?;
        for path in &listed {
            shards.samples += positions_in(path)?;
            shards.to_learn += run.positions_to_learn(path)?;
            shards.games += games_in(&games_beside(path))?;
            shards.validator.know(&games_beside(path))?;
        }
        shards.window = run.window_of_files(&listed)?;
        shards.known.extend(listed.iter().cloned());
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
            let games = games_beside(&path);
            let stamps = [&path, &games].map(|path| stamp(path));
            let is_as_it_was = |aside: &Aside| aside.stamps == stamps;
            if self.known.contains(&path) || self.aside.get(&path).is_some_and(is_as_it_was) {
                continue;
            }
            match self.validator.take(&path, &games) {
                Ok(shard) => self.count(path, games, &shard)?,
                Err(error) => self.put_aside(path, stamps, &error),
            }
        }
        if self.counted.len() > counted {
            self.window = self.run.window_of_files(&self.counted)?;
        }
        Ok(())
    }

    fn count(&mut self, path: PathBuf, games: PathBuf, shard: &Accepted) -> anyhow::Result<()> {
        self.played.add(&shard.games, &shard.samples);
        self.samples += shard.samples.len() as u64;
        self.to_learn += self.run.positions_to_learn(&path)?;
        self.games += shard.games.len() as u64;
        self.counted.push(path.clone());
        self.known.insert(path.clone());
        self.aside.remove(&path);
        self.fresh.push([path, games]);
        Ok(())
    }

    /// Remembers a shard that was not taken, and says why unless that was said.
    fn put_aside(
        &mut self,
        path: PathBuf,
        stamps: [Option<(u64, SystemTime)>; 2],
        error: &anyhow::Error,
    ) {
        let reason = format!("{error:#}");
        let before = self.aside.get(&path);
        // Samples may come before the games; where those are, what is wrong stands.
        if before.is_none_or(|before| before.reason != reason) {
            self.skip(error, true);
        }
        self.aside.insert(path, Aside { stamps, reason });
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

    /// Returns how many shards are put aside.
    pub(super) fn aside(&self) -> usize {
        self.aside.len()
    }

    fn skip(&self, reason: &anyhow::Error, is_for_now: bool) {
        let notice = Notice::Skipped { reason, is_for_now };
        self.run.observer().noticed(&notice);
    }

    /// Lists in the manifest what was counted since the last time.
    pub(super) fn enter(&mut self) -> anyhow::Result<()> {
        let fresh = std::mem::take(&mut self.fresh);
        let paths: Vec<&Path> = fresh.iter().flatten().map(PathBuf::as_path).collect();
        Ok(self.run.store().enter(&paths)?)
    }
}

/// Returns length and time of change of a file; nothing where there is none.
fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?))
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
    use super::super::validation::playouts::random_record;
    use super::*;
    use crate::observer::Observer;
    use crate::run::Begin;
    use std::sync::{Arc, Mutex};
    use tafl_dataset::{Provenance, write_shard};
    use tafl_samples::GameRecord;

    /// What was said of shards that were put aside.
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Observer for Heard {
        fn noticed(&self, notice: &Notice<'_>) {
            if let Notice::Skipped { reason, .. } = notice {
                self.0.lock().expect("no panic").push(format!("{reason:#}"));
            }
        }
    }

    fn copy(from: &Path, to: &Path, bytes: usize) {
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        let whole = std::fs::read(from).expect("readable");
        std::fs::write(to, &whole[..bytes.min(whole.len())]).expect("written");
    }

    #[test]
    fn a_shard_that_arrives_in_parts_counts_once_it_is_whole_and_a_copy_of_it_never() {
        let data = tempfile::tempdir().expect("a folder");
        let smoke = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
        let changes = [
            "rulesets=['brandubh']",
            "loop.asynchronous.shard_games=9",
            "precision='f32'",
        ];
        let changes = changes.map(|it| it.parse().expect("a change"));
        let loaded = crate::load(&smoke, &changes).expect("a config");
        let heard = Arc::new(Heard::default());
        let said = || std::mem::take(&mut *heard.0.lock().expect("no panic"));
        let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
        let run = Run::open(loaded, data.path(), None, Begin::New, observer).expect("a run");
        let rules = &run.rules[0];
        let games: Vec<GameRecord> = (1..6).map(|id| random_record(rules, id, 60)).collect();
        let provenance = Provenance {
            run: "smoke".to_owned(),
            generation: 3,
            checkpoint: "3".to_owned(),
            config_sha256: String::new(),
        };
        let shard = write_shard(
            &data.path().join("else"),
            "a",
            &games,
            &run.rules,
            &provenance,
        )
        .expect("written");
        let worker = run.folder().join("workers/slow");
        let target = worker.join("samples/000003/a.parquet");
        let mut shards = Shards::open(&run).expect("no shards");
        let mut look = |bytes: usize, has_games: bool| {
            copy(&shard.samples_path, &target, bytes);
            if has_games {
                copy(&shard.games_path, &games_beside(&target), usize::MAX);
            }
            shards.look().expect("a look");
            assert_eq!((shards.samples, shards.aside()), (0, 1));
            let said = said();
            // It is as it was, so nothing more is to be said.
            shards.look().expect("a look");
            assert_eq!(heard.0.lock().expect("no panic").len(), 0);
            said
        };
        assert!(look(1000, false)[0].contains("no such file"));
        assert_eq!(look(usize::MAX, false), Vec::<String>::new(), "the same");
        let half = look(1000, true);
        assert!(
            half[0].contains("slow/samples/000003/a.parquet"),
            "{half:?}"
        );
        copy(&shard.samples_path, &target, usize::MAX);
        shards.look().expect("a look");
        let counts = (shards.samples, shards.games, shards.aside());
        assert_eq!(counts, (shard.samples.len() as u64, 5, 0));
        // The same under another name, now and after a restart.
        let copied = run.folder().join("workers/copy/samples/000003/b.parquet");
        copy(&shard.games_path, &games_beside(&copied), usize::MAX);
        copy(&shard.samples_path, &copied, usize::MAX);
        shards.look().expect("a look");
        assert!(said()[0].contains("was learned from before"));
        shards.enter().expect("entered");
        let again = Shards::open(&run).expect("the same");
        assert_eq!(
            (again.samples, again.games, again.aside()),
            (counts.0, 5, 1)
        );
        assert!(said()[0].contains("was learned from before"));
    }

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
