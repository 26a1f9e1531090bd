//! `tafl selfplay` as a worker: shards of several of them, newer checkpoints, kills, and what is refused.
//!
//! Four kills by default; `TAFL_SLOW=1` makes it twenty.

#[path = "support/place.rs"]
mod place;
mod support;

use place::{Place, games_in, left_in_progress, none_lost, spooled, until};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;
use support::succeeds;
use tafl_dataset::{Replay, WindowConfig, games_path, sample_files, samples_path};

/// Small games: a board of 7x7, few visits.
const SMALL: [&str; 10] = [
    "selfplay",
    "configs/smoke.toml",
    "--set",
    "rulesets=[\"brandubh\"]",
    "--set",
    "precision=\"f32\"",
    "--set",
    "runner.workers=2",
    "--set",
    "runner.parallel_games=4",
];

/// Returns the arguments of a worker that writes to a folder.
fn worker<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&SMALL[..], &["--out", out], more].concat()
}

/// Trains a run with two checkpoints in little time; returns its checkpoints.
fn train(place: &Place) -> PathBuf {
    let train = ["train", "configs/smoke.toml", "--run", "small"];
    let little = [
        "loop.generations=1",
        "loop.synchronous.games=4",
        "arena.openings=1",
        "ladder.baselines=[]",
        "ladder.opponents=[]",
    ];
    let mut arguments = train.to_vec();
    arguments.extend(&SMALL[2..]);
    for change in little {
        arguments.extend(["--set", change]);
    }
    succeeds(&place.run(&arguments));
    place.path("runs/small/checkpoints")
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Reads what a process says until a line has `word` in it.
fn wait_for(lines: &mut impl Iterator<Item = std::io::Result<String>>, word: &str) -> String {
    let mut found = lines.map(|line| line.expect("text"));
    found
        .find(|line| line.contains(word))
        .unwrap_or_else(|| panic!("it ended without {word:?}"))
}

#[test]
fn the_replay_window_reads_the_shards_of_two_workers() {
    let place = Place::new();
    let out = place.text("out");
    let one = worker(
        &out,
        &["--worker", "one", "--games", "12", "--shard-games", "5"],
    );
    let other = worker(
        &out,
        &["--worker", "one", "--shards", "2", "--shard-games", "5"],
    );
    let both = [place.start(&one), place.start(&other)];
    let said = both.map(|child| succeeds(&child.end()));
    assert!(said[0].contains("12 in 3 shards"), "{}", said[0]);
    assert!(said[1].contains("10 in 2 shards"), "{}", said[1]);

    let folder = place.path("out");
    let games = games_in(&folder);
    assert_eq!(games.len(), 22);
    let seeds: BTreeSet<u64> = games.values().map(|&(seed, _)| seed).collect();
    assert_eq!(seeds.len(), 22);
    let files = sample_files(&folder).expect("a folder");
    assert_eq!(files.len(), 5);
    let samples: usize = files
        .iter()
        .map(|path| tafl_dataset::read_samples(path).expect("readable").len())
        .sum();
    let config = WindowConfig {
        minimum: 1_000_000,
        scale: 0.0,
        maximum: 1_000_000,
        surprise_share: 0.0,
        value_surprise_share: 0.0,
        held_out_fraction: 0.0,
    };
    let window = Replay::new(config, 1).window_of_files(&files);
    let window = window.expect("readable");
    assert_eq!(window.len(), samples);
    assert!(samples > 22, "{samples} samples");
    assert_eq!(left_in_progress(&folder), 0);
}

#[test]
fn a_killed_worker_loses_no_finished_game_and_doubles_none() {
    let slow = std::env::var_os("TAFL_SLOW").is_some();
    let kills = if slow { 20 } else { 4 };
    let place = Place::new();
    let (out, folder) = (place.text("out"), place.path("out"));
    let arguments = worker(&out, &["--worker", "one", "--shard-games", "3"]);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut finished: BTreeSet<u64> = BTreeSet::new();
    for kill in 0..kills {
        let mut child = place.start(&arguments);
        // Every second process lives long enough to finish a game, however busy the machine is.
        if kill % 2 == 0 {
            until("another game", || {
                let played = spooled(&folder);
                played.iter().any(|number| !finished.contains(number))
            });
        }
        std::thread::sleep(Duration::from_millis(rng.random_range(0..900)));
        child.kill();
        finished = none_lost(&finished, &folder, kill);
    }
    succeeds(&place.run(&worker(&out, &["--worker", "one", "--games", "0"])));
    let stored: BTreeSet<u64> = games_in(&folder).into_keys().collect();
    assert_eq!(stored, finished);
    assert!(stored.len() >= kills / 2, "{} games", stored.len());
    assert_eq!(left_in_progress(&folder), 0);
}

#[test]
fn a_shard_that_a_living_worker_fills_is_left_to_it() {
    let place = Place::new();
    let (out, folder) = (place.text("out"), place.path("out"));
    let arguments = worker(&out, &["--worker", "one", "--shard-games", "1000000"]);
    let mut living = place.start(&arguments);
    until("three games", || spooled(&folder).len() >= 3);
    succeeds(&place.run(&worker(&out, &["--worker", "one", "--games", "0"])));
    assert_eq!(games_in(&folder).len(), 0);
    let before = spooled(&folder);
    living.signal("-TERM");
    let said = succeeds(&living.end());
    let stored: BTreeSet<u64> = games_in(&folder).into_keys().collect();
    assert!(stored.is_superset(&before), "{before:?}, {stored:?}");
    assert!(
        said.contains(&format!("{} in 1 shards", stored.len())),
        "{said}"
    );
    assert_eq!(left_in_progress(&folder), 0);
}

#[test]
fn newer_checkpoints_are_taken_and_broken_ones_are_not() {
    let place = Place::new();
    let trained = train(&place);
    let (out, source) = (place.text("out"), place.path("source"));
    let copy = |from: &str, to: &str, weights: &[u8]| {
        // As in a run, a checkpoint appears whole.
        let partial = source.join(format!("{to}.partial"));
        std::fs::create_dir_all(&partial).expect("a folder");
        std::fs::copy(
            trained.join(from).join("model.json"),
            partial.join("model.json"),
        )
        .expect("copied");
        std::fs::write(partial.join("weights.safetensors"), weights).expect("written");
        std::fs::rename(&partial, source.join(to)).expect("renamed");
    };
    let weights =
        |name: &str| std::fs::read(trained.join(name).join("weights.safetensors")).expect("there");
    let from = text(&source);
    let wait = [
        "--checkpoint",
        from.as_str(),
        "--wait",
        "--shard-games",
        "4",
    ];
    let mut child = place.start(&worker(&out, &wait));
    let stderr = child.child().stderr.take().expect("a pipe");
    let mut lines = BufReader::new(stderr).lines();
    wait_for(&mut lines, "waiting for the first checkpoint");
    copy("000000", "000000", &weights("000000"));
    wait_for(&mut lines, "checkpoint 0 of small: ");
    wait_for(&mut lines, "shard ");
    copy("000001", "000002", b"no weights");
    let skipped = wait_for(&mut lines, "skipped ");
    assert!(
        skipped.contains("000002/weights.safetensors: damaged"),
        "{skipped}"
    );
    copy("000001", "000001", &weights("000001"));
    wait_for(&mut lines, "checkpoint 1 of small: ");
    let folder = place.path("out");
    until("a shard", || folder.join("samples/000001").exists());
    child.signal("-INT");
    let mut rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
    rest.retain(|line| line.contains("skipped"));
    assert_eq!(rest, Vec::<String>::new(), "said twice");
    assert!(child.end().status.success());
    let generations: BTreeSet<u32> = games_in(&folder).values().map(|&(_, g)| g).collect();
    assert_eq!(generations, BTreeSet::from([0, 1]));
}

/// Asserts exit code 2, one line of error and perhaps one of advice.
fn check_error(output: &Output, expected: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(
        lines.first(),
        Some(&format!("error: {expected}").as_str()),
        "{stderr}"
    );
    assert!(lines.len() <= 2, "{stderr}");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
}

#[test]
fn what_cannot_be_is_refused_in_one_line() {
    let place = Place::new();
    let (out, none) = (place.text("out"), place.text("none"));
    let refuses = |more: &[&str], expected: &str| {
        check_error(&place.run(&worker(&out, more)), expected);
    };
    refuses(&["--checkpoint", &none], &format!("{none}: no checkpoint"));
    refuses(
        &["--worker", "../x"],
        "--worker: \"../x\" cannot be the name of a folder",
    );
    refuses(
        &["--worker", "train"],
        "--worker: train is how runs name their own",
    );
    let file = place.path("file");
    std::fs::write(&file, "").expect("written");
    let below = text(&file.join("out"));
    check_error(
        &place.run(&worker(&below, &["--games", "1"])),
        &format!("writing {below}/in-progress: Not a directory"),
    );

    let trained = text(&train(&place));
    let larger = [
        "selfplay",
        "configs/smoke.toml",
        "--out",
        &out,
        "--checkpoint",
        &trained,
    ];
    let expected = format!("{trained}/000001: plays on 7x7, but ruleset copenhagen on 11x11");
    check_error(&place.run(&larger), &expected);
    assert_eq!(games_in(&place.path("out")).len(), 0);
}

#[test]
fn games_left_under_other_rules_are_kept_for_their_config() {
    let place = Place::new();
    let (out, folder) = (place.text("out"), place.path("out"));
    let mut child = place.start(&worker(
        &out,
        &["--worker", "one", "--shard-games", "1000000"],
    ));
    until("a game", || !spooled(&folder).is_empty());
    child.kill();
    let left = spooled(&folder);
    let other = [
        "selfplay",
        "--config",
        "configs/smoke.toml",
        "--output",
        &out,
        "--worker",
        "one",
    ];
    let output = place.run(&other);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("ruleset brandubh is not in this config"),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    succeeds(&place.run(&worker(&out, &["--worker", "one", "--games", "0"])));
    assert_eq!(games_in(&folder).into_keys().collect::<BTreeSet<_>>(), left);
}

#[test]
fn one_generation_is_the_same_whenever_it_is_played() {
    let place = Place::new();
    let (one, other) = (place.text("one"), place.text("other"));
    let play = |out: &str| {
        succeeds(&place.run(&worker(
            out,
            &["--generation", "3", "--set", "loop.synchronous.games=5"],
        )))
    };
    let said = [play(&one), play(&other)];
    assert!(
        said.iter().all(|said| said.contains("games    5: ")),
        "{said:?}"
    );
    for path in [samples_path, games_path] {
        let [one, other] = ["one", "other"].map(|out| path(&place.path(out), 3));
        assert_eq!(
            std::fs::read(one).expect("there"),
            std::fs::read(other).expect("there")
        );
    }
}
