//! The replay window keeps the latest positions and draws the same for the same seed.

use crate::runs;
use crate::settings::settings;
use std::collections::BTreeSet;
use std::path::Path;
use tafl_dataset::{
    DatasetError, Feed, Replay, ReplayWindow, Span, WindowConfig, game_files, games_path,
    positions_in, read_games, write_shard,
};
use tafl_samples::{Batch, Sample, TargetConfig};
use tafl_store::{RunSettings, Store, StoreError};

const FIXED: WindowConfig = WindowConfig {
    minimum: 300,
    scale: 0.0,
    maximum: 300,
    held_out_fraction: 0.0,
};

#[test]
fn sizes_follow_the_law() {
    let config = WindowConfig {
        minimum: 250_000,
        scale: 0.4,
        maximum: 20_000_000,
        ..FIXED
    };
    assert_eq!(config.size(0), 0);
    assert_eq!(config.size(250_000), 250_000);
    // 250,000 * (1 + 0.4 * (4^0.75 - 1) / 0.75) = 250,000 * 1.975161
    assert_eq!(config.size(1_000_000), 493_790);
    assert_eq!(
        WindowConfig {
            maximum: 400_000,
            ..config
        }
        .size(1_000_000),
        400_000
    );
    assert_eq!(
        WindowConfig {
            scale: 0.0,
            ..config
        }
        .size(1_000_000),
        250_000
    );
}

#[test]
fn numbers_that_contradict_each_other_are_refused_by_name() {
    assert_eq!(FIXED.check(), Ok(()));
    let config = WindowConfig {
        maximum: 299,
        ..FIXED
    };
    let reason = "299 is less than `minimum`, 300".to_owned();
    assert_eq!(config.check(), Err(("maximum", reason)));
}

/// Makes a run with generations of a few games each.
fn write_run(folder: &Path, generations: u32) -> (Store<RunSettings>, Vec<Sample>) {
    let store = Store::create(folder, settings()).unwrap();
    let mut all = Vec::new();
    for generation in 0..generations {
        let written = runs::generation(folder, generation, 3);
        let path = &written.path;
        assert_eq!(positions_in(path).unwrap(), written.samples.len() as u64);
        store.enter(&[path]).unwrap();
        all.extend(written.samples);
    }
    (store, all)
}

/// Returns every position that the window draws from, the oldest first.
fn held(window: &ReplayWindow) -> Vec<Sample> {
    let mut indices = window.draw(window.len(), 5);
    indices.sort();
    window.read(&indices).unwrap()
}

#[test]
fn the_window_holds_the_latest_positions() {
    let folder = tempfile::tempdir().unwrap();
    let (store, all) = write_run(folder.path(), 5);
    let growing = WindowConfig {
        minimum: 150,
        scale: 0.5,
        maximum: 10_000,
        ..FIXED
    };
    for config in [FIXED, growing] {
        let replay = Replay::new(config, 1);
        for generations in 1..=5 {
            let window = replay.window_of_store(&store, generations).unwrap();
            let so_far = &all[..usize::try_from(window.total()).unwrap()];
            assert_eq!(window.len() as u64, config.size(window.total()));
            assert_eq!(held(&window), so_far[so_far.len() - window.len()..]);
        }
        let window = replay.window_of_store(&store, 5).unwrap();
        assert_eq!(window.total(), all.len() as u64);
        assert!(window.len() < all.len());
    }
}

#[test]
fn drawn_positions_are_read_in_their_order_and_as_often_as_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (store, all) = write_run(folder.path(), 3);
    let config = WindowConfig {
        minimum: 10_000,
        maximum: 10_000,
        ..FIXED
    };
    let replay = Replay::new(config, 1);
    let window = replay.window_of_store(&store, 3).unwrap();
    let mut order = window.draw(window.len(), 1);
    order.sort();
    let drawn = window.draw(2 * all.len() + 7, 2);
    let read = window.read(&drawn).unwrap();
    assert_eq!(read.len(), drawn.len());
    for (index, sample) in drawn.iter().zip(&read) {
        let place = order.binary_search(index).unwrap();
        assert_eq!(*sample, all[place]);
    }
    let few = window.read(&drawn[..3]).unwrap();
    assert_eq!(few, read[..3]);
    assert_eq!(window.read(&[]).unwrap(), []);
}

#[test]
fn shards_of_two_workers_make_one_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<Sample> = Vec::new();
    for (generation, name) in [(3, "a-0"), (3, "b-0"), (4, "a-1")] {
        let (records, rules) = runs::brandubh_games(generation, 2);
        let provenance = runs::provenance(generation);
        let written = write_shard(folder.path(), name, &records, &rules, &provenance).unwrap();
        assert_eq!(read_games(&written.path).unwrap().len(), 2);
        all.extend(written.samples);
    }
    let half = folder.path().join("games/000003/c-0.parquet.tmp");
    std::fs::write(half, b"half a fi").unwrap();
    let files = game_files(folder.path()).unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["000003/a-0", "000003/b-0", "000004/a-1"].map(|name| format!("games/{name}.parquet"))
    );
    let window = Replay::new(FIXED, 1).window_of_files(&files, 0).unwrap();
    assert_eq!(window.total(), all.len() as u64);
    assert_eq!(held(&window), all[all.len() - window.len()..]);
    assert_eq!(game_files(&folder.path().join("none")).unwrap().len(), 0);
}

/// Flips a bit in the middle of a file, long enough after it was written to be seen in its time.
fn damage(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[100] ^= 1;
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(&new, path).unwrap();
}

#[test]
fn a_damaged_file_is_not_learned_from() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = write_run(folder.path(), 1);
    let replay = Replay::new(FIXED, 1);
    let window = replay.window_of_store(&store, 1).unwrap();
    let drawn = window.draw(5, 1);
    assert_eq!(window.read(&drawn).unwrap().len(), 5);
    let path = games_path(folder.path(), 0);
    damage(&path);
    let error = window.read(&drawn).unwrap_err().to_string();
    assert!(
        error.contains("has changed since it was verified"),
        "{error}"
    );
    let again = replay.window_of_store(&store, 1);
    assert!(matches!(
        again,
        Err(DatasetError::Store(StoreError::Damaged { .. }))
    ));
    assert!(replay.window_of_files(&[path], 0).is_err());
    let other = Replay::new(FIXED, 1);
    assert!(other.window_of_store(&store, 1).is_err());
}

#[test]
fn a_draw_passes_through_all_before_it_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let replay = Replay::new(FIXED, 1);
    let empty = replay.window_of_files(&[], 0).unwrap();
    assert!(empty.is_empty() && empty.draw(3, 1).is_empty());
    let (store, _) = write_run(folder.path(), 1);
    let window = replay.window_of_store(&store, 1).unwrap();
    let len = window.len();
    let drawn = window.draw(2 * len + 3, 11);
    assert_eq!(drawn.len(), 2 * len + 3);
    for pass in drawn.chunks(len) {
        let mut pass = pass.to_vec();
        pass.sort();
        assert!(pass.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert_eq!(drawn, window.draw(2 * len + 3, 11));
    assert_ne!(drawn, window.draw(2 * len + 3, 12));
}

#[test]
fn held_out_games_are_never_drawn_and_stay_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (store, all) = write_run(folder.path(), 12);
    let config = WindowConfig {
        minimum: 10_000,
        maximum: 10_000,
        held_out_fraction: 0.3,
        ..FIXED
    };
    let window = |seed, generations| {
        let replay = Replay::new(config, seed);
        let window = replay.window_of_store(&store, generations);
        window.unwrap()
    };
    let of = |samples: &[Sample]| -> Vec<(u64, u32)> {
        samples.iter().map(|s| (s.game_id, s.ply)).collect()
    };
    let whole = window(1, 12);
    let held_out = whole.read_held_out(usize::MAX).unwrap();
    let learned = held(&whole);
    assert_eq!(held_out.len(), whole.held_out_len());
    assert_eq!(held_out.len() + learned.len(), all.len());
    // Generations play the same random games here, but other ones are held out in each.
    let share = held_out.len() as f64 / all.len() as f64;
    assert!((0.1..0.6).contains(&share), "{share} held out");
    let games: BTreeSet<u64> = held_out.iter().map(|sample| sample.game_id).collect();
    assert_eq!(games.len(), 3);
    let earlier = window(1, 7).read_held_out(usize::MAX).unwrap();
    assert_eq!(of(&earlier), of(&held_out)[..earlier.len()]);
    assert_ne!(
        of(&window(2, 12).read_held_out(usize::MAX).unwrap()),
        of(&held_out)
    );
    let latest = whole.read_held_out(10).unwrap();
    assert_eq!(latest, held_out[held_out.len() - 10..]);
    let replay = Replay::new(config, 1);
    let of_files = (0..12).map(|generation| {
        let path = games_path(folder.path(), generation);
        replay.positions_to_learn(&path).unwrap()
    });
    assert_eq!(of_files.sum::<u64>(), learned.len() as u64);
    assert!(replay.positions_to_learn(Path::new("elsewhere")).is_err());
}

#[test]
fn batches_are_fed_in_order_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = write_run(folder.path(), 2);
    let window = Replay::new(FIXED, 1).window_of_store(&store, 2);
    let window = window.unwrap();
    let rules = runs::playouts::all_rules();
    let targets = TargetConfig {
        value_lambda: 0.5,
        proven_results: true,
    };
    let feed = Feed {
        rules: &rules,
        targets: &targets,
        batch_size: 32,
        seed: &|batch| batch as u64 + 100,
    };
    let drawn = window.draw(32 * 11 + 5, 3);
    let mut batches: Vec<Batch> = Vec::new();
    let fed: Result<(), DatasetError> = window.feed(&drawn, &feed, |batch| {
        batches.push(batch);
        Ok(())
    });
    fed.unwrap();
    assert_eq!(batches.len(), 12);
    for (number, (batch, drawn)) in batches.iter().zip(drawn.chunks(32)).enumerate() {
        let samples = window.read(drawn).unwrap();
        let samples: Vec<&Sample> = samples.iter().collect();
        let expected = Batch::new(&samples, &rules, &targets, number as u64 + 100).unwrap();
        assert!(*batch == expected, "batch {number} differs");
    }
    // Whoever stops taking batches gets his reason back.
    let mut taken = 0;
    let stopped = window.feed(&drawn, &feed, |_| {
        taken += 1;
        Err(DatasetError::Store(StoreError::Damaged {
            path: "none".into(),
            reason: "enough".into(),
        }))
    });
    assert!(
        matches!(stopped, Err(DatasetError::Store(StoreError::Damaged { reason, .. })) if reason == "enough")
    );
    assert_eq!(taken, 1);
    let of_others = Feed {
        rules: &rules[..1],
        ..feed
    };
    let refused: Result<(), DatasetError> = window.feed(&drawn, &of_others, |_| Ok(()));
    assert!(matches!(refused, Err(DatasetError::Batch(_))));
}

#[test]
fn reuse_is_draws_a_position_of_the_window() {
    let stretch = |new_positions, drawn| Span {
        new_positions,
        drawn,
    };
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
    assert_eq!(FIXED.reuse(&[]), 0.0);
    close(FIXED.reuse(&[stretch(100, 400)]), 4.0);
    // All 200 are held: the first 100 were drawn 400 times alone, then all 200 together 400 times.
    close(FIXED.reuse(&[stretch(100, 400), stretch(100, 400)]), 4.0);
    // 300 of 400 are held: of the first 200 half are left, drawn twice each; then 300 are drawn 600 times.
    let drawn = FIXED.reuse(&[stretch(200, 400), stretch(200, 600)]);
    close(drawn, (100.0 * 2.0 + 600.0) / 300.0);
}
