//! The players that checkpoints of a run are measured against. Networks among them are copied into the run: the pool stays
//! as it is while the run goes on, wherever it is moved.

use super::Run;
use crate::config::{CONFIG_BESIDE, RULESETS, RunConfig, read_stored};
use crate::error::StoredConfigFor;
use crate::player::{PlayerSource, run_config_of};
use crate::pool::{checkpoint, kept};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_network::MOST_WEIGHTS_BYTES;
use tafl_play::Player;
use tafl_rules::Rules;
use tafl_store::{CARD, WEIGHTS, read_file, write_atomically};

impl Run {
    /// Returns the players of the pool, each with its own search but for the visits.
    pub(crate) fn pool(&self) -> anyhow::Result<&[Arc<Player>]> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let names = &self.config.ladder.pool;
        let pool = open(names, self.folder(), &self.config, &self.rules[0])?;
        Ok(self.pool.get_or_init(|| pool))
    }
}

/// Opens the players of a pool, whose names are relative to `folder`.
pub(super) fn open(
    names: &[String],
    folder: &Path,
    config: &RunConfig,
    rules: &Rules,
) -> anyhow::Result<Vec<Arc<Player>>> {
    let open = |name: &String| {
        let source = match checkpoint(name, folder)? {
            Some(folder) => PlayerSource::checkpoint(folder),
            None => PlayerSource::Baseline(name.parse()?),
        };
        let config = RunConfig {
            search: source.own_config_for(StoredConfigFor::Pool)?.search,
            arena: config.arena.clone(),
            device: config.device,
            precision: config.precision,
            ..RunConfig::default()
        };
        anyhow::Ok(source.open(&config, rules)?.player)
    };
    let named = |name: &String| open(name).with_context(|| format!("ladder.pool: {name}"));
    names.iter().map(named).collect()
}

/// Refuses two players of a pool whose matches would have one name, so that only those of the first would be played.
pub(super) fn must_differ(names: &[String], players: &[Arc<Player>]) -> anyhow::Result<()> {
    let mut known = BTreeMap::new();
    for (name, player) in names.iter().zip(players) {
        let id = player.id.to_string();
        if let Some(other) = known.insert(id.clone(), name) {
            bail!(
                "ladder.pool: {other} and {name} are both {id}, by which the run tells its matches apart; leave one out"
            );
        }
    }
    Ok(())
}

/// Copies the networks of a pool from below `folder` into a run; returns their files there.
pub(super) fn admit(names: &[String], folder: &Path, run: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut copied = Vec::new();
    for name in names {
        let Some(checkpoint) = checkpoint(name, folder)? else {
            continue;
        };
        let copy = run.join(kept(name)?);
        let files = [CARD, WEIGHTS].into_iter();
        let mut files: Vec<_> = files
            .map(|file| (checkpoint.join(file), copy.join(file)))
            .collect();
        let config = run_config_of(&checkpoint);
        if let Some(config) = config {
            files.extend(rulesets_of(&config, &copy));
            files.push((config, copy.join(CONFIG_BESIDE)));
        }
        for (from, to) in files {
            let bytes = read_file(&from, MOST_WEIGHTS_BYTES)?;
            write_atomically(&to, &bytes)?;
            copied.push(to);
        }
    }
    Ok(copied)
}

/// Returns the rulesets that a run keeps beside its config, and where they go, so that the copy plays by them wherever it is.
fn rulesets_of(config: &Path, copy: &Path) -> Vec<(PathBuf, PathBuf)> {
    let stored = read_stored(config, StoredConfigFor::Pool);
    let names = stored.map_or_else(|_| Vec::new(), |stored| stored.rulesets);
    let is_kept = |name: &&String| Path::new(*name).parent() == Some(Path::new(RULESETS));
    let kept = names.iter().filter(is_kept);
    let files = kept.map(|name| (config.with_file_name(name), copy.join(name)));
    files.filter(|(from, _)| from.is_file()).collect()
}
