//! Typed access to the columns of a batch of rows.

use crate::DatasetError;
use crate::schema::{ColumnDoc, FileKind};
use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int8Type, Int32Type, UInt8Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, FixedSizeListArray,
    ListArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{BoardShape, Move, PolicyIndex, RankOrder, Setup, Side, Square};
use tafl_samples::{Ending, EndingReason};

/// Some rows of a file, whose columns are checked against the schema.
pub(crate) struct Columns<'a> {
    path: &'a Path,
    /// The schema version of the file.
    version: u32,
    batch: &'a RecordBatch,
    numbers: Numbers<'a>,
}

/// Which rows of the file they are.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    From(usize),
    Picked(&'a [u32]),
}

impl<'a> Columns<'a> {
    /// Checks that every column of the kind and of the file's version that `wanted` picks is there and has its type; the
    /// others may not be asked for.
    pub(crate) fn new(
        path: &'a Path,
        kind: FileKind,
        version: u32,
        wanted: &dyn Fn(&ColumnDoc) -> bool,
        batch: &'a RecordBatch,
        numbers: Numbers<'a>,
    ) -> Result<Self, DatasetError> {
        for (field, column) in kind.schema().fields().iter().zip(kind.columns()) {
            if column.since > version || !wanted(column) {
                continue;
            }
            let column = column.name;
            let expected = field.data_type();
            let reason = match batch.column_by_name(column).map(Array::data_type) {
                Some(found) if expected.equals_datatype(found) => continue,
                Some(found) => format!("of type {found} instead of {expected}"),
                None => "missing".to_owned(),
            };
            let path = path.into();
            return Err(DatasetError::Column {
                path,
                column,
                reason,
            });
        }
        Ok(Self {
            path,
            version,
            batch,
            numbers,
        })
    }

    /// Returns whether the file's version has columns that came with a later one.
    pub(crate) fn has_version(&self, version: u32) -> bool {
        self.version >= version
    }

    fn column(&self, name: &str) -> &'a ArrayRef {
        self.batch
            .column_by_name(name)
            .expect("Columns::new found every column of the schema")
    }

    /// Returns the error for a value of one of these rows.
    pub(crate) fn bad(
        &self,
        column: &'static str,
        row: usize,
        reason: impl std::fmt::Display,
    ) -> DatasetError {
        DatasetError::Value {
            path: self.path.into(),
            column,
            row: match self.numbers {
                Numbers::From(first) => first + row,
                Numbers::Picked(picked) => picked[row] as usize,
            },
            reason: reason.to_string(),
        }
    }

    /// Returns a value that is not null.
    fn present<T>(
        &self,
        value: Option<T>,
        column: &'static str,
        row: usize,
    ) -> Result<T, DatasetError> {
        value.ok_or_else(|| self.bad(column, row, "null"))
    }

    /// Returns a number; `None` if it is null, or the file's version has no such column.
    pub(crate) fn optional<T: ArrowPrimitiveType>(
        &self,
        column: &'static str,
        row: usize,
    ) -> Option<T::Native> {
        let values: &PrimitiveArray<T> = self.batch.column_by_name(column)?.as_primitive();
        values.is_valid(row).then(|| values.value(row))
    }

    pub(crate) fn number<T: ArrowPrimitiveType>(
        &self,
        column: &'static str,
        row: usize,
    ) -> Result<T::Native, DatasetError> {
        self.present(self.optional::<T>(column, row), column, row)
    }

    pub(crate) fn flag(&self, column: &'static str, row: usize) -> Result<bool, DatasetError> {
        let values: &BooleanArray = self.column(column).as_boolean();
        let value = values.is_valid(row).then(|| values.value(row));
        self.present(value, column, row)
    }

    /// Returns a text; `None` if it is null, or the file's version has no such column.
    pub(crate) fn optional_text(&self, column: &'static str, row: usize) -> Option<&'a str> {
        let values: &StringArray = self.batch.column_by_name(column)?.as_string();
        values.is_valid(row).then(|| values.value(row))
    }

    pub(crate) fn word(&self, column: &'static str, row: usize) -> Result<&'a str, DatasetError> {
        let words: &DictionaryArray<Int32Type> = self.column(column).as_dictionary();
        let values: &StringArray = words.values().as_string();
        let key = words
            .key(row)
            .filter(|&key| key < values.len() && values.is_valid(key));
        self.present(key.map(|key| values.value(key)), column, row)
    }

    pub(crate) fn side(&self, column: &'static str, row: usize) -> Result<Side, DatasetError> {
        match self.word(column, row)? {
            "attackers" => Ok(Side::Attacker),
            "defenders" => Ok(Side::Defender),
            other => Err(self.bad(column, row, format!("{other:?} is not a side"))),
        }
    }

    pub(crate) fn board(&self, column: &'static str, row: usize) -> Result<Setup, DatasetError> {
        let text = self.present(self.optional_text(column, row), column, row)?;
        self.board_of(text, column, row)
    }

    /// Reads a text of pieces, in a row's column.
    pub(crate) fn board_of(
        &self,
        text: &str,
        column: &'static str,
        row: usize,
    ) -> Result<Setup, DatasetError> {
        Setup::from_text(text, RankOrder::HighestFirst)
            .map_err(|error| self.bad(column, row, error))
    }

    /// Reads the number of a square on its board.
    pub(crate) fn square(
        &self,
        column: &'static str,
        row: usize,
        shape: BoardShape,
    ) -> Result<Option<Square>, DatasetError> {
        let Some(index) = self.optional::<UInt8Type>(column, row) else {
            return Ok(None);
        };
        if usize::from(index) >= shape.squares() {
            return Err(self.bad(column, row, format!("the board has no square {index}")));
        }
        Ok(Some(shape.square(index.into())))
    }

    pub(crate) fn mv(
        &self,
        column: &'static str,
        row: usize,
        index: u16,
        shape: BoardShape,
    ) -> Result<Move, DatasetError> {
        Move::from_policy_index(PolicyIndex(index), shape)
            .ok_or_else(|| self.bad(column, row, format!("policy index {index} is not a move")))
    }

    /// Reads a policy index; `None` if it is null, or the file's version has no such column.
    pub(crate) fn optional_mv(
        &self,
        column: &'static str,
        row: usize,
        shape: BoardShape,
    ) -> Result<Option<Move>, DatasetError> {
        let index = self.optional::<UInt16Type>(column, row);
        index
            .map(|index| self.mv(column, row, index, shape))
            .transpose()
    }

    /// Returns the entries of a list.
    pub(crate) fn list(&self, column: &'static str, row: usize) -> Result<ArrayRef, DatasetError> {
        let lists: &ListArray = self.column(column).as_list();
        if lists.is_null(row) {
            return Err(self.bad(column, row, "null"));
        }
        let entries = lists.value(row);
        if entries.null_count() > 0 {
            return Err(self.bad(column, row, "an entry is null"));
        }
        Ok(entries)
    }

    /// Reads win, draw and loss.
    pub(crate) fn wdl(&self, column: &'static str, row: usize) -> Result<[f32; 3], DatasetError> {
        let lists: &FixedSizeListArray = self.column(column).as_fixed_size_list();
        if lists.is_null(row) {
            return Err(self.bad(column, row, "null"));
        }
        let entries = lists.value(row);
        let values: &PrimitiveArray<Float32Type> = entries.as_primitive();
        let wdl = <[f32; 3]>::try_from(&values.values()[..])
            .map_err(|error| self.bad(column, row, error))?;
        let in_range = wdl.iter().all(|p| (0.0..=1.0).contains(p));
        let sum: f32 = wdl.iter().sum();
        if in_range && (sum - 1.0).abs() < 1e-3 && entries.null_count() == 0 {
            Ok(wdl)
        } else {
            Err(self.bad(
                column,
                row,
                format!("{wdl:?} are not probabilities that sum to 1"),
            ))
        }
    }

    /// Reads the side that won a result for the attackers: 1, 0 or -1; `None` if it is null.
    pub(crate) fn winner(
        &self,
        column: &'static str,
        row: usize,
    ) -> Result<Option<Option<Side>>, DatasetError> {
        match self.optional::<Int8Type>(column, row) {
            None => Ok(None),
            Some(0) => Ok(Some(None)),
            Some(1) => Ok(Some(Some(Side::Attacker))),
            Some(-1) => Ok(Some(Some(Side::Defender))),
            Some(other) => Err(self.bad(column, row, format!("{other} is not a result"))),
        }
    }

    /// Reads how a game ended from `outcome` and `reason`.
    pub(crate) fn ending(&self, row: usize) -> Result<Ending, DatasetError> {
        let reason: EndingReason = self
            .word("reason", row)?
            .parse()
            .map_err(|error| self.bad("reason", row, error))?;
        let outcome = self.optional::<Int8Type>("outcome", row);
        let bad = |outcome: Option<i8>| {
            let outcome = outcome.map_or_else(|| "null".into(), |value| value.to_string());
            self.bad("outcome", row, format!("{outcome} with reason {reason}"))
        };
        let winner = match (outcome, reason) {
            (None, EndingReason::Capped) | (Some(0), EndingReason::Rule(_)) => None,
            (_, EndingReason::Capped) => return Err(bad(outcome)),
            (Some(1), _) => Some(Side::Attacker),
            (Some(-1), _) => Some(Side::Defender),
            _ => return Err(bad(outcome)),
        };
        Ok(Ending { winner, reason })
    }
}

/// Makes a column of few words.
pub(crate) fn words<'a>(words: impl Iterator<Item = &'a str>) -> ArrayRef {
    let mut builder = StringDictionaryBuilder::<Int32Type>::new();
    words.for_each(|word| builder.append_value(word));
    Arc::new(builder.finish())
}

/// Makes a column of numbers.
pub(crate) fn numbers<T: ArrowPrimitiveType>(values: impl Iterator<Item = T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter_values(values))
}

/// Makes a column of numbers that may be missing.
pub(crate) fn optionals<T: ArrowPrimitiveType>(
    values: impl Iterator<Item = Option<T::Native>>,
) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::from_iter(values))
}

/// Makes a column of lists of some lengths, whose entries come one list after another.
pub(crate) fn lists(lengths: impl Iterator<Item = usize>, entries: ArrayRef) -> ArrayRef {
    let offsets = OffsetBuffer::from_lengths(lengths);
    Arc::new(ListArray::new(item(&entries), offsets, entries, None))
}

/// Makes a column of win, draw and loss.
pub(crate) fn wdls(wdls: impl Iterator<Item = [f32; 3]>) -> ArrayRef {
    let entries = numbers::<Float32Type>(wdls.flatten());
    Arc::new(FixedSizeListArray::new(item(&entries), 3, entries, None))
}

fn item(entries: &ArrayRef) -> Arc<Field> {
    Arc::new(Field::new("item", entries.data_type().clone(), false))
}

/// Returns the column `outcome`.
pub(crate) fn outcome(ending: Ending) -> Option<i8> {
    (!ending.is_capped()).then(|| result(ending.winner))
}

/// Returns a result as a number, for the attackers.
pub(crate) fn result(winner: Option<Side>) -> i8 {
    match winner {
        Some(Side::Attacker) => 1,
        Some(Side::Defender) => -1,
        None => 0,
    }
}

/// Returns the number of a square on its board.
pub(crate) fn square(square: Square, shape: BoardShape) -> u8 {
    u8::try_from(shape.index(square)).expect("a board has at most 121 squares")
}
