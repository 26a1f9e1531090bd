//! What strangers wrote is taken only where it is what its games give by the rules.

use crate::rewritten::{Column, Value, column, rewrite};
use crate::runs;
use std::path::Path;
use tafl_dataset::{
    Provenance, read_checked, read_games, read_samples, without_searches, write_generation,
};
use tafl_samples::GameRecord;

/// What is said of a shard in which the rows to learn from were changed.
fn refused(shard: &Path, change: impl FnOnce(&mut Vec<Column>)) -> String {
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
            |columns| {
                let cells = &mut column(columns, name).cells;
                let Some(row) = cells.iter().position(|cell| *cell != cells[0]) else {
                    return;
                };
                has_two = true;
                cells.swap(0, row);
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
    let keep =
        |columns: &mut Vec<Column>| names = columns.iter().map(|it| it.name.clone()).collect();
    rewrite(path, &path.with_extension("same"), keep, |_| ());
    names
}

/// Changes every number of the policies.
fn each(columns: &mut [Column], name: &str, change: impl Fn(&mut Value)) {
    let cells = column(columns, name).cells.iter_mut().flatten();
    cells.flatten().for_each(change);
}

/// Changes the probabilities that are not among the smallest.
fn scale(value: &mut Value, scale: f32) {
    match value {
        Value::Float(p) if *p > 0.01 => *p *= scale,
        _ => (),
    }
}

#[test]
fn what_a_search_cannot_have_said_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let shard = runs::generation(folder.path(), 0, 3).path;
    let number = |name, first| refused(&shard, |columns| column(columns, name).set(0, first));
    let large = Value::Int(u32::MAX.cast_signed());
    let said = [
        (number("occurrences", Value::Int(0)), "`occurrences` is not"),
        (number("captureless", large.clone()), "`captureless` is not"),
        (
            number("final_attackers", large.clone()),
            "`final_attackers` is not",
        ),
        (number("plies", large.clone()), "column `plies`"),
        (number("ply", large.clone()), "column `ply`"),
        (number("visits", large.clone()), "4294967295 visits"),
        (
            number("prior_divergence", Value::Float(1e38)),
            "a prior divergence",
        ),
        (
            refused(&shard, |columns| {
                each(columns, "policy", |p| scale(p, 0.25))
            }),
            "policy: probabilities sum to",
        ),
        (
            refused(&shard, |columns| {
                each(columns, "policy_moves", |mv| {
                    if let Value::Int(index) = mv {
                        *index += 1;
                    }
                });
            }),
            "policy",
        ),
        (
            refused(&shard, |columns| {
                each(columns, "policy", |p| scale(p, 0.999))
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
    let swapped = refused(&written.path, |columns| {
        column(columns, "played").cells.swap(0, 1)
    });
    assert!(swapped.contains("game "), "{swapped}");
    let lost = refused(&written.path, |columns| {
        columns.iter_mut().for_each(|it| drop(it.cells.remove(0)));
    });
    assert!(lost.contains("row groups part after"), "{lost}");
    let twice = refused(&written.path, |columns| {
        columns
            .iter_mut()
            .for_each(|it| it.cells[0] = it.cells[1].clone());
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
    assert!(
        again.len() as u64 * 2 < written.bytes,
        "{} of {}",
        again.len(),
        written.bytes
    );
    // All files have the same columns, so that they are read together.
    assert_eq!(columns(&thin), columns(&written.path));
}
