//! The disk of a run: which of its files may go.

use crate::config::{self, Keep, RunConfig};
use crate::error::StoredConfigFor;
use crate::worker::{is_of, purged};
use anyhow::Context;
use std::path::{Path, PathBuf};
use tafl_dataset::{
    EnteredGames, Replay, ReplayWindow, game_files, positions_in, without_searches,
};
use tafl_network::drop_optimizer;
use tafl_store::{Manifest, RunSettings, Settings, Store, StoreKind, checkpoints};

/// What of a run stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Whether samples stay that are too old for the replay window.
    pub old_samples: bool,
    /// Of the earlier checkpoints every n-th stays, at least 1, besides the first, the last two, and those that play the
    /// ladder or the pool.
    pub checkpoint_every: u32,
}

impl From<Keep> for Kept {
    fn from(keep: Keep) -> Self {
        Self {
            old_samples: keep == Keep::All,
            checkpoint_every: match keep {
                Keep::All => 1,
                Keep::Needed => 10,
            },
        }
    }
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freed {
    /// Files whose samples were removed; their games stay.
    pub samples: u64,
    /// Folders of checkpoints.
    pub checkpoints: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Folders of checkpoints that stay for no other reason than that they play the pool.
    pub for_pool: u64,
    /// The same of the ladder.
    pub for_ladder: u64,
}

/// Removes from a run that no process works on what is not kept.
///
/// # Errors
/// If the folder is not that of a run or is in use, a file cannot be read, or the operating system refuses.
pub fn prune(folder: &Path, kept: Kept) -> anyhow::Result<Freed> {
    let store: Store<RunSettings> = Store::open(folder)?;
    let stored = config::load_stored(folder, StoredConfigFor::Prune)?;
    let config = &stored.config;
    let mut freed = Freed::default();
    if !kept.old_samples {
        let replay = Replay::new(config.replay, config.seed);
        freed = remove_old_samples(&store, &replay)?;
    }
    thin(folder, kept, config, freed)
}

/// Removes the samples that the window of a run has left from their files.
pub(crate) fn remove_old_samples(
    store: &Store<RunSettings>,
    replay: &Replay,
) -> anyhow::Result<Freed> {
    let gone = EnteredGames::learned_from(&store.manifest(), store.folder()).gone;
    // Those that a killed process had marked, but not replaced.
    let left = gone.iter().filter(|path| path.is_file());
    let left = left.filter(|path| positions_in(path).is_ok_and(|positions| positions > 0));
    let mut left: Vec<PathBuf> = left.cloned().collect();
    let (there, gone) = learned_from(&store.manifest(), store.folder())?;
    let window = replay.window_of_files(&there, gone)?;
    left.extend_from_slice(&there[..before_window(&there, &window)]);
    remove_samples(store, &left)
}

/// Returns a run's files of games to learn from, and the number of samples that were in others.
fn learned_from(
    manifest: &Manifest<RunSettings>,
    folder: &Path,
) -> anyhow::Result<(Vec<PathBuf>, u64)> {
    let EnteredGames { there, mut gone } = EnteredGames::learned_from(manifest, folder);
    // Samples of purged workers are not in the window either.
    let purged = purged(folder)?;
    let is_purged = |path: &PathBuf| is_of(&purged, folder, path);
    let (out, there): (Vec<_>, Vec<_>) = there.into_iter().partition(is_purged);
    gone.extend(out);
    let gone = gone.iter().filter_map(|path| manifest.count(folder, path));
    Ok((there, gone.map(|count| count.samples).sum()))
}

/// Returns the window from which a run learns, as its files are now; other processes may work on it.
///
/// # Errors
/// If a file is damaged or cannot be read.
pub fn window_of_run(folder: &Path, config: &RunConfig) -> anyhow::Result<ReplayWindow> {
    let replay = Replay::new(config.replay, config.seed);
    // A copy of the games alone has no manifest.
    let (files, gone) = match StoreKind::of_folder(folder)? {
        Some(_) => learned_from(&Manifest::read(folder)?, folder)?,
        None => (game_files(folder)?, 0),
    };
    Ok(replay.window_of_files(&files, gone)?)
}

/// Returns how many files of games, the oldest first, a window over them does not reach.
pub(crate) fn before_window(files: &[PathBuf], window: &ReplayWindow) -> usize {
    window.oldest().map_or(0, |oldest| {
        files.iter().take_while(|path| *path != oldest).count()
    })
}

/// Removes the samples of files, whose games stay.
///
/// # Errors
/// If a file cannot be read or written.
pub fn remove_samples<S: Settings>(store: &Store<S>, files: &[PathBuf]) -> anyhow::Result<Freed> {
    let mut freed = Freed::default();
    for some in files.chunks(FILES_AT_ONCE) {
        let smaller = some
            .iter()
            .map(|path| Ok((path.clone(), without_searches(path)?)));
        let smaller: Vec<(PathBuf, Vec<u8>)> = smaller.collect::<anyhow::Result<_>>()?;
        for (path, bytes) in &smaller {
            let before = std::fs::metadata(path).map_or(0, |about| about.len());
            freed.bytes += before.saturating_sub(bytes.len() as u64);
        }
        store.prune(&smaller)?;
        freed.samples += smaller.len() as u64;
    }
    Ok(freed)
}

/// Files that are in memory at once while their samples are removed.
const FILES_AT_ONCE: usize = 64;

/// Removes the checkpoints that are not kept, those between every n-th one, and the optimizers' states of all but the
/// last two; returns what was removed with this.
pub(crate) fn thin(
    folder: &Path,
    kept: Kept,
    config: &RunConfig,
    mut freed: Freed,
) -> anyhow::Result<Freed> {
    let (planned, ladder) = (config.training_loop.generations, &config.ladder);
    let all = checkpoints(folder)?;
    let [.., (before_last, _), (last, _)] = all[..] else {
        return Ok(freed);
    };
    let of_ladder = [last, planned].map(|last| rungs(last, ladder.checkpoints));
    for (generation, checkpoint) in all {
        if generation < before_last {
            drop_optimizer(&checkpoint)?;
        }
        if generation.is_multiple_of(kept.checkpoint_every) || generation >= before_last {
            continue;
        }
        if !ladder.pool.is_empty() && generation.is_multiple_of(ladder.pool_every) {
            freed.for_pool += 1;
            continue;
        }
        if of_ladder.iter().flatten().any(|rung| *rung == generation) {
            freed.for_ladder += 1;
            continue;
        }
        freed.bytes += bytes_in(&checkpoint);
        freed.checkpoints += 1;
        // A killed process leaves what the next one removes.
        let leaving = checkpoint.with_extension("partial");
        std::fs::rename(&checkpoint, &leaving)
            .and_then(|()| std::fs::remove_dir_all(&leaving))
            .with_context(|| checkpoint.display().to_string())?;
    }
    Ok(freed)
}

/// Returns `count` generations from 0 to `last`, both included, evenly spread.
pub fn rungs(last: u32, count: u32) -> Vec<u32> {
    let steps = u64::from(count.saturating_sub(1)).max(1);
    let rung = |step: u64| (u64::from(last) * step + steps / 2) / steps;
    let mut rungs: Vec<u32> = (0..u64::from(count))
        .map(|step| rung(step) as u32)
        .collect();
    if count == 1 {
        rungs = vec![last];
    }
    rungs.dedup();
    rungs
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let files = entries.filter_map(|entry| entry.ok()?.metadata().ok());
    files.map(|about| about.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_that_stay_for_matches_are_counted() {
        let run = tempfile::tempdir().expect("a folder");
        for generation in 0..=8 {
            let folder = tafl_store::checkpoint_folder(run.path(), generation);
            std::fs::create_dir_all(&folder).expect("made");
            std::fs::write(folder.join("model.json"), "").expect("written");
        }
        let smoke = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs/smoke.toml");
        let changes = [
            "loop.generations=8",
            "ladder.pool=['random']",
            "ladder.pool_every=2",
            "ladder.checkpoints=4",
        ];
        let changes = changes.map(|it| it.parse().expect("a change"));
        let config = config::load(&smoke, &changes).expect("a config").config;
        let kept = Kept {
            old_samples: true,
            checkpoint_every: 4,
        };
        let freed = thin(run.path(), kept, &config, Freed::default()).expect("thinned");
        // 2 and 6 play the pool; 3 and 5 are rungs of the ladder, as 0 and 8 are.
        let counts = [freed.checkpoints, freed.for_pool, freed.for_ladder];
        assert_eq!(counts, [1, 2, 2]);
    }

    #[test]
    fn rungs_are_spread_from_first_to_last() {
        assert_eq!(rungs(8, 4), [0, 3, 5, 8]);
        assert_eq!(rungs(2, 4), [0, 1, 2]);
        assert_eq!(rungs(8, 2), [0, 8]);
        assert_eq!(rungs(8, 1), [8]);
        assert!(rungs(8, 0).is_empty());
    }
}
