//! Files damaged at random, shards and manifests: every reader answers with what it read or with an error, never with a
//! panic or by taking all memory.
//!
//! A thousand of each; `TAFL_SLOW=1` goes on for ten minutes.

mod damage;
mod runs;
#[path = "runs/settings.rs"]
mod settings;

use damage::damaged;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use settings::settings;
use std::fs;
use std::path::Path;
use tafl_dataset::{
    Manifest, Replay, RunSettings, Store, StoreKind, Verified, WindowConfig, check_shard_size,
    game_seeds, games_in, positions_in, read_games, read_samples,
};

/// Returns the same rows as another program would write them: without checksums, so that damage reaches the decoder.
fn without_checksums(path: &Path) -> Vec<u8> {
    let file = fs::File::open(path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let mut entries = builder
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .clone();
    entries.retain(|entry| entry.key != "ARROW:schema");
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(entries))
        .build();
    let batch = builder.build().unwrap().next().unwrap().unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn damaged_samples_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let whole = without_checksums(&written.samples_path);
    let path = folder.path().join("samples.parquet");
    let window = WindowConfig::default();
    damaged(&whole, |bytes| {
        fs::write(&path, bytes).unwrap();
        // As a trainer meets a shard: sizes first, and what is too large is not read.
        if check_shard_size(&written.games_path, &path).is_ok() {
            let _ = read_samples(&path);
            let _ = Replay::new(window, 1).window_of_files(std::slice::from_ref(&path), 0);
        }
        let _ = positions_in(&path);
    });
}

#[test]
fn damaged_games_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let whole = without_checksums(&written.games_path);
    let path = folder.path().join("games.parquet");
    damaged(&whole, |bytes| {
        fs::write(&path, bytes).unwrap();
        if check_shard_size(&path, &written.samples_path).is_ok() {
            let _ = read_games(&path);
            let _ = game_seeds(std::slice::from_ref(&path));
        }
        let _ = games_in(&path);
    });
}

#[test]
fn damaged_manifests_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let store = Store::create(folder.path(), settings()).unwrap();
    store.enter(&[&written.games_path]).unwrap();
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
