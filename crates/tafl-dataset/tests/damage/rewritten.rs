//! Files as another program would write them: without checksums, so that what is in them reaches the decoder.

use arrow_array::{RecordBatch, new_null_array};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// Writes a file anew with the rows of its first row group and its metadata changed.
pub(crate) fn rewrite(
    from: &Path,
    to: &Path,
    rows: impl FnOnce(&RecordBatch) -> RecordBatch,
    metadata: impl FnOnce(&mut Vec<KeyValue>),
) {
    let builder = || ParquetRecordBatchReaderBuilder::try_new(File::open(from).unwrap()).unwrap();
    let about = Arc::clone(builder().metadata());
    let mut entries = about.file_metadata().key_value_metadata().unwrap().clone();
    entries.retain(|entry| entry.key != "ARROW:schema");
    metadata(&mut entries);
    let groups = (0..about.num_row_groups()).map(|group| {
        let group = builder()
            .with_row_groups(vec![group])
            .with_batch_size(1 << 20);
        group.build().unwrap().next().unwrap().unwrap()
    });
    let mut groups: Vec<RecordBatch> = groups.collect();
    groups[0] = rows(&groups[0]);
    let schema = groups[0].schema();
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(entries))
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, Arc::clone(&schema), Some(properties)).unwrap();
    // The other groups have the columns that the first one has left.
    for group in groups {
        let left = schema.fields().iter().map(|field| {
            let column = group.column_by_name(field.name()).unwrap();
            match column.data_type() == field.data_type() {
                true => Arc::clone(column),
                false => new_null_array(field.data_type(), group.num_rows()),
            }
        });
        let left = RecordBatch::try_new(Arc::clone(&schema), left.collect()).unwrap();
        writer.write(&left).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    fs::write(to, bytes).unwrap();
}
