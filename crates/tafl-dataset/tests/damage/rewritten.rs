//! Files as another program would write them: without checksums, so that what is in them reaches the decoder.

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::path::Path;

/// Writes a file anew with its rows and its metadata changed.
pub(crate) fn rewrite(
    from: &Path,
    to: &Path,
    rows: impl FnOnce(&RecordBatch) -> RecordBatch,
    metadata: impl FnOnce(&mut Vec<KeyValue>),
) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(from).unwrap()).unwrap();
    let mut entries = builder
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .clone();
    entries.retain(|entry| entry.key != "ARROW:schema");
    metadata(&mut entries);
    let batch = builder.build().unwrap().next().unwrap().unwrap();
    let batch = rows(&batch);
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(entries))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    fs::write(to, bytes).unwrap();
}
