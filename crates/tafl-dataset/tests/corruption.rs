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
    DatasetError, Replay, SAMPLE_COLUMNS, WindowConfig, positions_in, read_games, read_metrics,
    read_samples, record_metrics,
};
use tafl_samples::Sample;
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
    let path = runs::generation(folder.path(), 0, 3).samples_path;
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
    store
        .enter(&[&written.samples_path, &written.games_path])
        .unwrap();
    drop(store);
    let store = Store::<RunSettings>::open(folder.path()).unwrap();
    store.verified(&written.samples_path).unwrap();
    let bytes = fs::read(&written.samples_path).unwrap();
    let mut unharmed = 0;
    for at in (0..bytes.len())
        .step_by(7)
        .chain(bytes.len() - 200..bytes.len())
    {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(&written.samples_path, damaged).unwrap();
        // A damaged mark leaves a file without checksums, whose rows are those that were written.
        if let Ok(samples) = read_samples(&written.samples_path) {
            assert_eq!(samples, written.samples, "byte {at}");
            unharmed += 1;
        }
        let _ = positions_in(&written.samples_path);
        if at % 5 == 0 {
            let error = store.verified(&written.samples_path).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }));
        }
    }
    assert!(unharmed <= 8, "{unharmed} bytes that nothing depends on");
    store.verified(&written.games_path).unwrap();
}

/// The rows without some columns.
fn without(batch: &RecordBatch, names: &[&str]) -> RecordBatch {
    let keep: Vec<usize> = (0..batch.num_columns())
        .filter(|&i| !names.contains(&batch.schema().field(i).name().as_str()))
        .collect();
    batch.project(&keep).unwrap()
}

/// A sample as a file of an older schema holds it.
fn as_of_schema(version: u32, sample: Sample) -> Sample {
    let mut sample = sample;
    if version < 3 {
        sample.search.checkpoint = None;
        sample.facts.weakness = [[0; 2]; 2];
    }
    if version == 1 {
        sample.reply = None;
        // What a search proved of its own ply is known from the value.
        sample.proven_result = sample.proven_result.filter(|_| sample.search.proven);
        sample.search.prior_divergence = 0.0;
    }
    sample
}

#[test]
fn a_file_of_an_older_schema_is_read_without_what_it_does_not_hold() {
    for version in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let written = runs::generation(folder.path(), 0, 8);
        let old = folder.path().join("old.parquet");
        let columns = SAMPLE_COLUMNS.iter().filter(|it| it.since > version);
        let names: Vec<&str> = columns.map(|column| column.name).collect();
        assert!(!names.is_empty());
        rewrite(
            &written.samples_path,
            &old,
            |batch| without(batch, &names),
            |entries| {
                let stored = entries.iter_mut().find(|entry| entry.key == VERSION);
                stored.unwrap().value = Some(version.to_string());
            },
        );
        let read = read_samples(&old).unwrap();
        assert!(read.iter().any(|sample| sample.proven_result.is_some()));
        let all = written.samples.into_iter();
        assert!(all.clone().any(|sample| sample.search.checkpoint.is_some()));
        let expected: Vec<_> = all.map(|it| as_of_schema(version, it)).collect();
        assert_eq!(read, expected, "schema {version}");
    }
}

#[test]
fn files_of_schema_1_are_drawn_from() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let columns = SAMPLE_COLUMNS.iter().filter(|column| column.since > 1);
    let names: Vec<&str> = columns.map(|column| column.name).collect();
    rewrite(
        &written.samples_path,
        &folder.path().join("old.parquet"),
        |batch| without(batch, &names),
        |entries| {
            let version = entries.iter_mut().find(|entry| entry.key == VERSION);
            version.unwrap().value = Some("1".into());
        },
    );
    let config = WindowConfig {
        minimum: 1_000_000,
        scale: 0.0,
        maximum: 1_000_000,
        held_out_fraction: 0.0,
    };
    let window = Replay::new(config, 1).window_of_files(&[folder.path().join("old.parquet")], 0);
    let window = window.unwrap();
    let mut drawn = window.draw(window.len(), 1);
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), written.samples.len());
}

#[test]
fn another_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let same = |batch: &RecordBatch| batch.clone();

    rewrite(&written.samples_path, &other, same, |_| ());
    assert_eq!(read_samples(&other).unwrap(), written.samples);

    rewrite(&written.samples_path, &other, same, |entries| {
        entries
            .iter_mut()
            .find(|entry| entry.key == VERSION)
            .unwrap()
            .value = Some("5".into());
    });
    let error = read_samples(&other).unwrap_err().to_string();
    let expected = "expected `samples` of schema version 1 or 2 or 3 or 4, found `samples` of schema version 5";
    assert!(error.ends_with(expected), "{error}");

    rewrite(&written.samples_path, &other, same, Vec::clear);
    assert!(matches!(
        read_samples(&other),
        Err(DatasetError::OtherSchema { .. })
    ));
    assert!(matches!(
        read_samples(&written.games_path),
        Err(DatasetError::OtherSchema { .. })
    ));
    assert!(matches!(
        read_games(&written.samples_path),
        Err(DatasetError::OtherSchema { .. })
    ));
    assert!(read_metrics(&written.games_path).is_err());
    assert!(record_metrics(&written.games_path, 0, "loss", &[]).is_err());

    for name in ["visits", "reply", "proven_outcome"] {
        let drop = |batch: &RecordBatch| without(batch, &[name]);
        rewrite(&written.samples_path, &other, drop, |_| ());
        let error = read_samples(&other).unwrap_err().to_string();
        let expected = format!("column `{name}` is missing");
        assert!(error.ends_with(&expected), "{error}");
    }

    let retype = |batch: &RecordBatch| {
        let column = UInt32Array::from(vec![1; batch.num_rows()]);
        with_column(batch, "played", Arc::new(column))
    };
    rewrite(&written.samples_path, &other, retype, |_| ());
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
        ("moves_left", u32s(Some(0))),
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
        ParquetRecordBatchReaderBuilder::try_new(File::open(&written.samples_path).unwrap())
            .unwrap();
    let batch = builder.build().unwrap().next().unwrap().unwrap();
    for (name, column) in bad_columns(&batch) {
        rewrite(
            &written.samples_path,
            &other,
            |batch| with_column(batch, name, column),
            |_| (),
        );
        let error = read_samples(&other).unwrap_err();
        // A reason that contradicts the outcome is told of the outcome, in the first such row.
        let DatasetError::Value { column, row, .. } = error else {
            panic!("{name}: {error}")
        };
        assert!(
            column == name || (name, column) == ("reason", "outcome"),
            "{name}: {column}"
        );
        assert!(
            row == 1 || ["reason", "outcome"].contains(&name),
            "{name}: row {row}"
        );
    }
}
