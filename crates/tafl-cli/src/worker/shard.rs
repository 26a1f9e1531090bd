//! Shards: finished games on their way to Parquet files that have names of their own.
//!
//! The games of a shard lie in `in-progress/<name>.jsonl`, which begins with what the Parquet files must say of them,
//! until `games/<generation>/<name>.parquet` and `samples/<generation>/<name>.parquet` are written. If the process is
//! killed, the next one of the same worker writes the same files from there: no game is lost and none comes twice.

use crate::failure::hinted;
use crate::spool::{self, Common, Spool};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_dataset::{Provenance, WrittenGeneration, shard_samples_path, write_shard};
use tafl_rules::Rules;
use tafl_samples::GameRecord;

/// The folder of a worker's shards, and who writes there.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    /// The worker's name.
    worker: String,
    /// A random number that no other process has.
    start: u64,
    rules: Vec<Arc<Rules>>,
    /// Shards begun so far.
    begun: u64,
}

/// A shard to which games are added.
#[derive(Debug)]
pub(crate) struct Shard {
    name: String,
    provenance: Provenance,
    spool: Spool,
    pub(crate) games: Vec<GameRecord>,
}

/// A shard on disk.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) name: String,
    pub(crate) games: Vec<GameRecord>,
    pub(crate) samples: u64,
    pub(crate) samples_bytes: u64,
}

/// The first line of a shard in progress.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    run: String,
    generation: u32,
    checkpoint: String,
    config_sha256: String,
    /// Fingerprints of the rules by which the games were played.
    rulesets: BTreeMap<String, u64>,
}

impl Store {
    /// Opens the folder for a worker; it is made if it is missing.
    pub(crate) fn open(
        folder: &Path,
        worker: &str,
        start: u64,
        rules: &[Arc<Rules>],
    ) -> anyhow::Result<Self> {
        let store = Self {
            folder: folder.to_owned(),
            worker: worker.to_owned(),
            start,
            rules: rules.to_vec(),
            begun: 0,
        };
        tafl_dataset::create_folder(&store.in_progress())?;
        Ok(store)
    }

    /// Begins the next shard.
    pub(crate) fn begin(&mut self, provenance: &Provenance) -> anyhow::Result<Shard> {
        let name = format!("{}-{:016x}-{:06}", self.worker, self.start, self.begun);
        let head = serde_json::to_string(&Head::new(provenance, &self.rules))?;
        let common = self.common(provenance);
        let spool = Spool::begin(&self.spool_path(&name), common, &head)?;
        self.begun += 1;
        Ok(Shard {
            name,
            provenance: provenance.clone(),
            spool,
            games: Vec::new(),
        })
    }

    /// Writes the files of a shard; one without games leaves nothing.
    pub(crate) fn seal(&self, shard: Shard) -> anyhow::Result<Option<Sealed>> {
        let written = self.write(shard.name, shard.games, &shard.provenance);
        let sealed = written.map_err(|error| {
            let advice =
                "its games are kept in in-progress/; the next start of this worker writes them";
            hinted(format!("{error:#}"), advice)
        })?;
        shard.spool.remove()?;
        Ok(sealed)
    }

    /// Writes the shards that killed processes of the same worker left in progress.
    pub(crate) fn take_over(&self) -> anyhow::Result<Vec<Sealed>> {
        let folder = self.in_progress();
        let context = || format!("reading {}", folder.display());
        let mut paths = Vec::new();
        for entry in fs::read_dir(&folder).with_context(context)? {
            paths.push(entry.with_context(context)?.path());
        }
        paths.sort();
        let mut taken = Vec::new();
        for path in paths {
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(name) = self.own_shard(&file_name) {
                let name = name.to_owned();
                taken.extend(self.take(&path, name)?);
            }
        }
        Ok(taken)
    }

    fn take(&self, path: &Path, name: String) -> anyhow::Result<Option<Sealed>> {
        let context = || format!("reading {}", path.display());
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            // Its process has just stored the games itself.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(context),
        };
        if spool::lock(&file) {
            return Ok(None);
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).with_context(context)?;
        let mut sealed = None;
        // Without a whole first line no game was written: the first line is there before the file has its name.
        if !name.ends_with(".tmp") && text.contains(&b'\n') {
            let (provenance, games) = self.read(&text).map_err(|error| {
                let advice =
                    "start the worker with the config that played them, or move the file away";
                let message = format!("{}: games of a killed worker: {error:#}", path.display());
                hinted(message, advice)
            })?;
            // Samples are written last: where they are, the shard is whole, and someone may be reading it.
            if !shard_samples_path(&self.folder, provenance.generation, &name).exists() {
                sealed = self.write(name, games, &provenance)?;
            }
        }
        spool::remove_if_there(path)?;
        Ok(sealed)
    }

    fn read(&self, text: &[u8]) -> anyhow::Result<(Provenance, Vec<GameRecord>)> {
        let end = text.iter().position(|&byte| byte == b'\n');
        let (first, rest) = text.split_at(end.map_or(0, |end| end + 1));
        let head: Head = serde_json::from_slice(first).context("line 1")?;
        for (name, fingerprint) in &head.rulesets {
            let same = |rules: &&Arc<Rules>| {
                rules.ruleset().name == *name && rules.ruleset().fingerprint() == *fingerprint
            };
            if !self.rules.iter().any(|rules| same(&rules)) {
                anyhow::bail!("ruleset {name} is not in this config, or differs");
            }
        }
        let provenance = head.into_provenance();
        let (games, _) = spool::read_games(rest, &self.common(&provenance))?;
        Ok((provenance, games))
    }

    fn write(
        &self,
        name: String,
        games: Vec<GameRecord>,
        provenance: &Provenance,
    ) -> anyhow::Result<Option<Sealed>> {
        if games.is_empty() {
            return Ok(None);
        }
        let WrittenGeneration {
            samples,
            samples_bytes,
            ..
        } = write_shard(&self.folder, &name, &games, &self.rules, provenance)?;
        Ok(Some(Sealed {
            name,
            games,
            samples: samples.len() as u64,
            samples_bytes,
        }))
    }

    fn common(&self, provenance: &Provenance) -> Common {
        Common {
            rules: self.rules.clone(),
            generation: provenance.generation,
        }
    }

    fn in_progress(&self) -> PathBuf {
        self.folder.join("in-progress")
    }

    fn spool_path(&self, name: &str) -> PathBuf {
        self.in_progress().join(format!("{name}.jsonl"))
    }

    /// Returns the name of the shard that a file holds, if it is a shard of this worker.
    fn own_shard<'a>(&self, file_name: &'a str) -> Option<&'a str> {
        let name = file_name.strip_suffix(".jsonl")?;
        is_shard_of(&self.worker, name.strip_suffix(".tmp").unwrap_or(name)).then_some(name)
    }
}

/// Returns whether a shard of this name is one of a worker, whose name may begin that of another worker.
pub(crate) fn is_shard_of(worker: &str, name: &str) -> bool {
    let rest = name
        .strip_prefix(worker)
        .and_then(|it| it.strip_prefix('-'));
    let Some((start, number)) = rest.and_then(|rest| rest.split_once('-')) else {
        return false;
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_start = start.len() == 16 && start.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_start && is_number
}

impl Shard {
    /// Adds a game, which a kill of the process does not lose then, nor a power cut a second later.
    pub(crate) fn add(&mut self, game: GameRecord) -> anyhow::Result<()> {
        self.spool.add(&game)?;
        self.games.push(game);
        Ok(())
    }
}

impl Head {
    fn new(provenance: &Provenance, rules: &[Arc<Rules>]) -> Self {
        let Provenance {
            run,
            generation,
            checkpoint,
            config_sha256,
        } = provenance.clone();
        let rulesets = rules.iter().map(|rules| {
            let ruleset = rules.ruleset();
            (ruleset.name.clone(), ruleset.fingerprint())
        });
        Self {
            run,
            generation,
            checkpoint,
            config_sha256,
            rulesets: rulesets.collect(),
        }
    }

    fn into_provenance(self) -> Provenance {
        Provenance {
            run: self.run,
            generation: self.generation,
            checkpoint: self.checkpoint,
            config_sha256: self.config_sha256,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shards_of_the_worker_itself_are_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path(), "a-1", 7, &[]).expect("opened");
        let name = "a-1-0123456789abcdef-000012";
        assert_eq!(store.own_shard(&format!("{name}.jsonl")), Some(name));
        assert!(store.own_shard(&format!("{name}.tmp.jsonl")).is_some());
        let others = [
            "a-0123456789abcdef-000012.jsonl",
            "a-1-b-0123456789abcdef-000012.jsonl",
            "a-1-0123456789abcdef-000012.txt",
            "a-1-000012.jsonl",
        ];
        for other in others {
            assert_eq!(store.own_shard(other), None, "{other}");
        }
    }
}
