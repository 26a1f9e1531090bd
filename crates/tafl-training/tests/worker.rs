//! Workers: shards of several of them, newer checkpoints and damaged ones; one generation without a run.

use crate::support::{config, trained};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tafl_dataset::{Replay, WindowConfig, check_shard, game_files, games_path};
use tafl_rules::{Rules, Ruleset};
use tafl_samples::{EndingReason, PlayerId};
use tafl_training::{
    Begin, Loaded, Notice, Observer, RulesOfGames, Run, Silent, WorkerJob, play_generation, train,
    work,
};

/// Small games: a board of 7x7, few visits.
fn small(more: &[&str]) -> Loaded {
    let changes = [
        "rulesets=['brandubh']",
        "precision='f32'",
        "runner.workers=2",
        "runner.parallel_games=4",
    ];
    config("smoke.toml", &[&changes[..], more].concat())
}

/// A flag that is never set.
static NEVER: AtomicBool = AtomicBool::new(false);

fn job<'a>(loaded: &'a Loaded, out: &'a Path, shard_games: u32) -> WorkerJob<'a> {
    WorkerJob {
        config: &loaded.config,
        rules: &loaded.rules,
        checkpoint: None,
        wait: false,
        out,
        name: "one",
        shard_games,
        shard_time: None,
        games: None,
        asked: &NEVER,
        rest: &NEVER,
        observer: &Silent,
        follow: &|_| {},
    }
}

#[test]
fn the_replay_window_reads_the_shards_of_two_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = small(&[]);
    let play = |name, games| {
        let job = job(&loaded, folder.path(), 5);
        work(&WorkerJob { name, games, ..job }).expect("it plays")
    };
    let written = thread::scope(|scope| {
        let other = scope.spawn(|| play("other", Some(10)));
        [play("one", Some(12)), other.join().expect("no panic")]
    });
    let counts = written.map(|written| (written.games, written.shards));
    assert_eq!(counts, [(12, 3), (10, 2)]);

    let files = game_files(folder.path()).expect("a folder");
    assert_eq!(files.len(), 5);
    let mut seeds = BTreeSet::new();
    let mut samples = 0;
    for path in &files {
        samples += tafl_dataset::read_samples(path).expect("readable").len();
        let games = tafl_dataset::read_games(path);
        seeds.extend(games.expect("readable").iter().map(|game| game.seed));
    }
    assert_eq!(seeds.len(), 22, "no game comes twice");
    assert_eq!(
        samples as u64,
        written.map(|written| written.samples).iter().sum::<u64>()
    );
    let config = WindowConfig {
        minimum: 1_000_000,
        scale: 0.0,
        maximum: 1_000_000,
        held_out_fraction: 0.0,
    };
    let window = Replay::new(config, 1).window_of_files(&files, 0);
    assert_eq!(window.expect("readable").len(), samples);
    assert!(samples > 22, "{samples} samples");
    let left = std::fs::read_dir(folder.path().join("in-progress")).expect("a folder");
    assert_eq!(left.count(), 0);
}

#[test]
fn a_worker_that_cannot_play_leaves_no_rulesets() {
    let folder = tempfile::tempdir().expect("a folder");
    let [mine, none, out] = ["mine.toml", "none", "out"].map(|it| folder.path().join(it));
    std::fs::write(&mine, "base = \"brandubh\"\nking_armed = false\n").expect("written");
    let ruleset = format!("rulesets=['{}']", mine.display());
    let loaded = small(&[&*ruleset]);
    let job = WorkerJob {
        checkpoint: Some(&none),
        ..job(&loaded, &out, 1)
    };
    work(&job).expect_err("no checkpoint");
    assert!(!out.join("rulesets").exists());
}

/// Keeps what is said of networks that have not learned the rules.
#[derive(Default)]
struct Doubted(Mutex<Vec<String>>);

impl Observer for Doubted {
    fn noticed(&self, notice: &Notice<'_>) {
        if let Notice::Warning(doubt) = notice {
            let mut all = self.0.lock().expect("no panic");
            all.push((*doubt).to_owned());
        }
    }
}

#[test]
fn a_network_that_has_not_learned_the_rules_is_told() {
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/brandubh");
    let doubts = |ruleset: &str| {
        let ruleset = format!("rulesets=['{ruleset}']");
        let loaded = small(&[&*ruleset, "loop.games=4", "selfplay.max_plies=2"]);
        let [out, apart] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [worker, alone] = [(); 2].map(|()| Doubted::default());
        let job = WorkerJob {
            checkpoint: Some(&net),
            games: Some(1),
            observer: &worker,
            ..job(&loaded, out.path(), 1)
        };
        work(&job).expect("it plays");
        play_generation(&loaded, Some(&net), (apart.path(), 0), &alone).expect("it plays");
        let told = worker.0.into_inner().expect("no panic");
        assert_eq!(told, alone.0.into_inner().expect("no panic"));
        told
    };
    assert!(doubts("brandubh").is_empty());
    let told = doubts("ard-ri");
    let [told] = &told[..] else {
        panic!("one is told: {told:?}")
    };
    assert!(told.contains(" has not learned ard-ri; "), "{told}");
}

/// Counts warnings that all games were cut.
#[derive(Default)]
struct Warned(AtomicU32);

impl Observer for Warned {
    fn noticed(&self, notice: &Notice<'_>) {
        if let Notice::AllCapped(_) = notice {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_shard_of_long_games_does_not_stand_for_all() {
    let warned = |max_plies: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let (loaded, warned) = (small(&["runner.workers=1", max_plies]), Warned::default());
        let job = WorkerJob {
            games: Some(24),
            observer: &warned,
            ..job(&loaded, folder.path(), 1)
        };
        work(&job).expect("it plays");
        let files = game_files(folder.path()).expect("a folder").into_iter();
        let games = files.flat_map(|path| tafl_dataset::read_games(&path).expect("readable"));
        let capped = games.filter(|game| game.ending.reason == EndingReason::Capped);
        (capped.count(), warned.0.into_inner())
    };
    let (capped, warnings) = warned("selfplay.max_plies=16");
    assert!(0 < capped && capped < 24, "{capped} of 24");
    assert_eq!(warnings, 0, "{capped} of 24 were cut");
    let (capped, warnings) = warned("selfplay.max_plies=2");
    assert_eq!(capped, 24);
    assert!(warnings > 0);
}

/// What a worker notices, as a test waits for it.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Waiting,
    Checkpoint(u32),
    Shard,
    Skipped(String),
    NobodyPlays,
    RunEnded,
}

/// Passes notices on.
struct Passing(Sender<Seen>);

impl Observer for Passing {
    fn noticed(&self, notice: &Notice<'_>) {
        let seen = match notice {
            Notice::WaitingForCheckpoint => Seen::Waiting,
            Notice::NewCheckpoint {
                player: PlayerId::Checkpoint(number),
                ..
            } => Seen::Checkpoint(*number),
            Notice::Shard { .. } => Seen::Shard,
            Notice::Skipped { reason, .. } => Seen::Skipped(format!("{reason:#}")),
            Notice::NobodyPlays { .. } => Seen::NobodyPlays,
            Notice::RunEnded => Seen::RunEnded,
            _ => return,
        };
        // After its end the test looks at what is left.
        drop(self.0.send(seen));
    }
}

/// Waits for a notice and returns it.
fn wait_for(seen: &Receiver<Seen>, is_it: impl Fn(&Seen) -> bool) -> Seen {
    loop {
        let next = seen.recv_timeout(Duration::from_mins(2));
        let next = next.expect("the worker goes on");
        if is_it(&next) {
            return next;
        }
    }
}

/// Copies a checkpoint with other weights to a folder of checkpoints, where it appears whole as in a run.
fn publish(from: &Path, folder: &Path, name: &str, weights: &[u8]) {
    let partial = folder.join(format!("{name}.partial"));
    std::fs::create_dir_all(&partial).expect("a folder");
    std::fs::copy(from.join("model.json"), partial.join("model.json")).expect("copied");
    std::fs::write(partial.join("weights.safetensors"), weights).expect("written");
    std::fs::rename(&partial, folder.join(name)).expect("renamed");
}

#[test]
fn newer_checkpoints_are_taken_and_broken_ones_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = small(&[]);
    let one_generation = [
        "loop.generations=1",
        "loop.games=4",
        "ladder.checkpoints=0",
        "ladder.pool=[]",
    ];
    let run = trained(small(&one_generation), folder.path(), "small");
    let trained = run.join("checkpoints");
    let (out, source) = (folder.path().join("out"), folder.path().join("source"));
    let copy = |from: &str, to: &str, weights: &[u8]| {
        publish(&trained.join(from), &source, to, weights);
    };
    let weights =
        |name: &str| std::fs::read(trained.join(name).join("weights.safetensors")).expect("there");
    let (sender, seen) = channel();
    let (observer, asked) = (Passing(sender), AtomicBool::new(false));
    let job = WorkerJob {
        checkpoint: Some(&source),
        wait: true,
        asked: &asked,
        observer: &observer,
        ..job(&loaded, &out, 4)
    };
    thread::scope(|scope| {
        let working = scope.spawn(|| work(&job));
        wait_for(&seen, |seen| *seen == Seen::Waiting);
        copy("000000", "000000", &weights("000000"));
        wait_for(&seen, |seen| *seen == Seen::Checkpoint(0));
        wait_for(&seen, |seen| *seen == Seen::Shard);
        copy("000001", "000002", b"no weights");
        let skipped = wait_for(&seen, |seen| matches!(seen, Seen::Skipped(_)));
        let Seen::Skipped(reason) = skipped else {
            unreachable!()
        };
        assert!(
            reason.contains("000002/weights.safetensors: damaged"),
            "{reason}"
        );
        copy("000001", "000001", &weights("000001"));
        wait_for(&seen, |seen| *seen == Seen::Checkpoint(1));
        while !out.join("games/000001").exists() {
            wait_for(&seen, |seen| *seen == Seen::Shard);
        }
        asked.store(true, Ordering::Relaxed);
        let written = working.join().expect("no panic").expect("it plays");
        assert!(written.games > 0);
    });
    let again = seen
        .try_iter()
        .find(|seen| matches!(seen, Seen::Skipped(_)));
    assert_eq!(again, None, "said twice");
    let generations =
        [0, 1, 2].map(|generation| out.join(format!("games/{generation:06}")).exists());
    assert_eq!(generations, [true, true, false]);

    // The run knows them by their networks, which another one of its name does not have.
    let other_seed = [&one_generation[..], &["seed=9"]].concat();
    let elsewhere = folder.path().join("elsewhere");
    let other = crate::support::trained(small(&other_seed), &elsewhere, "small");
    for shard in game_files(&out).expect("a folder") {
        check_shard(&shard, &run).expect("its own");
        let error = check_shard(&shard, &other)
            .expect_err("another's")
            .to_string();
        assert!(
            error.contains("of \"small\" with other weights played it"),
            "{error}"
        );
    }
}

/// Trains a run with two checkpoints; returns what copies one of them, by its name, to a folder of checkpoints.
fn copying(data: &Path, to: &Path) -> impl Fn(&str) {
    let changes = [
        "loop.generations=1",
        "loop.games=4",
        "ladder.checkpoints=0",
        "ladder.pool=[]",
    ];
    let trained = trained(small(&changes), data, "small").join("checkpoints");
    move |name: &str| {
        let weights = std::fs::read(trained.join(name).join("weights.safetensors"));
        publish(&trained.join(name), to, name, &weights.expect("there"));
    }
}

/// Takes its time with each shard, so that games wait to be written.
struct Slow(Passing);

impl Observer for Slow {
    fn noticed(&self, notice: &Notice<'_>) {
        if let Notice::Shard { .. } = notice {
            thread::sleep(Duration::from_millis(10));
        }
        self.0.noticed(notice);
    }
}

#[test]
fn a_worker_counts_games_that_waited_as_their_checkpoint_was_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = small(&["selfplay.max_plies=2"]);
    let (out, source) = (folder.path().join("out"), folder.path().join("source"));
    let copy = copying(folder.path(), &source);
    copy("000000");
    let (sender, seen) = channel();
    let (observer, asked) = (Slow(Passing(sender)), AtomicBool::new(false));
    let job = WorkerJob {
        checkpoint: Some(&source),
        asked: &asked,
        observer: &observer,
        ..job(&loaded, &out, 1)
    };
    let written = thread::scope(|scope| {
        let working = scope.spawn(|| work(&job));
        wait_for(&seen, |seen| *seen == Seen::Shard);
        copy("000001");
        wait_for(&seen, |seen| *seen == Seen::Checkpoint(1));
        while !out.join("games/000001").exists() {
            wait_for(&seen, |seen| *seen == Seen::Shard);
        }
        asked.store(true, Ordering::Relaxed);
        working.join().expect("no panic").expect("it plays")
    });
    let status = std::fs::read(out.join("one.worker.json")).expect("written");
    let status: serde_json::Value = serde_json::from_slice(&status).expect("JSON");
    assert_eq!(status["games"], written.games);
}

#[test]
fn a_worker_goes_back_with_its_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = small(&[]);
    let (out, source) = (folder.path().join("out"), folder.path().join("source"));
    let copy = copying(folder.path(), &source);
    copy("000001");
    let (sender, seen) = channel();
    let (observer, asked) = (Passing(sender), AtomicBool::new(false));
    let job = WorkerJob {
        checkpoint: Some(&source),
        asked: &asked,
        observer: &observer,
        ..job(&loaded, &out, 4)
    };
    thread::scope(|scope| {
        let working = scope.spawn(|| work(&job));
        wait_for(&seen, |seen| *seen == Seen::Checkpoint(1));
        copy("000000");
        std::fs::remove_dir_all(source.join("000001")).expect("removed");
        wait_for(&seen, |seen| *seen == Seen::Checkpoint(0));
        asked.store(true, Ordering::Relaxed);
        working.join().expect("no panic").expect("it plays");
    });
}

#[test]
fn a_worker_stays_ahead_by_what_no_checkpoint_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    // A checkpoint needs one sample.
    let loaded = small(&[
        "loop.reuse=16",
        "loop.batch_size=16",
        "loop.asynchronous.checkpoint_steps=1",
        "loop.asynchronous.first_samples=0",
        "loop.asynchronous.most_lag=100",
    ]);
    let (out, source) = (folder.path().join("out"), folder.path().join("source"));
    let copy = copying(folder.path(), &source);
    copy("000000");
    let (sender, seen) = channel();
    let (observer, asked) = (Passing(sender), AtomicBool::new(false));
    let job = WorkerJob {
        checkpoint: Some(&source),
        asked: &asked,
        observer: &observer,
        ..job(&loaded, &out, 1)
    };
    let rests = || {
        let status = std::fs::read_to_string(out.join("one.worker.json"));
        status.is_ok_and(|it| it.contains("resting"))
    };
    thread::scope(|scope| {
        let working = scope.spawn(|| work(&job));
        for _ in 0..12_000 {
            if rests() {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        copy("000001");
        wait_for(&seen, |seen| *seen == Seen::Checkpoint(1));
        // Games that had begun go on to their ends, by the checkpoint of before.
        while seen.recv_timeout(Duration::from_secs(2)).is_ok() {}
        asked.store(true, Ordering::Relaxed);
        working.join().expect("no panic").expect("it plays");
    });
    assert!(
        !out.join("games/000001").exists(),
        "it is still 100 samples ahead, less one"
    );
}

#[test]
fn a_run_that_only_learns_asks_for_workers_which_end_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let changes = [
        "loop.generations=1",
        "loop.asynchronous.checkpoint_steps=2",
        "loop.asynchronous.first_samples=1",
        "ladder.checkpoints=0",
        "ladder.pool=[]",
    ];
    let (sender, seen) = channel();
    let observer = Arc::new(Passing(sender));
    let run = Run::open(
        small(&changes),
        folder.path(),
        None,
        Begin::New,
        observer.clone(),
    );
    let mut run = run.expect("a new run");
    run.plays = false;
    let (own, out) = (run.folder().to_owned(), run.folder().join("workers/one"));
    let learning = thread::spawn(move || train(&run, None));
    wait_for(&seen, |seen| *seen == Seen::NobodyPlays);

    // It looks for checkpoints only, so it is the folder of its games that tells that the run has ended.
    let loaded = small(&[]);
    let work = |games, checkpoint| {
        let job = WorkerJob {
            games,
            checkpoint,
            observer: &*observer,
            ..job(&loaded, &out, 5)
        };
        work(&job).expect("it plays")
    };
    let checkpoints = own.join("checkpoints");
    assert!(work(Some(1_000_000), Some(&*checkpoints)).games > 0);
    learning.join().expect("no panic").expect("it learns");
    wait_for(&seen, |seen| *seen == Seen::RunEnded);
    for checkpoint in [Some(&*own), None] {
        assert_eq!(work(Some(1), checkpoint).games, 0);
        wait_for(&seen, |seen| *seen == Seen::RunEnded);
    }
}

/// Puts a shard aside as a run does, and ends the worker once it says so.
struct PuttingAside {
    run: PathBuf,
    said: Mutex<Vec<String>>,
    asked: AtomicBool,
}

impl Observer for PuttingAside {
    fn noticed(&self, notice: &Notice<'_>) {
        if let Notice::Skipped { reason, .. } = notice {
            let mut said = self.said.lock().expect("no panic");
            said.push(reason.to_string());
            self.asked.store(true, Ordering::Relaxed);
        } else if let Notice::Shard { .. } = notice {
            let shard = game_files(&self.run).expect("a folder").pop();
            let shard = shard.expect("a shard");
            let within = shard.strip_prefix(&self.run).expect("of the run");
            let aside = BTreeMap::from([(within, "another network")]);
            let text = serde_json::to_string(&aside).expect("JSON");
            std::fs::write(self.run.join("put-aside.json"), text).expect("written");
        }
    }
}

#[test]
fn a_worker_says_that_the_run_puts_its_games_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = small(&["loop.asynchronous.checkpoint_steps=2"]);
    let of_run = small(&["loop.asynchronous.checkpoint_steps=2"]);
    let run = Run::open(of_run, folder.path(), None, Begin::New, Arc::new(Silent));
    let run = run.expect("a new run");
    let observer = PuttingAside {
        run: run.folder().to_owned(),
        said: Mutex::default(),
        asked: AtomicBool::new(false),
    };
    let net = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/nets/brandubh");
    let job = WorkerJob {
        checkpoint: Some(&net),
        games: Some(20_000),
        asked: &observer.asked,
        observer: &observer,
        ..job(&loaded, run.folder(), 2)
    };
    work(&job).expect("it plays");
    let said = observer.said.into_inner().expect("no panic");
    assert_eq!(said, ["by the run: another network"]);
}

#[test]
fn one_generation_is_the_same_whenever_it_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let loaded = small(&["loop.games=5"]);
    let play = |name: &str| {
        let out = folder.path().join(name);
        let (summary, _) = play_generation(&loaded, None, (&out, 3), &Silent).expect("it plays");
        assert_eq!(summary.games, 5);
        std::fs::read(games_path(&out, 3)).expect("there")
    };
    assert!(play("one") == play("other"), "the files differ");
}

#[test]
fn stored_games_are_found_by_their_rules_though_the_file_of_these_was_edited() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (folder.path().join("mine.toml"), folder.path().join("out"));
    let ruleset = format!("rulesets=['{}']", file.display());
    for (generation, limit) in [(1, 5), (2, 6), (3, 5)] {
        let text = format!("base = \"brandubh\"\ncaptureless_limit = {limit}\n");
        std::fs::write(&file, text).expect("written");
        let loaded = small(&[&*ruleset, "rule_changes=['king_armed']", "loop.games=10"]);
        play_generation(&loaded, None, (&out, generation), &Silent).expect("it plays");
        let games = Some(1);
        let job = job(&loaded, &out, 1);
        work(&WorkerJob { games, ..job }).expect("it plays");
    }
    std::fs::remove_file(&file).expect("removed");
    let mut played = BTreeSet::new();
    for file in game_files(&out).expect("a folder") {
        for game in tafl_dataset::read_games(&file).expect("readable") {
            let rules = RulesOfGames::default().of(&game, &file);
            let ruleset = rules.expect("they are kept").ruleset().clone();
            assert_eq!(ruleset.fingerprint(), game.ruleset_fingerprint);
            if ruleset.name == "mine" {
                let edited = Ruleset {
                    captureless_limit: NonZeroU32::new(7),
                    ..ruleset.clone()
                };
                let given = Rules::new(edited).expect("sound");
                let unlike = RulesOfGames::new(Some(given)).unlike(&game, &file);
                let limit = ruleset.captureless_limit.expect("a limit");
                let expected = format!("): `captureless_limit` (there {limit}, here 7)");
                assert!(unlike.is_some_and(|it| it.ends_with(&expected)));
            }
            played.insert((ruleset.name, game.ruleset_fingerprint));
        }
    }
    let of_file = played.iter().filter(|(name, _)| name == "mine");
    assert_eq!(of_file.count(), 2, "{played:?}");
}
