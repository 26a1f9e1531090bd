//! Games in their file.

use crate::columns::{self, Columns, words};
use crate::schema::FileKind;
use crate::{DatasetError, parquet_file};
use arrow::array::{
    ArrayRef, AsArray, Float32Array, Int8Array, ListArray, StringArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Float32Type, UInt16Type, UInt32Type, UInt64Type};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use std::path::Path;
use std::sync::Arc;
use tafl_rules::{RankOrder, Setup, Side};
use tafl_samples::{GameRecord, Handicap, PlyRecord};

/// Reads the games of a file, in its order.
///
/// What the searches said is in the samples, so no ply has it here. Whether the moves are legal is not
/// checked: replay a game to know.
///
/// # Errors
/// If the file is missing, damaged or of another schema, or a value cannot be; names column and row.
pub fn read_games(path: &Path) -> Result<Vec<GameRecord>, DatasetError> {
    let mut games = Vec::new();
    parquet_file::read(path, FileKind::Games, |rows| {
        let columns = Columns::new(rows)?;
        for row in 0..columns.len() {
            games.push(game(&columns, row)?);
        }
        Ok(())
    })?;
    Ok(games)
}

fn game(columns: &Columns<'_>, row: usize) -> Result<GameRecord, DatasetError> {
    let board = columns.board("start", row)?;
    let start = Setup {
        side: columns.side("start_side", row)?,
        chain: columns.square("start_chain", row, board.shape)?,
        captureless: columns.number::<UInt32Type>("start_captureless", row)?,
        ..board
    };
    let plies = plies(columns, row, &start)?;
    let opening_plies = columns.number::<UInt32Type>("opening_plies", row)?;
    if opening_plies as usize > plies.len() {
        return Err(columns.bad("opening_plies", row, format!("{opening_plies} is too many")));
    }
    Ok(GameRecord {
        game_id: columns.number::<UInt64Type>("game_id", row)?,
        seed: columns.number::<UInt64Type>("seed", row)?,
        ruleset: columns.word("ruleset", row)?.into(),
        ruleset_fingerprint: columns.number::<UInt64Type>("ruleset_fingerprint", row)?,
        start,
        generation: columns.number::<UInt32Type>("generation", row)?,
        attackers: columns.word("attackers", row)?.into(),
        defenders: columns.word("defenders", row)?.into(),
        opening_plies,
        handicap: handicap(columns, row)?,
        plies,
        ending: columns.ending(row)?,
    })
}

/// Columns of the handicap, by the side that has it.
const HANDICAPS: [&str; 2] = ["handicap_attackers", "handicap_defenders"];

fn handicap(columns: &Columns<'_>, row: usize) -> Result<Option<Handicap>, DatasetError> {
    for side in Side::ALL {
        let column = HANDICAPS[side.index()];
        let rate = columns
            .has(column)
            .then(|| columns.optional::<Float32Type>(column, row));
        let Some(rate) = rate.flatten() else {
            continue;
        };
        if !(0.0..=1.0).contains(&rate) {
            return Err(columns.bad(column, row, format!("{rate} is not from 0 to 1")));
        }
        return Ok(Some(Handicap { side, rate }));
    }
    Ok(None)
}

fn plies(columns: &Columns<'_>, row: usize, start: &Setup) -> Result<Vec<PlyRecord>, DatasetError> {
    let entries = columns.list("moves", row)?;
    let indices = entries.as_primitive::<UInt16Type>().values();
    let stated = columns.number::<UInt32Type>("plies", row)?;
    if stated as usize != indices.len() {
        let reason = format!("{stated}, but `moves` has {}", indices.len());
        return Err(columns.bad("plies", row, reason));
    }
    let ply = |&index: &u16| {
        let mv = columns.mv("moves", row, index, start.shape)?;
        Ok(PlyRecord { mv, search: None })
    };
    indices.iter().map(ply).collect()
}

/// Lays games out in columns.
pub(crate) fn to_columns(games: &[&GameRecord]) -> Result<RecordBatch, ArrowError> {
    let numbers = |number: fn(&GameRecord) -> u32| -> ArrayRef {
        Arc::new(UInt32Array::from_iter_values(
            games.iter().map(|game| number(game)),
        ))
    };
    let longs = |number: fn(&GameRecord) -> u64| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values(
            games.iter().map(|game| number(game)),
        ))
    };
    let starts = games
        .iter()
        .map(|game| game.start.to_text(RankOrder::HighestFirst));
    let chains = games.iter().map(|game| {
        game.start
            .chain
            .map(|square| columns::square(square, game.start.shape))
    });
    let handicaps = |side: Side| -> ArrayRef {
        let rate = |game: &&GameRecord| {
            let handicap = game.handicap.filter(|handicap| handicap.side == side)?;
            Some(handicap.rate)
        };
        Arc::new(Float32Array::from_iter(games.iter().map(rate)))
    };
    let players = |side| -> Vec<String> {
        let ids = games.iter().map(|game| game.player(side).to_string());
        ids.collect()
    };
    let columns: Vec<ArrayRef> = vec![
        longs(|game| game.game_id),
        numbers(|game| game.generation),
        longs(|game| game.seed),
        words(games.iter().map(|game| game.ruleset.as_str())),
        longs(|game| game.ruleset_fingerprint),
        Arc::new(StringArray::from_iter_values(starts)),
        words(games.iter().map(|game| game.start.side.name())),
        Arc::new(UInt8Array::from_iter(chains)),
        numbers(|game| game.start.captureless),
        words(players(Side::Attacker).iter().map(String::as_str)),
        words(players(Side::Defender).iter().map(String::as_str)),
        numbers(|game| game.opening_plies),
        numbers(|game| game.plies.len() as u32),
        moves(games)?,
        Arc::new(Int8Array::from_iter(
            games.iter().map(|game| columns::outcome(game.ending)),
        )),
        words(games.iter().map(|game| game.ending.reason.name())),
        handicaps(Side::Attacker),
        handicaps(Side::Defender),
    ];
    RecordBatch::try_new(FileKind::Games.schema(), columns)
}

fn moves(games: &[&GameRecord]) -> Result<ArrayRef, ArrowError> {
    let indices = games.iter().flat_map(|game| {
        game.plies
            .iter()
            .map(|ply| ply.mv.policy_index(game.start.shape).0)
    });
    let entries = UInt16Array::from_iter_values(indices);
    let offsets = OffsetBuffer::from_lengths(games.iter().map(|game| game.plies.len()));
    let field = Arc::new(Field::new("item", DataType::UInt16, false));
    Ok(Arc::new(ListArray::try_new(
        field,
        offsets,
        Arc::new(entries),
        None,
    )?))
}
