//! Matches of a run that goes on by another config.

use crate::support::{config, trained};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tafl_training::{Begin, Run, Silent, matches_of, train};

/// A run of a small board whose last checkpoint plays the ladder.
const SMALL: [&str; 3] = [
    "rulesets=['brandubh']",
    "loop.games=4",
    "ladder.checkpoints=1",
];

/// Goes on with the run in a folder of data by other values.
fn resumed(data: &Path, changes: &[&str]) {
    let loaded = config("smoke.toml", changes);
    let run = Run::open(loaded, data, None, Begin::Resume, Arc::new(Silent));
    train(&run.expect("the run"), None).expect("it plays");
}

/// Returns what a run measured against the pool, by generation.
fn points(folder: &Path) -> BTreeMap<u32, f64> {
    let metrics = tafl_dataset::read_metrics(&folder.join("metrics.parquet"));
    let metrics = metrics.expect("readable").into_iter();
    metrics
        .filter(|it| it.name == "elo/pool/attackers")
        .map(|it| (it.generation, it.value))
        .collect()
}

#[test]
fn a_match_with_the_pool_goes_on_in_the_ladder_and_with_more_openings() {
    let data = tempfile::tempdir().expect("a folder");
    let with = |openings| [&SMALL[..], &["loop.generations=1", openings]].concat();
    let six = config("smoke.toml", &with("arena.openings=6"));
    let rules = six.rules.clone();
    let folder = trained(six, data.path(), "smoke");
    let against_random = || {
        let matches = matches_of(&folder, &rules).expect("readable").into_iter();
        let mut found = matches.filter(|it| it.players[1].to_string() == "random");
        found.next().expect("it was played").games
    };
    let (first, measured) = (against_random(), points(&folder));
    assert_eq!(first.len(), 12, "ten of them are of the pool");
    resumed(data.path(), &with("arena.openings=7"));
    let more = against_random();
    assert_eq!(more.len(), 14);
    assert_eq!(&more[..12], &first[..]);
    assert_eq!(points(&folder), measured);
}

#[test]
fn what_other_settings_measured_of_checkpoints_that_play_no_more_is_taken_back() {
    let data = tempfile::tempdir().expect("a folder");
    let small = [&SMALL[..], &["loop.generations=2", "arena.openings=1"]].concat();
    let folder = trained(config("smoke.toml", &small), data.path(), "smoke");
    let measured = points(&folder);
    let with = |changes: &[&'static str]| [&small[..], changes].concat();
    let generations = || points(&folder).into_keys().collect::<Vec<_>>();
    assert_eq!(generations(), [0, 1]);
    resumed(data.path(), &with(&["ladder.pool_every=2"]));
    assert_eq!(generations(), [0, 1], "nothing else was changed");
    let other = ["arena.max_plies=30", "ladder.pool_every=2"];
    resumed(data.path(), &with(&other));
    assert_eq!(generations(), [1]);
    // The matches of before count again.
    resumed(data.path(), &small);
    assert_eq!(points(&folder), measured);
}
