//! `summary.parquet` of a balance study: every number, one a row.

use crate::columns::{Columns, numbers, optionals, words};
use crate::schema::FileKind;
use crate::{DatasetError, parquet_file};
use arrow_array::ArrayRef;
use arrow_array::types::{Float64Type, UInt32Type};
use std::path::Path;

/// One number.
#[derive(Debug, Clone, PartialEq)]
pub struct BalanceRow {
    /// The ruleset.
    pub ruleset: String,
    /// The player that met itself; of a trend what its players have in common.
    pub player: String,
    /// The player's strength, where it has several.
    pub strength: Option<u32>,
    /// What was measured, such as `score`.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Both ends of its 95 % interval, where it has one.
    pub interval: Option<[f64; 2]>,
}

/// Writes the numbers of a study in order, atomically; `study` is in the metadata.
///
/// # Errors
/// If the operating system refuses.
pub fn write_balance(path: &Path, study: &str, rows: &[BalanceRow]) -> Result<(), DatasetError> {
    let about = [("study", study.to_owned())];
    parquet_file::write(path, FileKind::Balance, to_columns(rows), &about)?;
    Ok(())
}

/// Reads the numbers of a file, in its order.
///
/// # Errors
/// If the file is missing, damaged or of another schema, or an interval has one end only.
pub fn read_balance(path: &Path) -> Result<Vec<BalanceRow>, DatasetError> {
    parquet_file::read(path, FileKind::Balance, balance_row)
}

fn balance_row(columns: &Columns<'_>, row: usize) -> Result<BalanceRow, DatasetError> {
    let ends = ["low", "high"].map(|end| columns.optional::<Float64Type>(end, row));
    let interval = match ends {
        [Some(low), Some(high)] => Some([low, high]),
        [None, None] => None,
        _ => return Err(columns.bad("low", row, "one end of an interval is missing")),
    };
    Ok(BalanceRow {
        ruleset: columns.word("ruleset", row)?.into(),
        player: columns.word("player", row)?.into(),
        strength: columns.optional::<UInt32Type>("strength", row),
        name: columns.word("name", row)?.into(),
        value: columns.number::<Float64Type>("value", row)?,
        interval,
    })
}

fn to_columns(rows: &[BalanceRow]) -> Vec<ArrayRef> {
    let all = || rows.iter();
    let ends =
        |end: usize| optionals::<Float64Type>(all().map(|row| row.interval.map(|ends| ends[end])));
    vec![
        words(all().map(|row| row.ruleset.as_str())),
        words(all().map(|row| row.player.as_str())),
        optionals::<UInt32Type>(all().map(|row| row.strength)),
        words(all().map(|row| row.name.as_str())),
        numbers::<Float64Type>(all().map(|row| row.value)),
        ends(0),
        ends(1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were_and_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary.parquet");
        let row = |name: &str, strength, interval| BalanceRow {
            ruleset: "fetlar".into(),
            player: "quickstart 28@16".into(),
            strength,
            name: name.into(),
            value: -0.1,
            interval,
        };
        let rows = [
            row("elo", Some(16), Some([-30.5, 1e-300])),
            row("games/won", None, None),
        ];
        write_balance(&path, "five", &[]).unwrap();
        assert_eq!(read_balance(&path).unwrap(), []);
        write_balance(&path, "five", &rows).unwrap();
        assert_eq!(read_balance(&path).unwrap(), rows);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[9] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let error = read_balance(&path).unwrap_err().to_string();
        assert!(error.contains("damaged since it was written"), "{error}");
    }
}
