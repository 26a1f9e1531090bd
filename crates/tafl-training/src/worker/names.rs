//! Names of shards and of the folders that they are in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tafl_dataset::game_files;
use tafl_store::entries;

/// The worker by which a run's own shards go: it begins their names.
pub const WORKER: &str = "train";

/// Folder within a run with one folder for each worker that does not write to the run itself.
pub(crate) const WORKER_FOLDERS: &str = "workers";

/// Returns a file of games in a folder that is to become a run, its own or a worker's, if there is one.
pub(crate) fn any_games(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let workers = entries(&folder.join(WORKER_FOLDERS))?.into_iter();
    for folder in std::iter::once(folder.to_owned()).chain(workers) {
        if let Some(games) = game_files(&folder)?.pop() {
            return Ok(Some(games));
        }
    }
    Ok(None)
}

/// Returns whether a shard of this name is one of a worker, whose name may begin that of another worker.
pub(crate) fn is_shard_of(worker: &str, name: &str) -> bool {
    named_in(name) == Some(worker)
}

/// Returns the name in `NAME-0123456789abcdef-000003`.
fn named_in(shard: &str) -> Option<&str> {
    let (rest, number) = shard.rsplit_once('-')?;
    let (name, start) = rest.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_start = start.len() == 16 && start.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_start && is_number).then_some(name)
}

/// Returns whether a shard is of one of these workers.
pub(crate) fn is_of(workers: &BTreeSet<String>, run: &Path, shard: &Path) -> bool {
    one_of(workers, run, shard).is_some()
}

/// Returns which of these workers a shard is of, if any, by its name or that of its folder below `workers/`.
pub(crate) fn one_of(workers: &BTreeSet<String>, run: &Path, shard: &Path) -> Option<String> {
    let within = shard.strip_prefix(run.join(WORKER_FOLDERS));
    let folder = within.ok().and_then(|path| path.iter().next()?.to_str());
    let names = [worker_of(shard), folder.map(str::to_owned)];
    let mut names = names.iter().flatten();
    names.find_map(|name| workers.get(name.trim()).cloned())
}

/// Returns whose shard a file is: the name in `NAME-0123456789abcdef-000003.parquet`.
pub(super) fn worker_of(shard: &Path) -> Option<String> {
    named_in(shard.file_stem()?.to_str()?).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_tell_their_worker() {
        let of = |name: &str| worker_of(Path::new(name));
        let name = "workers/a/games/000001/a-1-0123456789abcdef-000012.parquet";
        assert_eq!(of(name).as_deref(), Some("a-1"));
        assert_eq!(of("games/000001/games.parquet"), None);
        assert_eq!(of("games/000001/a-b-c.parquet"), None);
    }
}
