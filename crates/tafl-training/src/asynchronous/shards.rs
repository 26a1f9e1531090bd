//! The shards of a run: those that it learns from, and the window over them.

use super::validation::{Accepted, Validator};
use crate::observer::Notice;
use crate::run::Run;
use crate::stages::played::PlayedGames;
use crate::storage::{Freed, before_window, remove_samples};
use crate::worker::{self, WORKER_FOLDERS};
use anyhow::{Context, anyhow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tafl_dataset::{EnteredGames, ReplayWindow, by_generation, game_files, positions_in};
use tafl_store::{ShardCount, entries};

/// A shard that cannot be learned from, at least not yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Aside {
    /// Length and time of change; none if it is not there.
    stamp: Option<(u64, SystemTime)>,
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
        while self.run.has_checkpoint(self.newest + 1) {
            self.newest += 1;
        }
        let newest = self.newest;
        for path in self.files()? {
            let stamp = stamp(&path);
            let is_as_it_was = |aside: &Aside| {
                aside.stamp == stamp && aside.ahead.is_none_or(|generation| generation > newest)
            };
            if self.known.contains(&path) || self.aside.get(&path).is_some_and(is_as_it_was) {
                continue;
            }
            let (generation, _) = by_generation(&path);
            let ahead = (generation > newest).then_some(generation);
            let found = Instant::now();
            let taken = match ahead {
                // Sorted by generation, it would count as newer than all that the run plays.
                Some(generation) => Err(ahead_of_run(&path, generation)),
                None if self.is_purged(&path) => {
                    Err(anyhow!("{}: its worker was purged", path.display()))
                }
                None => self.validator.take(&path),
            };
            match taken {
                Ok(shard) => self.count(path, &shard)?,
                Err(error) => self.put_aside(path, (stamp, ahead), &error),
            }
            checked += found.elapsed();
        }
        self.tell_put_aside();
        let searched = begin.elapsed().saturating_sub(checked);
        self.counted.sort_by_key(|path| by_generation(path));
        if self.counted.len() > counted || has_purged {
            self.window = self.run.replay.window_of_files(&self.counted, self.gone)?;
        }
        Ok(searched)
    }

    /// Takes the shards of purged workers out of the window; those that a checkpoint has learned from stay counted, the
    /// others never were, as after a restart. Returns whether there were any.
    fn leave_out_purged(&mut self) -> anyhow::Result<bool> {
        let purged = worker::purged(self.run.folder())?;
        if purged == self.purged {
            return Ok(false);
        }
        self.purged = purged;
        let counted = std::mem::take(&mut self.counted);
        let (out, counted): (Vec<_>, _) =
            counted.into_iter().partition(|path| self.is_purged(path));
        self.counted = counted;
        let fresh = std::mem::take(&mut self.fresh);
        let (unlearned, fresh): (Vec<_>, Vec<_>) = fresh
            .into_iter()
            .partition(|(path, _)| self.is_purged(path));
        self.fresh = fresh;
        for (path, count) in unlearned {
            self.known.remove(&path);
            self.count.games -= count.games;
            self.count.samples -= count.samples;
            self.count.to_learn -= count.to_learn;
        }
        for path in out.iter().filter(|path| self.known.contains(*path)) {
            self.gone += positions_in(path)?;
        }
        Ok(!out.is_empty())
    }

    fn is_purged(&self, shard: &Path) -> bool {
        worker::is_of(&self.purged, self.run.folder(), shard)
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
        (stamp, ahead): (Option<(u64, SystemTime)>, Option<u32>),
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
    let path = path.display();
    match generation {
        u32::MAX => anyhow!("{path}: its folder is that of no generation"),
        _ => anyhow!(
            "{path}: played by checkpoint {generation}, which this run does not have; another run's network played it"
        ),
    }
}

/// Returns length and time of change of a file; nothing where there is none.
fn stamp(path: &Path) -> Option<(u64, SystemTime)> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::validation::{checkpoint, playouts::random_record};
    use super::*;
    use crate::observer::Observer;
    use crate::run::Begin;
    use std::sync::{Arc, Mutex};
    use tafl_dataset::{Provenance, WrittenGeneration, write_shard};
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

    fn config() -> crate::Loaded {
        let smoke = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
        let changes = [
            "rulesets=['brandubh']",
            "loop.asynchronous.shard_games=9",
            "loop.generations=200",
            "precision='f32'",
        ];
        let changes = changes.map(|it| it.parse().expect("a change"));
        crate::load(&smoke, &changes).expect("a config")
    }

    /// Writes a shard of five games, the first of this number, outside the run.
    fn shard(run: &Run, generation: u32, first: u64) -> WrittenGeneration {
        let games = (first..first + 5).map(|id| random_record(&run.rules[0], id, 60));
        let games: Vec<GameRecord> = games.collect();
        let provenance = Provenance {
            run: "smoke".to_owned(),
            generation,
            checkpoint: generation.to_string(),
            config_sha256: String::new(),
            weights_sha256: None,
        };
        let folder = run.folder().join("../../else");
        write_shard(&folder, "a", &games, &run.rules, &provenance).expect("written")
    }

    #[test]
    fn a_shard_that_arrives_in_parts_counts_once_it_is_whole_and_a_copy_of_it_never() {
        let data = tempfile::tempdir().expect("a folder");
        let heard = Arc::new(Heard::default());
        let said = || std::mem::take(&mut *heard.0.lock().expect("no panic"));
        let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
        let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
        checkpoint(run.folder(), 3, "smoke");
        let shard = shard(&run, 3, 1);
        let worker = run.folder().join("workers/slow");
        let target = worker.join("games/000003/a.parquet");
        let mut shards = Shards::open(&run, 0).expect("no shards");
        let mut look = |bytes: usize| {
            copy(&shard.path, &target, bytes);
            shards.look().expect("a look");
            assert_eq!((shards.count.samples, shards.aside()), (0, 1));
            let said = said();
            // It is as it was, so nothing more is to be said.
            shards.look().expect("a look");
            assert_eq!(heard.0.lock().expect("no panic").len(), 0);
            said
        };
        let half = look(1000);
        assert!(half[0].contains("slow/games/000003/a.parquet"), "{half:?}");
        assert_eq!(look(1100), Vec::<String>::new(), "the same");
        copy(&shard.path, &target, usize::MAX);
        shards.look().expect("a look");
        let counts = (shards.count.samples, shards.count.games, shards.aside());
        assert_eq!(counts, (shard.samples.len() as u64, 5, 0));
        // The same under another name, now and after a restart.
        let copied = run.folder().join("workers/copy/games/000003/b.parquet");
        copy(&shard.path, &copied, usize::MAX);
        shards.look().expect("a look");
        assert!(said()[0].contains("was learned from before"));
        shards.enter().expect("entered");
        let again = Shards::open(&run, 0).expect("the same");
        assert_eq!(
            (again.count.samples, again.count.games, again.aside()),
            (counts.0, 5, 1)
        );
        assert!(said()[0].contains("was learned from before"));

        // A purged worker's samples leave the window, and stay counted.
        drop(again);
        let mut shards = Shards::open(&run, 0).expect("the same");
        assert!(!shards.window.is_empty());
        assert!(shards.to_learn() > 0);
        assert!(worker::purge(run.folder(), "nobody").is_err());
        worker::purge(run.folder(), "slow").expect("purged");
        // Someone who edits the list may leave blanks, and say why.
        let list = run.folder().join("purged-workers.txt");
        std::fs::write(&list, "# Out of tune:\n\n  slow # by far\r\n").expect("written");
        let purged = worker::purged(run.folder()).expect("readable");
        assert!(purged.iter().eq(["slow"]), "{purged:?}");
        shards.look().expect("a look");
        assert!(shards.window.is_empty());
        assert_eq!(shards.count.samples, counts.0);
        assert_eq!(
            shards.to_learn(),
            0,
            "a trainer waits for all that it needs"
        );
        let again = Shards::open(&run, 0).expect("the same");
        assert!(again.window.is_empty());
        assert_eq!(again.count.samples, counts.0);
    }

    #[test]
    fn what_no_checkpoint_learned_from_a_purged_worker_does_not_count() {
        let data = tempfile::tempdir().expect("a folder");
        let observer = Arc::new(Heard::default());
        let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
        checkpoint(run.folder(), 1, "smoke");
        let arrives = |worker: &str, first: u64| {
            let target = format!("workers/{worker}/games/000000/a.parquet");
            copy(
                &shard(&run, 0, first).path,
                &run.folder().join(target),
                usize::MAX,
            );
        };
        let mut shards = Shards::open(&run, 0).expect("no shards");
        arrives("bad", 1);
        shards.look().expect("a look");
        assert_eq!((shards.count.games, shards.aside()), (5, 0));
        worker::purge(run.folder(), "bad").expect("purged");
        arrives("good", 10);
        shards.look().expect("a look");
        let counts = (shards.count, shards.aside());
        assert_eq!((counts.0.games, counts.1), (5, 1));
        shards.enter().expect("entered");
        let again = Shards::open(&run, 0).expect("the same");
        assert_eq!((again.count, again.aside()), counts);
    }

    #[test]
    fn the_window_is_in_the_order_of_the_runs_own_generations() {
        let data = tempfile::tempdir().expect("a folder");
        let heard = Arc::new(Heard::default());
        let said = || std::mem::take(&mut *heard.0.lock().expect("no panic"));
        let observer: Arc<dyn Observer> = Arc::<Heard>::clone(&heard);
        let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
        checkpoint(run.folder(), 1, "smoke");
        let arrives = |generation: u32, first: u64| {
            let name = format!("w-0123456789abcdef-{first:06}");
            let target = format!("workers/w/games/{generation:06}/{name}.parquet");
            let target = run.folder().join(target);
            copy(&shard(&run, generation, first).path, &target, usize::MAX);
            target
        };
        // A network of another run has learned for longer, and is none of this one's for that.
        let foreign = arrives(140, 1);
        let [newer, older] = [arrives(1, 10), arrives(0, 20)];
        let mut shards = Shards::open(&run, 0).expect("shards");
        assert_eq!(shards.counted, [older.clone(), newer.clone()]);
        let expected = "-000001.parquet: played by checkpoint 140, which this run does not have";
        let complaints = said();
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains(expected), "{complaints:?}");
        // Other processes are told, too, as long as it is so.
        let others = || worker::put_aside(run.folder()).expect("readable");
        assert_eq!(others()[&foreign], complaints[0]);
        let of_worker = || worker::workers(run.folder()).expect("workers")["w"].put_aside;
        assert_eq!(of_worker(), 1);

        // One that comes late stands where it will stand after a restart, and for who removes old samples.
        let late = arrives(0, 30);
        let next = arrives(2, 40);
        shards.look().expect("a look");
        assert_eq!(shards.counted, [&older, &late, &newer].map(PathBuf::clone));
        assert_eq!(said().len(), 1);
        checkpoint(run.folder(), 2, "smoke");
        shards.look().expect("a look");
        assert_eq!(shards.counted.last(), Some(&next));
        assert!(!shards.known.contains(&foreign));
        shards.enter().expect("entered");
        assert_eq!(EnteredGames::of(run.store()).there, shards.counted);
        std::fs::remove_file(&foreign).expect("removed");
        assert_eq!((others().len(), of_worker()), (0, 0));
    }

    #[test]
    fn what_a_checkpoint_learned_from_before_a_kill_is_not_played_again() {
        let data = tempfile::tempdir().expect("a folder");
        let observer = Arc::new(Heard::default());
        let run = Run::open(config(), data.path(), None, Begin::New, observer).expect("a run");
        checkpoint(run.folder(), 1, "smoke");
        for (name, first) in [("a", 1), ("b", 10)] {
            let target = format!("workers/w/games/000000/{name}.parquet");
            copy(
                &shard(&run, 0, first).path,
                &run.folder().join(target),
                usize::MAX,
            );
        }
        let counted = |learned: u64| {
            let shards = Shards::open(&run, learned).expect("shards");
            let values: BTreeMap<String, f64> = shards.played.values().into_iter().collect();
            (shards.count.games, values["selfplay/games"])
        };
        assert_eq!([0, 5, 10].map(counted), [(10, 10.0), (10, 5.0), (10, 0.0)]);
    }

    #[test]
    fn generations_come_by_number_before_names() {
        let of = |path: &str| by_generation(Path::new(path));
        let in_order = [
            "z/games/3/b",
            "games/000010/a",
            "w/games/9999999/a",
            "w/games/x/a",
        ];
        let sorted = in_order.map(of).is_sorted();
        assert!(sorted);
    }
}
