//! The players that checkpoints of a run are measured against. Networks among them are copied into the run: the pool stays
//! as it is while the run goes on, wherever it is moved.

use crate::player::{PlayerSource, load, run_config_of};
use anyhow::{Context, ensure};
use std::path::Path;
use std::sync::Arc;
use tafl_dataset::{create_folder, write_atomically};
use tafl_rules::Rules;
use tafl_samples::Baseline;

/// Where a run keeps the networks of its pool.
const FOLDER: &str = "pool";

/// Files of a checkpoint that are copied, and the config that goes with it.
const FILES: [&str; 2] = ["model.json", "weights.safetensors"];
const CONFIG: &str = "run.toml";

/// Returns the player of a name in `ladder.pool`: a baseline, or the folder of a checkpoint relative to `folder`.
pub(crate) fn source(name: &str, folder: &Path) -> anyhow::Result<PlayerSource> {
    match name.parse::<Baseline>() {
        Ok(baseline) => Ok(PlayerSource::Baseline(baseline)),
        Err(error) => {
            let path = folder.join(name);
            let is_checkpoint = path.join(FILES[0]).is_file();
            ensure!(is_checkpoint, "{error}, or the folder of a checkpoint");
            Ok(PlayerSource::checkpoint(path))
        }
    }
}

/// Checks that all players of a pool are there and play on the board of the rules.
pub(crate) fn check(names: &[String], folder: &Path, rules: &Arc<Rules>) -> anyhow::Result<()> {
    for name in names {
        if let Some(checkpoint) = source(name, folder)?.folder() {
            load(checkpoint, rules)?;
            stem(name)?;
        }
    }
    Ok(())
}

/// Copies the networks of a pool from below `folder` into a run.
pub(crate) fn admit(names: &[String], folder: &Path, run: &Path) -> anyhow::Result<()> {
    for name in names {
        let source = source(name, folder)?;
        let Some(checkpoint) = source.folder() else {
            continue;
        };
        let copy = run.join(kept(name)?);
        create_folder(&copy)?;
        let mut files: Vec<_> = FILES
            .iter()
            .map(|file| (checkpoint.join(file), copy.join(file)))
            .collect();
        let config = run_config_of(checkpoint).with_context(|| {
            format!("{}: no run.toml says how it searches", checkpoint.display())
        })?;
        files.push((config, copy.join(CONFIG)));
        for (from, to) in files {
            let bytes = std::fs::read(&from).with_context(|| from.display().to_string())?;
            write_atomically(&to, &bytes)?;
        }
    }
    Ok(())
}

/// Returns the name that a player of a pool has in the config of a run.
pub(crate) fn kept(name: &str) -> anyhow::Result<String> {
    match name.parse::<Baseline>() {
        Ok(_) => Ok(name.to_owned()),
        Err(_) => Ok(format!("{FOLDER}/{}", stem(name)?)),
    }
}

fn stem(name: &str) -> anyhow::Result<&str> {
    let stem = Path::new(name).file_name().and_then(|stem| stem.to_str());
    stem.with_context(|| format!("{name}: not the name of a folder"))
}
