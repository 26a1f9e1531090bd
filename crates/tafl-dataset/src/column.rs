//! A column of a file and the field of a row that it holds.

use crate::cell::Cell;
use crate::values::{AnyValues, ColumnType, Values, values_of};
use tafl_rules::BoardShape;

/// The version of the files written; changes with any change to a column or its meaning.
pub const SCHEMA_VERSION: u32 = 5;

/// The board of rows whose columns number no squares, and of such as are not read yet.
pub(crate) const ANY_BOARD: BoardShape = BoardShape::new(11).expect("a size of boards");

/// What the rows of a table say.
pub(crate) trait Row {
    /// Returns the board that numbers the squares and moves of the row.
    fn shape(&self) -> BoardShape {
        ANY_BOARD
    }
}

type Write<T> = Box<dyn Fn(&mut dyn Iterator<Item = &T>) -> Box<dyn AnyValues> + Send + Sync>;

type Read<T> = Box<dyn Fn(&dyn AnyValues, &mut [T]) -> Result<(), (usize, String)> + Send + Sync>;

/// A column, which holds one value of rows that are a `T` in memory.
pub(crate) struct Column<T> {
    pub(crate) name: &'static str,
    /// Meaning, unit, range and point of view; `None` for a column that another table writes.
    pub(crate) meaning: Option<&'static str>,
    pub(crate) column_type: ColumnType,
    pub(crate) is_nullable: bool,
    write: Write<T>,
    read: Read<T>,
}

/// Declares a column by its name, its meaning, how its value is taken from a row, and how it is put into one that is read.
///
/// Columns are read in the order of their table, so a value may be checked against those before it.
pub(crate) fn column<T: Row + 'static, C: Cell>(
    name: &'static str,
    meaning: &'static str,
    get: impl Fn(&T) -> C + Send + Sync + 'static,
    set: impl Fn(&mut T, C) -> Result<(), String> + Send + Sync + 'static,
) -> Column<T> {
    let write = move |rows: &mut dyn Iterator<Item = &T>| -> Box<dyn AnyValues> {
        let mut values = Values::default();
        rows.for_each(|row| get(row).write(row.shape(), &mut values));
        Box::new(values)
    };
    Column {
        meaning: Some(meaning),
        write: Box::new(write),
        ..of_another(name, set)
    }
}

/// Declares a column that another table of the same file writes, and this one reads.
pub(crate) fn of_another<T: Row + 'static, C: Cell>(
    name: &'static str,
    set: impl Fn(&mut T, C) -> Result<(), String> + Send + Sync + 'static,
) -> Column<T> {
    let read = move |values: &dyn AnyValues, rows: &mut [T]| {
        let mut last: Option<(&[C::Raw], C)> = None;
        for ((number, row), raw) in rows.iter_mut().enumerate().zip(values_of(values).iter()) {
            let cell = match (raw, &last) {
                (Some(raw), Some((before, cell))) if raw == *before => Ok(cell.clone()),
                (Some(raw), _) => C::read(raw, row.shape()),
                (None, _) => C::null().ok_or_else(|| "null".to_owned()),
            };
            let cell = cell.map_err(|reason| (number, reason))?;
            if C::REPEATS {
                last = raw.map(|raw| (raw, cell.clone()));
            }
            set(row, cell).map_err(|reason| (number, reason))?;
        }
        Ok(())
    };
    Column {
        name,
        meaning: None,
        column_type: C::column_type(),
        is_nullable: C::null().is_some(),
        write: Box::new(|rows| C::column_type().nulls(rows.count())),
        read: Box::new(read),
    }
}

/// Declares a table: each column by its name, the place of its value in a row, or how it is taken from a row and put into
/// one, and its meaning. Behind `others` stand columns that another table of the file writes.
macro_rules! table {
    ($(#[$doc:meta])* $visible:vis $table:ident: $row:ty {
        $($name:ident $place:tt $meaning:literal,)*
    } others { $($other:ident $of:tt,)* }) => {
        $(#[$doc])*
        $visible static $table: std::sync::LazyLock<Vec<$crate::column::Column<$row>>> = std::sync::LazyLock::new(|| vec![
            $(declared!($row, $name $place $meaning),)*
            $(declared!($row, $other $of),)*
        ]);
    };
}

macro_rules! declared {
    ($row:ty, $name:ident [$($place:tt)+] $meaning:literal) => {
        $crate::column::column(stringify!($name), $meaning, |row: &$row| row.$($place)+.clone(), |row: &mut $row, cell| {
            row.$($place)+ = cell;
            Ok(())
        })
    };
    ($row:ty, $name:ident ($get:expr, $set:expr) $meaning:literal) => {
        $crate::column::column(stringify!($name), $meaning, $get, $set)
    };
    ($row:ty, $name:ident [$($place:tt)+]) => {
        $crate::column::of_another(stringify!($name), |row: &mut $row, cell| {
            row.$($place)+ = cell;
            Ok(())
        })
    };
    ($row:ty, $name:ident ($set:expr)) => {
        $crate::column::of_another(stringify!($name), $set)
    };
}

pub(crate) use {declared, table};

impl<T> Column<T> {
    /// Lays out the values of rows.
    pub(crate) fn write<'a>(&self, mut rows: impl Iterator<Item = &'a T>) -> Box<dyn AnyValues>
    where
        T: 'a,
    {
        (self.write)(&mut rows)
    }

    /// Puts the values of a column, which has the type of this one, into as many rows.
    ///
    /// # Errors
    /// For the first row whose value cannot be: its number among these, and the reason.
    pub(crate) fn read(
        &self,
        values: &dyn AnyValues,
        rows: &mut [T],
    ) -> Result<(), (usize, String)> {
        (self.read)(values, rows)
    }
}
