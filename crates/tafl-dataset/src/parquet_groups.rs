//! Row groups of metrics copied unchanged from file to file, so that a file grows without being encoded again.

use crate::DatasetError;
use crate::guard::guarded;
use crate::parquet_checksum::{self, MOST_BYTES};
use crate::parquet_file::{
    Field, FileKind::Metrics, Part, about, check_version, metadata, properties, schema, seal,
    to_bytes,
};
use bytes::Bytes;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use std::path::Path;
use std::sync::Arc;
use tafl_store::read_file;

/// The row groups of a file.
pub(crate) struct EncodedFile {
    metadata: ParquetMetaData,
    pub(crate) groups: Vec<EncodedGroup>,
}

/// A row group, within the bytes of the file that it comes from.
pub(crate) struct EncodedGroup {
    file: Bytes,
    metadata: RowGroupMetaData,
}

impl EncodedFile {
    fn new(file: Bytes) -> Result<Self, ParquetError> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
        let groups = metadata.row_groups().iter().map(|group| EncodedGroup {
            file: file.clone(),
            metadata: group.clone(),
        });
        Ok(Self {
            groups: groups.collect(),
            metadata,
        })
    }

    fn keys(&self) -> Option<&Vec<KeyValue>> {
        self.metadata.file_metadata().key_value_metadata()
    }

    pub(crate) fn about(&self, key: &str) -> Option<&str> {
        about(self.keys(), key)
    }
}

/// Reads a file, whose checksums are checked, without decoding it.
pub(crate) fn read(path: &Path) -> Result<EncodedFile, DatasetError> {
    let bytes = read_file(path, MOST_BYTES)?;
    parquet_checksum::check_bytes(path, &bytes)?;
    let file = guarded(path, || EncodedFile::new(bytes.into()))?;
    check_version(path, Metrics, file.keys())?;
    Ok(file)
}

/// Encodes some rows, for a file that is to be at `path`; no rows make no row group.
pub(crate) fn encode(
    path: &Path,
    fields: &[Field],
    rows: Part,
) -> Result<Vec<EncodedGroup>, DatasetError> {
    let encoded = to_bytes(Metrics, fields, &[rows], &[]);
    let encoded = encoded.and_then(|bytes| EncodedFile::new(bytes.into()));
    let encoded = encoded.map_err(|error| DatasetError::parquet(path, &error))?;
    Ok(encoded.groups)
}

/// Writes row groups as a file, atomically; `stages` says what is in each.
pub(crate) fn write(
    path: &Path,
    fields: &[Field],
    groups: &[EncodedGroup],
    stages: String,
) -> Result<(), DatasetError> {
    let metadata = metadata(Metrics, fields, &[("stages", stages)]);
    let properties = properties(metadata);
    seal(path, properties.and_then(|it| join(it, fields, groups))).map(|_| ())
}

fn join(
    properties: WriterProperties,
    fields: &[Field],
    groups: &[EncodedGroup],
) -> Result<Vec<u8>, ParquetError> {
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema(fields)?, Arc::new(properties))?;
    for group in groups {
        let mut next = writer.next_row_group()?;
        group.copy_into(&mut next)?;
        next.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

impl EncodedGroup {
    fn copy_into(
        &self,
        to: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    ) -> Result<(), ParquetError> {
        let rows = u64::try_from(self.metadata.num_rows()).unwrap_or(0);
        for column in self.metadata.columns() {
            let column = ColumnCloseResult {
                bytes_written: u64::try_from(column.compressed_size()).unwrap_or(0),
                rows_written: rows,
                metadata: column.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            to.append_column(&self.file, column)?;
        }
        Ok(())
    }
}
