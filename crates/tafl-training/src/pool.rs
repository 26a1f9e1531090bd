//! The names in `ladder.pool`: whom checkpoints of a run are measured against.

use anyhow::{Context, bail, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tafl_network::load_card;
use tafl_rules::Rules;
use tafl_samples::Baseline;
use tafl_store::is_checkpoint;

/// Where a run keeps the networks of its pool.
const FOLDER: &str = "pool";

/// Returns the folder of a pool's checkpoint, which is relative to `folder`; nothing if it is the name of a baseline.
pub(crate) fn checkpoint(name: &str, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let Err(error) = name.parse::<Baseline>() else {
        return Ok(None);
    };
    let path = folder.join(name);
    if is_checkpoint(&path) {
        return Ok(Some(path));
    }
    let place = path.display();
    let missing = format!("no checkpoint in {place}; a folder is relative to that of the config");
    match name.contains('/') {
        true => bail!(missing),
        false => bail!("{error}, or the folder of a checkpoint; {missing}"),
    }
}

/// Checks that the players of a pool are there and play on the board of the rules.
pub(crate) fn check(names: &[String], folder: &Path, rules: &Rules) -> anyhow::Result<()> {
    let mut names_kept = BTreeMap::new();
    for name in names {
        if let Some(path) = checkpoint(name, folder)? {
            let own = load_card(&path)?.architecture.size();
            let size = usize::from(rules.shape().size());
            ensure!(
                own == size,
                "{name} plays on {own}x{own}, not on {size}x{size}"
            );
        }
        match names_kept.insert(kept(name)?, name) {
            Some(other) if other == name => bail!("{name} is listed twice"),
            Some(other) => bail!(
                "{other} and {name} have the same last part, by which the run keeps a copy; give one another name"
            ),
            None => {}
        }
    }
    Ok(())
}

/// Returns the name that a player of a pool has in the config of a run, which keeps a copy of its network.
pub(crate) fn kept(name: &str) -> anyhow::Result<String> {
    if name.parse::<Baseline>().is_ok() {
        return Ok(name.to_owned());
    }
    let stem = Path::new(name).file_name().and_then(|stem| stem.to_str());
    let stem = stem.with_context(|| format!("{name}: not the name of a folder"))?;
    Ok(format!("{FOLDER}/{stem}"))
}
