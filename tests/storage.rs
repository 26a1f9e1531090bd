//! What a run removes, what may be missing, and what must not have changed.

use crate::support::smoke::SMOKE;
use std::path::{Path, PathBuf};
use std::process::Output;
use tafl_dataset::{positions_in, read_games, read_metrics};
use tafl_network::load_card;
use tafl_store::{Manifest, RunSettings};

/// Four generations whose window holds little of them.
const WINDOW: [&str; 11] = [
    "--set",
    "ladder.pool=[]",
    "--set",
    "ladder.baselines=[]",
    "--set",
    "loop.generations=4",
    "--set",
    "replay.scale=0.01",
    "--set",
    "arena.openings=1",
    "--set",
];

/// A folder in which everything of a test lies.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        crate::support::run(self.0.path(), arguments)
    }
}

/// What a command said that succeeded, progress included.
fn succeeds(output: &Output) -> String {
    crate::support::succeeds(output) + &String::from_utf8_lossy(&output.stderr)
}

/// What a command said that failed.
fn fails(output: &Output) -> String {
    let said = [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it));
    assert!(!output.status.success(), "{said:?}");
    said.concat()
}

fn there(folder: &Path, names: &[&str]) -> Vec<bool> {
    names
        .iter()
        .map(|name| folder.join(name).exists())
        .collect()
}

const CHECKPOINTS: [&str; 5] = [
    "checkpoints/000000",
    "checkpoints/000001",
    "checkpoints/000002",
    "checkpoints/000003",
    "checkpoints/000004",
];

#[test]
fn a_run_removes_what_it_is_told_to_and_goes_on() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let train = [&["train"], &SMOKE[..], &WINDOW, &["keep=needed"]].concat();
    let said = succeeds(&place.run(&train));
    assert!(said.contains("removed 1 file's samples, "), "{said}");
    assert_eq!(
        there(&folder, &CHECKPOINTS),
        [true, false, false, true, true]
    );
    let samples = [0, 3].map(|generation| {
        let path = folder.join(format!("games/{generation:06}/games.parquet"));
        assert!(!read_games(&path).expect("readable").is_empty());
        positions_in(&path).expect("readable")
    });
    assert!(samples[0] == 0 && samples[1] > 0, "{samples:?}");
    let run = folder.display().to_string();
    let said = succeeds(&place.run(&["run", "verify", &run]));
    assert!(
        said.contains("3 without their samples: all are as they were written"),
        "{said}"
    );

    // Resumed it plays one generation more, and none of those again whose samples are gone.
    let games = folder.join("games/000000/games.parquet");
    let before = std::fs::metadata(&games).and_then(|about| about.modified());
    let more = [&train[..], &["--set", "loop.generations=5", "--resume"]].concat();
    let said = succeeds(&place.run(&more));
    assert!(said.contains("generation 5 of 5") && !said.contains("generation 4 of 5"));
    let after = std::fs::metadata(&games).and_then(|about| about.modified());
    assert_eq!(before.expect("a file"), after.expect("a file"));
    let card = load_card(&folder.join("checkpoints/000005")).expect("a card");
    assert_eq!(card.provenance.history.len(), 5);
    succeeds(&place.run(&["report", &run]));
}

#[test]
fn a_changed_file_is_refused_and_a_missing_one_is_not() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let train = [&["train"], &SMOKE[..], &WINDOW, &["ladder.checkpoints=0"]].concat();
    succeeds(&place.run(&train));
    let run = folder.display().to_string();
    succeeds(&place.run(&["run", "verify", &run]));
    let [first, second] = [0, 1].map(|it| folder.join(format!("games/00000{it}/games.parquet")));
    std::fs::copy(&second, &first).expect("a copy");
    let weights = folder.join("checkpoints/000001/weights.safetensors");
    let mut bytes = std::fs::read(&weights).expect("readable");
    *bytes.last_mut().expect("not empty") ^= 1;
    std::fs::write(&weights, bytes).expect("writable");
    let config = folder.join("config.toml");
    let stored = std::fs::read(&config).expect("readable");
    std::fs::write(&config, [&stored[..], b"# mine"].concat()).expect("writable");
    let said = fails(&place.run(&["run", "verify", &run]));
    for part in [
        "games/000000/games.parquet",
        "checkpoints/000001",
        "config.toml",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(said.contains("3 missing or damaged"), "{said}");
    std::fs::write(&config, stored).expect("writable");
    let more = [&train[..], &["--set", "loop.generations=5", "--resume"]].concat();
    let said = fails(&place.run(&more));
    assert!(
        said.contains("games/000000/games.parquet") && said.contains("hint"),
        "{said}"
    );
    std::fs::remove_file(&first).expect("removed");
    let said = succeeds(&place.run(&more));
    assert!(!said.contains("generation 1 of 5"), "{said}");
    let more = [&train[..], &["--set", "loop.generations=6", "--resume"]].concat();
    for (file, advice) in [
        ("checkpoints/000005/weights.safetensors", "or remove"),
        ("checkpoints/000005/optimizer.safetensors", "or remove"),
        ("checkpoints/000005/model.json", "or remove"),
        ("metrics.parquet", "or remove it"),
        ("manifest.json", "put manifest.json back"),
    ] {
        let path = folder.join(file);
        let whole = std::fs::read(&path).expect("readable");
        std::fs::write(&path, "damaged").expect("writable");
        let said = fails(&place.run(&more));
        assert!(said.contains(file) && said.contains(advice), "{said}");
        std::fs::write(&path, whole).expect("writable");
    }
    let card = folder.join("checkpoints/000005/model.json");
    let whole = std::fs::read(&card).expect("readable");
    std::fs::remove_file(&card).expect("removed");
    let said = fails(&place.run(&more));
    assert!(
        said.contains("000005/model.json") && said.contains("or remove"),
        "{said}"
    );
    std::fs::write(&card, whole).expect("writable");
    std::fs::remove_file(folder.join("metrics.parquet")).expect("removed");
    succeeds(&place.run(&more));
}

#[test]
fn nothing_of_a_run_is_lost_or_damaged_without_being_named() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let train = [&["train"], &SMOKE[..], &WINDOW, &["ladder.checkpoints=2"]].concat();
    succeeds(&place.run(&train));
    let run = folder.display().to_string();
    let sound = succeeds(&place.run(&["run", "verify", &run]));
    assert!(sound.contains("5 checkpoints checked"), "{sound}");
    let last = "checkpoints/000004";
    for file in [
        "checkpoints/000002/model.json",
        "checkpoints/000004/optimizer.safetensors",
        "checkpoints/000003/optimizer.safetensors",
        "checkpoints/000001/weights.safetensors",
        "metrics.parquet",
        last,
        "checkpoints",
    ] {
        let (path, aside) = (folder.join(file), place.path("aside"));
        std::fs::rename(&path, &aside).expect("moved");
        let named = if file == "checkpoints" { last } else { file };
        let finds = |how: &str| {
            let said = fails(&place.run(&["run", "verify", &run]));
            assert!(said.contains(named), "{file} {how}: {said}");
            assert!(
                said.contains("1 missing or damaged"),
                "{file} {how}: {said}"
            );
        };
        finds("missing");
        if aside.is_file() {
            std::fs::create_dir(&path).expect("made");
            finds("a folder");
            std::fs::remove_dir(&path).expect("removed");
            let mut bytes = std::fs::read(&aside).expect("readable");
            bytes.truncate(bytes.len() - 9);
            std::fs::write(&path, bytes).expect("written");
            finds("cut");
            std::fs::write(&path, "").expect("written");
            finds("empty");
            std::fs::remove_file(&path).expect("removed");
        }
        std::fs::rename(&aside, &path).expect("moved back");
    }
    assert_eq!(succeeds(&place.run(&["run", "verify", &run])), sound);
}

#[test]
fn the_rules_and_the_pool_of_a_run_are_those_that_it_began_with() {
    let place = Place::new();
    let (folder, own) = (place.path("runs/smoke"), place.path("mine.toml"));
    std::fs::write(&own, "base = \"brandubh\"\nking_armed = false\n").expect("written");
    let net = crate::support::root().join("data/nets/brandubh");
    let [rulesets, pool] = [
        format!("rulesets=[{own:?}]"),
        format!("ladder.pool=[{net:?}]"),
    ];
    let fields = [
        "ladder.checkpoints=0",
        "ladder.pool_every=1000",
        "loop.generations=1",
        rulesets.as_str(),
        pool.as_str(),
    ];
    let fields = fields.into_iter().flat_map(|field| ["--set", field]);
    let train: Vec<&str> = ["train"].into_iter().chain(SMOKE).chain(fields).collect();
    succeeds(&place.run(&train));
    let run = folder.display().to_string();
    let verify = || place.run(&["run", "verify", &run]);
    let said = succeeds(&verify());
    assert!(said.contains("all are as they were written"), "{said}");

    let resume = ["train", &run, "--resume", "--set", "loop.generations=2"];
    let kept = folder.join("rulesets/mine.toml");
    let text = std::fs::read_to_string(&kept).expect("readable");
    std::fs::write(&kept, format!("captureless_limit = 20\n{text}")).expect("written");
    let play = [
        "selfplay",
        &run,
        "--out",
        &place.path("out").display().to_string(),
    ]
    .map(str::to_owned);
    for output in [
        place.run(&resume),
        place.run(&play.each_ref().map(String::as_str)),
        verify(),
    ] {
        let said = fails(&output);
        let expected = "rulesets/mine.toml: not the rules with which the run began";
        assert!(said.contains(expected), "{said}");
    }
    std::fs::write(&kept, text).expect("written");

    // Another network, which is whole, in the place of that of the pool.
    let last = folder.join("checkpoints/000001");
    let swapped = folder.join("pool/brandubh");
    for file in ["model.json", "weights.safetensors"] {
        std::fs::copy(last.join(file), swapped.join(file)).expect("copied");
    }
    for output in [place.run(&resume), verify()] {
        let said = fails(&output);
        assert!(said.contains("pool/brandubh/"), "{said}");
    }
    std::fs::remove_dir_all(&swapped).expect("removed");
    let said = fails(&verify());
    assert!(said.contains("pool/brandubh"), "{said}");
}

#[test]
fn what_an_older_version_made_is_refused_in_one_line() {
    let place = Place::new();
    let folder = place.path("runs/old");
    std::fs::create_dir_all(&folder).expect("made");
    let run = folder.display().to_string();
    for kind in ["run", "study", "tournament"] {
        let manifest = format!("{{\"format\": 3, \"kind\": \"{kind}\"}}");
        std::fs::write(folder.join("manifest.json"), manifest).expect("written");
        for command in [&["report", &run][..], &["run", "verify", &run]] {
            let said = fails(&place.run(command));
            assert!(said.contains("expected format 4, found 3"), "{said}");
            assert!(
                said.contains("hint: the version of Taflforge that made it"),
                "{said}"
            );
            assert_eq!(said.contains("--from CHECKPOINT"), kind == "run", "{said}");
        }
    }
    std::fs::write(folder.join("model.json"), "{\"format\": 1}").expect("written");
    let said = fails(&place.run(&["export", &run, "--format", "onnx", "--output", "x"]));
    assert!(said.contains("checkpoint format 1"), "{said}");
    assert!(said.contains("hint: use it with the version"), "{said}");
}

#[test]
fn a_run_that_lacks_its_config_or_its_manifest_is_told_what_to_do() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let train = [&["train"], &SMOKE[..], &WINDOW, &["loop.generations=1"]].concat();
    succeeds(&place.run(&train));
    let run = folder.display().to_string();
    let resume = ["train", &*run, "--resume"];
    // TensorBoard's file is made anew, but a pipe waits for nobody.
    let more = [&resume[..], &["--set", "loop.generations=2"]].concat();
    let events = folder.join("tensorboard/events.out.tfevents.0.tafl");
    std::fs::remove_file(&events).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&events).status();
    assert!(made.expect("mkfifo").success());
    let said = fails(&place.run(&more));
    assert!(said.contains("tafl: not a regular file"), "{said}");
    std::fs::remove_file(&events).expect("removed");

    let aside = place.path("aside");
    let [config, manifest] = ["config.toml", "manifest.json"].map(|name| folder.join(name));
    std::fs::rename(&manifest, &aside).expect("moved");
    for command in [&train[..], &resume, &[&train[..], &["--resume"]].concat()] {
        let said = fails(&place.run(command));
        assert!(said.contains("a run without its manifest.json"), "{said}");
        assert!(said.contains("put manifest.json back"), "{said}");
    }
    std::fs::rename(folder.join("checkpoints"), place.path("checkpoints")).expect("moved");
    let said = fails(&place.run(&resume));
    assert!(said.contains("--run NAME starts"), "{said}");
    std::fs::rename(&aside, &manifest).expect("moved");

    std::fs::rename(&config, &aside).expect("moved");
    for command in [&resume[..], &["config", "show", &run]] {
        let said = fails(&place.run(command));
        assert!(said.contains("this folder has no config.toml"), "{said}");
        assert!(said.contains("--run smoke --resume` goes on"), "{said}");
    }
    std::fs::rename(place.path("checkpoints"), folder.join("checkpoints")).expect("moved");
    let said = fails(&place.run(&resume));
    assert!(said.contains("put the file back from a copy"), "{said}");
    let said = fails(&place.run(&["config", "show", &place.path("runs").display().to_string()]));
    assert!(said.contains("or the folder of a run"), "{said}");
    std::fs::rename(&aside, &config).expect("moved");
    let metrics = folder.join("metrics.parquet").display().to_string();
    let said = fails(&place.run(&["rules", "replay", &metrics]));
    assert!(
        said.contains("no file of games, but one of metrics"),
        "{said}"
    );
    assert!(!said.contains("hint"), "{said}");
}

#[test]
fn a_run_that_has_lost_checkpoints_says_so_when_it_goes_on() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    // The last checkpoint plays the first, and itself with one visit: two matches.
    let alone = [
        "loop.generations=2",
        "--set",
        "ladder.checkpoints=2",
        "--set",
        "ladder.baselines=[]",
    ];
    let train = [&["train"], &SMOKE[..], &WINDOW, &alone].concat();
    succeeds(&place.run(&train));
    let run = folder.display().to_string();
    let resume = || {
        let output = place.run(&["train", &run, "--resume"]);
        succeeds(&output);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(!resume().contains("missing"));
    let change = ["train", &run, "--resume", "--set", "ladder.pool_every=7"];
    succeeds(&place.run(&change));
    let last = folder.join("checkpoints/000002");
    let weights = std::fs::read(last.join("weights.safetensors")).expect("readable");
    std::fs::remove_dir_all(&last).expect("removed");
    let said = fails(&place.run(&["run", "verify", &run]));
    assert!(
        said.contains("000002: missing, but the run had it"),
        "{said}"
    );
    let said = resume();
    let expected = "missing: checkpoint 2, which the run had; it goes on from checkpoint 1. 2 matches of what is gone \
                    no longer count";
    assert!(said.contains(expected), "{said}");
    let played_again = "checkpoint 2 against checkpoint 0";
    assert!(said.contains(played_again), "{said}");
    assert!(!resume().contains("missing"));
    // What was measured again replaces what was measured first.
    let events = std::fs::read(folder.join("tensorboard/events.out.tfevents.0.tafl"));
    let (events, name) = (events.expect("events"), b"replay/positions_of_run");
    let points = events.windows(name.len()).filter(|it| it == name);
    assert_eq!(points.count(), 2, "one for each checkpoint");

    // From weights alone nothing goes on learning, so nothing is taken back of what may be put back from a copy.
    let matches = || std::fs::read_dir(folder.join("arena")).map(Iterator::count);
    let played = matches().expect("a folder");
    let before = folder.join("checkpoints/000001");
    std::fs::remove_dir_all(&last).expect("removed");
    std::fs::remove_file(before.join("optimizer.safetensors")).expect("removed");
    let said = fails(&place.run(&["train", &run, "--resume"]));
    let expected = format!("--run NAME --from {}", before.display());
    assert!(
        said.contains(&expected) && !said.contains("remove"),
        "{said}"
    );
    assert_eq!(matches().expect("a folder"), played);

    std::fs::remove_dir_all(folder.join("checkpoints")).expect("removed");
    let said = resume();
    assert!(
        said.contains("missing: all checkpoints, of which the run had 2"),
        "{said}"
    );
    let stages = Manifest::<RunSettings>::read(&folder).expect("a manifest");
    let stages = stages.settings.stages.iter();
    let counts_from: Vec<u32> = stages.map(|stage| stage.checkpoint).collect();
    assert_eq!(counts_from, [0], "what was changed counts for all");
    let again = std::fs::read(last.join("weights.safetensors")).expect("readable");
    assert_eq!(weights, again, "the same games teach the same");
}

#[test]
fn a_match_that_was_removed_is_played_again_and_the_report_goes_without_it() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let matches = ["ladder.checkpoints=2", "--set", "ladder.pool=['random']"];
    let train = [&["train"], &SMOKE[..], &WINDOW, &matches].concat();
    succeeds(&place.run(&train));
    let removed = ["000004-000000", "000002-random"];
    let removed = removed.map(|it| folder.join(format!("arena/{it}-brandubh.parquet")));
    let bytes = || {
        removed
            .each_ref()
            .map(|it| std::fs::read(it).expect("readable"))
    };
    let whole = bytes();
    let run = folder.display().to_string();
    let standings = || {
        succeeds(&place.run(&["report", &run]));
        let text = std::fs::read_to_string(folder.join("summary.json")).expect("readable");
        let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        summary["standings"].clone()
    };
    let before = standings();
    let games = folder.join("games/000000/games.parquet");
    for path in removed.iter().chain([&games]) {
        std::fs::remove_file(path).expect("removed");
    }
    let without = standings();
    assert_ne!(without, before);
    let verify = || place.run(&["run", "verify", &run]);
    let said = fails(&verify());
    assert!(said.contains("3 missing or damaged"), "{said}");
    let said = succeeds(&place.run(&[&train[..], &["--resume"]].concat()));
    for line in [
        "checkpoint 4 against checkpoint 0",
        "checkpoint 2 against random",
        &format!("missing: {}; ", games.display()),
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert_eq!(bytes(), whole);
    assert_eq!(standings(), before);
    // What is not played again is not missed, either.
    let said = succeeds(&verify());
    assert!(said.contains("; 1 removed ones are not missed"), "{said}");
}

#[test]
fn a_run_does_not_begin_where_games_are() {
    let place = Place::new();
    for games in ["games", "workers/q/games"] {
        let games = place
            .path("runs/smoke")
            .join(games)
            .join("000000/a.parquet");
        std::fs::create_dir_all(games.parent().expect("a folder")).expect("made");
        std::fs::write(&games, "").expect("written");
        let said = fails(&place.run(&[&["train"], &SMOKE[..]].concat()));
        let expected = format!("error: {}: games from before the run", games.display());
        assert!(said.contains(&expected), "{said}");
        std::fs::remove_file(games).expect("removed");
    }
}

#[test]
fn a_run_can_be_pruned_by_hand() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let train = [&["train"], &SMOKE[..], &WINDOW, &["ladder.checkpoints=2"]].concat();
    succeeds(&place.run(&train));
    assert_eq!(there(&folder, &CHECKPOINTS), [true; 5]);
    let run = folder.display().to_string();
    let positions = || {
        succeeds(&place.run(&["report", &run]));
        let text = std::fs::read_to_string(folder.join("summary.json")).expect("readable");
        let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        summary["positions"].clone()
    };
    let before = positions();
    let prune = [
        "run",
        "prune",
        &run,
        "--samples",
        "--checkpoint-every",
        "10",
    ];
    let said = succeeds(&place.run(&prune));
    assert!(
        said.contains("removed 2 checkpoints and 3 files' samples"),
        "{said}"
    );
    assert_eq!(
        there(&folder, &CHECKPOINTS),
        [true, false, false, true, true]
    );
    assert_eq!(positions(), before);
    let status = r#"{"name": "far", "program": "tafl 1", "state": "playing", "checkpoint": "1", "games": 0, "seconds": 1.0, "since_last_game": 1.0}"#;
    std::fs::write(folder.join("far.worker.json"), status).expect("written");
    let output = place.run(&prune);
    assert!(succeeds(&output).contains("nothing to remove"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("Note: at work there: far; "), "{said}");
    succeeds(&place.run(&["run", "verify", &run]));
    let more = [&train[..], &["--set", "loop.generations=5", "--resume"]].concat();
    succeeds(&place.run(&more));
}

#[test]
fn a_run_side_by_side_goes_on_without_the_games_of_a_worker() {
    let place = Place::new();
    let folder = place.path("runs/smoke");
    let fields = [
        "loop.asynchronous.checkpoint_steps=10",
        "--set",
        "loop.asynchronous.shard_games=3",
        "--set",
        "loop.asynchronous.first_samples=50",
        "--set",
        "ladder.checkpoints=0",
    ];
    let train = [&["train"], &SMOKE[..], &WINDOW, &fields].concat();
    succeeds(&place.run(&train));
    let card = load_card(&folder.join("checkpoints/000004")).expect("a card");
    let before = card.provenance.history;
    let run = folder.display().to_string();
    let learned: u64 = before.iter().map(|it| it.samples).sum();
    let said = succeeds(&place.run(&["run", "workers", &run]));
    let own = said.lines().find(|line| line.starts_with("train "));
    let words: Vec<&str> = own.expect("its own").split_whitespace().collect();
    // What came after the last checkpoint is there, and not learned from.
    let counts: Vec<u64> = words[7..9]
        .iter()
        .filter_map(|it| it.parse().ok())
        .collect();
    assert_eq!(counts[1], learned, "{said}");
    assert!(counts[0] >= learned, "{said}");
    // As if a worker's folder was thrown away to free the disk.
    std::fs::remove_dir_all(folder.join("games/000000")).expect("removed");
    let more = [&train[..], &["--set", "loop.generations=5", "--resume"]].concat();
    let said = succeeds(&place.run(&more));
    assert!(
        said.contains("missing: ") && said.contains("games/000000/"),
        "{said}"
    );
    let card = load_card(&folder.join("checkpoints/000005")).expect("a card");
    assert_eq!(card.provenance.history[..4], before[..]);
    let metrics = read_metrics(&folder.join("metrics.parquet")).expect("readable");
    let measured = metrics.iter().filter(|it| it.name == "selfplay/games");
    let learned = card.provenance.history.iter().map(|it| it.games);
    assert_eq!(
        measured.map(|it| it.value as u64).collect::<Vec<_>>(),
        learned.collect::<Vec<_>>()
    );
    let said = succeeds(&place.run(&["run", "verify", &run]));
    assert!(said.contains("removed ones are not missed"), "{said}");
    let said = succeeds(&place.run(&["run", "workers", &run]));
    let own = said.lines().find(|line| line.starts_with("train "));
    assert!(own.is_some_and(|line| line.contains("ended")), "{said}");
    for (name, expected) in [
        ("nobody", "--purge: no worker nobody; there are: none"),
        ("train", "--purge: train is the run itself, which would "),
    ] {
        let said = fails(&place.run(&["run", "workers", &run, "--purge", name]));
        assert!(said.contains(expected), "{said}");
    }
}
