//! The values of a column, as Parquet lays them out.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{ColumnDescPtr, Type, TypePtr};
use std::any::Any;
use std::sync::Arc;

/// A value as Parquet stores it.
pub(crate) trait Raw: Clone + Default + PartialEq + Send + Sync + 'static {
    type Type: DataType<T = Self>;
}

macro_rules! raw {
    ($($raw:ty: $of:ty,)*) => {$(
        impl Raw for $raw {
            type Type = $of;
        }
    )*};
}

raw! {
    bool: BoolType,
    i32: Int32Type,
    i64: Int64Type,
    f32: FloatType,
    f64: DoubleType,
    ByteArray: ByteArrayType,
}

/// The values of some rows of a column: each has one, or none where it is null, or a list of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values<R> {
    all: Vec<R>,
    /// How many of them each row has, [`NULL`] where it is null; empty while each row has one.
    lengths: Vec<i32>,
}

const NULL: i32 = -1;

/// How many rows are skipped, and how many are read then.
pub(crate) type Step = (usize, usize);

/// Values of a type that is not named.
pub(crate) trait AnyValues: Any + Send + Sync {
    /// Returns the number of rows.
    fn rows(&self) -> usize;

    /// Returns the values of some rows, in the order of their numbers.
    fn take(&self, rows: &[u32]) -> Box<dyn AnyValues>;

    /// Returns the first row in which others of the same type differ from those from a row on.
    fn difference(&self, from: usize, others: &dyn AnyValues) -> Option<usize>;

    /// Writes some rows, from the one on that is given, to a column of such a type.
    fn write(
        &self,
        to: &mut SerializedColumnWriter<'_>,
        rows: std::ops::Range<usize>,
    ) -> Result<(), ParquetError>;
}

impl<R: Raw> Values<R> {
    pub(crate) fn push(&mut self, value: R) {
        if !self.lengths.is_empty() {
            self.lengths.push(1);
        }
        self.all.push(value);
    }

    pub(crate) fn push_list(&mut self, list: impl IntoIterator<Item = R>) {
        let before = self.all.len();
        self.count_rows();
        self.all.extend(list);
        self.lengths.push((self.all.len() - before) as i32);
    }

    pub(crate) fn push_null(&mut self) {
        self.count_rows();
        self.lengths.push(NULL);
    }

    /// Notes that each row so far has one value, as the next one may not.
    fn count_rows(&mut self) {
        if self.lengths.is_empty() {
            self.lengths.resize(self.all.len(), 1);
        }
    }

    /// Returns the value of a row of a column that has one in each.
    pub(crate) fn at(&self, row: usize) -> R {
        self.all[row].clone()
    }

    /// Iterates over the values of each row, `None` where it is null.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&[R]>> {
        let mut left = &*self.all;
        (0..self.rows()).map(move |row| {
            let length = self.lengths.get(row).copied().unwrap_or(1);
            let length = usize::try_from(length).ok()?;
            let (of_row, others) = left.split_at(length);
            left = others;
            Some(of_row)
        })
    }
}

impl<R: Raw> AnyValues for Values<R> {
    fn rows(&self) -> usize {
        if self.lengths.is_empty() {
            self.all.len()
        } else {
            self.lengths.len()
        }
    }

    fn take(&self, rows: &[u32]) -> Box<dyn AnyValues> {
        let of_rows: Vec<_> = self.iter().collect();
        let mut taken = Self::default();
        for &row in rows {
            match of_rows[row as usize] {
                Some([value]) => taken.push(value.clone()),
                Some(list) => taken.push_list(list.iter().cloned()),
                None => taken.push_null(),
            }
        }
        Box::new(taken)
    }

    fn difference(&self, from: usize, others: &dyn AnyValues) -> Option<usize> {
        let others = values_of::<R>(others);
        let mut pairs = self.iter().skip(from).zip(others.iter());
        pairs.position(|(own, other)| own != other)
    }

    fn write(
        &self,
        to: &mut SerializedColumnWriter<'_>,
        rows: std::ops::Range<usize>,
    ) -> Result<(), ParquetError> {
        let to = to.typed::<R::Type>();
        let descriptor = Arc::clone(to.get_descriptor());
        let [most, of_item] = [
            descriptor.max_def_level(),
            descriptor.repeated_ancestor_def_level(),
        ];
        let mut levels = Levels::default();
        let (mut from, mut count) = (0, 0);
        for (row, of_row) in self.iter().enumerate().take(rows.end) {
            let length = of_row.map_or(0, <[R]>::len);
            if row < rows.start {
                from += length;
                continue;
            }
            count += length;
            match of_row {
                None => levels.push(0, 0),
                // A list without a value ends where its items would begin.
                Some([]) => levels.push(of_item - 1, 0),
                Some(_) => (0..length).for_each(|at| levels.push(most, i16::from(at > 0))),
            }
        }
        to.write_batch(
            &self.all[from..from + count],
            Some(&levels.definition),
            Some(&levels.repetition),
        )?;
        Ok(())
    }
}

/// Returns values as those of a type that they have.
pub(crate) fn values_of<R: Raw>(values: &dyn AnyValues) -> &Values<R> {
    let values: &dyn Any = values;
    let values = values.downcast_ref();
    values.expect("a column has one type")
}

/// What Parquet says of each value and of each row without one: how much of its path is there, and whether it begins a row.
#[derive(Default)]
struct Levels {
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl Levels {
    fn push(&mut self, definition: i16, repetition: i16) {
        self.definition.push(definition);
        self.repetition.push(repetition);
    }

    /// Returns the lengths of rows; `None` if an item of a list is null.
    fn lengths(&self, column: &ColumnDescPtr) -> Option<Vec<i32>> {
        let [most, of_item] = [column.max_def_level(), column.repeated_ancestor_def_level()];
        let is_list = column.max_rep_level() > 0;
        let null_list = of_item - 2;
        let mut lengths = Vec::new();
        for (at, &level) in self.definition.iter().enumerate() {
            if is_list && self.repetition[at] > 0 {
                *lengths.last_mut()? += 1;
            } else if level == most {
                lengths.push(1);
            } else if is_list && level > null_list && level < of_item {
                lengths.push(0);
            } else {
                lengths.push(NULL);
            }
            if is_list && (of_item..most).contains(&level) {
                return None;
            }
        }
        Some(lengths)
    }
}

/// A column of a row group that is read from its beginning on.
pub(crate) trait AnyReader {
    /// Reads rows, of which those stepped over are skipped; fewer if there are no more.
    fn read(&mut self, steps: &[Step]) -> Result<Box<dyn AnyValues>, ParquetError>;
}

struct Reader<R: Raw> {
    column: ColumnDescPtr,
    reader: ColumnReaderImpl<R::Type>,
}

impl<R: Raw> AnyReader for Reader<R> {
    fn read(&mut self, steps: &[Step]) -> Result<Box<dyn AnyValues>, ParquetError> {
        let mut levels = Levels::default();
        let mut all = Vec::new();
        for &(skipped, read) in steps {
            if skipped > 0 {
                self.reader.skip_records(skipped)?;
            }
            let Levels {
                definition,
                repetition,
            } = &mut levels;
            self.reader
                .read_records(read, Some(definition), Some(repetition), &mut all)?;
        }
        let mut lengths = Vec::new();
        if self.column.max_def_level() > 0 {
            let found = levels.lengths(&self.column);
            lengths =
                found.ok_or_else(|| ParquetError::General("an entry of a list is null".into()))?;
        }
        if lengths.iter().all(|&length| length == 1) {
            lengths.clear();
        }
        Ok(Box::new(Values { all, lengths }))
    }
}

/// The type of a column.
#[derive(Clone)]
pub(crate) struct ColumnType {
    physical: Physical,
    meaning: Option<LogicalType>,
    is_list: bool,
    reader: fn(ColumnDescPtr, Box<dyn PageReader>) -> Box<dyn AnyReader>,
    nulls: fn(usize) -> Box<dyn AnyValues>,
}

impl ColumnType {
    pub(crate) fn new<R: Raw>(meaning: Option<LogicalType>, is_list: bool) -> Self {
        Self {
            physical: <R::Type as DataType>::get_physical_type(),
            meaning,
            is_list,
            reader: |column, pages| {
                let reader = ColumnReaderImpl::new(Arc::clone(&column), pages);
                Box::new(Reader::<R> { column, reader })
            },
            nulls: |rows| {
                let mut values = Values::<R>::default();
                (0..rows).for_each(|_| values.push_null());
                Box::new(values)
            },
        }
    }

    /// Returns a column of null.
    pub(crate) fn nulls(&self, rows: usize) -> Box<dyn AnyValues> {
        (self.nulls)(rows)
    }

    /// Returns what Parquet is told of a column of this type.
    pub(crate) fn schema(&self, name: &str, is_nullable: bool) -> Result<TypePtr, ParquetError> {
        let repetition = if is_nullable {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        let value = |name: &str, repetition| {
            let value = Type::primitive_type_builder(name, self.physical);
            value
                .with_repetition(repetition)
                .with_logical_type(self.meaning.clone())
                .build()
                .map(Arc::new)
        };
        if !self.is_list {
            return value(name, repetition);
        }
        let item = value("element", Repetition::REQUIRED)?;
        let items = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
        let items = Arc::new(items.with_fields(vec![item]).build()?);
        let list = Type::group_type_builder(name).with_repetition(repetition);
        let list = list
            .with_logical_type(Some(LogicalType::List))
            .with_fields(vec![items]);
        Ok(Arc::new(list.build()?))
    }

    /// Checks that the values of a column of a file are of this type.
    ///
    /// # Errors
    /// The types that were found and expected.
    pub(crate) fn check(&self, column: &ColumnDescPtr) -> Result<(), String> {
        let text = |physical: Physical, is_list: bool| {
            format!("{}{physical}", if is_list { "lists of " } else { "" })
        };
        let expected = text(self.physical, self.is_list);
        let found = text(column.physical_type(), column.max_rep_level() > 0);
        if found == expected && column.max_rep_level() <= 1 {
            return Ok(());
        }
        Err(format!("of type {found} instead of {expected}"))
    }

    /// Opens a column of this type.
    pub(crate) fn reader(
        &self,
        column: ColumnDescPtr,
        pages: Box<dyn PageReader>,
    ) -> Box<dyn AnyReader> {
        (self.reader)(column, pages)
    }
}
