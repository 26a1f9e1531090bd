//! Files as another program would write them: without checksums, so that what is in them reaches the decoder.

use parquet::basic::{Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnDescPtr, Type, TypePtr};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Text(ByteArray),
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// The values of a row: one, those of a list, or `None` for null.
pub(crate) type Cell = Option<Vec<Value>>;

/// A column with some of its rows.
#[derive(Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) cells: Vec<Cell>,
    column_type: TypePtr,
}

impl Column {
    /// Puts a single value into a row.
    pub(crate) fn set(&mut self, row: usize, value: Value) {
        self.cells[row] = Some(vec![value]);
    }

    /// Turns the numbers of the column into long ones.
    pub(crate) fn lengthen(&mut self) {
        let long = Type::primitive_type_builder(&self.name, Physical::INT64);
        let long = long.with_repetition(Repetition::OPTIONAL).build().unwrap();
        self.column_type = Arc::new(long);
        let lengthened = |value: &Value| match value {
            Value::Int(number) => Value::Long((*number).into()),
            other => other.clone(),
        };
        for cell in self.cells.iter_mut().flatten() {
            *cell = cell.iter().map(lengthened).collect();
        }
    }
}

/// Returns a column of some rows.
pub(crate) fn column<'a>(columns: &'a mut [Column], name: &str) -> &'a mut Column {
    columns.iter_mut().find(|it| it.name == name).unwrap()
}

/// Writes a file anew with the rows of its first row group and its metadata changed; the other groups keep the columns that
/// the first one has left.
pub(crate) fn rewrite(
    from: &Path,
    to: &Path,
    change: impl FnOnce(&mut Vec<Column>),
    metadata: impl FnOnce(&mut Vec<KeyValue>),
) {
    let file = SerializedFileReader::new(File::open(from).unwrap()).unwrap();
    let about = file.metadata().file_metadata();
    let mut entries = about.key_value_metadata().unwrap().clone();
    metadata(&mut entries);
    let groups = (0..file.num_row_groups()).map(|group| read(&*file.get_row_group(group).unwrap()));
    let mut groups: Vec<Vec<Column>> = groups.collect();
    change(&mut groups[0]);
    let columns: Vec<TypePtr> = groups[0]
        .iter()
        .map(|it| Arc::clone(&it.column_type))
        .collect();
    let schema = Type::group_type_builder("schema")
        .with_fields(columns)
        .build()
        .unwrap();
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(entries))
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let left: Vec<Column> = groups[0].clone();
    for group in &groups {
        let mut to = writer.next_row_group().unwrap();
        for column in &left {
            let own = group.iter().find(|own| own.name == column.name).unwrap();
            let is_same = own.column_type == column.column_type;
            let cells = if is_same {
                own.cells.clone()
            } else {
                vec![None; own.cells.len()]
            };
            let mut to = to.next_column().unwrap().unwrap();
            write(&mut to, &cells);
            to.close().unwrap();
        }
        to.close().unwrap();
    }
    writer.close().unwrap();
    fs::write(to, bytes).unwrap();
}

fn read(group: &dyn RowGroupReader) -> Vec<Column> {
    let about = group.metadata();
    let schema = about.schema_descr();
    let rows = usize::try_from(about.num_rows()).unwrap();
    let column = |place: usize| {
        let descriptor = schema.column(place);
        let column_type = schema.get_column_root_ptr(place);
        let name = column_type.name().to_owned();
        let reader = || group.get_column_reader(place).unwrap();
        let cells = match descriptor.physical_type() {
            Physical::BOOLEAN => cells::<BoolType>(reader(), &descriptor, rows, Value::Bool),
            Physical::INT32 => cells::<Int32Type>(reader(), &descriptor, rows, Value::Int),
            Physical::INT64 => cells::<Int64Type>(reader(), &descriptor, rows, Value::Long),
            Physical::FLOAT => cells::<FloatType>(reader(), &descriptor, rows, Value::Float),
            Physical::DOUBLE => cells::<DoubleType>(reader(), &descriptor, rows, Value::Double),
            _ => cells::<ByteArrayType>(reader(), &descriptor, rows, Value::Text),
        };
        Column {
            name,
            cells,
            column_type,
        }
    };
    (0..schema.num_columns()).map(column).collect()
}

fn cells<T: DataType>(
    reader: ColumnReader,
    column: &ColumnDescPtr,
    rows: usize,
    value: impl Fn(T::T) -> Value,
) -> Vec<Cell> {
    let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
    get_typed_column_reader::<T>(reader)
        .read_records(
            rows,
            Some(&mut definition),
            Some(&mut repetition),
            &mut values,
        )
        .unwrap();
    if column.max_def_level() == 0 {
        definition = vec![0; rows];
    }
    repetition.resize(definition.len(), 0);
    let mut values = values.into_iter().map(value);
    let mut cells: Vec<Cell> = Vec::new();
    for (level, repeated) in definition.into_iter().zip(repetition) {
        if repeated == 0 {
            let is_null = level == 0 && column.max_def_level() > 0;
            cells.push((!is_null).then(Vec::new));
        }
        if level == column.max_def_level() {
            let cell = cells.last_mut().unwrap().as_mut().unwrap();
            cell.push(values.next().unwrap());
        }
    }
    cells
}

fn write(to: &mut SerializedColumnWriter<'_>, cells: &[Cell]) {
    macro_rules! write {
        ($to:expr, $of:ty, $value:path) => {{
            let to = $to.typed::<$of>();
            let most = to.get_descriptor().max_def_level();
            let (mut definition, mut repetition, mut values) = (Vec::new(), Vec::new(), Vec::new());
            for cell in cells {
                let all = cell.as_deref().unwrap_or(&[]);
                if all.is_empty() {
                    definition.push(i16::from(cell.is_some()));
                    repetition.push(0);
                }
                for (at, value) in all.iter().enumerate() {
                    let $value(value) = value else {
                        panic!("{value:?}")
                    };
                    values.push(value.clone());
                    definition.push(most);
                    repetition.push(i16::from(at > 0));
                }
            }
            to.write_batch(&values, Some(&definition), Some(&repetition))
                .unwrap();
        }};
    }
    match cells.iter().flatten().flatten().next() {
        Some(Value::Bool(_)) => write!(to, BoolType, Value::Bool),
        Some(Value::Int(_)) => write!(to, Int32Type, Value::Int),
        Some(Value::Long(_)) => write!(to, Int64Type, Value::Long),
        Some(Value::Float(_)) => write!(to, FloatType, Value::Float),
        Some(Value::Double(_)) => write!(to, DoubleType, Value::Double),
        Some(Value::Text(_)) => write!(to, ByteArrayType, Value::Text),
        None => nulls(to, cells.len()),
    }
}

/// Writes a column of null, whatever its type.
fn nulls(to: &mut SerializedColumnWriter<'_>, rows: usize) {
    use parquet::column::writer::ColumnWriter;
    let levels = vec![0; rows];
    let levels = (Some(&*levels), Some(&*levels));
    let written = match to.untyped() {
        ColumnWriter::BoolColumnWriter(to) => to.write_batch(&[], levels.0, levels.1),
        ColumnWriter::Int32ColumnWriter(to) => to.write_batch(&[], levels.0, levels.1),
        ColumnWriter::Int64ColumnWriter(to) => to.write_batch(&[], levels.0, levels.1),
        ColumnWriter::FloatColumnWriter(to) => to.write_batch(&[], levels.0, levels.1),
        ColumnWriter::DoubleColumnWriter(to) => to.write_batch(&[], levels.0, levels.1),
        ColumnWriter::ByteArrayColumnWriter(to) => to.write_batch(&[], levels.0, levels.1),
        _ => panic!("a type that no column has"),
    };
    written.unwrap();
}
