//! An hour of self-play side by side with training, three workers, and everything that goes wrong meanwhile.
//!
//! Only with `TAFL_SLOW=1`, and as root: a disk is filled for that.

use crate::support::{run, succeeds, tafl};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tafl_dataset::{game_files, read_games};
use tafl_network::load_card;
use tafl_store::{Manifest, RunSettings, Verified};

const HOUR: Duration = Duration::from_secs(3600);

/// How long the disk is full.
const MINUTE: Duration = Duration::from_secs(60);

/// Longest pause within a copy.
const PAUSE: Duration = Duration::from_secs(2);

const SMALL: [&str; 12] = [
    "rulesets=[\"brandubh\"]",
    "precision=\"f32\"",
    "loop.reuse=1",
    "loop.batch_size=16",
    "loop.asynchronous.checkpoint_steps=100",
    "loop.asynchronous.shard_games=20",
    "loop.asynchronous.first_samples=50",
    "runner.workers=1",
    "runner.parallel_games=4",
    "arena.openings=1",
    "ladder.pool=[]",
    "ladder.baselines=[]",
];

/// Workers: beside the run's own shards, in a folder of its own, and on another machine, from which shards are copied.
const WORKERS: [(&str, &str); 3] = [
    ("near", "runs/smoke"),
    ("own", "runs/smoke/workers/own"),
    ("far", "far"),
];

/// A disk of its own for the runs, which can be full.
struct Disk(PathBuf);

impl Disk {
    fn mounted(folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2g", "tmpfs"]);
        let status = mount.arg(&folder).status();
        assert!(status.expect("mount").success(), "mount needs root");
        Self(folder)
    }

    fn fill(&self) {
        let mut file = File::create(self.0.join("fill")).expect("a file");
        let block = vec![0; 1 << 16];
        while file.write_all(&block).is_ok() {}
    }

    fn free(&self) {
        fs::remove_file(self.0.join("fill")).expect("it was full");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Everything that goes on.
struct Hour {
    /// Holds `far`, and the disk as `runs`.
    data: tempfile::TempDir,
    /// The trainer, then the workers; none where one has ended.
    processes: [Option<Child>; 4],
    rng: Xoshiro256PlusPlus,
    /// Numbers files that are put into the run.
    files: u32,
}

impl Hour {
    fn path(&self, name: &str) -> PathBuf {
        self.data.path().join(name)
    }

    fn run_folder(&self) -> PathBuf {
        self.path("runs/smoke")
    }

    /// Returns the arguments of the trainer.
    fn training(&self, generations: &str) -> Vec<String> {
        let mut arguments = vec!["train".to_owned(), "configs/smoke.toml".to_owned()];
        let generations = format!("loop.generations={generations}");
        for change in SMALL.iter().copied().chain([&*generations]) {
            arguments.extend(["--set".to_owned(), change.to_owned()]);
        }
        if self.run_folder().join("manifest.json").exists() {
            arguments.push("--resume".to_owned());
        }
        arguments
    }

    fn working(&self, (name, out): (&str, &str)) -> Vec<String> {
        let mut arguments = vec!["selfplay".to_owned(), "configs/smoke.toml".to_owned()];
        for change in SMALL {
            arguments.extend(["--set".to_owned(), change.to_owned()]);
        }
        let (run, out) = (self.run_folder(), self.path(out));
        let options = [
            ["--checkpoint", &run.display().to_string()],
            ["--out", &out.display().to_string()],
            ["--worker", name],
            ["--shard-games", "20"],
        ];
        arguments.extend(options.concat().iter().map(|&it| it.to_owned()));
        arguments.push("--wait".to_owned());
        arguments
    }

    /// Starts what does not run; a full disk, say, may have ended it.
    fn start(&mut self) {
        for index in 0..self.processes.len() {
            let runs = self.processes[index].as_mut();
            if runs.is_some_and(|it| it.try_wait().expect("a child").is_none()) {
                continue;
            }
            let arguments = match index {
                0 => self.training("100000"),
                _ => self.working(WORKERS[index - 1]),
            };
            let log = self.path(&format!("{index}.log"));
            let log = File::options().create(true).append(true).open(log);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut command = tafl(self.data.path(), &arguments);
            command.stdout(Stdio::null()).stderr(log.expect("a log"));
            self.processes[index] = Some(command.spawn().expect("it starts"));
        }
    }

    fn kill(&mut self, index: usize) {
        if let Some(mut process) = self.processes[index].take() {
            process.kill().expect("a child can be killed");
            process.wait().expect("it ends");
        }
    }

    /// Returns a shard that the run has learned from, if there is one.
    fn some_shard(&mut self, folder: &Path) -> Option<PathBuf> {
        let manifest = Manifest::<RunSettings>::read(folder).ok()?;
        let mut shards = game_files(folder).ok()?;
        shards.retain(|path| manifest.has(folder, path));
        shards.choose(&mut self.rng).cloned()
    }

    /// Copies a shard into the run, in two parts with a pause between them.
    fn copy(&mut self, from: &Path, (name, damage): (&str, bool), pause: Duration) {
        let Ok(mut bytes) = fs::read(from) else {
            return;
        };
        if damage {
            let at = self.rng.random_range(0..bytes.len());
            bytes[at] ^= 1 << self.rng.random_range(0..8);
        }
        let generation = from.parent().and_then(Path::file_name).expect("a folder");
        let folder = self.run_folder().join("workers/copied/games");
        let folder = folder.join(generation);
        let half = bytes.len() / 2;
        let _ = fs::create_dir_all(&folder);
        let Ok(mut file) = File::create(folder.join(name)) else {
            return;
        };
        let _ = file.write_all(&bytes[..half]);
        std::thread::sleep(pause.mul_f64(self.rng.random()));
        let _ = file.write_all(&bytes[half..]);
    }

    /// Copies shards of the far worker that are not there yet, as a machine does that looks now and then.
    fn copy_far(&mut self, most: usize, pause: Duration) {
        let (far, mut copied_now) = (self.path("far"), 0);
        for shard in game_files(&far).unwrap_or_default() {
            let name = shard.strip_prefix(&far).expect("below it");
            let copied = self.run_folder().join("workers/copied").join(name);
            let [from, to] = [&shard, &copied].map(|it| fs::metadata(it).map_or(0, |it| it.len()));
            if from != to && copied_now < most {
                copied_now += 1;
                let file = name.file_name().expect("a file").to_string_lossy();
                self.copy(&shard, (&file, false), pause);
            }
        }
    }

    /// Lets something go wrong.
    fn fault(&mut self) {
        self.files += 1;
        let number = self.files;
        let run = self.run_folder();
        match self.rng.random_range(0..10) {
            0..5 => {
                let index = self.rng.random_range(0..self.processes.len());
                self.kill(index);
            }
            5 | 6 => self.copy_far(5, PAUSE),
            7 | 8 => {
                if let Some(shard) = self.some_shard(&run) {
                    self.copy(&shard, (&format!("damaged-{number}.parquet"), true), PAUSE);
                }
            }
            // Games that were learned from already, under another name.
            _ => {
                if let Some(shard) = self.some_shard(&run) {
                    self.copy(&shard, (&format!("again-{number}.parquet"), false), PAUSE);
                }
            }
        }
    }

    /// Puts games of a ruleset into the run that it does not train on.
    fn add_foreign(&mut self) {
        let other = self.path("foreign").display().to_string();
        let play = ["selfplay", "configs/smoke.toml", "--out", &other, "--set"];
        let play = [&play[..], &["loop.games=2"]].concat();
        succeeds(&run(self.data.path(), &play));
        let shard = self.path("foreign/games/000000/games.parquet");
        self.copy(&shard, ("foreign.parquet", false), PAUSE);
    }

    /// Ends everything in good order, and lets the run learn from what is there.
    fn end(&mut self) -> u32 {
        self.start();
        for process in self.processes.iter_mut().flatten() {
            let id = process.id().to_string();
            let status = Command::new("kill").args(["-TERM", &id]).status();
            assert!(status.expect("kill").success());
            process.wait().expect("it ends");
        }
        self.copy_far(usize::MAX, Duration::ZERO);
        let folder = self.run_folder().join("checkpoints");
        let last = fs::read_dir(folder).expect("checkpoints").flatten();
        let last = last.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
        let last = last.max().expect("a checkpoint") + 2;
        let arguments = self.training(&last.to_string());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        succeeds(&run(self.data.path(), &arguments));
        last
    }
}

#[test]
fn an_hour_of_faults_counts_every_game_once() {
    if std::env::var_os("TAFL_SLOW").is_none() {
        return;
    }
    let data = tempfile::tempdir().expect("a folder");
    let disk = Disk::mounted(data.path().join("runs"));
    let mut hour = Hour {
        data,
        processes: [const { None }; 4],
        rng: Xoshiro256PlusPlus::seed_from_u64(19),
        files: 0,
    };
    hour.start();
    while load_card(&hour.run_folder().join("checkpoints/000000")).is_err() {
        std::thread::sleep(Duration::from_millis(100));
    }
    hour.add_foreign();
    let (begin, mut is_full) = (Instant::now(), None);
    while begin.elapsed() < HOUR || is_full.is_some() {
        std::thread::sleep(Duration::from_millis(hour.rng.random_range(0..15_000)));
        match is_full {
            None if hour.rng.random_bool(0.01) => {
                disk.fill();
                is_full = Some(Instant::now());
            }
            Some(since) if since.elapsed() > MINUTE => {
                disk.free();
                is_full = None;
            }
            _ => {}
        }
        hour.fault();
        hour.start();
    }
    let last = hour.end();
    check(&hour.run_folder(), last);
    for index in 0..hour.processes.len() {
        let log = fs::read_to_string(hour.path(&format!("{index}.log"))).expect("a log");
        assert!(!log.contains("panicked"), "{log}");
    }
}

/// Every sound shard was learned from, every game of them once, and nothing else was.
fn check(run: &Path, last: u32) {
    let checked = Verified::of(run).expect("a run");
    assert!(checked.faults.is_empty(), "{:?}", checked.faults);
    let manifest = Manifest::<RunSettings>::read(run).expect("a manifest");
    let (mut seeds, mut games, mut of_workers) = (BTreeSet::new(), 0, 0);
    for (name, entry) in &manifest.files {
        let Some(shard) = entry.shard else { continue };
        for word in ["damaged", "again", "foreign"] {
            assert!(!name.contains(word), "{name}");
        }
        let played = read_games(&run.join(name));
        seeds.extend(played.expect("readable").iter().map(|game| game.seed));
        games += shard.games;
        // The trainer's own last games come after its last checkpoint.
        of_workers += if name.contains("/train-") {
            0
        } else {
            shard.games
        };
    }
    assert_eq!(seeds.len() as u64, games);
    assert!(of_workers > 1000, "{of_workers} games");
    let card = load_card(&run.join(format!("checkpoints/{last:06}")));
    let history = card.expect("a card").provenance.history;
    let learned: u64 = history.iter().map(|it| it.games).sum();
    assert!(
        (of_workers..=games).contains(&learned),
        "{of_workers} {learned} {games}"
    );
    for folder in [
        run.to_owned(),
        run.join("workers/own"),
        run.join("workers/copied"),
    ] {
        for path in game_files(&folder).expect("a folder") {
            let name = path.file_name().expect("a file").to_string_lossy();
            let is_sound = !["damaged", "again", "foreign"]
                .iter()
                .any(|word| name.starts_with(word));
            assert_eq!(manifest.has(run, &path), is_sound, "{}", path.display());
        }
    }
}
