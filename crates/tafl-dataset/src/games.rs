//! Games in their file.

use crate::columns::{self, Columns, lists, numbers, optionals, words};
use crate::schema::FileKind;
use crate::{DatasetError, parquet_file};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int8Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, StringArray};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::{RankOrder, Setup, Side};
use tafl_samples::{Baseline, Family, GameKind, GameRecord, Handicap, PlayerId, PlyRecord};

/// Reads the games of a file, in its order.
///
/// What the searches said is in the samples, so no ply has it here. Whether the moves are legal is not
/// checked: replay a game to know.
///
/// # Errors
/// If the file is missing, damaged or of another schema, or a value cannot be; names column and row.
pub fn read_games(path: &Path) -> Result<Vec<GameRecord>, DatasetError> {
    parquet_file::read(path, FileKind::Games, game)
}

/// Reads the seeds of the games of some files, in their order.
///
/// # Errors
/// As [`read_games`].
pub fn game_seeds(paths: &[PathBuf]) -> Result<Vec<u64>, DatasetError> {
    let seeds = paths.par_iter().map(|path| {
        parquet_file::read_column(path, FileKind::Games, "seed", |columns, row| {
            columns.number::<UInt64Type>("seed", row)
        })
    });
    Ok(seeds.collect::<Result<Vec<_>, _>>()?.concat())
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
    let players = [
        columns.word("attackers", row)?,
        columns.word("defenders", row)?,
    ];
    let [attackers, defenders] = players.map(PlayerId::from);
    let handicap = handicap(columns, row)?;
    Ok(GameRecord {
        game_id: columns.number::<UInt64Type>("game_id", row)?,
        seed: columns.number::<UInt64Type>("seed", row)?,
        ruleset: columns.word("ruleset", row)?.into(),
        ruleset_fingerprint: columns.number::<UInt64Type>("ruleset_fingerprint", row)?,
        start,
        generation: columns.number::<UInt32Type>("generation", row)?,
        kind: kind(columns, row, [&attackers, &defenders], handicap)?,
        attackers,
        defenders,
        opening_plies,
        handicap,
        plies,
        ending: columns.ending(row)?,
    })
}

/// Reads what kind of game it is; a file of version 3 has it in the names of the players only.
fn kind(
    columns: &Columns<'_>,
    row: usize,
    players: [&PlayerId; 2],
    handicap: Option<Handicap>,
) -> Result<GameKind, DatasetError> {
    if columns.has_version(4) {
        let word = columns.word("kind", row)?;
        return word
            .parse()
            .map_err(|error| columns.bad("kind", row, error));
    }
    let is_alpha_beta =
        |id: &PlayerId| id.baseline().map(Baseline::family) == Some(Family::AlphaBeta);
    Ok(match (players.map(is_alpha_beta), handicap) {
        ([true, true], _) => GameKind::Taught,
        ([false, false], None) => GameKind::Even,
        ([false, false], Some(_)) => GameKind::Handicap,
        _ => GameKind::Partner,
    })
}

/// Columns of the handicap, by the side that has it.
const HANDICAPS: [&str; 2] = ["handicap_attackers", "handicap_defenders"];

fn handicap(columns: &Columns<'_>, row: usize) -> Result<Option<Handicap>, DatasetError> {
    for side in Side::ALL {
        let column = HANDICAPS[side.index()];
        let Some(rate) = columns.optional::<Float32Type>(column, row) else {
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
pub(crate) fn to_columns(games: &[&GameRecord]) -> Vec<ArrayRef> {
    let all = || games.iter().copied();
    let counts = |count: fn(&GameRecord) -> u32| numbers::<UInt32Type>(all().map(count));
    let longs = |number: fn(&GameRecord) -> u64| numbers::<UInt64Type>(all().map(number));
    let starts = all().map(|game| game.start.to_text(RankOrder::HighestFirst));
    let chains = all().map(|game| {
        let chain = game.start.chain;
        chain.map(|square| columns::square(square, game.start.shape))
    });
    let handicaps = |side: Side| {
        let handicaps = all().map(|game| game.handicap.filter(|handicap| handicap.side == side));
        optionals::<Float32Type>(handicaps.map(|handicap| Some(handicap?.rate)))
    };
    let players = |side| {
        let ids: Vec<String> = all().map(|game| game.player(side).to_string()).collect();
        words(ids.iter().map(String::as_str))
    };
    let indices = all().flat_map(|game| {
        let plies = game.plies.iter();
        plies.map(|ply| ply.mv.policy_index(game.start.shape).0)
    });
    vec![
        longs(|game| game.game_id),
        counts(|game| game.generation),
        longs(|game| game.seed),
        words(all().map(|game| game.ruleset.as_str())),
        longs(|game| game.ruleset_fingerprint),
        Arc::new(StringArray::from_iter_values(starts)),
        words(all().map(|game| game.start.side.name())),
        optionals::<UInt8Type>(chains),
        counts(|game| game.start.captureless),
        players(Side::Attacker),
        players(Side::Defender),
        counts(|game| game.opening_plies),
        counts(|game| game.plies.len() as u32),
        lists(
            all().map(|game| game.plies.len()),
            numbers::<UInt16Type>(indices),
        ),
        optionals::<Int8Type>(all().map(|game| columns::outcome(game.ending))),
        words(all().map(|game| game.ending.reason.name())),
        handicaps(Side::Attacker),
        handicaps(Side::Defender),
        words(all().map(|game| game.kind.name())),
    ]
}
