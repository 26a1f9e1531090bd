//! What strangers wrote is taken only where it is what its games give by the rules.

#[path = "damage/rewritten.rs"]
mod rewritten;
mod runs;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt32Type};
use arrow_array::{Array, ArrayRef, Float32Array, ListArray, RecordBatch, StructArray};
use arrow_array::{UInt16Array, UInt32Array};
use arrow_select::take::take;
use rewritten::rewrite;
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::{
    Provenance, read_checked, read_games, read_samples, without_searches, write_generation,
};
use tafl_samples::GameRecord;

fn with_column(batch: &RecordBatch, name: &str, column: ArrayRef) -> RecordBatch {
    let place = batch.schema().index_of(name).unwrap();
    let mut columns = batch.columns().to_vec();
    columns[place] = column;
    RecordBatch::try_new(batch.schema(), columns).unwrap()
}

/// What is said of a shard in which the rows to learn from were changed.
fn refused(shard: &Path, change: impl FnOnce(&RecordBatch) -> RecordBatch) -> String {
    let other = shard.with_extension("other");
    rewrite(shard, &other, change, |_| ());
    let rules = runs::playouts::all_rules();
    read_checked(&other, &rules).unwrap_err().to_string()
}

#[test]
fn a_shard_of_games_by_the_rules_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    for rules in runs::playouts::all_rules() {
        let (records, rules) = (runs::records(&rules, 5), [rules]);
        let written =
            write_generation(folder.path(), &records, &rules, &runs::provenance(0)).unwrap();
        let (games, samples) = read_checked(&written.path, &rules).unwrap();
        assert!(samples == written.samples && samples.len() > 20);
        let moves = |game: &GameRecord| game.plies.iter().map(|ply| ply.mv).collect::<Vec<_>>();
        assert!(games.iter().map(moves).eq(records.iter().map(moves)));
    }
}

/// The columns in which a game says of itself what nothing contradicts, and what searches said within its range.
const BELIEVED: [&str; 5] = [
    "root_wdl",
    "network_wdl",
    "visits",
    "prior_divergence",
    "checkpoint",
];

#[test]
fn two_values_of_a_column_do_not_change_places_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 6);
    let mut swapped = 0;
    let names = columns(&written.path);
    for name in &names {
        let mut has_two = false;
        let other = folder.path().join("other.parquet");
        rewrite(
            &written.path,
            &other,
            |batch| {
                let column = batch.column_by_name(name).unwrap();
                let differs = |row: &usize| column.slice(*row, 1) != column.slice(0, 1);
                let Some(row) = (1..column.len()).find(differs) else {
                    return batch.clone();
                };
                has_two = true;
                let mut rows: Vec<u32> = (0..).take(column.len()).collect();
                rows.swap(0, row);
                let rows = UInt32Array::from(rows);
                with_column(batch, name, take(column, &rows, None).unwrap())
            },
            |_| (),
        );
        let checked = read_checked(&other, &runs::playouts::all_rules());
        let is_believed = !has_two || BELIEVED.contains(&name.as_str());
        assert_eq!(checked.is_ok(), is_believed, "{name}");
        swapped += usize::from(has_two);
    }
    assert!(swapped > 25, "{swapped} of {} columns", names.len());
}

fn columns(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let keep = |batch: &RecordBatch| {
        names = batch
            .schema()
            .fields()
            .iter()
            .map(|it| it.name().clone())
            .collect();
        batch.clone()
    };
    rewrite(path, &path.with_extension("same"), keep, |_| ());
    names
}

/// Numbers with another one in the first row.
fn with_first(batch: &RecordBatch, name: &str, first: f64) -> RecordBatch {
    let column = batch.column_by_name(name).unwrap();
    let changed: ArrayRef = match column.as_primitive_opt::<UInt32Type>() {
        Some(numbers) => {
            let rest = numbers.iter().skip(1);
            Arc::new(UInt32Array::from_iter(
                [Some(first as u32)].into_iter().chain(rest),
            ))
        }
        None => {
            let rest = column.as_primitive::<Float32Type>().iter().skip(1);
            Arc::new(Float32Array::from_iter(
                [Some(first as f32)].into_iter().chain(rest),
            ))
        }
    };
    with_column(batch, name, changed)
}

/// The policies with all moves or probabilities changed.
fn with_policies(
    batch: &RecordBatch,
    mv: impl Fn(u16) -> u16,
    p: impl Fn(f32) -> f32,
) -> RecordBatch {
    let lists: &ListArray = batch.column_by_name("policy").unwrap().as_list();
    let entries: &StructArray = lists.values().as_struct();
    let moves = entries
        .column(0)
        .as_primitive::<arrow_array::types::UInt16Type>();
    let shares = entries.column(1).as_primitive::<Float32Type>();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt16Array::from_iter_values(
            moves.values().iter().map(|it| mv(*it)),
        )),
        Arc::new(Float32Array::from_iter_values(
            shares.values().iter().map(|it| p(*it)),
        )),
    ];
    let entries = StructArray::new(entries.fields().clone(), columns, None);
    let item = match lists.data_type() {
        arrow_schema::DataType::List(item) => Arc::clone(item),
        other => panic!("{other}"),
    };
    let lists = ListArray::new(item, lists.offsets().clone(), Arc::new(entries), None);
    with_column(batch, "policy", Arc::new(lists))
}

#[test]
fn what_a_search_cannot_have_said_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let shard = runs::generation(folder.path(), 0, 3).path;
    let number = |name, first| refused(&shard, |batch| with_first(batch, name, first));
    let said = [
        (number("occurrences", 0.0), "`occurrences` is not"),
        (number("captureless", 4e9), "`captureless` is not"),
        (number("final_attackers", 4e9), "`final_attackers` is not"),
        (number("plies", 4e9), "column `plies`"),
        (number("ply", 4e9), "column `ply`"),
        (number("visits", f64::from(u32::MAX)), "4294967295 visits"),
        (number("prior_divergence", 1e38), "a prior divergence"),
        (
            refused(&shard, |batch| with_policies(batch, |mv| mv, |p| p * 0.25)),
            "policy: probabilities sum to",
        ),
        (
            refused(&shard, |batch| with_policies(batch, |mv| mv + 1, |p| p)),
            "policy",
        ),
        (
            refused(&shard, |batch| {
                with_policies(batch, |mv| mv, |p| if p < 0.9 { p * 1.001 } else { p })
            }),
            "`policy` is not what the game gives",
        ),
    ];
    for (said, expected) in said {
        assert!(said.contains(expected), "{said}, expected {expected}");
        assert!(
            said.starts_with(shard.parent().unwrap().to_str().unwrap()),
            "{said}"
        );
    }
}

#[test]
fn games_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let swapped = refused(&written.path, |batch| {
        let rows: Vec<u32> = [1, 0]
            .into_iter()
            .chain(2..batch.num_rows() as u32)
            .collect();
        let rows = UInt32Array::from(rows);
        let played = batch.column_by_name("played").unwrap();
        with_column(batch, "played", take(played, &rows, None).unwrap())
    });
    assert!(swapped.contains("game "), "{swapped}");
    let lost = refused(&written.path, |batch| batch.slice(1, batch.num_rows() - 1));
    assert!(lost.contains("row groups part after"), "{lost}");
    let twice = refused(&written.path, |batch| {
        let rows: Vec<u32> = (0..batch.num_rows() as u32).map(|row| row.max(1)).collect();
        let rows = UInt32Array::from(rows);
        let columns = batch.columns().iter();
        let columns = columns.map(|column| take(column, &rows, None).unwrap());
        RecordBatch::try_new(batch.schema(), columns.collect()).unwrap()
    });
    assert!(twice.contains("column `ply`"), "{twice}");
    let rules = runs::playouts::all_rules();
    let other: Vec<_> = rules
        .into_iter()
        .filter(|rules| rules.ruleset().name != "brandubh")
        .collect();
    let foreign = read_checked(&written.path, &other).unwrap_err().to_string();
    assert!(foreign.contains("has ruleset \"brandubh\""), "{foreign}");
}

#[test]
fn two_games_of_one_number_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (mut records, rules) = runs::brandubh_games(0, 2);
    records[1].game_id = records[0].game_id;
    let provenance: Provenance = runs::provenance(0);
    let error = write_generation(folder.path(), &records, &rules, &provenance).unwrap_err();
    assert_eq!(error.to_string(), "two games have the number 0");
}

#[test]
fn without_searches_the_games_stay() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 4, 5);
    let games = read_games(&written.path).unwrap();
    let thin = folder.path().join("thin.parquet");
    std::fs::write(&thin, without_searches(&written.path).unwrap()).unwrap();
    assert_eq!(read_games(&thin).unwrap(), games);
    assert_eq!(read_samples(&thin).unwrap(), []);
    // Once more nothing changes.
    let again = without_searches(&thin).unwrap();
    assert!(again == std::fs::read(&thin).unwrap(), "the bytes differ");
    assert!((again.len() as u64) < written.bytes);
}
