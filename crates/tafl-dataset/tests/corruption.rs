//! Damaged files are refused, by name, column and row, and never panic.

use crate::rewritten::{Cell, Column, Value, column, rewrite, text};
use crate::runs;
use crate::settings::settings;
use std::fs;
use tafl_dataset::{
    DatasetError, positions_in, read_games, read_metrics, read_samples, read_searched_games,
    record_metrics,
};
use tafl_store::{RunSettings, Store, StoreError};

const VERSION: &str = "taflforge.schema_version";

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

#[test]
fn another_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let same = |_: &mut Vec<Column>| ();

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
    let error = read_metrics(&written.path).unwrap_err().to_string();
    assert!(
        error.ends_with(": no file of metrics, but one of games"),
        "{error}"
    );
    assert!(record_metrics(&written.path, 0, "loss", &[]).is_err());

    // A file that does not know a column is older than it.
    let drop = |columns: &mut Vec<Column>| columns.retain(|it| it.name != "checkpoint");
    rewrite(&written.path, &other, drop, |entries| {
        let meanings = entries
            .iter_mut()
            .find(|entry| entry.key == "taflforge.columns");
        let meanings = meanings.and_then(|it| it.value.as_mut()).unwrap();
        *meanings = meanings.replace("\"checkpoint\"", "\"other\"");
    });
    let mut older = written.samples.clone();
    older.iter_mut().for_each(|it| it.search.checkpoint = None);
    assert_eq!(read_samples(&other).unwrap(), older);

    for name in ["visits", "reply", "proven_outcome"] {
        let drop = |columns: &mut Vec<Column>| columns.retain(|it| it.name != name);
        rewrite(&written.path, &other, drop, |_| ());
        let error = read_samples(&other).unwrap_err().to_string();
        let expected = format!("column `{name}` is missing");
        assert!(error.ends_with(&expected), "{error}");
    }

    let retype = |columns: &mut Vec<Column>| column(columns, "played").lengthen();
    rewrite(&written.path, &other, retype, |_| ());
    let error = read_samples(&other).unwrap_err().to_string();
    let expected = "column `played` is of type INT64 instead of INT32";
    assert!(error.ends_with(expected), "{error}");
}

/// Columns, and what cannot stand in one of them.
fn bad_cells() -> Vec<(&'static str, Cell)> {
    let int = |bad: i32| Some(vec![Value::Int(bad)]);
    let float = |bad: f32| Some(vec![Value::Float(bad)]);
    let floats = |bad: &[f32]| Some(bad.iter().copied().map(Value::Float).collect());
    let word = |bad: &str| Some(vec![text(bad)]);
    vec![
        ("side", word("red")),
        ("reason", word("resigned")),
        ("reason", word("capped")),
        ("board", word("9/9")),
        ("board", word("3t3/3t3/3T3/ttTKTtt/3T3/3t3/3x3")),
        ("board", word("")),
        ("board", None),
        ("chain", int(255)),
        ("chain", int(-1)),
        ("reply", int(60_000)),
        ("played", int(60_000)),
        ("played", int(70_000)),
        ("played", int(12)),
        ("last_move", int(u16::MAX.into())),
        ("plies", int(0)),
        ("visits", None),
        ("outcome", int(5)),
        ("proven", None),
        ("prior_divergence", float(f32::NAN)),
        ("prior_divergence", float(-0.5)),
        ("proven_outcome", int(5)),
        ("root_wdl", floats(&[1.0, f32::NAN, 0.0])),
        ("root_wdl", floats(&[1.0])),
        ("root_wdl", floats(&[])),
        ("network_wdl", floats(&[1.0, 0.5, 0.0])),
        ("policy_moves", None),
        ("policy_moves", Some(Vec::new())),
        ("policy_moves", Some(vec![Value::Int(60_000)])),
        ("policy", None),
        ("policy", floats(&[])),
        ("policy", floats(&[0.0; 500])),
    ]
}

#[test]
fn a_value_that_cannot_be_is_refused_with_its_column_and_row() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let refused = |name: &str, change: &dyn Fn(&mut Cell)| {
        let change = |columns: &mut Vec<Column>| change(&mut column(columns, name).cells[1]);
        rewrite(&written.path, &other, change, |_| ());
        let error = read_samples(&other).unwrap_err();
        let DatasetError::Value { column, row, .. } = error else {
            panic!("{name}: {error}")
        };
        assert_eq!((column, row), (name, 1));
    };
    for (name, bad) in bad_cells() {
        refused(name, &|cell| *cell = bad.clone());
    }
    for bad in [-0.5, 0.0, f32::NAN, 1e30] {
        refused("policy", &|cell| {
            cell.as_mut().unwrap()[0] = Value::Float(bad)
        });
    }
    refused("policy_moves", &|cell| cell.as_mut().unwrap().reverse());
}

#[test]
fn a_lie_about_what_a_file_holds_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let written = runs::generation(folder.path(), 0, 2);
    let other = folder.path().join("other.parquet");
    let said = |key: &str, value: &str| {
        rewrite(
            &written.path,
            &other,
            |_| (),
            |entries| {
                let key = format!("taflforge.{key}");
                let entry = entries.iter_mut().find(|entry| entry.key == key);
                entry.unwrap().value = Some(value.to_owned());
            },
        );
    };
    let samples = || read_samples(&other).map_err(|error| error.to_string());
    let positions = written.samples.len();
    said("positions", &positions.to_string());
    assert!(samples().is_ok());
    let games = read_games(&other).unwrap();
    for wrong in [1, positions - 1, positions + 1, 1_000_000] {
        said("positions", &wrong.to_string());
        let error = samples().unwrap_err();
        assert!(error.contains("row groups part after"), "{error}");
        // The games are whole all the same, as in a file that another program cut anew.
        assert_eq!(read_games(&other).unwrap(), games);
        let searched = read_searched_games(&other);
        assert_eq!(searched.is_ok(), wrong < positions, "{wrong}");
    }
    said("positions", "-1");
    assert!(samples().is_err());
    said("games", "3");
    let error = read_games(&other).unwrap_err().to_string();
    assert!(error.contains("2 games, not 3"), "{error}");
    // Without rows to learn from there is nothing to part.
    said("positions", "0");
    assert_eq!(samples().unwrap(), []);
}
