//! Parquet files of a known kind, as a whole.

use crate::schema::{ColumnDoc, FileKind};
use crate::{
    ACCEPTED_SCHEMA_VERSIONS, DatasetError, SCHEMA_VERSION, parquet_checksum, write_atomically,
};
use arrow::record_batch::RecordBatch;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::path::Path;

const KIND_KEY: &str = "taflforge.schema";
const VERSION_KEY: &str = "taflforge.schema_version";

/// Level 9 against 3: 10 % smaller files for 5 us a position; 15 gains 1 % more and takes twice as long.
const ZSTD_LEVEL: i32 = 9;

/// Rows of a row group: groups are decoded side by side, and each is all in memory while it is written.
const GROUP_ROWS: usize = 1 << 16;

/// Rows decoded at a time.
const READ_ROWS: usize = 8192;

/// Writes a file of one kind; returns its bytes.
pub(crate) fn write(
    path: &Path,
    kind: FileKind,
    batch: &RecordBatch,
    provenance: &[(&str, String)],
) -> Result<Vec<u8>, DatasetError> {
    let unwritable = |reason: String| DatasetError::Parquet {
        path: path.into(),
        reason,
    };
    let bytes = to_bytes(kind, batch, provenance).map_err(|error| unwritable(error.to_string()))?;
    let bytes = parquet_checksum::add(&bytes)
        .ok_or_else(|| unwritable("the writer left no footer".into()))?;
    write_atomically(path, &bytes)?;
    Ok(bytes)
}

/// Encodes rows of one kind as a file that has no checksums yet.
pub(crate) fn to_bytes(
    kind: FileKind,
    batch: &RecordBatch,
    provenance: &[(&str, String)],
) -> Result<Vec<u8>, ParquetError> {
    let properties = properties(metadata(kind, provenance))?;
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties))?;
    writer.write(batch)?;
    writer.close()?;
    Ok(bytes)
}

/// Returns what a file of one kind says of itself.
pub(crate) fn metadata(kind: FileKind, provenance: &[(&str, String)]) -> Vec<KeyValue> {
    let mut metadata = vec![
        KeyValue::new(KIND_KEY.into(), kind.name().to_owned()),
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

/// Some rows of a file.
pub(crate) struct Rows<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: FileKind,
    /// The schema version of the file.
    pub(crate) version: u32,
    pub(crate) batch: &'a RecordBatch,
    numbers: Numbers<'a>,
}

/// Which rows of the file they are.
#[derive(Clone, Copy)]
enum Numbers<'a> {
    From(usize),
    Picked(&'a [u32]),
}

impl Rows<'_> {
    /// Returns the number within the file of a row of the batch.
    pub(crate) fn number(&self, row: usize) -> usize {
        match self.numbers {
            Numbers::From(first) => first + row,
            Numbers::Picked(picked) => picked[row] as usize,
        }
    }
}

/// An open file of one kind.
pub(crate) struct Opened<'a> {
    path: &'a Path,
    kind: FileKind,
    file: File,
    metadata: ArrowReaderMetadata,
    version: u32,
}

/// Calls `each` with the rows of a file of one kind, in order, once its checksums are checked.
pub(crate) fn read(
    path: &Path,
    kind: FileKind,
    each: impl FnMut(&Rows<'_>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    parquet_checksum::check(path)?;
    Opened::new(path, kind)?.read(&|_| true, each)
}

impl<'a> Opened<'a> {
    /// Opens a file. Where rows are to be read, its checksums were checked before: decoders may panic on damaged pages.
    pub(crate) fn new(path: &'a Path, kind: FileKind) -> Result<Self, DatasetError> {
        let file = File::open(path).map_err(|error| DatasetError::reading(path, &error))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
            .map_err(|error| DatasetError::parquet(path, &error))?;
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

    /// Returns what the file says of itself under `taflforge.<key>`.
    pub(crate) fn about(&self, key: &str) -> Option<&str> {
        let metadata = self.metadata.metadata().file_metadata();
        about(metadata.key_value_metadata(), key)
    }

    /// Calls `each` with all rows, in order; of the columns only those wanted are decoded.
    pub(crate) fn read(
        &self,
        wanted: &dyn Fn(&ColumnDoc) -> bool,
        mut each: impl FnMut(&Rows<'_>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
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
        let mut first = 0;
        for batch in self.build(builder)? {
            let batch = batch.map_err(|error| DatasetError::parquet(self.path, &error))?;
            each(&self.rows(&batch, Numbers::From(first)))?;
            first += batch.num_rows();
        }
        Ok(())
    }

    /// Calls `each` with some rows of one row group, in order; `picked` are their numbers within the file, rising.
    pub(crate) fn read_picked(
        &self,
        group: usize,
        picked: &[u32],
        mut each: impl FnMut(&Rows<'_>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
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
        let mut left = picked;
        for batch in self.build(builder)? {
            let batch = batch.map_err(|error| DatasetError::parquet(self.path, &error))?;
            let (now, later) = left
                .split_at_checked(batch.num_rows())
                .ok_or_else(|| DatasetError::parquet(self.path, &"more rows than were picked"))?;
            each(&self.rows(&batch, Numbers::Picked(now)))?;
            left = later;
        }
        if left.is_empty() {
            Ok(())
        } else {
            Err(DatasetError::parquet(
                self.path,
                &"fewer rows than were picked",
            ))
        }
    }

    fn rows<'b>(&'b self, batch: &'b RecordBatch, numbers: Numbers<'b>) -> Rows<'b> {
        Rows {
            path: self.path,
            kind: self.kind,
            version: self.version,
            batch,
            numbers,
        }
    }

    fn builder(&self) -> Result<ParquetRecordBatchReaderBuilder<File>, DatasetError> {
        let file = self.file.try_clone();
        let file = file.map_err(|error| DatasetError::reading(self.path, &error))?;
        let metadata = self.metadata.clone();
        Ok(
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
                .with_batch_size(READ_ROWS),
        )
    }

    fn build(
        &self,
        builder: ParquetRecordBatchReaderBuilder<File>,
    ) -> Result<ParquetRecordBatchReader, DatasetError> {
        builder
            .build()
            .map_err(|error| DatasetError::parquet(self.path, &error))
    }
}

/// Returns what a file says of itself under `taflforge.<key>`.
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
    let value = |key: &str| value(metadata, key);
    let version = value(VERSION_KEY).and_then(|version| version.parse::<u32>().ok());
    let accepted = version.filter(|version| ACCEPTED_SCHEMA_VERSIONS.contains(version));
    if let Some(version) = accepted.filter(|_| value(KIND_KEY) == Some(kind.name())) {
        return Ok(version);
    }
    let found = match (value(KIND_KEY), value(VERSION_KEY)) {
        (Some(kind), Some(version)) => format!("`{kind}` of schema version {version}"),
        _ => "a file without Taflforge's schema version".into(),
    };
    let versions: Vec<String> = ACCEPTED_SCHEMA_VERSIONS
        .iter()
        .map(u32::to_string)
        .collect();
    let expected = format!(
        "`{}` of schema version {}",
        kind.name(),
        versions.join(" or ")
    );
    Err(DatasetError::OtherSchema {
        path: path.into(),
        found,
        expected,
    })
}
