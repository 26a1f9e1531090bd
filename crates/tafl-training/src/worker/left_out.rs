//! What a run does not learn from: the shards of purged workers, and those that it puts aside, with the reasons.

use super::names::{WORKER, WORKER_FOLDERS, is_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tafl_config::MOST_CONFIG_BYTES;
use tafl_dataset::by_generation;
use tafl_store::{MOST_TEXT_BYTES, entries, generation_folder, read_text, write_json};

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
    if !aside.is_empty() || path.exists() {
        let _ = write_json(&path, aside);
    }
}

/// Returns the folders of workers where nobody looks for the games that are in them, with where those belong.
pub(crate) fn misplaced(run: &Path) -> BTreeMap<PathBuf, String> {
    let files = |folder: &Path| entries(folder).unwrap_or_default();
    let is_shard = |path: &PathBuf| path.extension().is_some_and(|it| it == "parquet");
    let mut found = BTreeMap::new();
    for worker in files(&run.join(WORKER_FOLDERS)) {
        for folder in std::iter::once(worker.clone()).chain(files(&worker)) {
            let Some(shard) = files(&folder).into_iter().find(is_shard) else {
                continue;
            };
            let generation = match by_generation(&shard) {
                (u32::MAX, _) => "GENERATION".to_owned(),
                (generation, _) => generation_folder(generation),
            };
            let place = worker.join("games").join(generation);
            let reason = format!(
                "{}: its games belong in {}",
                folder.display(),
                place.display()
            );
            found.insert(folder, reason);
        }
    }
    found
}

/// Returns the shards that a run put aside when it looked last and the folders whose games are not where a run looks, but
/// for those of purged workers, with the reasons.
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
    aside.extend(misplaced(run));
    aside.retain(|path, _| path.exists() && !is_of(&purged, run, path));
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_beside_the_folder_for_them_are_told_their_place() {
        let run = tempfile::tempdir().expect("a folder");
        let workers = run.path().join(WORKER_FOLDERS);
        for folder in ["high/000003", "right/games/000003", "low/games"] {
            std::fs::create_dir_all(workers.join(folder)).expect("made");
            std::fs::write(workers.join(folder).join("a.parquet"), "").expect("written");
        }
        let said = put_aside(run.path()).expect("readable");
        let of = |folder: &str, place: &str| {
            let [folder, place] = [folder, place].map(|it| workers.join(it));
            let said = format!(
                "{}: its games belong in {}",
                folder.display(),
                place.display()
            );
            (folder, said)
        };
        let expected = [
            of("high/000003", "high/games/000003"),
            of("low/games", "low/games/GENERATION"),
        ];
        assert_eq!(said, BTreeMap::from(expected));
    }
}
