//! Small runs to test on.

#[path = "../../../tafl-samples/tests/playouts/mod.rs"]
pub(crate) mod playouts;

use std::path::Path;
use std::sync::Arc;
use tafl_dataset::{Provenance, WrittenGeneration, write_generation};
use tafl_rules::Rules;
use tafl_samples::GameRecord;

pub(crate) fn provenance(generation: u32) -> Provenance {
    Provenance {
        run: "test".into(),
        generation,
        checkpoint: "000002".into(),
        config_sha256: "ab".repeat(32),
        weights_sha256: None,
    }
}

/// Random games of at most 120 plies.
pub(crate) fn records(rules: &Arc<Rules>, games: u64) -> Vec<GameRecord> {
    (0..games)
        .map(|game_id| playouts::random_record(rules, game_id, 120))
        .collect()
}

/// Writes random games as a generation.
pub(crate) fn generation(folder: &Path, generation: u32, games: u64) -> WrittenGeneration {
    let (records, rules) = brandubh_games(generation, games);
    write_generation(folder, &records, &rules, &provenance(generation)).unwrap()
}

/// Random games of a generation, and all rules.
pub(crate) fn brandubh_games(generation: u32, games: u64) -> (Vec<GameRecord>, Vec<Arc<Rules>>) {
    let rules = playouts::all_rules();
    let brandubh = rules
        .iter()
        .find(|rules| rules.ruleset().name == "brandubh")
        .unwrap();
    let mut records = records(brandubh, games);
    for record in &mut records {
        record.generation = generation;
    }
    (records, rules)
}
