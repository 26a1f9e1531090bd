//! Parquet files of a known kind, as a whole.

use crate::column::{Column, SCHEMA_VERSION};
use crate::guard::guarded;
use crate::{DatasetError, parquet_checksum};
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Schema};
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

/// Rows of a page and of a row group at most: alike ones are found within a page only.
const PAGE_ROWS: usize = 1 << 20;

/// Rows decoded at a time.
const READ_ROWS: usize = 8192;

/// The kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum FileKind {
    Games,
    Metrics,
}

/// Writes an encoded file with checksums; returns its size.
pub(crate) fn seal(
    path: &Path,
    encoded: Result<Vec<u8>, ParquetError>,
) -> Result<u64, DatasetError> {
    let bytes = sealed(path, encoded)?;
    write_atomically(path, &bytes)?;
    Ok(bytes.len() as u64)
}

/// Adds the checksums to an encoded file, which is to be at `path`.
pub(crate) fn sealed(
    path: &Path,
    encoded: Result<Vec<u8>, ParquetError>,
) -> Result<Vec<u8>, DatasetError> {
    let add = |bytes: Vec<u8>| {
        let sealed = parquet_checksum::add(&bytes);
        sealed.ok_or_else(|| ParquetError::General("the writer left no footer".into()))
    };
    let bytes = encoded.and_then(add);
    Ok(bytes.map_err(|error| StoreError::unreadable(path, error))?)
}

/// Encodes rows of one schema as a file that has no checksums yet; each of the parts, at least one, is a row group.
pub(crate) fn to_bytes(
    kind: FileKind,
    parts: &[RecordBatch],
    provenance: &[(&str, String)],
) -> Result<Vec<u8>, ParquetError> {
    let schema = parts[0].schema();
    let properties = properties(metadata(kind, provenance), &schema)?;
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties))?;
    for part in parts {
        writer.write(part)?;
        writer.flush()?;
    }
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

/// Policies and boards resemble those of the plies before, which zstd finds only where they are laid out plainly, and a
/// seed comes again as it is; other numbers are smaller byte by byte, and all else as a dictionary.
pub(crate) fn properties(
    metadata: Vec<KeyValue>,
    schema: &Schema,
) -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by("taflforge".into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(PAGE_ROWS))
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_key_value_metadata(Some(metadata));
    for field in schema.fields() {
        let (path, encoding) = match (field.name().as_str(), field.data_type()) {
            ("policy", _) => (vec!["policy", "list", "item", "move"], Encoding::PLAIN),
            (name @ ("board" | "seed"), _) => (vec![name], Encoding::PLAIN),
            (name, DataType::UInt16 | DataType::UInt32 | DataType::UInt64) => {
                (vec![name], Encoding::BYTE_STREAM_SPLIT)
            }
            _ => continue,
        };
        let path = ColumnPath::new(path.into_iter().map(str::to_owned).collect());
        builder = builder
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, encoding);
    }
    Ok(builder.build())
}

/// An open file of one kind.
pub(crate) struct Opened<'a> {
    path: &'a Path,
    file: File,
    metadata: ArrowReaderMetadata,
    /// The rows of each row group.
    pub(crate) groups: Vec<u32>,
}

/// Which rows of a file are read, numbered within the file.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// All of some row groups.
    Of(&'a [usize]),
    /// These of some row groups, rising.
    Picked(&'a [usize], &'a [u32]),
}

/// Opens a file of one kind once its checksums are checked.
pub(crate) fn open(path: &Path, kind: FileKind) -> Result<Opened<'_>, DatasetError> {
    parquet_checksum::check(path)?;
    Opened::new(path, kind)
}

impl<'a> Opened<'a> {
    /// Opens a file. Where rows are to be read, its checksums were checked before.
    pub(crate) fn new(path: &'a Path, kind: FileKind) -> Result<Self, DatasetError> {
        let file = open_file(path, MOST_BYTES)?;
        let load = || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
        let metadata = guarded(path, load)?;
        let keys = metadata.metadata().file_metadata().key_value_metadata();
        check_version(path, kind, keys)?;
        let groups = metadata.metadata().row_groups().iter();
        let rows: Option<Vec<u32>> = groups.map(|it| it.num_rows().try_into().ok()).collect();
        let sum = |rows: &[u32]| {
            rows.iter()
                .try_fold(0, |sum: u32, rows| sum.checked_add(*rows))
        };
        let groups = rows.filter(|rows| sum(rows).is_some());
        let groups = groups.ok_or_else(|| DatasetError::parquet(path, &"too many rows"))?;
        Ok(Self {
            path,
            file,
            metadata,
            groups,
        })
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

    /// Returns the number that the file's metadata has under `taflforge.<key>`.
    pub(crate) fn number(&self, key: &str) -> Result<u32, DatasetError> {
        let number = self.about(key).and_then(|number| number.parse().ok());
        number.ok_or_else(|| DatasetError::parquet(self.path, &format!("it has no `{key}`")))
    }

    /// Reads rows, in order; only the columns of a table are decoded.
    pub(crate) fn read<T: Clone>(
        &self,
        table: &[Column<T>],
        rows: Rows<'_>,
        blank: &T,
    ) -> Result<Vec<T>, DatasetError> {
        let number = |at: usize| match rows {
            Rows::Of(groups) => self.rows_before(groups) + at,
            Rows::Picked(_, picked) => picked[at] as usize,
        };
        let expected = match rows {
            Rows::Of(groups) => groups
                .iter()
                .map(|&group| self.groups[group] as usize)
                .sum(),
            Rows::Picked(_, picked) => picked.len(),
        };
        let mut found: Vec<T> = Vec::new();
        for batch in self.batches(&self.places(table)?, rows)? {
            let batch = batch?;
            let from = found.len();
            let end = (from + batch.num_rows()).min(expected);
            found.resize(end, blank.clone());
            for (column, values) in table.iter().zip(batch.columns()) {
                let read = column.read(values, &mut found[from..]);
                read.map_err(|(row, reason)| self.bad(column.name, number(from + row), reason))?;
            }
        }
        if found.len() < expected {
            return Err(DatasetError::parquet(
                self.path,
                &"fewer rows than it states",
            ));
        }
        Ok(found)
    }

    /// Returns the error for a value of a row of the file.
    pub(crate) fn bad(&self, column: &'static str, row: usize, reason: String) -> DatasetError {
        DatasetError::Value {
            path: self.path.into(),
            column,
            row,
            reason,
        }
    }

    /// Returns the number of rows before the first of some row groups.
    fn rows_before(&self, groups: &[usize]) -> usize {
        let before = groups.first().copied().unwrap_or(0);
        self.groups[..before]
            .iter()
            .map(|&rows| rows as usize)
            .sum()
    }

    fn places<T>(&self, table: &[Column<T>]) -> Result<Vec<usize>, DatasetError> {
        let place = |column: &Column<T>| self.place(column.name, &column.data_type);
        table.iter().map(place).collect()
    }

    /// Returns where a column is in the file, which must have it with its type.
    pub(crate) fn place(
        &self,
        column: &'static str,
        expected: &DataType,
    ) -> Result<usize, DatasetError> {
        let fields = self.metadata.schema().fields();
        let found = fields.iter().position(|field| field.name() == column);
        let reason = match found.map(|place| (place, fields[place].data_type())) {
            Some((place, found)) if expected.equals_datatype(found) => return Ok(place),
            Some((_, found)) => format!("of type {found} instead of {expected}"),
            None => "missing".to_owned(),
        };
        let path = self.path.into();
        Err(DatasetError::Column {
            path,
            column,
            reason,
        })
    }

    /// Reads rows as batches of the columns at some places, in the order of the places.
    pub(crate) fn batches(
        &self,
        places: &[usize],
        rows: Rows<'_>,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, DatasetError>>, DatasetError> {
        let file = self.file.try_clone();
        let file = file.map_err(|error| StoreError::reading(self.path, &error))?;
        let metadata = self.metadata.clone();
        let roots = ProjectionMask::roots(self.metadata.parquet_schema(), places.iter().copied());
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
            .with_batch_size(READ_ROWS)
            .with_projection(roots);
        builder = match rows {
            Rows::Of(groups) => builder.with_row_groups(groups.to_vec()),
            Rows::Picked(groups, picked) => builder
                .with_row_groups(groups.to_vec())
                .with_row_selection(self.selection(groups, picked)),
        };
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        let order = places
            .iter()
            .map(|place| sorted.partition_point(|it| it < place));
        let order: Vec<usize> = order.collect();
        let mut reader = guarded(self.path, || builder.build())?;
        let mut has_failed = false;
        Ok(std::iter::from_fn(move || {
            if has_failed {
                return None;
            }
            let next = || match reader.next() {
                Some(batch) => Ok::<_, ArrowError>(Some(batch?.project(&order)?)),
                None => Ok(None),
            };
            let batch = guarded(self.path, next);
            has_failed = batch.is_err();
            batch.transpose()
        }))
    }

    fn selection(&self, groups: &[usize], picked: &[u32]) -> RowSelection {
        let first = self.rows_before(groups);
        let all = groups
            .iter()
            .map(|&group| self.groups[group] as usize)
            .sum();
        let ranges = picked.iter().map(|&row| row as usize - first);
        RowSelection::from_consecutive_ranges(ranges.map(|row| row..row + 1), all)
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

/// Checks that a file is of the kind and of the version that is read.
pub(crate) fn check_version(
    path: &Path,
    kind: FileKind,
    metadata: Option<&Vec<KeyValue>>,
) -> Result<(), DatasetError> {
    let is = |kind: &str, version: &str| format!("`{kind}` of schema version {version}");
    let expected = is(kind.into(), &SCHEMA_VERSION.to_string());
    let found = match (value(metadata, KIND_KEY), value(metadata, VERSION_KEY)) {
        (Some(kind), Some(version)) => is(kind, version),
        _ => "a file without Taflforge's schema version".into(),
    };
    if found == expected {
        return Ok(());
    }
    let path = path.into();
    Err(DatasetError::OtherSchema {
        path,
        found,
        expected,
    })
}
