//! Bytes a position on disk, by column, and microseconds to write and read one.
#![expect(clippy::print_stdout, reason = "a bench reports on stdout")]

#[path = "../../tafl-samples/tests/playouts/mod.rs"]
mod playouts;

use parquet::file::reader::{FileReader, SerializedFileReader};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tafl_dataset::{Provenance, read_samples, write_generation};
use tafl_rules::{Game, Move, Rules};
use tafl_samples::GameRecord;

fn main() {
    assert_eq!(playouts::all_rules().len(), 7);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["copenhagen", "berserk-2024", "brandubh"] {
        let rules = Rules::preset(name).expect("a preset");
        let mut records: Vec<_> = (0..120)
            .map(|game_id| playouts::random_record(&rules, game_id, 200))
            .collect();
        measure(name, &rules, &records, folder.path());
        records.iter_mut().for_each(|record| widen(record, &rules));
        measure(
            &format!("{name}, every legal move"),
            &rules,
            &records,
            folder.path(),
        );
    }
}

/// Gives every policy all legal moves, with logits that a move keeps from ply to ply and some noise.
fn widen(record: &mut GameRecord, rules: &Arc<Rules>) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(record.game_id);
    let mut game = Game::new(Arc::clone(rules));
    let mut moves = Vec::new();
    for ply in &mut record.plies {
        game.legal_moves(&mut moves);
        let mut weight = |mv: &Move| {
            let lasting = mv.policy_index(rules.shape()).0 % 97;
            let noise: f32 = (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0;
            (f32::from(lasting) / 97.0 * 4.0 + 0.5 * noise).exp()
        };
        let weights: Vec<f32> = moves.iter().map(&mut weight).collect();
        let sum: f32 = weights.iter().sum();
        if let Some(search) = &mut ply.search {
            search.policy = moves
                .iter()
                .zip(&weights)
                .map(|(&mv, w)| (mv, w / sum))
                .collect();
        }
        game.play_unchecked(ply.mv);
    }
}

fn measure(name: &str, rules: &Arc<Rules>, records: &[GameRecord], folder: &Path) {
    let provenance = Provenance {
        run: "bench".into(),
        generation: 1,
        checkpoint: "000001".into(),
        config_sha256: "0".repeat(64),
        weights_sha256: None,
    };
    let start = Instant::now();
    let written = write_generation(folder, records, &[Arc::clone(rules)], &provenance)
        .expect("a written generation");
    let positions = written.samples.len() as f64;
    let entries: usize = written
        .samples
        .iter()
        .map(|sample| sample.search.policy.len())
        .sum();
    let write_us = start.elapsed().as_secs_f64() * 1e6 / positions;
    let start = Instant::now();
    let read = read_samples(&written.path).expect("readable samples");
    let read_us = start.elapsed().as_secs_f64() * 1e6 / positions;
    assert_eq!(read, written.samples);
    println!(
        "{name}: {positions} positions of {:.1} policy moves: {:.1} bytes a position, write {write_us:.1} us, read {read_us:.1} us",
        entries as f64 / positions,
        written.bytes as f64 / positions,
    );
    let file = File::open(&written.path).expect("the file");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    for column in reader.metadata().row_group(0).columns() {
        let bytes = column.compressed_size() as f64 / positions;
        println!("  {:7.2} {}", bytes, column.column_path().string());
    }
}
