//! `metrics.parquet`: every number measured during a run, one a row.

use crate::column::{Row, declared, table};
use crate::parquet_file::{FileKind, Rows, fields};
use crate::parquet_groups::{self, EncodedGroup};
use crate::{DatasetError, parquet_file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// One number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metric {
    /// The generation during which it was measured.
    pub generation: u32,
    /// Training steps made before it, over the whole run.
    pub step: u64,
    /// What was measured, such as `loss/policy`.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Seconds that the run had been worked on, the pauses between its processes left out; `None` where it was not
    /// recorded.
    pub seconds: Option<f64>,
}

/// Measures, one or several of a meaning a line. A part in capitals stands for what it names.
const MEASURES: &str = include_str!("measures.txt");

/// Returns the names of all measures, such as `elo/pool/SIDE`, in which capitals stand for what they name, each with what its
/// numbers are: unit, and whose point of view.
pub fn measures() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = MEASURES.lines().filter_map(|line| line.split_once(": "));
    lines.flat_map(|(names, meaning)| names.split(", ").map(move |name| (name, meaning)))
}

/// Returns what the numbers of a measure are, such as `elo/pool/attackers`.
pub fn measure_meaning(name: &str) -> Option<&'static str> {
    let stands_for = |(part, own): (&str, &str)| {
        part == own || part.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    let is_it = |pattern: &str| {
        pattern.matches('/').count() == name.matches('/').count()
            && pattern.split('/').zip(name.split('/')).all(stands_for)
    };
    let found = measures().find(|(pattern, _)| is_it(pattern));
    found.map(|(_, meaning)| meaning)
}

/// Puts what was measured in a stage of a generation into the run's file, in place of what an earlier attempt
/// measured there, atomically.
///
/// Everything else stays, as the bytes that it is: each stage has row groups of its own, which are copied. So the
/// time that this takes grows with the file only as copying it does (`cargo bench -p tafl-dataset`).
///
/// # Errors
/// If the file is damaged or of another schema, or the operating system refuses; the former file stays.
pub fn record_metrics(
    path: &Path,
    generation: u32,
    stage: &str,
    metrics: &[Metric],
) -> Result<(), DatasetError> {
    let stage = Stage {
        generation,
        name: stage.into(),
    };
    let mut groups = read_groups(path)?;
    groups.retain(|(known, _)| *known != stage);
    let columns: Vec<_> = fields(&METRIC).collect();
    let rows = METRIC.iter().map(|column| column.write(metrics.iter()));
    // None leave no trace.
    let encoded = parquet_groups::encode(path, &columns, rows.collect())?.into_iter();
    groups.extend(encoded.map(|group| (stage.clone(), group)));
    let (stages, groups): (Vec<Stage>, Vec<_>) = groups.into_iter().unzip();
    let stages = serde_json::to_string(&stages);
    let stages = stages.map_err(|error| DatasetError::parquet(path, &error))?;
    parquet_groups::write(path, &columns, &groups, stages)
}

/// Returns the stages of which a file holds metrics, as generations and names; none if there is no file.
///
/// # Errors
/// If the file is damaged or of another schema.
pub fn measured_stages(path: &Path) -> Result<BTreeSet<(u32, String)>, DatasetError> {
    let stages = read_groups(path)?.into_iter();
    let stages = stages.map(|(stage, _)| (stage.generation, stage.name));
    Ok(stages.collect())
}

/// A stage of a generation, whose metrics lie together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stage {
    generation: u32,
    name: String,
}

/// Reads the row groups of a file, not decoded, each with its stage; none if there is no file.
fn read_groups(path: &Path) -> Result<Vec<(Stage, EncodedGroup)>, DatasetError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let file = parquet_groups::read(path)?;
    let stages = file.about("stages").map(serde_json::from_str::<Vec<Stage>>);
    match stages {
        Some(Ok(stages)) if stages.len() == file.groups.len() => {
            Ok(stages.into_iter().zip(file.groups).collect())
        }
        _ => Err(DatasetError::parquet(path, &"stages and row groups differ")),
    }
}

impl Row for Metric {}

table! {
    /// The columns; a row for each number, in the order of measurement.
    METRIC: Metric {
        generation [generation] "generation during which it was measured",
        step [step] "training steps made before it, over the whole run",
        name [name] "what was measured, such as loss/policy",
        value [value] "the number",
        seconds [seconds] "wall-clock time that the run had been worked on, pauses between its processes left out; null: \
            unknown",
    } others {}
}

/// Reads the metrics of a file; none if there is no file.
///
/// # Errors
/// If the file is damaged or of another schema.
pub fn read_metrics(path: &Path) -> Result<Vec<Metric>, DatasetError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let file = parquet_file::open(path, FileKind::Metrics)?;
    let groups: Vec<usize> = (0..file.groups.len()).collect();
    file.read(&METRIC, Rows::Of(&groups), &Metric::default())
}

/// Returns the seconds that processes worked on a run, as far as the metrics of a file say.
///
/// # Errors
/// As [`read_metrics`].
pub fn worked_seconds(path: &Path) -> Result<f64, DatasetError> {
    let seconds = read_metrics(path)?.into_iter();
    let seconds = seconds.filter_map(|metric| metric.seconds);
    Ok(seconds.fold(0.0, f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn metric(generation: u32, name: &str, value: f64) -> Metric {
        Metric {
            generation,
            step: 7 * u64::from(generation),
            name: name.into(),
            value,
            seconds: Some(60.0 * f64::from(generation)),
        }
    }

    #[test]
    fn a_stage_replaces_its_own_metrics_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.parquet");
        assert_eq!(measured_stages(&path).unwrap(), BTreeSet::new());
        let loss = |generation, value| vec![metric(generation, "loss/policy", value); 3];
        let played = |generation| vec![metric(generation, "selfplay/games", 5.0)];
        record_metrics(&path, 0, "selfplay", &[]).unwrap();
        assert_eq!(read_metrics(&path).unwrap(), []);
        for generation in 0..3 {
            record_metrics(&path, generation, "selfplay", &played(generation)).unwrap();
            record_metrics(&path, generation, "loss", &loss(generation, 0.1)).unwrap();
        }
        let stages = measured_stages(&path).unwrap();
        let expected = (0..3).flat_map(|number| ["selfplay", "loss"].map(|name| (number, name)));
        let expected: BTreeSet<(u32, String)> = expected
            .map(|(number, name)| (number, name.to_owned()))
            .collect();
        assert_eq!(stages, expected);
        let first = fs::read(&path).unwrap();
        record_metrics(&path, 2, "loss", &loss(2, 0.1)).unwrap();
        assert!(first == fs::read(&path).unwrap(), "the bytes differ");
        record_metrics(&path, 1, "loss", &loss(1, -1e300)).unwrap();
        let expected = [
            played(0),
            loss(0, 0.1),
            played(1),
            played(2),
            loss(2, 0.1),
            loss(1, -1e300),
        ];
        assert_eq!(read_metrics(&path).unwrap(), expected.concat());
        record_metrics(&path, 1, "loss", &[]).unwrap();
        assert_eq!(read_metrics(&path).unwrap(), expected[..5].concat());
    }

    #[test]
    fn each_measure_is_found_by_its_name() {
        for (name, meaning) in measures() {
            assert_eq!(measure_meaning(name), Some(meaning), "{name}");
        }
        let ends = ["elo/pool_low/defenders", "elo/pool_high/attackers"].map(measure_meaning);
        assert_eq!(ends, [Some("ends of the 95 % interval of elo/pool"); 2]);
        for none in ["elo/pool", "elo/pool/attackers/7", "loss/", "loss"] {
            assert_eq!(measure_meaning(none), None, "{none}");
        }
    }

    #[test]
    fn a_damaged_file_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.parquet");
        record_metrics(&path, 0, "loss", &[metric(0, "loss/value", 2.0)]).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        bytes[10] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let error = record_metrics(&path, 1, "loss", &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains("damaged since it was written"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
