//! `metrics.parquet`: every number measured during a run, one a row.

use crate::columns::{Columns, words};
use crate::schema::FileKind;
use crate::{DatasetError, parquet_file};
use arrow::array::{ArrayRef, Float64Array, UInt32Array, UInt64Array};
use arrow::datatypes::{Float64Type, UInt32Type, UInt64Type};
use arrow::record_batch::RecordBatch;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One number.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// The generation during which it was measured.
    pub generation: u32,
    /// Training steps made before it, over the whole run.
    pub step: u64,
    /// What was measured, such as `loss/policy`.
    pub name: String,
    /// The number.
    pub value: f64,
}

/// The metrics of a run, in memory and in their file.
#[derive(Debug)]
pub struct MetricsLog {
    path: PathBuf,
    metrics: Vec<Metric>,
}

impl MetricsLog {
    /// Opens the log, with the metrics that are in the file if it exists.
    ///
    /// # Errors
    /// If the file is damaged or of another schema.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let metrics = if path.exists() {
            read_metrics(path)?
        } else {
            Vec::new()
        };
        Ok(Self {
            path: path.into(),
            metrics,
        })
    }

    /// Returns all metrics, in the order of measurement.
    #[must_use]
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Adds a metric; [`Self::write`] makes it last.
    pub fn push(&mut self, metric: Metric) {
        self.metrics.push(metric);
    }

    /// Forgets what was measured in a generation and later ones, before they are done again.
    pub fn forget_from(&mut self, generation: u32) {
        self.metrics.retain(|metric| metric.generation < generation);
    }

    /// Writes all metrics, atomically.
    ///
    /// # Errors
    /// If the operating system refuses; the former file stays.
    pub fn write(&self) -> Result<(), DatasetError> {
        let metrics = &self.metrics;
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from_iter_values(
                metrics.iter().map(|metric| metric.generation),
            )),
            Arc::new(UInt64Array::from_iter_values(
                metrics.iter().map(|metric| metric.step),
            )),
            words(metrics.iter().map(|metric| metric.name.as_str())),
            Arc::new(Float64Array::from_iter_values(
                metrics.iter().map(|metric| metric.value),
            )),
        ];
        let batch = RecordBatch::try_new(FileKind::Metrics.schema(), columns)
            .map_err(|error| DatasetError::parquet(&self.path, &error))?;
        parquet_file::write(&self.path, FileKind::Metrics, &batch, &[])?;
        Ok(())
    }
}

/// Reads the metrics of a file.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn read_metrics(path: &Path) -> Result<Vec<Metric>, DatasetError> {
    let mut metrics = Vec::new();
    parquet_file::read(path, FileKind::Metrics, |rows| {
        let columns = Columns::new(rows)?;
        for row in 0..columns.len() {
            metrics.push(Metric {
                generation: columns.number::<UInt32Type>("generation", row)?,
                step: columns.number::<UInt64Type>("step", row)?,
                name: columns.word("name", row)?.into(),
                value: columns.number::<Float64Type>("value", row)?,
            });
        }
        Ok(())
    })?;
    Ok(metrics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_appended_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("metrics.parquet");
        let metric = |generation, value| Metric {
            generation,
            step: 7 * u64::from(generation),
            name: format!("loss/{}", generation % 2),
            value,
        };
        let mut log = MetricsLog::open(&path).unwrap();
        log.write().unwrap();
        assert_eq!(read_metrics(&path).unwrap(), []);
        (0..3).for_each(|generation| log.push(metric(generation, 0.1)));
        log.write().unwrap();
        let mut log = MetricsLog::open(&path).unwrap();
        log.forget_from(2);
        log.push(metric(2, -1e300));
        log.write().unwrap();
        let expected = [metric(0, 0.1), metric(1, 0.1), metric(2, -1e300)];
        assert_eq!(read_metrics(&path).unwrap(), expected);
        assert_eq!(log.metrics(), expected);
    }
}
