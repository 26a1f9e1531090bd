//! What a worker tells of itself: a small file beside its shards, for those who look after many.

use super::left_out::{PURGED, purged, put_aside};
use super::names::{WORKER, WORKER_FOLDERS, is_of, worker_of};
use crate::error::WorkerError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tafl_config::{FolderName, MOST_CONFIG_BYTES};
use tafl_dataset::{counts_in, game_files};
use tafl_store::{
    Manifest, RunSettings, ShardCount, entries, read_text, write_atomically, write_json,
};

/// How the name of such a file ends.
const END: &str = ".worker.json";

/// Time between two such words.
const INTERVAL: Duration = Duration::from_secs(10);

/// Seconds that say how fast a worker is.
const LEAST_SECONDS: f64 = 5.0;

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkerState {
    /// It plays.
    Playing,
    /// It waits for training.
    Resting,
    /// It has ended, in good order or by an error.
    Ended,
}

/// What a worker says of itself every ten seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerStatus {
    /// The worker's name.
    pub name: String,
    /// The program with its version.
    pub program: String,
    /// What it does.
    pub state: WorkerState,
    /// The checkpoint that plays new games, such as `run-checkpoint-7`.
    pub checkpoint: String,
    /// Games that ended since it started.
    pub games: u64,
    /// Their plies; 0 where a program before this one wrote it.
    #[serde(default)]
    pub positions: u64,
    /// Seconds since it started.
    pub seconds: f64,
    /// Seconds since its last game ended, or since it started.
    pub since_last_game: f64,
}

impl WorkerStatus {
    /// Returns games per hour since it started; nothing before there is a measure of some seconds.
    fn games_per_hour(&self) -> Option<f64> {
        (self.seconds >= LEAST_SECONDS).then(|| self.games as f64 * 3600.0 / self.seconds)
    }
}

/// Writes the status of a worker now and then.
#[derive(Debug)]
pub(super) struct StatusFile {
    path: PathBuf,
    status: WorkerStatus,
    began: Instant,
    last_game: Instant,
    written: Option<Instant>,
}

impl StatusFile {
    pub(super) fn new(folder: &Path, name: &str, checkpoint: &str) -> Self {
        let status = WorkerStatus {
            name: name.to_owned(),
            program: concat!("tafl ", env!("CARGO_PKG_VERSION")).to_owned(),
            state: WorkerState::Playing,
            checkpoint: checkpoint.to_owned(),
            games: 0,
            positions: 0,
            seconds: 0.0,
            since_last_game: 0.0,
        };
        Self {
            path: folder.join(format!("{name}{END}")),
            status,
            began: Instant::now(),
            last_game: Instant::now(),
            written: None,
        }
    }

    pub(super) fn ended_game(&mut self, plies: usize) {
        self.status.games += 1;
        self.status.positions += plies as u64;
        self.last_game = Instant::now();
    }

    pub(super) fn plays(&mut self, checkpoint: &str) {
        checkpoint.clone_into(&mut self.status.checkpoint);
    }

    /// Writes the status if it is time to, or if something else is done than before.
    ///
    /// On a full disk, say, there is none until the next time: nobody's games depend on it.
    pub(super) fn write(&mut self, state: WorkerState) {
        let is_early = self.written.is_some_and(|at| at.elapsed() < INTERVAL);
        if is_early && state == self.status.state {
            return;
        }
        self.status.state = state;
        self.status.seconds = self.began.elapsed().as_secs_f64();
        self.status.since_last_game = self.last_game.elapsed().as_secs_f64();
        self.written = Some(Instant::now());
        let _ = write_json(&self.path, &self.status);
    }
}

impl Drop for StatusFile {
    /// Whoever ends by an error has ended, too. Where the folder was moved away, none is made again.
    fn drop(&mut self) {
        let is_there = self.path.parent().is_some_and(Path::is_dir);
        if self.written.is_some() && is_there {
            self.write(WorkerState::Ended);
        }
    }
}

/// Refuses to write the status of a worker in the place of a file of others.
pub(super) fn check_own(folder: &Path, name: &str) -> Result<(), WorkerError> {
    let path = folder.join(format!("{name}{END}"));
    let text = read_text(&path, MOST_CONFIG_BYTES).unwrap_or_default();
    let status: Value = serde_json::from_str(&text).unwrap_or_default();
    // Another version may have written other fields.
    let program = status["program"].as_str().unwrap_or_default();
    match program.starts_with("tafl ") || !path.exists() {
        true => Ok(()),
        false => Err(WorkerError::NoStatus(path)),
    }
}

/// Tells that a worker has ended that said something else last, for a process that ends at once.
pub fn tell_ended(folder: &Path, name: &str) {
    let path = folder.join(format!("{name}{END}"));
    if let Some((mut status, _)) = read(&path).filter(|(it, _)| it.state != WorkerState::Ended) {
        status.state = WorkerState::Ended;
        let _ = write_json(&path, &status);
    }
}

/// A worker of a run, as its files show it.
#[derive(Debug, Clone, Default)]
pub struct WorkerReport {
    /// What it said last, and seconds since then by this machine's clock, less than 0 where the worker's is ahead; `None`
    /// of one that never said anything.
    pub status: Option<(WorkerStatus, f64)>,
    /// How many of this name, in different folders, were at work within the last minute.
    pub at_work: u32,
    /// Games per hour of those together.
    rate: Option<f64>,
    /// Its shards that the run has learned from.
    pub shards: u64,
    /// Games in them.
    pub games: u64,
    /// Samples in them.
    pub samples: u64,
    /// Shards that are there besides: a run counts them with its next checkpoint, unless it has put them aside.
    pub waiting_shards: u64,
    /// What those hold that can be read.
    pub waiting: ShardCount,
    /// Those of them that the run put aside when it looked last.
    pub put_aside: u64,
    /// Whether its shards are left out.
    pub is_purged: bool,
    /// Its shards that are left out, also those that are in the folder of another worker that was purged.
    pub purged_shards: u64,
}

/// Seconds without a word after which a worker counts as silent; clocks that differ by less count as equal.
const SILENT: f64 = 60.0;

impl WorkerReport {
    /// Returns what the worker does, in a word: `playing`, `resting`, `ended`, `silent` for a minute or longer, `clock ahead`
    /// where that cannot be told, `purged`, or `unknown` if it never said anything.
    pub fn state(&self) -> &'static str {
        match &self.status {
            _ if self.is_purged => "purged",
            None => "unknown",
            Some((status, _)) if status.state == WorkerState::Ended => "ended",
            Some((_, age)) if *age > SILENT => "silent",
            Some((_, age)) if *age < -SILENT => "clock ahead",
            Some((status, _)) if status.state == WorkerState::Resting => "resting",
            Some(_) => "playing",
        }
    }

    /// Returns whether it may be at work, as far as can be told.
    pub fn is_at_work(&self) -> bool {
        matches!(self.state(), "playing" | "resting" | "clock ahead")
    }

    /// Returns games per hour since it started, of all of this name that are at work; nothing before there is a measure of some
    /// seconds.
    pub fn games_per_hour(&self) -> Option<f64> {
        match (&self.status, self.at_work) {
            (Some((status, _)), 0) => status.games_per_hour(),
            _ => self.rate,
        }
    }

    /// Takes what one of this name says; the youngest word counts, of those at work if there are any.
    fn hear(&mut self, status: WorkerStatus, age: f64) {
        let rank = |status: &WorkerStatus, age: f64| {
            let is_away = status.state == WorkerState::Ended || age.abs() > SILENT;
            (is_away, age.abs())
        };
        let new = rank(&status, age);
        if !new.0 {
            self.at_work += 1;
            let rates = self.rate.into_iter().chain(status.games_per_hour());
            self.rate = rates.reduce(|sum, rate| sum + rate);
        }
        if (self.status.as_ref()).is_none_or(|(before, at)| new < rank(before, *at)) {
            self.status = Some((status, age));
        }
    }
}

/// Returns the workers of a run by name, that of the run itself included.
///
/// # Errors
/// If the folder is not that of a run.
pub fn workers(run: &Path) -> anyhow::Result<BTreeMap<String, WorkerReport>> {
    let manifest = Manifest::<RunSettings>::read(run)?;
    let purged = purged(run)?;
    let mut workers: BTreeMap<String, WorkerReport> = BTreeMap::new();
    for (name, entry) in &manifest.files {
        let path = Path::new(name);
        let kind = path.parent().and_then(Path::parent);
        let Some(worker) = worker_of(path).filter(|_| kind.is_some_and(|it| it.ends_with("games")))
        else {
            continue;
        };
        let Some(count) = entry.shard else { continue };
        let report = workers.entry(worker).or_default();
        report.purged_shards += u64::from(is_of(&purged, run, &run.join(path)));
        report.shards += 1;
        report.games += count.games;
        report.samples += count.samples;
    }
    let aside = put_aside(run)?;
    for folder in std::iter::once(run.to_owned()).chain(entries(&run.join(WORKER_FOLDERS))?) {
        for path in game_files(&folder).unwrap_or_default() {
            let Some(worker) = worker_of(&path).filter(|_| manifest.count(run, &path).is_none())
            else {
                continue;
            };
            let report = workers.entry(worker).or_default();
            report.purged_shards += u64::from(is_of(&purged, run, &path));
            report.waiting_shards += 1;
            report.put_aside += u64::from(aside.contains_key(&path));
            // One that cannot be read tells nothing.
            let [games, samples] = counts_in(&path).unwrap_or_default();
            report.waiting.games += games;
            report.waiting.samples += samples;
        }
        for path in entries(&folder).unwrap_or_default() {
            let is_status = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().ends_with(END));
            if let Some((status, age)) = is_status.then(|| read(&path)).flatten() {
                let report = workers.entry(status.name.clone()).or_default();
                report.hear(status, age);
            }
        }
    }
    for name in purged {
        workers.entry(name).or_default().is_purged = true;
    }
    Ok(workers)
}

/// Leaves out the shards of a worker from now on: a trainer that is at work does so within seconds.
///
/// # Errors
/// If the run knows no such worker, or the operating system refuses.
pub fn purge(run: &Path, name: &str) -> anyhow::Result<()> {
    let known = workers(run)?;
    if name == WORKER {
        anyhow::bail!("{name} is the run itself, which would play on and learn nothing");
    }
    if !known.contains_key(name) && !run.join(WORKER_FOLDERS).join(name).is_dir() {
        anyhow::bail!("no worker {name}; there are: {}", others(&known));
    }
    let mut names = purged(run)?;
    names.insert(name.to_owned());
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    Ok(write_atomically(&run.join(PURGED), lines.as_bytes())?)
}

/// Returns the names of the workers beside the run itself, as text.
pub fn others(workers: &BTreeMap<String, WorkerReport>) -> String {
    let names = workers.keys().map(String::as_str);
    let names: Vec<&str> = names.filter(|name| *name != WORKER).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

/// Returns what a worker said, and how many seconds ago, less than 0 where its clock is ahead; nothing of a file that is none.
fn read(path: &Path) -> Option<(WorkerStatus, f64)> {
    let text = read_text(path, MOST_CONFIG_BYTES).ok()?;
    let status: WorkerStatus = serde_json::from_str(&text).ok()?;
    if !FolderName::is(&status.name) {
        return None;
    }
    let written = std::fs::metadata(path).ok()?.modified().ok()?;
    let age = match SystemTime::now().duration_since(written) {
        Ok(age) => age.as_secs_f64(),
        Err(ahead) => -ahead.duration().as_secs_f64(),
    };
    Some((status, age))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the word of a worker that plays, said so many seconds ago; less than 0 by a clock that is ahead.
    fn says(run: &Path, folder: &str, name: &str, age: f64) {
        let folder = run.join(WORKER_FOLDERS).join(folder);
        let mut file = StatusFile::new(&folder, name, "run-checkpoint-1");
        file.write(WorkerState::Playing);
        let path = file.path.clone();
        // It goes on, or was killed.
        std::mem::forget(file);
        // Not by `read`, which leaves out a name that is none.
        let text = std::fs::read(&path).expect("a status");
        let mut status: WorkerStatus = serde_json::from_slice(&text).expect("a status");
        (status.games, status.seconds) = (1, 10.0);
        let _ = write_json(&path, &status);
        let file = std::fs::File::options().write(true).open(&path);
        let (now, by) = (SystemTime::now(), Duration::from_secs_f64(age.abs()));
        let at = if age < 0.0 { now + by } else { now - by };
        file.expect("there").set_modified(at).expect("changed");
    }

    #[test]
    fn a_file_of_others_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = || check_own(folder.path(), "one");
        check().expect("nothing is there");
        let mut file = StatusFile::new(folder.path(), "one", "run-checkpoint-1");
        file.write(WorkerState::Playing);
        check().expect("of a worker");
        std::fs::write(&file.path, "mine").expect("written");
        assert!(matches!(check(), Err(WorkerError::NoStatus(path)) if path == file.path));
    }

    #[test]
    fn whoever_ends_by_an_error_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = StatusFile::new(folder.path(), "one", "run-checkpoint-1");
        let path = file.path.clone();
        file.write(WorkerState::Playing);
        drop(file);
        let (mut status, _) = read(&path).expect("a status");
        assert_eq!(status.state, WorkerState::Ended);
        (status.games, status.seconds) = (1, 0.5);
        assert_eq!(status.games_per_hour(), None, "too early to tell");
        status.seconds = 10.0;
        assert_eq!(status.games_per_hour(), Some(360.0));
        let gone = folder.path().join("gone");
        std::fs::create_dir(&gone).expect("made");
        let mut file = StatusFile::new(&gone, "one", "run-checkpoint-1");
        file.write(WorkerState::Playing);
        std::fs::remove_dir_all(&gone).expect("removed");
        drop(file);
        assert!(!gone.exists());
        // One that never said anything says nothing.
        drop(StatusFile::new(folder.path(), "two", "run-checkpoint-1"));
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1
        );
    }

    /// Makes a folder the run of nobody so far.
    fn begin(run: &Path) {
        let settings = serde_json::json!({
            "run": "one", "seed": 1, "config_sha256": "", "libtorch": "", "device": "cpu", "precision": "f32",
        });
        let text = serde_json::json!({
            "format": 4, "kind": "run", "program": "", "settings": settings,
            "rulesets": {}, "players": {}, "files": {},
        });
        std::fs::write(run.join("manifest.json"), text.to_string()).expect("written");
    }

    #[test]
    fn shards_in_the_folder_of_a_purged_worker_are_told_where_their_own_is_named() {
        let run = tempfile::tempdir().expect("a folder");
        let run = run.path();
        begin(run);
        for folder in ["mia", "ann"] {
            let folder = run.join(WORKER_FOLDERS).join(folder).join("games/000000");
            std::fs::create_dir_all(&folder).expect("made");
            let shard = folder.join("ann-0123456789abcdef-000001.parquet");
            std::fs::write(shard, "").expect("written");
        }
        purge(run, "mia").expect("purged");
        let workers = workers(run).expect("a run");
        let of = |name: &str| (workers[name].is_purged, workers[name].purged_shards);
        assert_eq!(["ann", "mia"].map(of), [(false, 1), (true, 0)]);
        assert_eq!(workers["ann"].waiting_shards, 2);
    }

    #[test]
    fn a_clock_that_is_ahead_and_one_name_of_two_are_seen() {
        let run = tempfile::tempdir().expect("a folder");
        let run = run.path();
        begin(run);
        for (folder, name, age) in [
            ("now", "now", 5.0),
            ("near", "near", -5.0),
            ("gone", "gone", 100.0),
            ("ahead", "ahead", -7_200.0),
            ("a", "both", 20.0),
            ("b", "both", 10.0),
            ("moved", "both", 9_000.0),
            ("spaces", "no name", 0.0),
        ] {
            says(run, folder, name, age);
        }
        // One of the same name that ends elsewhere says so last.
        let ended = run.join(WORKER_FOLDERS).join("ended");
        StatusFile::new(&ended, "near", "run-checkpoint-1").write(WorkerState::Playing);
        let workers = workers(run).expect("a run");
        let states = workers.iter().map(|(name, it)| {
            let rate = it.games_per_hour();
            (name.as_str(), it.state(), it.at_work, rate)
        });
        let expected = [
            ("ahead", "clock ahead", 0, Some(360.0)),
            ("both", "playing", 2, Some(720.0)),
            ("gone", "silent", 0, Some(360.0)),
            ("near", "playing", 1, Some(360.0)),
            ("now", "playing", 1, Some(360.0)),
        ];
        assert_eq!(states.collect::<Vec<_>>(), expected);
    }
}
