//! What one generation of self-play leaves on disk, as a whole or in shards.

use crate::schema::FileKind;
use crate::{DatasetError, as_stored, games, parquet_file, samples};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_samples::{GameRecord, Sample, samples_of};
use tafl_store::{
    Settings, Store, StoreError, entries, generation_folder, is_temporary, open_file,
};

/// Where the games came from; stored in the files' key-value metadata under `taflforge.`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The name of the run (key `run`).
    pub run: String,
    /// The generation (key `generation`).
    pub generation: u32,
    /// The checkpoint that played (key `checkpoint`).
    pub checkpoint: String,
    /// SHA-256 of the run's resolved config (key `config_sha256`).
    pub config_sha256: String,
}

/// What [`write_generation`] or [`write_shard`] wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenGeneration {
    /// The samples, equal to those that [`crate::read_samples`] reads from the file.
    pub samples: Vec<Sample>,
    /// The file of samples.
    pub samples_path: PathBuf,
    /// The size of the file of samples.
    pub samples_bytes: u64,
    /// The file of games.
    pub games_path: PathBuf,
    /// The size of the file of games.
    pub games_bytes: u64,
}

/// Returns where a generation's samples are within a run's folder.
#[must_use]
pub fn samples_path(run_folder: &Path, generation: u32) -> PathBuf {
    shard_path(run_folder, "samples", generation, "samples")
}

/// Returns where a generation's games are within a run's folder.
#[must_use]
pub fn games_path(run_folder: &Path, generation: u32) -> PathBuf {
    shard_path(run_folder, "games", generation, "games")
}

/// Returns where the samples of a shard are within a worker's folder; [`write_shard`].
#[must_use]
pub fn shard_samples_path(folder: &Path, generation: u32, name: &str) -> PathBuf {
    shard_path(folder, "samples", generation, name)
}

fn shard_path(run_folder: &Path, kind: &str, generation: u32, name: &str) -> PathBuf {
    run_folder
        .join(kind)
        .join(generation_folder(generation))
        .join(format!("{name}.parquet"))
}

/// Returns all files of samples within a folder, by generation, then name; those being written are left out.
///
/// For a run that is one file a generation, for workers as many as they wrote.
///
/// # Errors
/// If the operating system refuses; a folder without samples has none.
pub fn sample_files(run_folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    finished_files(run_folder, "samples")
}

/// Returns all files of games of self-play within a folder, by generation, then name; those being written are left out.
///
/// # Errors
/// As [`sample_files`].
pub fn game_files(run_folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    finished_files(run_folder, "games")
}

/// The files of samples that a store has entered, each the oldest generation first, then by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnteredSamples {
    /// Those that are there.
    pub there: Vec<PathBuf>,
    /// Those that are not, on purpose or by accident.
    pub gone: Vec<PathBuf>,
}

impl EnteredSamples {
    /// Lists those of a store.
    #[must_use]
    pub fn of<S: Settings>(store: &Store<S>) -> Self {
        let is_of_samples = |path: &PathBuf| {
            let kind = path.parent().and_then(Path::parent);
            kind.is_some_and(|kind| kind.ends_with("samples"))
        };
        let mut all = store.files("");
        all.retain(is_of_samples);
        all.sort_by_key(|path| by_generation(path));
        let (there, gone) = all.into_iter().partition(|path| path.is_file());
        Self { there, gone }
    }
}

/// Returns generation and name of a file such as `samples/000003/a.parquet` below whatever, to sort by.
#[must_use]
pub fn by_generation(path: &Path) -> [OsString; 2] {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    [path.parent().map(name).unwrap_or_default(), name(path)]
}

/// Returns where the samples of a file of games of self-play are; they may be missing or not yet written.
///
/// `None` for a file that is not in a folder of games.
#[must_use]
pub fn samples_of_games(games_path: &Path) -> Option<PathBuf> {
    let generation = games_path.parent()?;
    let games = generation
        .parent()
        .filter(|games| games.ends_with("games"))?;
    let name = games_path.file_name()?;
    let name = if name == "games.parquet" {
        "samples.parquet".as_ref()
    } else {
        name
    };
    Some(
        games
            .with_file_name("samples")
            .join(generation.file_name()?)
            .join(name),
    )
}

fn finished_files(run_folder: &Path, kind: &str) -> Result<Vec<PathBuf>, DatasetError> {
    let is_generation = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.is_dir() && name.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_finished = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "parquet")
            && !is_temporary(path)
    };
    let mut generations = entries(&run_folder.join(kind))?;
    generations.retain(|path| is_generation(path));
    let mut files = Vec::new();
    for generation in generations {
        let files_of = entries(&generation)?.into_iter();
        files.extend(files_of.filter(|path| is_finished(path)));
    }
    Ok(files)
}

/// Writes the samples and the games of a generation, each file atomically.
///
/// Every record is replayed, so that only games are written. Rows come by rising game, then ply,
/// whatever the order of `records`; equal arguments make equal bytes.
///
/// # Errors
/// If a record is not a game under its ruleset in `rules`, or the operating system refuses.
pub fn write_generation(
    run_folder: &Path,
    records: &[GameRecord],
    rules: &[Arc<Rules>],
    provenance: &Provenance,
) -> Result<WrittenGeneration, DatasetError> {
    let games_path = games_path(run_folder, provenance.generation);
    let samples_path = samples_path(run_folder, provenance.generation);
    write_files([games_path, samples_path], records, rules, provenance)
}

/// Writes a part of a generation as [`write_generation`] does, to two files of a name of its own.
///
/// `games/000003/<name>.parquet` comes first, so the shard is complete once `samples/000003/<name>.parquet` is there.
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
    let paths =
        ["games", "samples"].map(|kind| shard_path(folder, kind, provenance.generation, name));
    write_files(paths, records, rules, provenance)
}

fn write_files(
    [games_path, samples_path]: [PathBuf; 2],
    records: &[GameRecord],
    rules: &[Arc<Rules>],
    provenance: &Provenance,
) -> Result<WrittenGeneration, DatasetError> {
    let mut records: Vec<&GameRecord> = records.iter().collect();
    records.sort_by_key(|record| record.game_id);
    let mut samples = Vec::new();
    let mut shapes = Vec::new();
    for record in &records {
        let rules = rules_of(record, rules)?;
        samples.extend(samples_of(record, rules)?.into_iter().map(as_stored));
        shapes.resize(samples.len(), rules.shape());
    }
    let metadata = metadata(rules, provenance);
    let columns = games::to_columns(&records);
    let games_bytes = parquet_file::write(&games_path, FileKind::Games, columns, &metadata)?;
    let columns = samples::to_columns(&samples, &shapes);
    let samples_bytes = parquet_file::write(&samples_path, FileKind::Samples, columns, &metadata)?;
    Ok(WrittenGeneration {
        samples,
        samples_path,
        samples_bytes,
        games_path,
        games_bytes,
    })
}

/// Writes games that are not learned from, such as those of a match, to a file of their own, atomically.
///
/// The columns are those of a generation's games; [`crate::read_games`] reads them.
///
/// # Errors
/// If a record is not a game under its ruleset in `rules`, or the operating system refuses.
pub fn write_games(
    path: &Path,
    records: &[&GameRecord],
    rules: &[Arc<Rules>],
    provenance: &Provenance,
) -> Result<(), DatasetError> {
    for record in records {
        samples_of(record, rules_of(record, rules)?)?;
    }
    let metadata = metadata(rules, provenance);
    let columns = games::to_columns(records);
    parquet_file::write(path, FileKind::Games, columns, &metadata)?;
    Ok(())
}

/// Returns how many positions a file of samples has, without reading them.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn positions_in(samples_path: &Path) -> Result<u64, DatasetError> {
    rows(samples_path, FileKind::Samples)
}

/// Returns how many games a file of games has, without reading them.
///
/// # Errors
/// If the file is missing, damaged or of another schema.
pub fn games_in(games_path: &Path) -> Result<u64, DatasetError> {
    rows(games_path, FileKind::Games)
}

/// Checks that a shard is not larger than memory should take, before its rows are read: at most 128 MiB a file, and 1 GiB
/// and a million rows in it.
///
/// # Errors
/// If it is larger, no regular file, or its footer cannot be read.
pub fn check_shard_size(games_path: &Path, samples_path: &Path) -> Result<(), DatasetError> {
    for (path, kind) in [
        (games_path, FileKind::Games),
        (samples_path, FileKind::Samples),
    ] {
        let check = |size: u64, most: u64, what: &str| match size <= most {
            true => Ok(()),
            false => {
                let reason = format!("{size} {what}, at most {most} are read");
                Err(StoreError::unreadable(path, reason))
            }
        };
        open_file(path, MOST_SHARD_BYTES)?;
        let opened = parquet_file::Opened::new(path, kind)?;
        let rows = opened.groups().into_iter().map(u64::from).sum();
        check(rows, MOST_SHARD_ROWS, "rows")?;
        check(
            opened.unpacked_bytes(),
            MOST_UNPACKED_BYTES,
            "bytes when unpacked",
        )?;
    }
    Ok(())
}

const MOST_SHARD_BYTES: u64 = 128 << 20;
const MOST_SHARD_ROWS: u64 = 1_000_000;
const MOST_UNPACKED_BYTES: u64 = 1 << 30;

fn rows(path: &Path, kind: FileKind) -> Result<u64, DatasetError> {
    let groups = parquet_file::Opened::new(path, kind)?.groups();
    Ok(groups.into_iter().map(u64::from).sum())
}

fn rules_of<'a>(
    record: &GameRecord,
    rules: &'a [Arc<Rules>],
) -> Result<&'a Arc<Rules>, DatasetError> {
    let found = rules
        .iter()
        .find(|rules| rules.ruleset().name == record.ruleset);
    found.ok_or_else(|| DatasetError::UnknownRuleset {
        game_id: record.game_id,
        ruleset: record.ruleset.clone(),
    })
}

fn metadata(rules: &[Arc<Rules>], provenance: &Provenance) -> Vec<(&'static str, String)> {
    let rulesets: serde_json::Map<String, serde_json::Value> = rules
        .iter()
        .map(|rules| {
            let ruleset = rules.ruleset();
            (
                ruleset.name.clone(),
                format!("{:016x}", ruleset.fingerprint()).into(),
            )
        })
        .collect();
    vec![
        ("run", provenance.run.clone()),
        ("generation", provenance.generation.to_string()),
        ("checkpoint", provenance.checkpoint.clone()),
        ("config_sha256", provenance.config_sha256.clone()),
        ("rulesets", serde_json::Value::Object(rulesets).to_string()),
    ]
}
