//! What one generation of self-play leaves on disk, as a whole or in shards.

use crate::games::{GAMES, GamesFile, POSITIONS};
use crate::own_network::is_network_of;
use crate::parquet_file::{FileKind, rows_of};
use crate::plies::columns;
use crate::rows::{GameRows, rules_of};
use crate::{DatasetError, parquet_file};
use parquet::errors::ParquetError;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_samples::{GameRecord, Sample, samples_of};
use tafl_store::{Manifest, Settings, Store, StoreError, entries, generation_folder, open_file};

/// Where the games came from; stored in the files' key-value metadata under `taflforge.`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The name of the run (key `run`).
    pub run: String,
    /// The generation (key `generation`).
    pub generation: u32,
    /// The checkpoint that played (key `checkpoint`).
    pub checkpoint: String,
    /// SHA-256 of the run's resolved config (key `config_sha256`).
    pub config_sha256: String,
    /// SHA-256 of the file of the network's weights, where a worker played by a checkpoint (key `weights_sha256`).
    #[serde(default)]
    pub weights_sha256: Option<String>,
}

/// What [`write_generation`] or [`write_shard`] wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenGeneration {
    /// The positions to learn from, equal to those that [`crate::read_samples`] reads from the file.
    pub samples: Vec<Sample>,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// Returns where a generation's games are within a run's folder.
pub fn games_path(run_folder: &Path, generation: u32) -> PathBuf {
    shard_path(run_folder, generation, "games")
}

/// Returns where the games of a shard are within a worker's folder; [`write_shard`].
pub fn shard_path(folder: &Path, generation: u32, name: &str) -> PathBuf {
    folder
        .join("games")
        .join(generation_folder(generation))
        .join(format!("{name}.parquet"))
}

/// Returns all files of games of self-play within a folder, in the order of [`by_generation`]; those being written are left
/// out.
///
/// For a run that is one file a generation, for workers as many as they wrote.
///
/// # Errors
/// If the operating system refuses; a folder without games has none.
pub fn game_files(run_folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let is_generation = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_dir() && name.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_finished = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "parquet")
    };
    let mut generations = entries(&run_folder.join("games"))?;
    generations.retain(|path| is_generation(path));
    let mut files = Vec::new();
    for generation in generations {
        let files_of = entries(&generation)?.into_iter();
        files.extend(files_of.filter(|path| is_finished(path)));
    }
    files.sort_by_key(|path| by_generation(path));
    Ok(files)
}

/// The files of games that a store has entered, each the oldest generation first, then by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnteredGames {
    /// Those that are there to learn from.
    pub there: Vec<PathBuf>,
    /// Those that are not, on purpose or by accident; games of some may be there still.
    pub gone: Vec<PathBuf>,
}

impl EnteredGames {
    /// Lists those of a store.
    pub fn of<S: Settings>(store: &Store<S>) -> Self {
        Self::listed(&store.manifest(), store.folder())
    }

    /// Lists those of a folder's manifest, whoever has it open.
    pub fn listed<S: Settings>(manifest: &Manifest<S>, folder: &Path) -> Self {
        let is_of_games = |path: &PathBuf| {
            let kind = path.parent().and_then(Path::parent);
            kind.is_some_and(|kind| kind.ends_with("games"))
        };
        let mut all = manifest.paths(folder, "");
        all.retain(is_of_games);
        all.sort_by_key(|path| by_generation(path));
        let is_there = |path: &PathBuf| path.is_file() && !manifest.is_pruned(folder, path);
        let (there, gone) = all.into_iter().partition(is_there);
        Self { there, gone }
    }

    /// Lists those of a run's manifest that a checkpoint has learned from: those that were entered with what they hold.
    pub fn learned_from<S: Settings>(manifest: &Manifest<S>, folder: &Path) -> Self {
        let Self { there, gone } = Self::listed(manifest, folder);
        let [there, gone] = [there, gone].map(|mut files| {
            files.retain(|path| manifest.count(folder, path).is_some());
            files
        });
        Self { there, gone }
    }
}

/// Returns generation and name of a file such as `games/000003/a.parquet` below whatever, to sort by; what is in the folder
/// of no generation comes last.
pub fn by_generation(path: &Path) -> (u32, OsString) {
    let folder = path.parent().and_then(Path::file_name);
    let generation = folder.and_then(|name| name.to_str()?.parse().ok());
    let name = path.file_name().unwrap_or_default().to_owned();
    (generation.unwrap_or(u32::MAX), name)
}

/// Writes the games of a generation atomically, with what searches said of them.
///
/// Every record is replayed, so that only games are written. Rows come as [`crate::read_samples`] and
/// [`crate::read_games`] say, whatever the order of `records`; equal arguments make equal bytes.
///
/// # Errors
/// If a record is not a game under its ruleset in `rules`, two have one number, or the operating system refuses.
pub fn write_generation(
    run_folder: &Path,
    records: &[GameRecord],
    rules: &[Arc<Rules>],
    provenance: &Provenance,
) -> Result<WrittenGeneration, DatasetError> {
    write_shard(run_folder, "games", records, rules, provenance)
}

/// Writes a part of a generation as [`write_generation`] does, to a file of a name of its own.
///
/// # Errors
/// As [`write_generation`].
pub fn write_shard(
    folder: &Path,
    name: &str,
    records: &[GameRecord],
    rules: &[Arc<Rules>],
    provenance: &Provenance,
) -> Result<WrittenGeneration, DatasetError> {
    let path = shard_path(folder, provenance.generation, name);
    let rows = GameRows::new(records.iter().collect(), Some(rules))?;
    let encoded = encode(&rows, metadata(rules, provenance));
    let bytes = parquet_file::seal(&path, encoded)?;
    Ok(WrittenGeneration {
        samples: rows.samples(),
        path,
        bytes,
    })
}

/// Writes games that are not learned from, such as those of a match, atomically; what searches said is left out.
///
/// # Errors
/// As [`write_generation`].
pub fn write_games(
    path: &Path,
    records: &[&GameRecord],
    rules: &[Arc<Rules>],
    provenance: &Provenance,
) -> Result<(), DatasetError> {
    for record in records {
        samples_of(record, rules_of(record, rules)?)?;
    }
    let rows = GameRows::new(records.to_vec(), None)?;
    parquet_file::seal(path, encode(&rows, metadata(rules, provenance)))?;
    Ok(())
}

fn encode(
    rows: &GameRows,
    mut metadata: Vec<(&'static str, String)>,
) -> Result<Vec<u8>, ParquetError> {
    metadata.push((POSITIONS, rows_of(&rows.parts[0]).to_string()));
    metadata.push((GAMES, rows.games.to_string()));
    parquet_file::to_bytes(FileKind::Games, &columns(), &rows.parts, &metadata)
}

/// Returns what a file of games is without what searches said of them, to take its place.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn without_searches(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let file = GamesFile::open(path)?;
    let games = file.games()?;
    let rows = GameRows::new(games.iter().collect(), None)?;
    let metadata = KEYS
        .iter()
        .filter_map(|&key| Some((key, file.about(key)?.to_owned())));
    parquet_file::sealed(path, encode(&rows, metadata.collect()))
}

/// Checks that a shard is in the folder of the generation that it names, as [`shard_path`] says.
///
/// # Errors
/// If it is elsewhere, larger than 128 MiB, no regular file, or its footer cannot be read.
pub fn check_place(path: &Path) -> Result<(), DatasetError> {
    in_place(path).map(|_| ())
}

/// Returns what [`check_place`] opened, and its generation.
fn in_place(path: &Path) -> Result<(GamesFile<'_>, u32), DatasetError> {
    open_file(path, MOST_SHARD_BYTES)?;
    let file = GamesFile::new(path)?;
    let reason = match file.about("generation").map(str::parse::<u32>) {
        Some(Ok(generation)) if by_generation(path).0 == generation => {
            return Ok((file, generation));
        }
        Some(Ok(generation)) => format!(
            "its games are of generation {generation}: it belongs in games/{}",
            generation_folder(generation)
        ),
        _ => "it names no generation".to_owned(),
    };
    Err(StoreError::unreadable(path, reason).into())
}

/// Checks that a shard is where it belongs, that a network of the run in a folder played it, and that it is not larger than
/// memory should take, before its rows are read: at most 128 MiB, and 1 GiB and a million rows in it.
///
/// # Errors
/// As [`check_place`]; if another network played it or it is larger.
pub fn check_shard(path: &Path, run: &Path) -> Result<(), DatasetError> {
    let (file, generation) = in_place(path)?;
    let name = file.about("run").unwrap_or_default();
    if !is_network_of(run, generation, name, file.about("weights_sha256")) {
        let reason = format!(
            "checkpoint {generation} of {name:?} with other weights played it, not that of this run as it is"
        );
        return Err(StoreError::unreadable(path, reason).into());
    }
    let [rows, bytes] = file.size();
    for (size, most, what) in [
        (rows, MOST_SHARD_ROWS, "rows"),
        (bytes, MOST_UNPACKED_BYTES, "bytes when unpacked"),
    ] {
        if size > most {
            let reason = format!("{size} {what}, at most {most} are read");
            return Err(StoreError::unreadable(path, reason).into());
        }
    }
    Ok(())
}

const MOST_SHARD_BYTES: u64 = 128 << 20;
const MOST_SHARD_ROWS: u64 = 1_000_000;
const MOST_UNPACKED_BYTES: u64 = 1 << 30;

/// What the metadata of a file says of where its games came from.
const KEYS: [&str; 6] = [
    "run",
    "generation",
    "checkpoint",
    "config_sha256",
    "rulesets",
    "weights_sha256",
];

fn metadata(rules: &[Arc<Rules>], provenance: &Provenance) -> Vec<(&'static str, String)> {
    let rulesets = rules.iter().map(|rules| rules.ruleset());
    let rulesets = rulesets.map(|it| {
        let fingerprint = format!("{:016x}", it.fingerprint());
        (it.name.clone(), fingerprint.into())
    });
    let values = [
        provenance.run.clone(),
        provenance.generation.to_string(),
        provenance.checkpoint.clone(),
        provenance.config_sha256.clone(),
        serde_json::Value::Object(rulesets.collect()).to_string(),
    ];
    let values = values.into_iter().chain(provenance.weights_sha256.clone());
    KEYS.into_iter().zip(values).collect()
}
