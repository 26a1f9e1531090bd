//! Parquet files of a known kind, as a whole.

use crate::DatasetError;
use crate::column::{Column, SCHEMA_VERSION};
use crate::guard::guarded;
use crate::parquet_checksum::{self, MOST_BYTES};
use crate::values::{AnyReader, AnyValues, ColumnType, Step};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tafl_store::{StoreError, open_file, write_atomically};

const KIND_KEY: &str = "schema";
const VERSION_KEY: &str = "schema_version";
const MEANINGS_KEY: &str = "columns";

/// Level 9 against 3: 10 % smaller files for 5 us a position; 15 gains 1 % more and takes twice as long.
const ZSTD_LEVEL: i32 = 9;

/// Rows of a row group: groups are decoded side by side, and each is all in memory while it is written.
const GROUP_ROWS: usize = 1 << 18;

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

/// A column as a file states it.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) column_type: ColumnType,
    pub(crate) is_nullable: bool,
    pub(crate) meaning: Cow<'static, str>,
}

/// Returns the columns that a table writes, as a file states them.
pub(crate) fn fields<T>(table: &[Column<T>]) -> impl Iterator<Item = Field> {
    table.iter().filter_map(|column| {
        Some(Field {
            name: column.name,
            column_type: column.column_type.clone(),
            is_nullable: column.is_nullable,
            meaning: column.meaning?.into(),
        })
    })
}

/// Values of the columns of a file, as many of each.
pub(crate) type Part = Vec<Box<dyn AnyValues>>;

/// Returns the number of rows of a part.
pub(crate) fn rows_of(part: &Part) -> usize {
    part.first().map_or(0, |values| values.rows())
}

/// Encodes rows as a file that has no checksums yet; each of the parts has row groups of its own.
pub(crate) fn to_bytes(
    kind: FileKind,
    fields: &[Field],
    parts: &[Part],
    provenance: &[(&str, String)],
) -> Result<Vec<u8>, ParquetError> {
    let properties = Arc::new(properties(metadata(kind, fields, provenance))?);
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema(fields)?, properties)?;
    for part in parts {
        let rows = rows_of(part);
        for first in (0..rows).step_by(GROUP_ROWS) {
            let mut group = writer.next_row_group()?;
            for values in part {
                let column = group.next_column()?;
                let mut column = column.expect("the schema has a column for each of the values");
                values.write(&mut column, first..rows.min(first + GROUP_ROWS))?;
                column.close()?;
            }
            group.close()?;
        }
    }
    writer.close()?;
    Ok(bytes)
}

/// Returns what Parquet is told of the columns.
pub(crate) fn schema(fields: &[Field]) -> Result<TypePtr, ParquetError> {
    let columns = fields
        .iter()
        .map(|it| it.column_type.schema(it.name, it.is_nullable));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("schema").with_fields(columns);
    Ok(Arc::new(schema.build()?))
}

/// Returns the metadata of a file of one kind, with what each column means.
pub(crate) fn metadata(
    kind: FileKind,
    fields: &[Field],
    provenance: &[(&str, String)],
) -> Vec<KeyValue> {
    let meanings = fields.iter().map(|it| (it.name, &*it.meaning));
    let meanings: BTreeMap<&str, &str> = meanings.collect();
    let meanings = serde_json::to_string(&meanings).expect("words are JSON");
    let own = [
        (KIND_KEY, <&str>::from(kind).to_owned()),
        (VERSION_KEY, SCHEMA_VERSION.to_string()),
        (MEANINGS_KEY, meanings),
    ];
    let all = own.into_iter().chain(provenance.iter().cloned());
    all.map(|(key, value)| KeyValue::new(format!("taflforge.{key}"), value))
        .collect()
}

/// Moves and boards resemble those of the plies before, which zstd finds only where they are laid out plainly, in pages as
/// large as may be; plies follow each other; all else is smaller as a dictionary.
pub(crate) fn properties(metadata: Vec<KeyValue>) -> Result<WriterProperties, ParquetError> {
    let mut builder = WriterProperties::builder()
        .set_created_by("taflforge".into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_row_count_limit(GROUP_ROWS)
        .set_key_value_metadata(Some(metadata));
    for (column, encoding) in [
        ("policy_moves.list.element", Encoding::PLAIN),
        ("board", Encoding::PLAIN),
        ("ply", Encoding::DELTA_BINARY_PACKED),
    ] {
        let column = ColumnPath::new(column.split('.').map(str::to_owned).collect());
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, encoding);
    }
    Ok(builder.build())
}

/// An open file of one kind.
pub(crate) struct Opened<'a> {
    path: &'a Path,
    reader: SerializedFileReader<File>,
    /// The rows of each row group.
    pub(crate) groups: Vec<u32>,
    /// Whether another program wrote it without our metadata, as polars and DuckDB do. Its columns tell what it is.
    pub(crate) is_rewritten: bool,
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
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let metadata = reader.metadata();
        check_compression(path, metadata)?;
        let about = metadata.file_metadata().key_value_metadata();
        let is_rewritten = kind == FileKind::Games && is_without_our_words(about);
        if !is_rewritten {
            check_version(path, kind, about)?;
        }
        let groups = metadata.row_groups().iter();
        let rows: Option<Vec<u32>> = groups.map(|it| it.num_rows().try_into().ok()).collect();
        let sum = |rows: &[u32]| {
            rows.iter()
                .try_fold(0, |sum: u32, rows| sum.checked_add(*rows))
        };
        let groups = rows.filter(|rows| sum(rows).is_some());
        let groups = groups.ok_or_else(|| DatasetError::parquet(path, &"too many rows"))?;
        Ok(Self {
            path,
            reader,
            groups,
            is_rewritten,
        })
    }

    /// Returns the bytes of all columns before compression, as the file states them.
    pub(crate) fn unpacked_bytes(&self) -> u64 {
        let groups = self.reader.metadata().row_groups().iter();
        let bytes = groups.map(|group| u64::try_from(group.total_byte_size()).unwrap_or(u64::MAX));
        bytes.fold(0, u64::saturating_add)
    }

    pub(crate) fn about(&self, key: &str) -> Option<&str> {
        let metadata = self.reader.metadata().file_metadata();
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
        let columns = table
            .iter()
            .map(|column| (column.name, &column.column_type, column.is_nullable));
        let mut found: Vec<T> = Vec::new();
        self.read_parts(columns, rows, |part| {
            let from = found.len();
            found.resize(from + rows_of(part), blank.clone());
            for (column, values) in table.iter().zip(part) {
                let read = column.read(&**values, &mut found[from..]);
                read.map_err(|(row, reason)| self.bad(column.name, number(from + row), reason))?;
            }
            Ok(())
        })?;
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

    /// Reads rows, some thousands at a time, as the values of some columns, of each of which is said whether it may be null.
    ///
    /// # Errors
    /// If a column is missing or of another type, a page is damaged, and those of `each`.
    pub(crate) fn read_parts<'c>(
        &self,
        columns: impl Iterator<Item = (&'static str, &'c ColumnType, bool)>,
        rows: Rows<'_>,
        mut each: impl FnMut(&Part) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        let columns = columns.map(|(name, column, is_nullable)| {
            Ok((self.place(name, column, is_nullable)?, column))
        });
        let columns = columns.collect::<Result<Vec<_>, DatasetError>>()?;
        let (Rows::Of(groups) | Rows::Picked(groups, _)) = rows;
        let mut first = self.rows_before(groups);
        for &group in groups {
            let end = first + self.groups[group] as usize;
            let steps = match rows {
                Rows::Of(_) => steps(first..end, first),
                Rows::Picked(_, picked) => {
                    let rows = picked.iter().map(|&row| row as usize);
                    steps(rows.filter(|row| (first..end).contains(row)), first)
                }
            };
            first = end;
            let mut readers = Vec::with_capacity(columns.len());
            for &(place, column) in steps.first().map_or(&[][..], |_| &columns) {
                let reader = place.map(|it| guarded(self.path, || self.reader(group, it, column)));
                readers.push((reader.transpose()?, column));
            }
            for steps in steps {
                let rows: usize = steps.iter().map(|&(_, read)| read).sum();
                let read = |(reader, column): &mut (Option<Box<dyn AnyReader>>, &ColumnType)| {
                    let Some(reader) = reader else {
                        return Ok(column.nulls(rows));
                    };
                    guarded(self.path, || reader.read(&steps))
                };
                let part = readers.iter_mut().map(read).collect::<Result<Part, _>>()?;
                if part.iter().any(|values| values.rows() != rows) {
                    return Err(DatasetError::parquet(
                        self.path,
                        &"fewer rows than it states",
                    ));
                }
                each(&part)?;
            }
        }
        Ok(())
    }

    /// Returns where a column is in the file, which must have it with its type; nothing for one that may be null and came
    /// after the file, which does not say what it means.
    fn place(
        &self,
        column: &'static str,
        expected: &ColumnType,
        is_nullable: bool,
    ) -> Result<Option<usize>, DatasetError> {
        let columns = self
            .reader
            .metadata()
            .file_metadata()
            .schema_descr()
            .columns();
        let is_named = |it: &usize| columns[*it].path().parts()[0] == column;
        let places: Vec<usize> = (0..columns.len()).filter(is_named).collect();
        let reason = match places[..] {
            [place] => match expected.check(&columns[place]) {
                Ok(()) => return Ok(Some(place)),
                Err(reason) => reason,
            },
            [] if is_nullable && self.is_before(column) => return Ok(None),
            [] => "missing".to_owned(),
            _ => "of several parts".to_owned(),
        };
        let path = self.path.into();
        Err(DatasetError::Column {
            path,
            column,
            reason,
        })
    }

    /// Returns whether the file says what its columns mean, and not what this one does.
    fn is_before(&self, column: &str) -> bool {
        let meanings = self.about(MEANINGS_KEY);
        let meanings = meanings.and_then(|it| serde_json::from_str(it).ok());
        meanings.is_some_and(|it: BTreeMap<String, String>| !it.contains_key(column))
    }

    fn reader(
        &self,
        group: usize,
        place: usize,
        column: &ColumnType,
    ) -> Result<Box<dyn AnyReader>, ParquetError> {
        let descriptor = self
            .reader
            .metadata()
            .file_metadata()
            .schema_descr()
            .column(place);
        let pages = self
            .reader
            .get_row_group(group)?
            .get_column_page_reader(place)?;
        Ok(column.reader(descriptor, pages))
    }
}

/// Returns the steps that read rows of a row group, which begins with the row `first`, in parts of [`READ_ROWS`] at most.
fn steps(rows: impl Iterator<Item = usize>, first: usize) -> Vec<Vec<Step>> {
    let mut parts: Vec<Vec<Step>> = Vec::new();
    let mut next = first;
    for (number, row) in rows.enumerate() {
        if number % READ_ROWS == 0 {
            parts.push(Vec::new());
        }
        let part = parts.last_mut().expect("one was begun with the first row");
        match part.last_mut().filter(|_| row == next) {
            Some((_, read)) => *read += 1,
            None => part.push((row - next, 1)),
        }
        next = row + 1;
    }
    parts
}

/// Returns a file's metadata under `taflforge.<key>`.
pub(crate) fn about<'a>(metadata: Option<&'a Vec<KeyValue>>, key: &str) -> Option<&'a str> {
    let mut entries = metadata.into_iter().flatten();
    let entry = entries.find(|entry| entry.key.strip_prefix("taflforge.") == Some(key))?;
    entry.value.as_deref()
}

fn is_without_our_words(metadata: Option<&Vec<KeyValue>>) -> bool {
    let mut keys = metadata.into_iter().flatten().map(|entry| &entry.key);
    !keys.any(|key| key.starts_with("taflforge."))
}

/// Checks that all columns are compressed in a way that is read.
fn check_compression(path: &Path, metadata: &ParquetMetaData) -> Result<(), DatasetError> {
    let columns = metadata.row_groups().iter().flat_map(|it| it.columns());
    for column in columns {
        let name = match column.compression() {
            Compression::UNCOMPRESSED | Compression::ZSTD(_) | Compression::SNAPPY => continue,
            Compression::GZIP(_) => "gzip",
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            Compression::LZ4 | Compression::LZ4_RAW => "LZ4",
        };
        let reason = format!("compressed with {name}; zstd, Snappy and no compression are read");
        return Err(StoreError::unreadable(path, reason).into());
    }
    Ok(())
}

/// Checks that a file is of the kind and of the version that is read.
pub(crate) fn check_version(
    path: &Path,
    kind: FileKind,
    metadata: Option<&Vec<KeyValue>>,
) -> Result<(), DatasetError> {
    let name: &'static str = kind.into();
    if let Some(found) = about(metadata, KIND_KEY).filter(|found| *found != name) {
        return Err(DatasetError::OtherKind {
            path: path.into(),
            found: found.into(),
            expected: name,
        });
    }
    let is = |kind: &str, version: &str| format!("`{kind}` of schema version {version}");
    let expected = is(name, &SCHEMA_VERSION.to_string());
    let found = match (about(metadata, KIND_KEY), about(metadata, VERSION_KEY)) {
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
