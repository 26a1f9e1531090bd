//! `tafl selfplay` as a worker: kills, signals, and what is refused; `crates/tafl-training/tests` has the rest.
//!
//! Four kills by default; `TAFL_SLOW=1` makes it twenty.

use crate::support::place::{
    Place, Started, games_in, left_in_progress, none_lost, spooled, until,
};
use crate::support::succeeds;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

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
    succeeds(&place.run(&training(&["loop.generations=1"])));
    place.path("runs/small/checkpoints")
}

/// Returns the arguments that train a run in little time, with changes to its config.
fn training<'a>(changes: &[&'a str]) -> Vec<&'a str> {
    let little = [
        "loop.games=4",
        "arena.openings=1",
        "ladder.baselines=[]",
        "ladder.pool=[]",
    ];
    let mut arguments = vec!["train", "configs/smoke.toml", "--run", "small"];
    arguments.extend(&SMALL[2..]);
    for change in little.iter().chain(changes) {
        arguments.extend(["--set", change]);
    }
    arguments
}

fn text(path: &Path) -> String {
    path.display().to_string()
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
    // Two of one name would tell of themselves in one file.
    check_error(
        &place.run(&worker(&out, &["--worker", "one", "--games", "1"])),
        &format!("{out}: a worker named one is at work there"),
    );
    let before = spooled(&folder);
    // Twice, as `timeout` does: to the process and to its group.
    let id = living.child().id().to_string();
    let twice = std::process::Command::new("kill").args([&id, &id]).status();
    assert!(twice.expect("kill runs").success());
    let ended = living.end();
    assert_eq!(ended.status.code(), Some(130));
    let said = String::from_utf8_lossy(&ended.stdout);
    let stored: BTreeSet<u64> = games_in(&folder).into_keys().collect();
    assert!(stored.is_superset(&before), "{before:?}, {stored:?}");
    assert!(
        said.contains(&format!("{} in 1 shards", stored.len())),
        "{said}"
    );
    assert_eq!(left_in_progress(&folder), 0);
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
        "--worker: \"../x\" is not a valid folder name",
    );
    refuses(
        &["--worker", "train"],
        "--worker: train is reserved for runs",
    );
    let file = place.path("file");
    std::fs::write(&file, "").expect("written");
    let below = text(&file.join("out"));
    check_error(
        &place.run(&worker(&below, &["--games", "1"])),
        &format!("{}: a file, not a folder", file.display()),
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
    let own = place.text("runs/small");
    check_error(
        &place.run(&worker(&own, &["--games", "1"])),
        &format!("{own}: a synchronous run learns from no workers"),
    );
    assert_eq!(games_in(&place.path("out")).len(), 0);
    // A run that cannot be read could take in games that it did not ask for.
    let config = std::fs::read(place.path("runs/small/config.toml")).expect("readable");
    std::fs::write(place.path("runs/small/config.toml"), "serch = 1\n").expect("written");
    let expected =
        format!("{own}/config.toml: line 1: field `serch`: unknown field; did you mean `search`?");
    check_error(&place.run(&worker(&own, &["--games", "1"])), &expected);
    std::fs::write(place.path("runs/small/config.toml"), config).expect("written");
    let matches = place.text("matches");
    let arena = [
        "arena",
        "random",
        "greedy",
        "--ruleset",
        "brandubh",
        "--openings",
        "1",
        "--folder",
        &matches,
    ];
    succeeds(&place.run(&arena));
    let expected =
        format!("{matches}: it holds matches, a study, a sweep or a checkpoint, not a run");
    check_error(&place.run(&worker(&matches, &["--games", "1"])), &expected);
    // What a run keeps elsewhere is not for games, of a worker or of one generation.
    for more in [&["--games", "1"][..], &["--set", "loop.games=1"]] {
        let expected = format!("{trained}: within the run {own}, which keeps other files there");
        check_error(&place.run(&worker(&trained, more)), &expected);
    }
    let none_left = [&arena[..], &["--first-opening", "1"]].concat();
    let expected = "--first-opening 1: there are 1 openings, numbered from 0";
    check_error(&place.run(&none_left), expected);
}

#[test]
fn games_left_under_other_rules_are_written_by_theirs() {
    let place = Place::new();
    let (out, folder) = (place.text("out"), place.path("out"));
    let mut child = place.start(&worker(
        &out,
        &["--worker", "one", "--shard-games", "1000000"],
    ));
    let status_file = folder.join("one.worker.json");
    until("a game", || {
        !spooled(&folder).is_empty() && status_file.exists()
    });
    child.kill();
    let left = spooled(&folder);
    let status = || std::fs::read_to_string(&status_file).expect("a status");
    assert!(status().contains("\"playing\""), "{}", status());
    let other = [
        "selfplay",
        "--config",
        "configs/smoke.toml",
        "--output",
        &out,
    ];
    let other = [&other[..], &["--worker", "one", "--games", "0"]].concat();
    succeeds(&place.run(&other));
    assert_eq!(games_in(&folder).into_keys().collect::<BTreeSet<_>>(), left);
    assert!(status().contains("\"ended\""), "{}", status());
}

#[test]
fn a_worker_waits_for_a_checkpoint_and_ends_after_its_shards_or_when_interrupted() {
    let place = Place::new();
    let (out, source) = (place.text("out"), place.text("source"));
    let wait = [
        "--checkpoint",
        source.as_str(),
        "--wait",
        "--shard-games",
        "4",
    ];
    let of_shards = ["--shards", "1", "--worker", "one"];
    let mut shards = place.start(&worker(&out, &[&wait[..], &of_shards].concat()));
    let mut endless = place.start(&worker(&out, &wait));
    shards.until_said("waiting for the first checkpoint");
    let trained = train(&place);
    std::fs::create_dir_all(&source).expect("a folder");
    std::fs::rename(trained.join("000001"), place.path("source/000001")).expect("renamed");
    let ended = shards.end();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    for line in ["checkpoint 1 of small: ", "shard "] {
        assert!(said.contains(line), "no {line:?} in {said}");
    }
    let said = succeeds(&ended);
    assert!(said.contains("4 in 1 shards"), "{said}");
    until("a game", || games_in(&place.path("out")).len() > 4);
    endless.signal("-INT");
    let ended = endless.end();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    let hint = "stopped\nhint: the same command plays on\n";
    assert!(said.ends_with(hint), "{said}");
}

/// Returns what `tafl run workers` says of a worker; nothing if it does not know it.
fn line_of(place: &Place, run: &str, name: &str) -> String {
    let said = succeeds(&place.run(&["run", "workers", run]));
    let line = said.lines().find(|line| line.starts_with(name));
    line.unwrap_or_default().to_owned()
}

#[test]
fn a_worker_plays_for_no_run_that_has_not_begun_but_waits_for_it() {
    let place = Place::new();
    let (run, folder) = (place.text("runs/small"), place.path("runs/small/workers/q"));
    let (out, apart) = (text(&folder), place.text("apart"));
    for (out, more) in [
        (&run, &["--games", "1"][..]),
        (&out, &["--shard-games", "1"]),
        (&out, &["--checkpoint", "data/nets/brandubh"]),
        (&run, &["--set", "loop.games=1"]),
        (&out, &["--generation", "0"]),
    ] {
        check_error(
            &place.run(&worker(out, more)),
            &format!("{run}: no run yet"),
        );
    }
    assert!(!place.path("runs").exists());
    let expected = format!("{apart}: not for a run, so there is no checkpoint to wait for");
    check_error(&place.run(&worker(&apart, &["--wait"])), &expected);
    // By itself it plays, and says who plays.
    for more in [&["--games", "1"][..], &["--set", "loop.games=1"]] {
        let ended = place.run(&worker(&apart, more));
        let said = succeeds(&ended) + &String::from_utf8_lossy(&ended.stderr);
        assert!(said.contains("an untrained network plays"), "{said}");
    }

    let mut plays = place.start(&worker(&out, &["--wait", "--shard-games", "2"]));
    plays.until_said("waiting for the run");
    let learns = learner(&place, &["loop.asynchronous.first_samples=1"]);
    succeeds(&learns.end());
    let ended = plays.end();
    let said = succeeds(&ended) + &String::from_utf8_lossy(&ended.stderr);
    for line in ["checkpoint 0 of small", "the run has its last checkpoint"] {
        assert!(said.contains(line), "no {line:?} in {said}");
    }
    // Nothing was played but by the run's own checkpoints.
    let said = succeeds(&place.run(&["run", "workers", &run]));
    assert!(!said.contains("put aside: "), "{said}");

    // Its games need no more, and no folder but its own gets them unasked.
    let late = place.run(&worker(&apart, &["--checkpoint", &run]));
    let said = succeeds(&late) + &String::from_utf8_lossy(&late.stderr);
    let expected = format!("the run {run} has its last checkpoint: without --games");
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_worker_that_is_purged_ends_and_says_so() {
    let place = Place::new();
    let _learns = learner(&place, &["loop.asynchronous.first_samples=1000000"]);
    let (run, folder) = (
        place.text("runs/small"),
        place.path("runs/small/workers/bob"),
    );
    let out = text(&folder);
    let options = ["--checkpoint", &run, "--shard-games", "1"];
    let plays = place.start(&worker(&out, &options));
    until("a shard", || {
        tafl_dataset::game_files(&folder).is_ok_and(|files| !files.is_empty())
    });
    succeeds(&place.run(&["run", "workers", &run, "--purge", "bob"]));
    let purged = |output: &Output| {
        let expected = format!("error: {run}: worker bob was purged");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(&expected), "{said}");
        assert_eq!(output.status.code(), Some(2), "{said}");
    };
    purged(&plays.end());
    assert_eq!(left_in_progress(&folder), 0);
    let games = games_in(&folder).len();
    // By the name of its folder, too.
    let other = [&options[..], &["--worker", "ann", "--games", "1"]].concat();
    purged(&place.run(&worker(&out, &other)));
    assert_eq!(games_in(&folder).len(), games);
}

#[test]
fn a_worker_of_a_run_plays_its_newest_checkpoint_and_ends_where_it_is_moved_away() {
    let place = Place::new();
    learner(&place, &["loop.asynchronous.first_samples=1000000"]).kill();
    let (run, moved) = (place.path("runs/small"), place.path("moved"));
    let out = text(&run);
    // One generation would belong to no worker.
    check_error(
        &place.run(&worker(&out, &["--generation", "0"])),
        &format!("{out}: a run, which takes in games of workers only"),
    );
    let plays = place.start(&worker(&out, &[]));
    until("a shard in progress", || !spooled(&run).is_empty());
    std::fs::rename(&run, &moved).expect("renamed");
    let ended = plays.end();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    for line in ["checkpoint 0 of small: ", "the run is no longer there"] {
        assert!(said.contains(line), "no {line:?} in {said}");
    }
    assert!(!run.exists());
    assert!(!spooled(&moved).is_empty());
}

#[test]
fn a_shard_is_written_when_it_is_old() {
    let place = Place::new();
    let (out, folder) = (place.text("out"), place.path("out"));
    let options = ["--shard-games", "1000000", "--shard-seconds", "1"];
    let mut plays = place.start(&worker(&out, &options));
    until("two shards", || {
        tafl_dataset::game_files(&folder).is_ok_and(|files| files.len() >= 2)
    });
    // Its status counts the plies of its games.
    let status = std::fs::read(folder.join(format!("{}.worker.json", machine(&folder))));
    let status: Value = serde_json::from_slice(&status.expect("it is there")).expect("JSON");
    assert!(status["positions"].as_u64() >= status["games"].as_u64());
    plays.signal("-TERM");
    assert_eq!(plays.end().status.code(), Some(130));
    assert_eq!(left_in_progress(&folder), 0);
}

/// The name of the one worker that wrote to a folder.
fn machine(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().display().to_string());
    let mut names = names.filter_map(|name| Some(name.strip_suffix(".worker.json")?.to_owned()));
    names.next().expect("a worker")
}

/// Starts a trainer that plays no games itself, and waits for the untrained network.
fn learner(place: &Place, changes: &[&str]) -> Started {
    let asynchronous = ["loop.generations=2", "loop.asynchronous.checkpoint_steps=2"];
    let changes = [&asynchronous, changes].concat();
    let learns = place.start(&[&training(&changes)[..], &["--workers-only"]].concat());
    let untrained = place.path("runs/small/checkpoints/000000/model.json");
    until("the untrained network", || untrained.exists());
    learns
}

#[test]
fn a_run_that_only_learns_plays_no_games() {
    let place = Place::new();
    let endless = ["loop.generations=1000", "loop.asynchronous.first_samples=1"];
    let mut learns = learner(&place, &endless);
    let (run, folder) = (place.text("runs/small"), place.path("runs/small"));
    let out = text(&folder.join("workers/other"));
    let options = [
        "--worker",
        "other",
        "--checkpoint",
        &run,
        "--shard-games",
        "2",
    ];
    let mut plays = place.start(&worker(&out, &options));
    until("two checkpoints", || {
        folder.join("checkpoints/000002").exists()
    });
    learns.kill();
    plays.signal("-TERM");
    assert_eq!(plays.end().status.code(), Some(130));
    assert!(!folder.join("games").exists(), "all games are the worker's");

    // The samples of a worker that searches otherwise join those of the run.
    let visits = ["--games", "1", "--set", "search.visits=7"];
    let ended = place.run(&worker(&out, &[&options[..4], &visits].concat()));
    let said = String::from_utf8_lossy(&ended.stderr);
    let expected = "warning: search.visits is 7 here and 4 in the run that learns from these games";
    assert_eq!(said.matches("warning: ").count(), 1, "{said}");
    assert!(said.contains(expected), "{said}");
    // They have arrived, and nobody has learned from them yet.
    let line = line_of(&place, &run, "other");
    let numbers: Vec<u64> = line
        .split_whitespace()
        .filter_map(|it| it.parse().ok())
        .collect();
    let [.., samples, learned_from] = numbers[..] else {
        panic!("{line}")
    };
    assert!(learned_from > 0 && samples > learned_from, "{line}");

    // Another run's network may be numbered beyond all that this run has.
    let foreign = ["--checkpoint", "brandubh", "--games", "1"];
    let ended = place.run(&worker(&out, &foreign));
    succeeds(&ended);
    let said = String::from_utf8_lossy(&ended.stderr);
    let expected =
        format!("plays for {run}, which has none of that number: it puts these games aside");
    assert!(said.contains("of another run, brandubh"), "{said}");
    assert!(said.contains(&expected), "{said}");

    let other = [
        "selfplay",
        "configs/smoke.toml",
        "--out",
        &out,
        "--games",
        "1",
    ];
    let expected = "the run does not learn ruleset copenhagen as this worker's config has it";
    check_error(&place.run(&other), &format!("{run}: {expected}"));
    check_error(
        &place.run(&["train", "configs/smoke.toml", "--workers-only"]),
        "--workers-only: the config has no [loop.asynchronous], so no worker can play for it",
    );
}

#[test]
fn a_worker_ends_with_its_run() {
    let place = Place::new();
    let learns = learner(&place, &["loop.asynchronous.first_samples=1"]);
    let (run, folder) = (
        place.text("runs/small"),
        place.path("runs/small/workers/other"),
    );
    let out = text(&folder);
    let options = ["--checkpoint", &run, "--shard-games", "2"];
    // It is named after its folder.
    let plays = place.start(&worker(&out, &options));
    succeeds(&learns.end());
    let ended = plays.end();
    let said = succeeds(&ended) + &String::from_utf8_lossy(&ended.stderr);
    for line in ["checkpoint 2 of small", "the run has its last checkpoint"] {
        assert!(said.contains(line), "no {line:?} in {said}");
    }
    assert_eq!(left_in_progress(&folder), 0);
    let line = line_of(&place, &run, "other");
    assert!(line.contains("ended"), "{line}");

    // One that comes later has nothing to do.
    let games = games_in(&folder).len();
    let late = place.run(&worker(&out, &[&options[..], &["--games", "1"]].concat()));
    let said = succeeds(&late) + &String::from_utf8_lossy(&late.stderr);
    assert!(said.contains("the run has its last checkpoint"), "{said}");
    assert_eq!(games_in(&folder).len(), games);

    // The page lists it, and is final as the run is.
    let said = succeeds(&place.run(&["report", &run, "--watch"]));
    assert!(said.contains("The run has its last checkpoint."), "{said}");
    let summary = std::fs::read(place.path("runs/small/summary.json")).expect("written");
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    let of_other = |worker: &&Value| worker["name"] == "other";
    let workers = summary["workers"].as_array().expect("a list");
    let other = workers.iter().find(of_other).expect("it played");
    assert_eq!(other["state"], "ended");
}

#[test]
fn a_worker_rests_while_its_checkpoint_does_not_change() {
    let place = Place::new();
    learner(&place, &["loop.asynchronous.first_samples=1000000"]).kill();
    let (run, folder) = (
        place.text("runs/small"),
        place.path("runs/small/workers/other"),
    );
    let out = text(&folder);
    let options = [
        "--worker",
        "other",
        "--checkpoint",
        &run,
        "--shard-games",
        "1",
        "--set",
        "loop.asynchronous.first_samples=0",
        "--set",
        "loop.asynchronous.checkpoint_steps=1",
        "--set",
        "loop.asynchronous.most_lag=100",
    ];
    let mut rests = place.start(&worker(&out, &options));
    until("rest", || {
        line_of(&place, &run, "other").contains("resting")
    });
    // Games that had begun go on to their ends; then there are no more of them.
    until("no game in progress", || {
        let before = games_in(&folder).len();
        std::thread::sleep(Duration::from_secs(2));
        games_in(&folder).len() == before
    });
    rests.signal("-TERM");
    let said = String::from_utf8_lossy(&rests.end().stderr).into_owned();
    assert!(
        said.contains("resting until there is a newer checkpoint"),
        "{said}"
    );
}

#[test]
fn a_run_that_is_asked_to_end_says_how_it_goes_on() {
    let place = Place::new();
    let arguments = training(&["loop.generations=1000"]);
    let mut run = place.start(&arguments);
    let checkpoint = place.path("runs/small/checkpoints/000001");
    until("a checkpoint", || checkpoint.exists());
    run.signal("-TERM");
    let ended = run.end();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("--resume"), "{said}");
    let folder = place.text("runs/small");
    succeeds(&place.run(&["run", "verify", &folder]));

    // Its page follows it until then.
    let mut watch = place.start(&["report", &folder, "--watch", "5"]);
    until("a page that loads itself again", || {
        let page = std::fs::read_to_string(place.path("runs/small/report.html"));
        page.is_ok_and(|page| page.contains("http-equiv=\"refresh\" content=\"5\""))
    });
    watch.signal("-INT");
    assert_eq!(watch.end().status.code(), Some(130));
}
