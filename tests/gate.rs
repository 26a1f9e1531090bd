//! The gate: checkpoints that are turned down do not play, in either loop and in workers; training goes on.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use support::{run, succeeds};
use tafl_dataset::{read_games, read_metrics, sample_files};
use tafl_network::load_card;

/// A test that only players who win nearly all games pass.
const NOBODY_PASSES: &str =
    "loop.gate.test={ elo0 = 700.0, elo1 = 1000.0, alpha = 0.2, beta = 0.2 }";

/// A test that only players who lose nearly all games fail.
const EVERYBODY_PASSES: &str =
    "loop.gate.test={ elo0 = -1000.0, elo1 = -700.0, alpha = 0.2, beta = 0.2 }";

/// Small games, three checkpoints, and no matches but the gate's.
const SMALL: [&str; 11] = [
    "rulesets=[\"brandubh\"]",
    "precision=\"f32\"",
    "loop.generations=3",
    "loop.gate.openings=20",
    "loop.asynchronous.first_samples=10",
    "selfplay.games=6",
    "selfplay.workers=1",
    "selfplay.past_opponent_fraction=0.5",
    "ladder.opponents=[]",
    "ladder.baselines=[]",
    "ladder.checkpoints=0",
];

fn with<'a>(command: &'a str, changes: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![command, "configs/smoke.toml"];
    for change in SMALL.iter().chain(changes) {
        arguments.extend(["--set", change]);
    }
    arguments.extend(more);
    arguments
}

/// Everyone who played in the self-play of each generation that there is.
fn players(folder: &Path) -> BTreeSet<(u32, String)> {
    let mut players = BTreeSet::new();
    for path in sample_files(folder).expect("a folder") {
        let name = path.strip_prefix(folder.join("samples")).expect("below it");
        let (first, second) = (name.iter().next(), name.iter().nth(1));
        let file = second.expect("a file").to_str().expect("text");
        let file = file.replace("samples.parquet", "games.parquet");
        let games = folder
            .join("games")
            .join(first.expect("a folder"))
            .join(file);
        for game in read_games(&games).expect("readable") {
            players.insert((game.generation, game.attackers));
            players.insert((game.generation, game.defenders));
        }
    }
    players
}

/// Whether each of the three checkpoints was accepted, as files and metrics say.
fn accepted(folder: &Path) -> [bool; 3] {
    let metrics = read_metrics(&folder.join("metrics.parquet")).expect("readable");
    [1, 2, 3].map(|checkpoint| {
        let path = folder.join(format!("gate/{checkpoint:06}.json"));
        let text = std::fs::read_to_string(path).expect("a ruling");
        let ruling: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let is_its = |metric: &&tafl_dataset::Metric| {
            metric.generation == checkpoint - 1 && metric.name == "gate/accepted"
        };
        let metric = metrics.iter().find(is_its).expect("a metric");
        let accepted = ruling["accepted"].as_bool().expect("a truth");
        assert_eq!(metric.value > 0.0, accepted);
        accepted
    })
}

fn named(players: &[(u32, u32)]) -> BTreeSet<(u32, String)> {
    let name = |&(generation, checkpoint)| (generation, format!("checkpoint {checkpoint}"));
    players.iter().map(name).collect()
}

#[test]
fn checkpoints_that_are_turned_down_do_not_play_but_are_trained_on() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let folder = place.join("runs/smoke");
    succeeds(&run(place, &with("train", &[NOBODY_PASSES], &[])));
    assert_eq!(accepted(&folder), [false; 3]);
    assert_eq!(players(&folder), named(&[(0, 0), (1, 0), (2, 0)]));
    let steps = [0, 1, 2, 3].map(|checkpoint| {
        let folder = folder.join(format!("checkpoints/{checkpoint:06}"));
        load_card(&folder).expect("a checkpoint").steps
    });
    assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");

    // A worker of another process takes the last one that passed.
    let of = |name: &str| place.join(name).display().to_string();
    let (source, out) = (of("runs/smoke"), of("out"));
    let more = ["--checkpoint", &source, "--out", &out, "--games", "3"];
    succeeds(&run(place, &with("selfplay", &[], &more)));
    assert_eq!(players(&place.join("out")), named(&[(0, 0)]));

    // Resuming asks no one again.
    let said = run(place, &with("train", &[NOBODY_PASSES], &["--resume"]));
    assert!(!String::from_utf8_lossy(&said.stderr).contains("loses to"));
    succeeds(&said);
}

#[test]
fn checkpoints_that_pass_play_and_meet_older_ones() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let folder = place.join("runs/smoke");
    succeeds(&run(place, &with("train", &[EVERYBODY_PASSES], &[])));
    assert_eq!(accepted(&folder), [true; 3]);
    let players = players(&folder);
    assert!(
        players.is_superset(&named(&[(0, 0), (1, 0), (1, 1), (2, 2)])),
        "{players:?}"
    );
    assert!(
        players
            .iter()
            .any(|it| *it == (2, "checkpoint 0".into()) || *it == (2, "checkpoint 1".into()))
    );
}

#[test]
fn the_asynchronous_loop_asks_the_gate_too() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let folder = place.join("runs/smoke");
    let changes = ["loop.mode=\"asynchronous\"", NOBODY_PASSES];
    succeeds(&run(place, &with("train", &changes, &[])));
    assert_eq!(accepted(&folder), [false; 3]);
    assert_eq!(players(&folder), named(&[(0, 0)]));
}
