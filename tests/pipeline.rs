//! `tafl train` on a CPU, twice: the same samples and weights, readable files, what is printed.

use crate::support::compare::assert_same;
use crate::support::contents::contents;
use crate::support::smoke::SMOKE;
use crate::support::{root, run, succeeds};
use std::path::Path;

fn train(data: &Path) -> String {
    let output = run(data, &["train", "configs/smoke.toml"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("the replay window holds"), "{said}");
    succeeds(&output)
}

#[test]
fn one_seed_gives_the_same_samples_and_weights_twice() {
    let (one, other) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    let tables = [train(one.path()), train(other.path())];
    let runs = [one.path(), other.path()].map(|data| data.join("runs/smoke"));
    assert_same(&runs[0], &runs[1]);
    check_table(&tables[0]);
    check_files(&runs[0]);
}

#[test]
fn every_stage_is_printed_with_its_numbers() {
    let data = tempfile::tempdir().expect("a folder");
    let arguments = [
        "train",
        "configs/smoke.toml",
        "--set=rulesets=['brandubh']",
        "--set=loop.generations=1",
        "--set=replay.held_out_fraction=0.3",
    ];
    let output = run(data.path(), &arguments);
    succeeds(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    for word in [
        "self-play",
        "training",
        "held out",
        "calibration error attackers",
        "match",
        "times so far",
    ] {
        assert!(said.contains(word), "no {word:?} in\n{said}");
    }
}

#[test]
fn a_run_that_cannot_learn_is_told_why() {
    let data = tempfile::tempdir().expect("a folder");
    let smoke = std::fs::read_to_string(root().join("configs/smoke.toml")).expect("readable");
    let mut smoke = smoke.replace("generations = 2", "generations = 1");
    for (from, to) in [
        ("max_plies = 120\ncheap", "max_plies = 6\ncheap"),
        ("batch_size = 32", "batch_size = 4096"),
        ("checkpoints = 2", "checkpoints = 0"),
    ] {
        smoke = smoke.replace(from, to);
    }
    let config = data.path().join("it.toml").display().to_string();
    std::fs::write(&config, &smoke).expect("written");
    let said = succeeds(&run(data.path(), &["config", "check", &config]));
    let expected = "a step of 4096 samples learns from those of a generation, 96 at most, more often than 5 times";
    assert!(said.contains(expected), "{said}");

    let few =
        "so few training steps, 1 at most, never leave the 2 of trainer.learning_rate.warmup_steps";
    assert!(said.contains(few), "{said}");

    let output = run(
        data.path(),
        &["train", &config, "--set", "replay.minimum=1"],
    );
    succeeds(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("raise replay.minimum = 1"), "{said}");
    let reasons = [
        "all games were cut at selfplay.max_plies = 6, so nobody won",
        "one step of loop.batch_size = 4096 draws ",
    ];
    let is_told = |text: &str| reasons.iter().all(|reason| text.contains(reason));
    assert!(is_told(&said), "{said}");
    let folder = data.path().join("runs/smoke");
    succeeds(&run(
        data.path(),
        &["report", &folder.display().to_string()],
    ));
    let summary = std::fs::read_to_string(folder.join("summary.json")).expect("written");
    assert!(is_told(&summary), "no reason in the summary");
}

#[test]
fn steps_that_are_too_large_are_told() {
    let data = tempfile::tempdir().expect("a folder");
    let train = |peak: &str| {
        let (name, peak) = (
            format!("peak-{peak}"),
            format!("trainer.learning_rate.peak={peak}"),
        );
        let changes = ["--set", "ladder.checkpoints=0", "--set", &peak];
        let words = [&["train", "--run", &name], &SMOKE[..], &changes].concat();
        let output = run(data.path(), &words);
        succeeds(&output);
        let folder = data.path().join("runs").join(&name);
        succeeds(&run(
            data.path(),
            &["report", &folder.display().to_string()],
        ));
        let summary = std::fs::read_to_string(folder.join("summary.json")).expect("written");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        [said, summary]
    };
    let warned = |text: &String| text.contains("a lower trainer.learning_rate.peak");
    assert!(!train("0.004").iter().any(warned));
    let [said, summary] = train("50");
    assert!(warned(&said) && warned(&summary), "{said}");
    // Of the last generation all tell the same number.
    let told = |text: &str| {
        let (before, after) = text.rsplit_once(" loss is ").expect("a warning");
        let part = before.rsplit(' ').next().expect("a word").to_owned();
        let loss = after.split(',').next().expect("a number");
        format!("{part} loss {loss}")
    };
    assert_eq!(told(&said), told(&summary));
    assert!(said.contains(&format!("{} (", told(&said))), "{said}");
}

/// The table names the random mover and the first and last checkpoint, and where the run lies.
fn check_table(table: &str) {
    for expected in ["random", "checkpoint 0", "checkpoint 2", "±", "runs/smoke"] {
        assert!(table.contains(expected), "no {expected:?} in\n{table}");
    }
}

fn check_files(run: &Path) {
    let files = contents(run, &|_| true);
    for name in ["config.toml", "manifest.json", "metrics.parquet"] {
        assert!(
            files.contains_key(name),
            "{name} is missing: {:?}",
            files.keys()
        );
    }
    assert!(
        files.keys().any(|name| name.contains("tfevents")),
        "no TensorBoard events"
    );
    assert!(
        files.keys().all(|name| !name.contains("tmp")),
        "left over: {:?}",
        files.keys()
    );
    let mut samples = 0;
    for name in files.keys().filter(|name| name.starts_with("games/")) {
        let path = run.join(name);
        let of_file = tafl_dataset::read_samples(&path).expect("readable");
        samples += of_file.len();
        assert!(
            !tafl_dataset::read_games(&path)
                .expect("readable")
                .is_empty()
        );
    }
    assert!(samples > 50, "{samples} samples");
}
