//! The whole loop on a CPU, twice: the same samples and weights, readable files, a table at the end.

#[path = "support/compare.rs"]
mod compare;
mod support;

use compare::{assert_same, contents};
use std::collections::BTreeMap;
use std::path::Path;
use support::{run, succeeds};
use tafl_training::LoopMode;

fn train(data: &Path) -> String {
    succeeds(&run(data, &["train", "configs/smoke.toml"]))
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

/// The numbers of a run, by name, in the order in which they were measured.
fn metrics(run: &Path) -> BTreeMap<String, Vec<f64>> {
    let mut numbers: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let path = run.join("metrics.parquet");
    for metric in tafl_dataset::read_metrics(&path).expect("readable") {
        numbers.entry(metric.name).or_default().push(metric.value);
    }
    numbers
}

#[test]
fn held_out_games_surprise_and_proven_results_work_together() {
    let data = tempfile::tempdir().expect("a folder");
    let arguments = [
        "train",
        "configs/smoke.toml",
        "--set=rulesets=['brandubh']",
        "--set=replay.held_out_fraction=0.3",
        "--set=replay.surprise_share=0.5",
        "--set=replay.value_surprise_share=0.1",
        "--set=targets.proven_results=true",
        "--set=ladder.checkpoints=0",
        "--set=ladder.opponents=[]",
    ];
    let output = run(data.path(), &arguments);
    succeeds(&output);
    let said = String::from_utf8_lossy(&output.stderr);
    for line in ["times so far", "held out", "calibration error"] {
        assert!(said.contains(line), "no {line:?} in\n{said}");
    }
    let metrics = metrics(&data.path().join("runs/smoke"));
    for side in ["attackers", "defenders"] {
        for number in [
            "policy_loss",
            "policy_accuracy",
            "value_loss",
            "calibration_error",
        ] {
            let name = format!("held_out/{number}/{side}");
            assert_eq!(metrics[&name].len(), 2, "{name}: one for each generation");
        }
        let positions = metrics[&format!("held_out/positions/{side}")][1];
        let binned = (0..10).filter_map(|tenth| {
            let name = format!("held_out/calibration_positions/{side}/{tenth}");
            metrics.get(&name)?.last().copied()
        });
        assert!(positions > 0.0 && binned.sum::<f64>() <= positions * 2.0);
    }
    let of_run = |name: &str| metrics[name].last().copied().expect("two generations");
    let all = of_run("replay/positions_of_run");
    let held_out = of_run("replay/held_out_positions");
    assert!(
        held_out > 0.0 && held_out < all / 2.0,
        "{held_out} of {all}"
    );
    assert!(metrics["replay/reuse"].iter().all(|&reuse| reuse > 1.0));
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
    for name in files.keys().filter(|name| name.starts_with("samples/")) {
        samples += tafl_dataset::read_samples(&run.join(name))
            .expect("readable")
            .len();
    }
    assert!(samples > 50, "{samples} samples");
    for name in files.keys().filter(|name| name.starts_with("games/")) {
        assert!(
            !tafl_dataset::read_games(&run.join(name))
                .expect("readable")
                .is_empty()
        );
    }
}

/// What makes a run take seconds and changes nothing in what is done.
const SMALL: [&str; 15] = [
    "device='cpu'",
    "precision='f32'",
    "loop.generations=2",
    "loop.batch_size=32",
    "network.blocks=1",
    "network.channels=8",
    "search.visits=4",
    "runner.parallel_games=8",
    "runner.workers=2",
    "selfplay.max_plies=40",
    "arena.openings=1",
    "arena.visits=2",
    "arena.max_plies=20",
    "ladder.checkpoints=2",
    "ladder.baselines=['random']",
];

/// The same of configs whose loop is asynchronous.
const SMALL_ASYNCHRONOUS: [&str; 3] = [
    "loop.asynchronous.checkpoint_steps=2",
    "loop.asynchronous.shard_games=4",
    "loop.asynchronous.first_samples=40",
];

/// The same of configs whose loop is synchronous.
const SMALL_SYNCHRONOUS: [&str; 1] = ["loop.synchronous.games=10"];

/// Returns the changes that make a config small and leave its loop what it is.
fn small(config: &Path) -> Vec<&'static str> {
    let loaded = tafl_training::load(config, &[]).expect("a sound config");
    let of_loop = match loaded.config.training_loop.mode {
        LoopMode::Synchronous(_) => &SMALL_SYNCHRONOUS[..],
        LoopMode::Asynchronous(_) => &SMALL_ASYNCHRONOUS[..],
    };
    [&SMALL[..], of_loop].concat()
}

#[test]
fn every_config_that_ships_learns_and_is_measured_when_it_is_small() {
    let folder = support::root().join("configs");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort_unstable();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        let data = tempfile::tempdir().expect("a folder");
        let config = format!("configs/{name}");
        let changes = small(&folder.join(&name));
        let changes = changes.iter().flat_map(|change| ["--set", change]);
        let arguments: Vec<&str> = ["train", &config].into_iter().chain(changes).collect();
        let table = succeeds(&run(data.path(), &arguments));
        assert!(table.contains("checkpoint 2 "), "{name}: {table}");
        let run_folder = data
            .path()
            .join("runs")
            .join(name.trim_end_matches(".toml"));
        let text = std::fs::read_to_string(run_folder.join("config.toml")).expect("readable");
        let stored: toml::Table = text.parse().expect("TOML");
        let rulesets = stored["rulesets"].as_array().expect("a list").len();
        let mut played = std::collections::BTreeSet::new();
        for path in tafl_dataset::sample_files(&run_folder).expect("readable") {
            let samples = tafl_dataset::read_samples(&path).expect("readable");
            played.extend(samples.into_iter().map(|sample| sample.ruleset));
        }
        assert_eq!(played.len(), rulesets, "{name} plays all its rulesets");
    }
}

#[test]
fn a_run_begins_with_the_weights_of_another_and_says_so() {
    let data = tempfile::tempdir().expect("a folder");
    let train = |run_name: &str, more: &[&str]| {
        let small = ["--set=loop.generations=1", "--set=loop.synchronous.games=4"];
        let none = ["--set=ladder.checkpoints=0", "--set=ladder.opponents=[]"];
        let first = ["train", "configs/smoke.toml", "--run", run_name];
        run(data.path(), &[&first[..], &small, &none, more].concat())
    };
    succeeds(&train("first", &[]));
    let checkpoint = data.path().join("runs/first/checkpoints/000001");
    let from = checkpoint.display().to_string();
    succeeds(&train(
        "second",
        &["--from", &from, "--set=trainer.reply_weight=0.1"],
    ));
    let checkpoints = data.path().join("runs/second/checkpoints");
    let load = |path: &Path| tafl_network::load_network(path).expect("a checkpoint");
    let (network, card) = load(&checkpoint);
    let (begun, begun_card) = load(&checkpoints.join("000000"));
    for (name, weights) in network.weights() {
        assert_eq!(begun.weights()[name], *weights, "{name}");
    }
    let origin = tafl_network::Origin::of(&card);
    assert_eq!((&*origin.run, origin.generation), ("first", 1));
    assert_eq!(begun_card.provenance.origin, Some(origin.clone()));
    let (_, last) = load(&checkpoints.join("000001"));
    assert_eq!(last.provenance.origin, Some(origin));

    let refused = train("third", &["--from", &from, "--set=network.channels=24"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        !data.path().join("runs/third").exists(),
        "nothing was begun"
    );
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("a network of another size: ") && said.contains("channels:24"),
        "{said}"
    );
}
