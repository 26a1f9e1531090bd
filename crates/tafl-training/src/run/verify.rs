//! Whether the files of a run that its manifest does not list are those that were written.

use crate::config::{Loaded, RUN_CONFIG, load_stored};
use crate::error::{RunError, StoredConfigFor};
use crate::pool::checkpoint;
use crate::stages::learn::SAVED;
use crate::worker::WORKER;
use crate::worker::is_shard_of;
use anyhow::anyhow;
use std::collections::BTreeSet;
use std::path::Path;
use tafl_config::MOST_CONFIG_BYTES;
use tafl_dataset::{measured_stages, read_metrics};
use tafl_network::verify_checkpoint;
use tafl_store::{Manifest, RunSettings, checkpoint_folder, numbered, read_file, sha256_hex};

/// What a check of a run's config, rulesets, pool, metrics and checkpoints found.
#[derive(Debug, Default)]
pub struct VerifiedRun {
    /// Checkpoints that were checked.
    pub checkpoints: usize,
    /// What is missing or damaged.
    pub faults: Vec<anyhow::Error>,
}

impl VerifiedRun {
    /// Checks the run in a folder, besides the files that its manifest lists.
    ///
    /// # Errors
    /// If its manifest cannot be read, or the operating system refuses.
    pub fn of(folder: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::<RunSettings>::read(folder)?;
        let mut faults = Vec::new();
        let config = check_config(folder, &manifest.settings);
        match config.and_then(|_| load_stored(folder, StoredConfigFor::Resume)) {
            Ok(Loaded { config, .. }) => faults.extend(check_pool(&config.ladder.pool, folder)),
            Err(error) => faults.push(error),
        }
        let checkpoints = numbered(folder)?;
        let last = checkpoints.last().map(|(number, _)| *number);
        let metrics = folder.join("metrics.parquet");
        let mut stages = BTreeSet::new();
        if metrics.symlink_metadata().is_ok() {
            let read = read_metrics(&metrics).and_then(|_| measured_stages(&metrics));
            match read {
                Ok(measured) => stages = measured,
                Err(error) => faults.push(error.into()),
            }
        } else if last > Some(0) {
            faults.push(anyhow!("{}: missing", metrics.display()));
        }
        let known = last_known(&manifest, &stages).max(last);
        for (number, checkpoint) in &checkpoints {
            // The optimizer's state of the others is removed.
            let is_of_last_two = Some(number + 1) >= known;
            let fault = verify_checkpoint(checkpoint, is_of_last_two).err();
            faults.extend(fault.map(Into::into));
        }
        if let Some(known) = known.filter(|_| known > last) {
            let folder = checkpoint_folder(folder, known);
            faults.push(anyhow!("{}: missing, but the run had it", folder.display()));
        }
        Ok(Self {
            checkpoints: checkpoints.len(),
            faults,
        })
    }
}

/// Returns what is wrong with the networks of a run's pool.
fn check_pool(names: &[String], run: &Path) -> Vec<anyhow::Error> {
    let there = names.iter().filter_map(|name| checkpoint(name, run).ok()?);
    let faults = there.filter_map(|network| verify_checkpoint(&network, false).err());
    faults.map(Into::into).collect()
}

/// Checks that the stored config of a run is the one that its manifest names; returns its SHA-256.
///
/// # Errors
/// If it cannot be read, or was changed since the run wrote it.
pub(super) fn check_config(folder: &Path, settings: &RunSettings) -> anyhow::Result<String> {
    let path = folder.join(RUN_CONFIG);
    let bytes = read_file(&path, MOST_CONFIG_BYTES)?;
    let found = sha256_hex(&bytes);
    let before = settings.stages.last().map(|it| &it.config_sha256_before);
    if found == settings.config_sha256 || before == Some(&found) {
        return Ok(found);
    }
    Err(RunError::ConfigChanged(path).into())
}

/// Returns the last checkpoint that must have been there, for its games, its matches or what was measured.
pub(super) fn last_known(
    manifest: &Manifest<RunSettings>,
    stages: &BTreeSet<(u32, String)>,
) -> Option<u32> {
    // What is measured of training comes before the checkpoint, but these after it.
    let comes_after = |stage: &String| [SAVED, "elo"].contains(&&**stage);
    let measured = stages.iter();
    let measured = measured.map(|(generation, stage)| generation + u32::from(comes_after(stage)));
    let named = manifest.files.keys().filter_map(|name| played_by(name));
    measured.chain(named).max()
}

/// Returns the checkpoint that played the games of a file, if the run itself played them.
fn played_by(file: &str) -> Option<u32> {
    let number = |text: &str| (text.len() == 6).then(|| text.parse().ok()).flatten();
    match *file.split('/').collect::<Vec<_>>() {
        ["games", generation, shard] => {
            let name = shard.strip_suffix(".parquet")?;
            let is_own = name == "games" || is_shard_of(WORKER, name);
            number(generation).filter(|_| is_own)
        }
        ["arena", players] => number(players.split('-').next()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_of_others_say_nothing_of_the_checkpoints_of_a_run() {
        for (file, checkpoint) in [
            ("games/000003/games.parquet", Some(3)),
            (
                "games/000003/train-0123456789abcdef-000003.parquet",
                Some(3),
            ),
            ("games/000300/near-0123456789abcdef-000003.parquet", None),
            (
                "workers/far/games/000300/far-0123456789abcdef-000003.parquet",
                None,
            ),
            ("arena/000004-000000-brandubh.parquet", Some(4)),
            ("arena/smoke@2-000004-brandubh.parquet", None),
        ] {
            assert_eq!(played_by(file), checkpoint, "{file}");
        }
    }
}
