//! Typed access to the columns of a batch of rows.

use crate::DatasetError;
use crate::parquet_file::Rows;
use crate::schema::ColumnDoc;
use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, DictionaryArray,
    FixedSizeListArray, ListArray, PrimitiveArray, StringArray, StringDictionaryBuilder,
};
use arrow::datatypes::Int32Type;
use arrow::record_batch::RecordBatch;
use std::sync::Arc;
use tafl_rules::{BoardShape, Move, PolicyIndex, RankOrder, Setup, Side, Square};
use tafl_samples::{Ending, EndingReason};

/// The columns of some rows, checked against the schema.
pub(crate) struct Columns<'a> {
    rows: &'a Rows<'a>,
    batch: &'a RecordBatch,
}

impl<'a> Columns<'a> {
    /// Checks that every column of the kind and of the file's version is there and has its type.
    pub(crate) fn new(rows: &'a Rows<'a>) -> Result<Self, DatasetError> {
        Self::some(rows, &|_| true)
    }

    /// Does the same for those columns that `wanted` picks; the others may not be asked for.
    pub(crate) fn some(
        rows: &'a Rows<'a>,
        wanted: &dyn Fn(&ColumnDoc) -> bool,
    ) -> Result<Self, DatasetError> {
        let batch = rows.batch;
        let schema = rows.kind.schema();
        let path = || rows.path.to_path_buf();
        for (field, column) in schema.fields().iter().zip(rows.kind.columns()) {
            if column.since > rows.version || !wanted(column) {
                continue;
            }
            let column = column.name;
            let found =
                batch
                    .column_by_name(column)
                    .ok_or_else(|| DatasetError::MissingColumn {
                        path: path(),
                        column,
                    })?;
            if !field.data_type().equals_datatype(found.data_type()) {
                return Err(DatasetError::ColumnType {
                    path: path(),
                    column,
                    found: found.data_type().to_string(),
                    expected: field.data_type().to_string(),
                });
            }
        }
        Ok(Self { rows, batch })
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// Returns whether the file's version has columns that came with a later one.
    pub(crate) fn has_version(&self, version: u32) -> bool {
        self.rows.version >= version
    }

    fn column(&self, name: &str) -> &'a ArrayRef {
        self.batch
            .column_by_name(name)
            .expect("Columns::new found every column of the schema")
    }

    /// Returns whether the file's version has a column.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.batch.column_by_name(name).is_some()
    }

    /// Returns the error for a value of one of these rows.
    pub(crate) fn bad(
        &self,
        column: &'static str,
        row: usize,
        reason: impl std::fmt::Display,
    ) -> DatasetError {
        DatasetError::Value {
            path: self.rows.path.into(),
            column,
            row: self.rows.number(row),
            reason: reason.to_string(),
        }
    }

    pub(crate) fn optional<T: ArrowPrimitiveType>(
        &self,
        column: &'static str,
        row: usize,
    ) -> Option<T::Native> {
        let values: &PrimitiveArray<T> = self.column(column).as_primitive();
        values.is_valid(row).then(|| values.value(row))
    }

    pub(crate) fn number<T: ArrowPrimitiveType>(
        &self,
        column: &'static str,
        row: usize,
    ) -> Result<T::Native, DatasetError> {
        self.optional::<T>(column, row)
            .ok_or_else(|| self.bad(column, row, "null"))
    }

    pub(crate) fn flag(&self, column: &'static str, row: usize) -> Result<bool, DatasetError> {
        let values: &BooleanArray = self.column(column).as_boolean();
        if values.is_null(row) {
            return Err(self.bad(column, row, "null"));
        }
        Ok(values.value(row))
    }

    pub(crate) fn text(&self, column: &'static str, row: usize) -> Result<&'a str, DatasetError> {
        self.optional_text(column, row)
            .ok_or_else(|| self.bad(column, row, "null"))
    }

    pub(crate) fn optional_text(&self, column: &'static str, row: usize) -> Option<&'a str> {
        let values: &StringArray = self.column(column).as_string();
        values.is_valid(row).then(|| values.value(row))
    }

    pub(crate) fn word(&self, column: &'static str, row: usize) -> Result<&'a str, DatasetError> {
        let words: &DictionaryArray<Int32Type> = self.column(column).as_dictionary();
        let values: &StringArray = words.values().as_string();
        let key = words
            .key(row)
            .filter(|&key| key < values.len() && values.is_valid(key));
        key.map(|key| values.value(key))
            .ok_or_else(|| self.bad(column, row, "null"))
    }

    pub(crate) fn side(&self, column: &'static str, row: usize) -> Result<Side, DatasetError> {
        match self.word(column, row)? {
            "attackers" => Ok(Side::Attacker),
            "defenders" => Ok(Side::Defender),
            other => Err(self.bad(column, row, format!("{other:?} is no side"))),
        }
    }

    pub(crate) fn board(&self, column: &'static str, row: usize) -> Result<Setup, DatasetError> {
        let text = self.text(column, row)?;
        self.board_of(text, column, row)
    }

    /// Reads a text of pieces, which stands in a row's column.
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
        use arrow::datatypes::UInt8Type;
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
            .ok_or_else(|| self.bad(column, row, format!("policy index {index} is no move")))
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
        let values: &PrimitiveArray<arrow::datatypes::Float32Type> = entries.as_primitive();
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
                format!("{wdl:?} are no probabilities that sum to 1"),
            ))
        }
    }

    /// Reads the side that won a result for the attackers: 1, 0 or -1; `None` if it is null.
    pub(crate) fn winner(
        &self,
        column: &'static str,
        row: usize,
    ) -> Result<Option<Option<Side>>, DatasetError> {
        use arrow::datatypes::Int8Type;
        match self.optional::<Int8Type>(column, row) {
            None => Ok(None),
            Some(0) => Ok(Some(None)),
            Some(1) => Ok(Some(Some(Side::Attacker))),
            Some(-1) => Ok(Some(Some(Side::Defender))),
            Some(other) => Err(self.bad(column, row, format!("{other} is no result"))),
        }
    }

    /// Reads how a game ended from `outcome` and `reason`.
    pub(crate) fn ending(&self, row: usize) -> Result<Ending, DatasetError> {
        use arrow::datatypes::Int8Type;
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
