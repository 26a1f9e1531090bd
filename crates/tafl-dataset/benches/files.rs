//! Bytes a position on disk, by column, and microseconds to write and read one.
#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

#[path = "../../tafl-samples/tests/playouts/mod.rs"]
mod playouts;

use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tafl_dataset::{Provenance, read_samples, write_generation};
use tafl_rules::Rules;

fn main() {
    assert_eq!(playouts::all_rules().len(), 7);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["copenhagen", "berserk-2024", "brandubh"] {
        measure(name, folder.path());
    }
}

fn measure(name: &str, folder: &Path) {
    let rules = Rules::preset(name).expect("a preset");
    let records: Vec<_> = (0..120)
        .map(|game_id| playouts::random_record(&rules, game_id, 200))
        .collect();
    let provenance = Provenance {
        run: "bench".into(),
        generation: 1,
        checkpoint: "000001".into(),
        config_sha256: "0".repeat(64),
    };
    let start = Instant::now();
    let written = write_generation(folder, &records, &[Arc::clone(&rules)], &provenance)
        .expect("a written generation");
    let positions = written.samples.len() as f64;
    let entries: usize = written
        .samples
        .iter()
        .map(|sample| sample.policy.len())
        .sum();
    let write_us = start.elapsed().as_secs_f64() * 1e6 / positions;
    let start = Instant::now();
    let read = read_samples(&written.samples_path).expect("readable samples");
    let read_us = start.elapsed().as_secs_f64() * 1e6 / positions;
    assert_eq!(read, written.samples);
    println!(
        "{name}: {positions} positions of {:.1} policy moves: {:.1} bytes a position (games {:.2}), write {write_us:.1} us, read {read_us:.1} us",
        entries as f64 / positions,
        written.samples_bytes as f64 / positions,
        written.games_bytes as f64 / positions,
    );
    let file = File::open(&written.samples_path).expect("the file");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    for column in reader.metadata().row_group(0).columns() {
        let bytes = column.compressed_size() as f64 / positions;
        println!("  {:7.2} {}", bytes, column.column_path().string());
    }
}
