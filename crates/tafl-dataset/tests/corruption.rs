//! Damaged files are refused, by name, column and row, and never panic.

#[path = "damage/rewritten.rs"]
mod rewritten;
mod runs;
#[path = "runs/settings.rs"]
mod settings;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Int8Array, ListArray,
    RecordBatch, StringArray, StructArray, UInt8Array, UInt16Array, UInt32Array,
};
use arrow_schema::{DataType, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rewritten::rewrite;
use settings::settings;
use std::fs::{self, File};
use std::sync::Arc;
use tafl_dataset::{
    DatasetError, positions_in, read_games, read_metrics, read_samples, record_metrics,
};
use tafl_store::{RunSettings, Store, StoreError};

const VERSION: &str = "taflforge.schema_version";

/// Replaces a column, letting it have nulls.
fn with_column(batch: &RecordBatch, name: &str, column: ArrayRef) -> RecordBatch {
    let index = batch.schema().index_of(name).unwrap();
    let fields: Vec<_> = batch
        .schema()
        .fields()
        .iter()
        .map(|f| (**f).clone())
        .collect();
    let mut fields = fields;
    fields[index] = fields[index]
        .clone()
        .with_data_type(column.data_type().clone())
        .with_nullable(true);
    let mut columns = batch.columns().to_vec();
    columns[index] = column;
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

#[test]
fn a_truncated_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = runs::generation(folder.path(), 0, 3).path;
    let bytes = fs::read(&path).unwrap();
    for keep in [0, 3, 8, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..keep]).unwrap();
        let error = read_samples(&path).unwrap_err();
        assert!(
            error.to_string().starts_with(&path.display().to_string()),
            "{error}"
        );
    }
    fs::write(&path, [&[0; 300][..], &[255; 4], b"PAR1"].concat()).unwrap();
    assert!(read_samples(&path).is_err() && positions_in(&path).is_err());
    fs::write(&path, [&[0; 300][..], &[8, 0, 0, 0], b"PAR1"].concat()).unwrap();
    assert!(read_samples(&path).is_err() && positions_in(&path).is_err());
    fs::remove_file(&path).unwrap();
    let error = read_samples(&path).unwrap_err().to_string();
    assert!(error.ends_with("no such file or folder"), "{error}");
}

#[test]
fn a_flipped_bit_is_noticed_and_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 3);
    let store = Store::create(folder.path(), settings()).unwrap();
    store.enter(&[&written.path]).unwrap();
    drop(store);
    let store = Store::<RunSettings>::open(folder.path()).unwrap();
    store.verified(&written.path).unwrap();
    let bytes = fs::read(&written.path).unwrap();
    let mut unharmed = 0;
    for at in (0..bytes.len())
        .step_by(7)
        .chain(bytes.len() - 200..bytes.len())
    {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&written.path, damaged).unwrap();
        // A damaged mark leaves a file without checksums, whose rows are those that were written.
        if let Ok(samples) = read_samples(&written.path) {
            assert_eq!(samples, written.samples, "byte {at}");
            unharmed += 1;
        }
        let _ = positions_in(&written.path);
        if at % 5 == 0 {
            let error = store.verified(&written.path).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }));
        }
    }
    assert!(unharmed <= 8, "{unharmed} bytes that nothing depends on");
}

/// The rows without some columns.
fn without(batch: &RecordBatch, names: &[&str]) -> RecordBatch {
    let keep: Vec<usize> = (0..batch.num_columns())
        .filter(|&i| !names.contains(&batch.schema().field(i).name().as_str()))
        .collect();
    batch.project(&keep).unwrap()
}

#[test]
fn another_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let same = |batch: &RecordBatch| batch.clone();

    rewrite(&written.path, &other, same, |_| ());
    assert_eq!(read_samples(&other).unwrap(), written.samples);

    rewrite(&written.path, &other, same, |entries| {
        entries
            .iter_mut()
            .find(|entry| entry.key == VERSION)
            .unwrap()
            .value = Some("4".into());
    });
    let error = read_samples(&other).unwrap_err().to_string();
    let expected = "expected `games` of schema version 5, found `games` of schema version 4";
    assert!(error.ends_with(expected), "{error}");

    rewrite(&written.path, &other, same, |entries| {
        entries.retain(|entry| !entry.key.starts_with("taflforge.schema"));
    });
    let other_schema = |it| matches!(it, DatasetError::OtherSchema { .. });
    assert!(other_schema(read_samples(&other).unwrap_err()));
    assert!(other_schema(read_games(&other).unwrap_err()));
    assert!(read_metrics(&written.path).is_err());
    assert!(record_metrics(&written.path, 0, "loss", &[]).is_err());

    for name in ["visits", "reply", "proven_outcome"] {
        let drop = |batch: &RecordBatch| without(batch, &[name]);
        rewrite(&written.path, &other, drop, |_| ());
        let error = read_samples(&other).unwrap_err().to_string();
        let expected = format!("column `{name}` is missing");
        assert!(error.ends_with(&expected), "{error}");
    }

    let retype = |batch: &RecordBatch| {
        let column = UInt32Array::from(vec![1; batch.num_rows()]);
        with_column(batch, "played", Arc::new(column))
    };
    rewrite(&written.path, &other, retype, |_| ());
    let error = read_samples(&other).unwrap_err().to_string();
    assert!(
        error.ends_with("column `played` is of type UInt32 instead of UInt16"),
        "{error}"
    );
}

/// Columns of as many rows as a batch has, each with something wrong in row 1.
fn bad_columns(batch: &RecordBatch) -> Vec<(&'static str, ArrayRef)> {
    let rows = batch.num_rows();
    let u16s = |bad: u16| -> ArrayRef { Arc::new(UInt16Array::from(in_row_1(rows, bad, 6))) };
    let u32s = |bad: Option<u32>| -> ArrayRef {
        Arc::new(UInt32Array::from(in_row_1(rows, bad, Some(1))))
    };
    let i8s = |bad: i8| -> ArrayRef { Arc::new(Int8Array::from(in_row_1(rows, bad, 0))) };
    let f32s = |bad: f32| -> ArrayRef { Arc::new(Float32Array::from(in_row_1(rows, bad, 0.5))) };
    let board = |bad: &'static str| -> ArrayRef {
        let good = "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3";
        Arc::new(StringArray::from(in_row_1(rows, bad, good)))
    };
    vec![
        ("side", words(&in_row_1(rows, "white", "attackers"))),
        ("reason", words(&in_row_1(rows, "resigned", "captureless"))),
        ("reason", words(&in_row_1(rows, "capped", "captureless"))),
        ("board", board("9/9")),
        ("board", board("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3x3")),
        ("board", board("")),
        ("chain", Arc::new(UInt8Array::from(in_row_1(rows, 255, 3)))),
        ("reply", u16s(60_000)),
        ("played", u16s(60_000)),
        ("played", u16s(12)),
        ("last_move", u16s(u16::MAX)),
        (
            "plies",
            Arc::new(UInt32Array::from(in_row_1(rows, 0, 1000))),
        ),
        ("visits", u32s(None)),
        ("outcome", i8s(5)),
        (
            "proven",
            Arc::new(BooleanArray::from(in_row_1(rows, None, Some(false)))),
        ),
        ("prior_divergence", f32s(f32::NAN)),
        ("prior_divergence", f32s(-0.5)),
        ("proven_outcome", i8s(5)),
        ("root_wdl", triples(batch, f32::NAN)),
        ("network_wdl", triples(batch, 0.5)),
        (
            "policy",
            policies(batch, |p, first| if first { -p } else { p }),
        ),
        (
            "policy",
            policies(batch, |p, first| if first { f32::NAN } else { p }),
        ),
        (
            "policy",
            policies(batch, |p, first| if first { 1e30 } else { p }),
        ),
    ]
}

fn in_row_1<T: Copy>(rows: usize, bad: T, good: T) -> Vec<T> {
    (0..rows)
        .map(|row| if row == 1 { bad } else { good })
        .collect()
}

fn words(words: &[&str]) -> ArrayRef {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    words.iter().for_each(|word| builder.append_value(word));
    Arc::new(builder.finish())
}

/// Certain wins, but for the draw in row 1.
fn triples(batch: &RecordBatch, bad: f32) -> ArrayRef {
    let number = |i: usize| if i == 4 { bad } else { [1.0, 0.0, 0.0][i % 3] };
    let values = Float32Array::from_iter_values((0..3 * batch.num_rows()).map(number));
    let DataType::FixedSizeList(item, _) = batch.column_by_name("root_wdl").unwrap().data_type()
    else {
        panic!("root_wdl is a list")
    };
    Arc::new(FixedSizeListArray::new(
        Arc::clone(item),
        3,
        Arc::new(values),
        None,
    ))
}

/// The policies with each probability changed; told which one is the first of row 1.
fn policies(batch: &RecordBatch, change: impl Fn(f32, bool) -> f32) -> ArrayRef {
    let lists: &ListArray = batch.column_by_name("policy").unwrap().as_list();
    let entries: &StructArray = lists.values().as_struct();
    let first = lists.value_offsets()[1] as usize;
    let old = entries.column(1).as_primitive::<Float32Type>();
    let new = old
        .values()
        .iter()
        .enumerate()
        .map(|(i, &p)| change(p, i == first));
    let columns: Vec<ArrayRef> = vec![
        Arc::clone(entries.column(0)),
        Arc::new(Float32Array::from_iter_values(new)),
    ];
    let entries = StructArray::new(entries.fields().clone(), columns, None);
    let DataType::List(item) = lists.data_type().clone() else {
        panic!("policy is a list")
    };
    Arc::new(ListArray::new(
        item,
        lists.offsets().clone(),
        Arc::new(entries),
        None,
    ))
}

#[test]
fn a_value_that_cannot_be_is_refused_with_its_column_and_row() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(File::open(&written.path).unwrap()).unwrap();
    let first = builder.with_row_groups(vec![0]).with_batch_size(1 << 20);
    let batch = first.build().unwrap().next().unwrap().unwrap();
    for (name, column) in bad_columns(&batch) {
        rewrite(
            &written.path,
            &other,
            |batch| with_column(batch, name, column),
            |_| (),
        );
        let error = read_samples(&other).unwrap_err();
        let DatasetError::Value { column, row, .. } = error else {
            panic!("{name}: {error}")
        };
        assert_eq!((column, row), (name, 1));
    }
}

#[test]
fn a_lie_about_what_a_file_holds_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let said = |key: &str, value: &str| {
        rewrite(&written.path, &other, RecordBatch::clone, |entries| {
            let key = format!("taflforge.{key}");
            let entry = entries.iter_mut().find(|entry| entry.key == key);
            entry.unwrap().value = Some(value.to_owned());
        });
        read_games(&other).map_err(|error| error.to_string())
    };
    let positions = written.samples.len();
    assert!(said("positions", &positions.to_string()).is_ok());
    for wrong in [1, positions - 1, positions + 1, 1_000_000] {
        let error = said("positions", &wrong.to_string()).unwrap_err();
        assert!(error.contains("row groups part after"), "{error}");
    }
    assert!(said("positions", "-1").is_err());
    assert!(said("games", "3").unwrap_err().contains("2 games, not 3"));
    // Without rows to learn from there is nothing to part.
    assert!(said("positions", "0").is_ok());
    assert_eq!(read_samples(&other).unwrap(), []);
}
