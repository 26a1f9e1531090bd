//! Files damaged at random, shards and manifests: every reader answers with what it read or with an error, never with a
//! panic or by taking all memory.
//!
//! Three hundred of each; `TAFL_SLOW=1` goes on for ten minutes.

use crate::damage::damaged;
use crate::rewritten::rewrite;
use crate::runs;
use crate::settings::settings;
use std::fs;
use std::path::Path;
use tafl_dataset::{
    Replay, WindowConfig, check_shard, counts_in, game_seeds, positions_in, read_checked,
    read_games, read_samples, without_searches,
};
use tafl_store::{Manifest, RunSettings, Store, StoreKind, Verified};

/// Returns a file's bytes as another program would write them.
fn without_checksums(path: &Path) -> Vec<u8> {
    let copy = path.with_extension("rewritten");
    rewrite(path, &copy, |_| (), |_| {});
    fs::read(copy).unwrap()
}

#[test]
fn damaged_games_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let rules = runs::playouts::all_rules();
    let whole = without_checksums(&written.path);
    let path = written.path.with_file_name("damaged.parquet");
    let window = WindowConfig::default();
    let checkpoint = folder.path().join("checkpoints/000000");
    fs::create_dir_all(&checkpoint).unwrap();
    let card = r#"{"provenance": {"run": "test"}, "sha256": {}}"#;
    fs::write(checkpoint.join("model.json"), card).unwrap();
    assert!(check_shard(&written.path, folder.path()).is_ok());
    damaged(&whole, |bytes| {
        fs::write(&path, bytes).unwrap();
        // As a trainer meets a shard: sizes first, and what is too large is not read.
        if check_shard(&path, folder.path()).is_ok() {
            let _ = read_samples(&path);
            let _ = read_games(&path);
            let _ = read_checked(&path, &rules);
            let _ = without_searches(&path);
            let _ = Replay::new(window, 1).window_of_files(std::slice::from_ref(&path), 0);
            let _ = game_seeds(std::slice::from_ref(&path));
        }
        let _ = (positions_in(&path), counts_in(&path));
    });
}

#[test]
fn damaged_manifests_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let store = Store::create(folder.path(), settings()).unwrap();
    store.enter(&[&written.path]).unwrap();
    drop(store);
    let path = folder.path().join("manifest.json");
    let whole = fs::read(&path).unwrap();
    damaged(&whole, |bytes| {
        fs::write(&path, bytes).unwrap();
        let _ = StoreKind::of_folder(folder.path());
        let _ = Manifest::<RunSettings>::read(folder.path());
        let _ = Verified::of(folder.path());
    });
}
