//! What a run does not learn from: the shards of purged workers, and those that it puts aside, with the reasons.

use super::names::{WORKER, is_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tafl_config::MOST_CONFIG_BYTES;
use tafl_store::{MOST_TEXT_BYTES, read_text, write_atomically};

/// Names of workers whose shards are left out, one a line, in the folder of a run.
pub(super) const PURGED: &str = "purged-workers.txt";

/// Shards that are put aside, with the reasons, in the folder of a run.
const PUT_ASIDE: &str = "put-aside.json";

/// Returns the workers whose shards are left out; never the run itself.
pub(crate) fn purged(run: &Path) -> anyhow::Result<BTreeSet<String>> {
    let path = run.join(PURGED);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let text = read_text(&path, MOST_CONFIG_BYTES)?;
    // Someone may have edited it.
    let names = text.lines().filter_map(|line| line.split('#').next());
    let names = names.map(str::trim);
    let names = names.filter(|name| !name.is_empty() && *name != WORKER);
    Ok(names.map(str::to_owned).collect())
}

/// Tells what a run puts aside now, by paths below its folder.
///
/// On a full disk, say, nobody is told: no training depends on it.
pub(crate) fn tell_put_aside(run: &Path, aside: &BTreeMap<PathBuf, String>) {
    let path = run.join(PUT_ASIDE);
    if aside.is_empty() && !path.exists() {
        return;
    }
    if let Ok(text) = serde_json::to_string_pretty(aside) {
        let _ = write_atomically(&path, (text + "\n").as_bytes());
    }
}

/// Returns the shards that a run put aside when it looked last, but for those of purged workers, with its reasons.
///
/// # Errors
/// If the names of purged workers cannot be read.
pub fn put_aside(run: &Path) -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let purged = purged(run)?;
    let text = read_text(&run.join(PUT_ASIDE), MOST_TEXT_BYTES).unwrap_or_default();
    let aside: BTreeMap<PathBuf, String> = serde_json::from_str(&text).unwrap_or_default();
    let mut aside: BTreeMap<PathBuf, String> = aside
        .into_iter()
        .map(|(path, reason)| (run.join(path), reason))
        .collect();
    aside.retain(|path, _| path.exists() && !is_of(&purged, run, path));
    Ok(aside)
}
