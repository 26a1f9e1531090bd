//! Parquet files of a known kind, as a whole.

use crate::columns::{Columns, Numbers};
use crate::guard::guarded;
use crate::schema::{ACCEPTED_SCHEMA_VERSIONS, ColumnDoc, FileKind, SCHEMA_VERSION};
use crate::{DatasetError, parquet_checksum};
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::path::Path;
use tafl_store::{StoreError, open_file, write_atomically};

const KIND_KEY: &str = "taflforge.schema";
const VERSION_KEY: &str = "taflforge.schema_version";

/// Level 9 against 3: 10 % smaller files for 5 us a position; 15 gains 1 % more and takes twice as long.
const ZSTD_LEVEL: i32 = 9;

/// The largest file that is read.
pub(crate) const MOST_BYTES: u64 = 4 << 30;

/// Rows of a row group: groups are decoded side by side, and each is all in memory while it is written.
const GROUP_ROWS: usize = 1 << 16;

/// Rows decoded at a time.
const READ_ROWS: usize = 8192;

/// Writes a file of one kind; returns its size.
pub(crate) fn write(
    path: &Path,
    kind: FileKind,
    columns: Vec<ArrayRef>,
    provenance: &[(&str, String)],
) -> Result<u64, DatasetError> {
    seal(path, to_bytes(kind, columns, provenance))
}

/// Writes an encoded file with checksums; returns its size.
pub(crate) fn seal(
    path: &Path,
    encoded: Result<Vec<u8>, ParquetError>,
) -> Result<u64, DatasetError> {
    let add = |bytes: Vec<u8>| {
        let sealed = parquet_checksum::add(&bytes);
        sealed.ok_or_else(|| ParquetError::General("the writer left no footer".into()))
    };
    let bytes = encoded.and_then(add);
    let bytes = bytes.map_err(|error| StoreError::unreadable(path, error))?;
    write_atomically(path, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Encodes the columns of one kind as a file that has no checksums yet.
pub(crate) fn to_bytes(
    kind: FileKind,
    columns: Vec<ArrayRef>,
    provenance: &[(&str, String)],
) -> Result<Vec<u8>, ParquetError> {
    let batch = RecordBatch::try_new(kind.schema(), columns)?;
    let properties = properties(metadata(kind, provenance))?;
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(bytes)
}

/// Returns the metadata of a file of one kind.
pub(crate) fn metadata(kind: FileKind, provenance: &[(&str, String)]) -> Vec<KeyValue> {
    let mut metadata = vec![
        KeyValue::new(KIND_KEY.into(), Some(<&str>::from(kind).to_owned())),
        KeyValue::new(VERSION_KEY.into(), SCHEMA_VERSION.to_string()),
    ];
    let more = provenance
        .iter()
        .map(|(key, value)| KeyValue::new(format!("taflforge.{key}"), value.clone()));
    metadata.extend(more);
    metadata
}

/// Moves and boards resemble those of the plies before, which zstd finds only where they are laid out
/// plainly; all else is smaller as a dictionary.
pub(crate) fn properties(metadata: Vec<KeyValue>) -> Result<WriterProperties, ParquetError> {
    let moves = ["policy", "list", "item", "move"]
        .map(String::from)
        .to_vec();
    let mut builder = WriterProperties::builder()
        .set_created_by("taflforge".into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_key_value_metadata(Some(metadata));
    for column in [ColumnPath::from(moves), ColumnPath::from("board")] {
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::PLAIN);
    }
    Ok(builder.build())
}

/// An open file of one kind.
pub(crate) struct Opened<'a> {
    path: &'a Path,
    kind: FileKind,
    file: File,
    metadata: ArrowReaderMetadata,
    version: u32,
}

/// Reads each row of a file of one kind, in order, once its checksums are checked.
pub(crate) fn read<T>(
    path: &Path,
    kind: FileKind,
    row: impl FnMut(&Columns<'_>, usize) -> Result<T, DatasetError>,
) -> Result<Vec<T>, DatasetError> {
    parquet_checksum::check(path)?;
    Opened::new(path, kind)?.read(&|_| true, row)
}

/// Reads one column of a file of one kind, in order, once its checksums are checked.
pub(crate) fn read_column<T>(
    path: &Path,
    kind: FileKind,
    column: &str,
    row: impl FnMut(&Columns<'_>, usize) -> Result<T, DatasetError>,
) -> Result<Vec<T>, DatasetError> {
    parquet_checksum::check(path)?;
    Opened::new(path, kind)?.read(&|it| it.name == column, row)
}

impl<'a> Opened<'a> {
    /// Opens a file. Where rows are to be read, its checksums were checked before.
    pub(crate) fn new(path: &'a Path, kind: FileKind) -> Result<Self, DatasetError> {
        let file = open_file(path, MOST_BYTES)?;
        let load = || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
        let metadata = guarded(path, load)?;
        let keys = metadata.metadata().file_metadata().key_value_metadata();
        let version = check_version(path, kind, keys)?;
        Ok(Self {
            path,
            kind,
            file,
            metadata,
            version,
        })
    }

    /// Returns the rows of each row group.
    pub(crate) fn groups(&self) -> Vec<u32> {
        let groups = self.metadata.metadata().row_groups().iter();
        groups
            .map(|group| u32::try_from(group.num_rows()).unwrap_or(0))
            .collect()
    }

    /// Returns the bytes of all columns before compression, as the file states them.
    pub(crate) fn unpacked_bytes(&self) -> u64 {
        let groups = self.metadata.metadata().row_groups().iter();
        let bytes = groups.map(|group| u64::try_from(group.total_byte_size()).unwrap_or(u64::MAX));
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns the file's metadata under `taflforge.<key>`.
    pub(crate) fn about(&self, key: &str) -> Option<&str> {
        let metadata = self.metadata.metadata().file_metadata();
        about(metadata.key_value_metadata(), key)
    }

    /// Reads each row, in order; of the columns only those wanted are decoded.
    pub(crate) fn read<T>(
        &self,
        wanted: &dyn Fn(&ColumnDoc) -> bool,
        mut row: impl FnMut(&Columns<'_>, usize) -> Result<T, DatasetError>,
    ) -> Result<Vec<T>, DatasetError> {
        let roots = self.metadata.schema().fields().iter().enumerate();
        let is_wanted = |name: &str| {
            let column = self.kind.columns().iter().find(|doc| doc.name == name);
            column.is_some_and(wanted)
        };
        let roots: Vec<usize> = roots
            .filter(|(_, field)| is_wanted(field.name()))
            .map(|(index, _)| index)
            .collect();
        let schema = self.metadata.parquet_schema();
        let builder = self
            .builder()?
            .with_projection(ProjectionMask::roots(schema, roots));
        let mut found = Vec::new();
        for batch in self.build(builder)? {
            let batch = batch?;
            let columns = self.columns(wanted, &batch, Numbers::From(found.len()))?;
            found.reserve(batch.num_rows());
            for index in 0..batch.num_rows() {
                found.push(row(&columns, index)?);
            }
        }
        Ok(found)
    }

    /// Reads some rows of one row group, in order; `picked` are their numbers within the file, rising.
    pub(crate) fn read_picked<T>(
        &self,
        group: usize,
        picked: &[u32],
        mut row: impl FnMut(&Columns<'_>, usize) -> Result<T, DatasetError>,
    ) -> Result<Vec<T>, DatasetError> {
        let groups = self.groups();
        let first: u32 = groups[..group].iter().sum();
        let in_group = picked.iter().map(|&row| (row - first) as usize);
        let selection = RowSelection::from_consecutive_ranges(
            in_group.map(|row| row..row + 1),
            groups[group] as usize,
        );
        let builder = self
            .builder()?
            .with_row_groups(vec![group])
            .with_row_selection(selection);
        let mut found = Vec::with_capacity(picked.len());
        for batch in self.build(builder)? {
            let batch = batch?;
            let now = picked[found.len()..].get(..batch.num_rows());
            let now =
                now.ok_or_else(|| DatasetError::parquet(self.path, &"more rows than were picked"))?;
            let columns = self.columns(&|_| true, &batch, Numbers::Picked(now))?;
            for index in 0..now.len() {
                found.push(row(&columns, index)?);
            }
        }
        if found.len() < picked.len() {
            let reason = "fewer rows than were picked";
            return Err(DatasetError::parquet(self.path, &reason));
        }
        Ok(found)
    }

    fn columns<'b>(
        &'b self,
        wanted: &dyn Fn(&ColumnDoc) -> bool,
        batch: &'b RecordBatch,
        numbers: Numbers<'b>,
    ) -> Result<Columns<'b>, DatasetError> {
        Columns::new(self.path, self.kind, self.version, wanted, batch, numbers)
    }

    fn builder(&self) -> Result<ParquetRecordBatchReaderBuilder<File>, DatasetError> {
        let file = self.file.try_clone();
        let file = file.map_err(|error| StoreError::reading(self.path, &error))?;
        let metadata = self.metadata.clone();
        Ok(
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
                .with_batch_size(READ_ROWS),
        )
    }

    fn build(
        &self,
        builder: ParquetRecordBatchReaderBuilder<File>,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, DatasetError>>, DatasetError> {
        let mut reader = guarded(self.path, || builder.build())?;
        let mut has_failed = false;
        Ok(std::iter::from_fn(move || {
            if has_failed {
                return None;
            }
            let batch = guarded(self.path, || reader.next().transpose());
            has_failed = batch.is_err();
            batch.transpose()
        }))
    }
}

/// Returns a file's metadata under `taflforge.<key>`.
pub(crate) fn about<'a>(metadata: Option<&'a Vec<KeyValue>>, key: &str) -> Option<&'a str> {
    value(metadata, &format!("taflforge.{key}"))
}

fn value<'a>(metadata: Option<&'a Vec<KeyValue>>, key: &str) -> Option<&'a str> {
    let entry = metadata
        .into_iter()
        .flatten()
        .find(|entry| entry.key == key);
    entry.and_then(|entry| entry.value.as_deref())
}

/// Returns the schema version of a file, if it is of the kind and of a version that is read.
pub(crate) fn check_version(
    path: &Path,
    kind: FileKind,
    metadata: Option<&Vec<KeyValue>>,
) -> Result<u32, DatasetError> {
    let kind: &str = kind.into();
    let value = |key: &str| value(metadata, key);
    let version = value(VERSION_KEY).and_then(|version| version.parse::<u32>().ok());
    let accepted = version.filter(|version| ACCEPTED_SCHEMA_VERSIONS.contains(version));
    if let Some(version) = accepted.filter(|_| value(KIND_KEY) == Some(kind)) {
        return Ok(version);
    }
    let found = match (value(KIND_KEY), value(VERSION_KEY)) {
        (Some(kind), Some(version)) => format!("`{kind}` of schema version {version}"),
        _ => "a file without Taflforge's schema version".into(),
    };
    let versions = ACCEPTED_SCHEMA_VERSIONS.map(|version| version.to_string());
    let expected = format!("`{kind}` of schema version {}", versions.join(" or "));
    Err(DatasetError::OtherSchema {
        path: path.into(),
        found,
        expected,
    })
}
