//! What is written is read back.

use crate::runs;
use crate::runs::{playouts::all_rules, provenance, records};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::BTreeMap;
use std::fs::{self, File};
use tafl_dataset::{
    DatasetError, games_path, read_games, read_samples, read_searched_games, write_generation,
};
use tafl_rules::Side;
use tafl_samples::{Ending, GameRecord, PlyRecord, Sample, SearchRecord, samples_of};

#[test]
fn games_and_samples_of_every_ruleset_come_back() {
    let rules = all_rules();
    let folder = tempfile::tempdir().unwrap();
    let (mut chains, mut ends, mut capped) = (0, 0, 0);
    for rules in &rules {
        let records = records(rules, 12);
        let written = write_generation(
            folder.path(),
            &records,
            std::slice::from_ref(rules),
            &provenance(3),
        )
        .unwrap();
        let read = read_samples(&games_path(folder.path(), 3)).unwrap();
        assert_eq!(read, written.samples);
        let played = records
            .iter()
            .flat_map(|record| samples_of(record, rules).unwrap());
        let played: Vec<Sample> = played.map(without_search).collect();
        let rounded = read.iter().cloned().map(without_search);
        assert_eq!(rounded.collect::<Vec<_>>(), played);
        let games = read_games(&games_path(folder.path(), 3)).unwrap();
        assert_eq!(
            games,
            records.iter().map(without_searches).collect::<Vec<_>>()
        );
        chains += read
            .iter()
            .filter(|sample| sample.facts.chain.is_some())
            .count();
        ends += read.iter().filter(|sample| sample.played.is_end()).count();
        capped += games
            .iter()
            .filter(|game| game.ending == Ending::CAPPED)
            .count();
    }
    assert!(
        chains > 0 && ends > 0 && capped > 0,
        "{chains} chains, {ends} ends, {capped} capped"
    );
}

fn without_search(sample: Sample) -> Sample {
    Sample {
        search: SearchRecord::default(),
        ..sample
    }
}

fn without_searches(record: &GameRecord) -> GameRecord {
    let plies = record
        .plies
        .iter()
        .map(|ply| PlyRecord {
            mv: ply.mv,
            search: None,
        })
        .collect();
    GameRecord {
        plies,
        ..record.clone()
    }
}

#[test]
fn rounding_stays_close_and_settles() {
    let rules = &all_rules()[..1];
    let folder = tempfile::tempdir().unwrap();
    let mut record = records(&rules[0], 1).remove(0);
    let exact = samples_of(&record, &rules[0]).unwrap();
    let write = |record: &GameRecord, generation| {
        let records = std::slice::from_ref(record);
        write_generation(folder.path(), records, rules, &provenance(generation)).unwrap()
    };
    let stored = write(&record, 0);
    for (exact, stored) in exact.iter().zip(&stored.samples) {
        for (mv, p) in &exact.search.policy {
            match stored.search.policy.iter().find(|(other, _)| other == mv) {
                Some((_, rounded)) => assert!((rounded / p - 1.0).abs() <= 1.0 / 32.0),
                None => assert!(*p < 1.0 / 2048.0),
            }
        }
        for (rounded, exact) in stored.search.wdl.iter().zip(exact.search.wdl) {
            assert!((rounded - exact).abs() < 2e-3);
        }
    }
    record = read_searched_games(&stored.path).unwrap().remove(0);
    assert_eq!(write(&record, 1).samples, stored.samples);
}

#[test]
fn two_writes_are_the_same_bytes_whatever_the_order_of_records() {
    let rules = all_rules();
    let folder = tempfile::tempdir().unwrap();
    let mut all: Vec<GameRecord> = rules.iter().flat_map(|rules| records(rules, 2)).collect();
    for (game_id, record) in (0..).zip(&mut all) {
        record.game_id = game_id;
    }
    let write = |records: &[GameRecord], name: &str| {
        let folder = folder.path().join(name);
        let written = write_generation(&folder, records, &rules, &provenance(0)).unwrap();
        fs::read(written.path).unwrap()
    };
    let first = write(&all, "first");
    all.reverse();
    assert!(first == write(&all, "second"), "the bytes differ");
}

#[test]
fn a_start_of_ones_own_and_a_game_without_plies_come_back() {
    let rules = &all_rules()[0];
    let folder = tempfile::tempdir().unwrap();
    let mut record = records(rules, 1).remove(0);
    record.plies.clear();
    record.opening_plies = 0;
    record.ending = Ending::CAPPED;
    record.start.side = Side::Defender;
    record.start.captureless = 17;
    let rules = std::slice::from_ref(rules);
    let written =
        write_generation(folder.path(), &[record.clone()], rules, &provenance(1)).unwrap();
    assert_eq!(read_games(&written.path).unwrap(), [record]);
    assert_eq!(read_samples(&written.path).unwrap(), []);
}

#[test]
fn a_record_of_other_rules_is_not_written() {
    let rules = all_rules();
    let folder = tempfile::tempdir().unwrap();
    let mut records = records(&rules[0], 2);
    let write = |records: &[GameRecord]| {
        write_generation(folder.path(), records, &rules[..1], &provenance(0)).unwrap_err()
    };
    records[1].ruleset_fingerprint ^= 1;
    assert!(matches!(write(&records), DatasetError::Record(_)));
    records[1].ruleset = "none".into();
    assert!(matches!(
        write(&records),
        DatasetError::UnknownRuleset { game_id: 1, .. }
    ));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_position_takes_at_most_150_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for rules in all_rules() {
        let records = records(&rules, 60);
        let rules = std::slice::from_ref(&rules);
        let written = write_generation(folder.path(), &records, rules, &provenance(0)).unwrap();
        let bytes = written.bytes as f64 / written.samples.len() as f64;
        assert!(
            bytes <= 130.0,
            "{}: {bytes:.1} bytes",
            rules[0].ruleset().name
        );
    }
}

#[test]
fn every_column_and_the_file_say_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 4, 2);
    let file = SerializedFileReader::new(File::open(written.path).unwrap()).unwrap();
    let about = file.metadata().file_metadata();
    let metadata = about.key_value_metadata().unwrap();
    let value = |key: &str| {
        metadata
            .iter()
            .find(|entry| entry.key == key)
            .unwrap()
            .value
            .clone()
    };
    let columns = value("taflforge.columns").unwrap();
    let columns: BTreeMap<String, String> = serde_json::from_str(&columns).unwrap();
    let names = about.schema().get_fields().iter();
    assert!(names.clone().all(|column| columns[column.name()].len() > 8));
    assert!(columns["ply"].ends_with("sort by generation, game_id and ply"));
    assert_eq!((columns.len(), names.count()), (42, 42));
    assert_eq!(value("taflforge.schema_version").unwrap(), "5");
    assert_eq!(value("taflforge.generation").unwrap(), "4");
    assert_eq!(value("taflforge.checkpoint").unwrap(), "000002");
    assert!(
        value("taflforge.rulesets")
            .unwrap()
            .contains("\"copenhagen\":\"")
    );
}
