//! Which files of games a run has learned from, and why it has not learned from others.

use crate::ReportError;
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{DatasetError, check_shard, game_files, game_seeds, positions_in, read_checked};
use tafl_rules::Rules;
use tafl_store::{Manifest, RunSettings, entries};

/// Returns the files of self-play that the manifest of a run lists, and that are there.
pub(crate) fn learned_from(run: &Path, manifest: &Manifest<RunSettings>) -> Vec<PathBuf> {
    let of_run = manifest.paths(run, "games/");
    let of_workers = manifest.paths(run, "workers/");
    let mut files: Vec<PathBuf> = of_run.into_iter().chain(of_workers).collect();
    files.retain(|path| path.exists());
    files
}

/// Returns how many positions to learn from a file held when it was learned from, before any were pruned.
pub(crate) fn positions(
    run: &Path,
    manifest: &Manifest<RunSettings>,
    file: &Path,
) -> Result<u64, DatasetError> {
    let name = file.strip_prefix(run).unwrap_or(file).to_string_lossy();
    let entry = manifest.files.get(&*name);
    match entry.and_then(|entry| entry.shard) {
        Some(shard) => Ok(shard.samples),
        None => positions_in(file),
    }
}

/// Returns why a run has not learned from the other files of games in its folder: each that it refuses by itself, those that
/// it may still take in one line.
pub(crate) fn not_learned_from(
    run: &Path,
    learned_from: &[PathBuf],
    rules: &[Arc<Rules>],
) -> Result<Vec<String>, ReportError> {
    let mut others = Vec::new();
    for folder in folders(run)? {
        others.extend(game_files(&folder)?);
    }
    let learned: HashSet<&PathBuf> = learned_from.iter().collect();
    others.retain(|path| !learned.contains(path));
    if others.is_empty() {
        return Ok(Vec::new());
    }
    // A damaged one is named where its games are counted.
    let known = learned_from.par_iter();
    let known = known.filter_map(|path| game_seeds(std::slice::from_ref(path)).ok());
    let mut known: HashSet<u64> = known.flatten_iter().collect();
    let (mut reasons, mut waiting) = (Vec::new(), Vec::new());
    let seeds = others.par_iter().map(|path| seeds_of(path, run, rules));
    for (path, seeds) in others.iter().zip(seeds.collect::<Vec<_>>()) {
        match seeds {
            Err(error) => reasons.push(error.to_string()),
            Ok(seeds) if seeds.iter().any(|seed| known.contains(seed)) => reasons.push(format!(
                "{}: holds a game that was learned from before",
                path.display()
            )),
            Ok(seeds) => {
                known.extend(seeds);
                waiting.push(path.display().to_string());
            }
        }
    }
    match &waiting[..] {
        [] => {}
        [file] => reasons.push(format!("{file}: not learned from so far")),
        [first, rest @ ..] => reasons.push(format!(
            "{first} and {} more: not learned from so far",
            rest.len()
        )),
    }
    Ok(reasons)
}

/// Returns the seeds of the games of a file that a run may learn from.
fn seeds_of(path: &Path, run: &Path, rules: &[Arc<Rules>]) -> Result<Vec<u64>, DatasetError> {
    check_shard(path, run)?;
    let (games, _) = read_checked(path, rules)?;
    Ok(games.iter().map(|game| game.seed).collect())
}

/// Returns the folders of a run that hold games of self-play: its own and those of its workers, by name.
fn folders(run: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let mut folders = vec![run.to_owned()];
    let workers = entries(&run.join("workers"))?;
    folders.extend(workers.into_iter().filter(|path| path.is_dir()));
    Ok(folders)
}
