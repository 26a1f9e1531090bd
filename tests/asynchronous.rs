//! The asynchronous loop: kills, workers of other processes, how far self-play and training may be apart.
//!
//! Three kills by default; `TAFL_SLOW=1` makes it twenty.

use crate::support::place::{Place, games_in, left_in_progress, none_lost, spooled, until};
use crate::support::succeeds;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use tafl_dataset::{Metric, game_files, positions_in, read_games, read_metrics};
use tafl_network::{ModelCard, load_card, load_network};
use tafl_store::{Manifest, RunSettings, Verified};

/// Small games and networks, and a checkpoint every few steps.
const SMALL: [&str; 13] = [
    "rulesets=[\"brandubh\"]",
    "precision=\"f32\"",
    "loop.reuse=1",
    "loop.batch_size=16",
    "loop.asynchronous.checkpoint_steps=10",
    "loop.asynchronous.shard_games=3",
    "loop.asynchronous.first_samples=50",
    "loop.asynchronous.most_lag=2000",
    "runner.workers=1",
    "runner.parallel_games=4",
    "arena.openings=1",
    "ladder.baselines=[]",
    "ladder.checkpoints=0",
];

/// Returns the arguments of a command with the small config and more changes of it.
fn with<'a>(command: &'a str, changes: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![command, "configs/smoke.toml"];
    for change in SMALL.iter().chain(changes) {
        arguments.extend(["--set", change]);
    }
    arguments.extend(more);
    arguments
}

/// Checks that every checkpoint is there and sound, that each goes on where the one before ended, and that none was
/// trained more than the samples behind it allowed; returns their cards.
fn check_chain(folder: &Path, steps: u64, reuse: f64, batch_size: u64) -> Vec<ModelCard> {
    let mut cards: Vec<ModelCard> = Vec::new();
    for generation in 0_u32.. {
        let checkpoint = folder.join(format!("checkpoints/{generation:06}"));
        if !checkpoint.exists() {
            break;
        }
        let (_, card) = load_network(&checkpoint).expect("a sound checkpoint");
        assert_eq!(card.steps, u64::from(generation) * steps);
        let history = &card.provenance.history;
        if let Some(before) = cards.last() {
            assert_eq!(history[..history.len() - 1], before.provenance.history);
        }
        let samples: u64 = history.iter().map(|generation| generation.samples).sum();
        let allowed = (samples as f64 * reuse) as u64 / batch_size;
        assert!(card.steps <= allowed, "{} of {allowed} steps", card.steps);
        cards.push(card);
    }
    cards
}

/// The samples and games behind a checkpoint.
fn behind(card: &ModelCard) -> [u64; 2] {
    let history = card.provenance.history.iter();
    let counts = history.map(|generation| [generation.samples, generation.games]);
    counts.fold([0, 0], |[samples, games], [more, others]| {
        [samples + more, games + others]
    })
}

fn samples_in(folder: &Path) -> u64 {
    let files = game_files(folder).expect("a folder");
    files
        .iter()
        .map(|path| positions_in(path).expect("readable"))
        .sum()
}

#[test]
fn a_killed_run_loses_no_game_and_ends_with_all_checkpoints() {
    let slow = std::env::var_os("TAFL_SLOW").is_some();
    let (kills, generations) = if slow { (20, 60) } else { (3, 12) };
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let generations_field = format!("loop.generations={generations}");
    let changes = [generations_field.as_str(), "ladder.pool=['random']"];
    let train = with("train", &changes, &[]);
    let resume = with("train", &changes, &["--resume"]);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut finished: BTreeSet<u64> = BTreeSet::new();
    let mut checkpoints = 0;
    for kill in 0..kills {
        let has_begun = folder.join("config.toml").exists();
        let mut child = place.start(if has_begun { &resume } else { &train });
        if kill == 0 {
            until("the first games", || !spooled(&folder).is_empty());
        }
        std::thread::sleep(Duration::from_millis(rng.random_range(0..2500)));
        child.kill();
        finished = none_lost(&finished, &folder, kill);
        let chain = check_chain(&folder, 10, 1.0, 16).len();
        assert!(chain >= checkpoints, "after kill {kill}");
        checkpoints = chain;
    }
    succeeds(&place.run(&resume));
    let cards = check_chain(&folder, 10, 1.0, 16);
    assert_eq!(cards.len(), generations + 1);
    check_end(&folder, &finished);
    let [samples, games] = behind(&cards[generations]);
    assert!(samples <= samples_in(&folder));
    assert!(games <= games_in(&folder).len() as u64);
    check_matches(&folder, generations);
    for Metric { name, .. } in read_metrics(&folder.join("metrics.parquet")).expect("readable") {
        assert!(tafl_dataset::measure_meaning(&name).is_some(), "{name}");
    }

    // Prolonged by one checkpoint, it learns from what was there and what comes, and counts everything once. What lies
    // beside the folders of workers is none of its business, and matches that were played stay as they are.
    std::fs::create_dir_all(folder.join("workers")).expect("a folder");
    std::fs::write(folder.join("workers/near.log"), "what a worker said").expect("writable");
    let measured = measured_in_matches(&folder);
    assert_eq!(measured.len(), generations);
    let more = format!("loop.generations={}", generations + 1);
    let all = samples_in(&folder);
    let changes = [&changes[..], &[more.as_str()]].concat();
    succeeds(&place.run(&with("train", &changes, &["--resume"])));
    let cards = check_chain(&folder, 10, 1.0, 16);
    assert_eq!(cards.len(), generations + 2);
    assert!(behind(&cards[generations + 1])[0] >= all);
    let mut measured_now = measured_in_matches(&folder);
    measured_now.retain(|generation, _| measured.contains_key(generation));
    assert!(measured == measured_now, "measured anew");
}

#[test]
fn a_run_that_goes_on_at_another_pace_counts_what_it_did_before_as_it_was() {
    let place = Place::new();
    let changes = [
        "ladder.pool=[]",
        "loop.generations=2",
        "loop.asynchronous.checkpoint_steps=4",
    ];
    succeeds(&place.run(&with("train", &changes, &[])));
    let changes = [
        "ladder.pool=[]",
        "loop.generations=4",
        "loop.asynchronous.checkpoint_steps=2",
        "loop.batch_size=32",
    ];
    succeeds(&place.run(&with("train", &changes, &["--resume"])));
    let metrics = read_metrics(&place.path("runs/smoke/metrics.parquet")).expect("readable");
    let all = |name: &str| -> Vec<f64> {
        let named = metrics.iter().filter(|it| it.name == name);
        named.map(|it| it.value).collect()
    };
    // It falls until the last of all steps, whatever a checkpoint took at first.
    let rates = all("loss/learning_rate");
    assert_eq!(rates.len(), 12);
    assert!(rates[8] > 1.1 * rates[11], "{rates:?}");
    // 8 steps drew 16 samples each, and 4 steps 32.
    for [times, of] in [
        ["loop/reuse", "loop/samples"],
        ["replay/reuse_of_run", "replay/positions_of_run"],
    ] {
        let last = [times, of].map(|name| *all(name).last().expect("measured"));
        assert!(
            (last[0] * last[1] - 256.0).abs() < 0.01,
            "{times}: {last:?}"
        );
    }
}

/// What was measured in matches, by generation, with the time at which it was.
fn measured_in_matches(folder: &Path) -> BTreeMap<u32, Vec<Metric>> {
    let mut measured: BTreeMap<u32, Vec<Metric>> = BTreeMap::new();
    for metric in read_metrics(&folder.join("metrics.parquet")).expect("readable") {
        if metric.name.starts_with("elo/") {
            measured.entry(metric.generation).or_default().push(metric);
        }
    }
    measured
}

/// No game that was finished is missing, nothing is half-written, and the manifest lists every shard as it is.
fn check_end(folder: &Path, finished: &BTreeSet<u64>) {
    let stored: BTreeSet<u64> = games_in(folder).into_keys().collect();
    assert!(stored.is_superset(finished));
    assert_eq!(left_in_progress(folder), 0);
    let manifest = Manifest::<RunSettings>::read(folder).expect("a manifest");
    let checked = Verified::of(folder).expect("a run");
    assert!(checked.faults.is_empty(), "{:?}", checked.faults);
    let mut names = BTreeSet::new();
    for path in game_files(folder).expect("a folder") {
        assert!(manifest.has(folder, &path), "{}", path.display());
        let games = read_games(&path).expect("readable");
        names.extend(games.into_iter().map(|game| game.attackers));
    }
    assert!(names.len() > 2, "fresh checkpoints play: {names:?}");
}

#[test]
fn who_was_stopped_is_not_said_to_play() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let mut run = place.start(&with("train", &["loop.generations=900"], &[]));
    until("the first word", || {
        folder.join("train.worker.json").exists()
    });
    let out = place.text("runs/smoke/workers/far");
    let mut worker = place.start(&with("selfplay", &[], &["--out", &out]));
    until("its first word", || {
        Path::new(&out).join("far.worker.json").exists()
    });
    // As of a terminal that closes.
    worker.signal("-HUP");
    std::thread::sleep(Duration::from_millis(1100));
    // Where it still plays, another signal ends it at once.
    if let Ok(None) = worker.child().try_wait() {
        worker.signal("-INT");
    }
    run.signal("-INT");
    worker.end();
    assert_eq!(run.end().status.code(), Some(130));
    let said = succeeds(&place.run(&["run", "workers", &place.text("runs/smoke")]));
    let states: Vec<_> = said
        .lines()
        .skip(2)
        .filter_map(|it| it.split_whitespace().nth(1))
        .collect();
    assert_eq!(states, ["ended", "ended", "nobody"], "{said}");
}

/// Each checkpoint met the pool.
fn check_matches(folder: &Path, generations: usize) {
    for generation in 1..=generations {
        let name = format!("arena/{generation:06}-random-brandubh.parquet");
        assert!(folder.join(&name).is_file(), "{name}");
    }
}

#[test]
fn self_play_rests_while_training_is_far_behind() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    // A sample is learned from 1,000 times, four at a step: 20,000 steps, more than the test waits for, leave more than
    // `most_lag` of the 100 samples before the first step. So self-play rests from the first step on.
    let changes = [
        "loop.generations=1000",
        "loop.reuse=1000",
        "loop.batch_size=4",
        "loop.asynchronous.checkpoint_steps=150",
        "loop.asynchronous.most_lag=20",
        "loop.asynchronous.shard_games=1",
        "loop.asynchronous.first_samples=100",
        "ladder.pool=[]",
    ];
    let mut train = place.start(&with("train", &changes, &[]));
    let named = |name: &str| -> Vec<f64> {
        let metrics = read_metrics(&folder.join("metrics.parquet")).unwrap_or_default();
        let its = metrics.iter().filter(|metric| metric.name == name);
        its.map(|metric| metric.value).collect()
    };
    // Games that ended before the rest may be written during it; then there are no more, however long it lasts.
    until("no new samples in 3 s of rest", || {
        let (samples, rested) = (named("loop/samples"), named("loop/self_play_rested_s"));
        let pairs = samples.windows(2).zip(rested.iter().skip(1)).rev();
        let still = pairs.take_while(|(pair, _)| pair[0] == pair[1]);
        still.map(|(_, rested)| rested).sum::<f64>() >= 3.0
    });
    // Training goes on meanwhile.
    let checkpoints = check_chain(&folder, 150, 1000.0, 4).len();
    until("two more checkpoints", || {
        folder
            .join(format!("checkpoints/{:06}", checkpoints + 1))
            .exists()
    });
    train.kill();
    check_chain(&folder, 150, 1000.0, 4);
    assert!(named("selfplay/games").len() > checkpoints);
}

#[test]
fn a_run_goes_on_under_another_name() {
    let place = Place::new();
    let changes = ["loop.generations=2", "ladder.pool=[]"];
    succeeds(&place.run(&with("train", &changes, &[])));
    // Games that came after the last checkpoint were played under the former name.
    let (folder, moved) = (place.path("runs/smoke"), place.path("runs/moved"));
    std::fs::rename(folder, &moved).expect("renamed");
    let run = place.text("runs/moved");
    let more = ["train", &run, "--resume", "--set", "loop.generations=3"];
    let output = place.run(&more);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    succeeds(&output);
    assert!(!said.contains("skipped"), "{said}");
    check_chain(&moved, 10, 1.0, 16);
    assert!(moved.join("checkpoints/000003").exists());

    let named = [&more[..3], &["--set", "name=other"]].concat();
    let said = place.run(&named);
    let said = String::from_utf8_lossy(&said.stderr);
    assert!(said.contains("is named after its folder"), "{said}");
}

/// Puts a generation under rules that the run does not know among its shards.
fn add_foreign_shard(place: &Place, folder: &Path) {
    let foreign = place.path("foreign");
    let other = place.text("foreign");
    let copenhagen = ["selfplay", "configs/smoke.toml", "--out", &other];
    succeeds(&place.run(&[&copenhagen[..], &["--set", "loop.games=2"]].concat()));
    let folder = folder.join("games/000000");
    std::fs::create_dir_all(&folder).expect("made");
    // As workers do, so that it is there whole or not at all.
    let partial = folder.join("foreign.parquet.tmp");
    std::fs::copy(foreign.join("games/000000/games.parquet"), &partial).expect("copied");
    std::fs::rename(&partial, folder.join("foreign.parquet")).expect("renamed");
}

#[test]
fn shards_of_other_workers_are_learned_from_and_foreign_ones_are_not() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let run = place.text("runs/smoke");
    // The run itself hardly plays.
    let changes = [
        "loop.generations=6",
        "loop.asynchronous.shard_games=1000",
        "ladder.pool=[]",
    ];
    let train = place.start(&with("train", &changes, &[]));
    until("a checkpoint", || {
        load_card(&folder.join("checkpoints/000000")).is_ok()
    });
    add_foreign_shard(&place, &folder);
    let far = place.text("runs/smoke/workers/far");
    let worker = |name: &'static str, out| {
        let more = [
            "--checkpoint",
            run.as_str(),
            "--out",
            out,
            "--worker",
            name,
            "--shard-games",
            "3",
        ];
        place.start(&with("selfplay", &[], &more))
    };
    let mut workers = [worker("near", run.as_str()), worker("far", far.as_str())];
    let output = train.end();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    succeeds(&output);
    assert_eq!(said.matches("skipped").count(), 1, "{said}");
    let expected = "games/000000/foreign.parquet: game 0 has ruleset \"copenhagen\", which this run does not have";
    assert!(said.contains(expected), "{said}");
    let said = succeeds(&place.run(&["run", "workers", &run]));
    assert!(
        said.contains(&format!("put aside: {run}/{expected}")),
        "{said}"
    );
    for worker in &mut workers {
        worker.signal("-TERM");
    }
    for worker in workers {
        worker.end();
    }
    let cards = check_chain(&folder, 10, 1.0, 16);
    let manifest = Manifest::<RunSettings>::read(&folder).expect("a manifest");
    let entered = |part: &str| manifest.files.keys().filter(|it| it.contains(part)).count();
    assert!(entered("/near-") > 0 && entered("workers/far/games/") > 0);
    assert_eq!(entered("foreign"), 0);
    assert!(
        entered("/train-") >= 2,
        "its own games are there at the end"
    );
    assert!(behind(&cards[6])[1] >= 6);
}
