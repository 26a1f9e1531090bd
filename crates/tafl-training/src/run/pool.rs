//! The players that checkpoints of a run are measured against. Networks among them are copied into the run: the pool stays
//! as it is while the run goes on, wherever it is moved.

use super::Run;
use crate::config::{CONFIG_BESIDE, RunConfig};
use crate::player::{PlayerSource, run_config_of};
use crate::pool::{checkpoint, kept};
use std::path::Path;
use std::sync::Arc;
use tafl_network::MOST_WEIGHTS_BYTES;
use tafl_play::Player;
use tafl_store::{create_folder, read_file, write_atomically};

/// Files of a checkpoint that are copied.
const FILES: [&str; 2] = ["model.json", "weights.safetensors"];

impl Run {
    /// Returns the players of the pool, each with its own search but for the visits.
    pub(crate) fn pool(&self) -> anyhow::Result<&[Arc<Player>]> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let open = |name: &String| {
            let source = match checkpoint(name, self.folder())? {
                Some(folder) => PlayerSource::checkpoint(folder),
                None => PlayerSource::Baseline(name.parse()?),
            };
            let config = RunConfig {
                search: source.own_config()?.search,
                arena: self.config.arena.clone(),
                device: self.config.device,
                precision: self.config.precision,
                ..RunConfig::default()
            };
            Ok(source.open(&config, &self.rules[0])?.player)
        };
        let names = self.config.ladder.pool.iter();
        let pool = names.map(open).collect::<anyhow::Result<_>>()?;
        Ok(self.pool.get_or_init(|| pool))
    }
}

/// Copies the networks of a pool from below `folder` into a run.
pub(super) fn admit(names: &[String], folder: &Path, run: &Path) -> anyhow::Result<()> {
    for name in names {
        let Some(checkpoint) = checkpoint(name, folder)? else {
            continue;
        };
        let copy = run.join(kept(name)?);
        create_folder(&copy)?;
        let files = FILES.iter();
        let mut files: Vec<_> = files
            .map(|file| (checkpoint.join(file), copy.join(file)))
            .collect();
        let config = run_config_of(&checkpoint);
        files.extend(config.map(|config| (config, copy.join(CONFIG_BESIDE))));
        for (from, to) in files {
            let bytes = read_file(&from, MOST_WEIGHTS_BYTES)?;
            write_atomically(&to, &bytes)?;
        }
    }
    Ok(())
}
