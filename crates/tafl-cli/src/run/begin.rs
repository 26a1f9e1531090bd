//! How a run begins, and how it is continued.

use super::{Purpose, Run, stored};
use crate::asynchronous::WORKER;
use crate::config::{self, Loaded, RunConfig};
use crate::failure::hinted;
use crate::players;
use crate::worker;
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use tafl_dataset::{Replay, RunInfo, RunManifest, sha256_hex, write_atomically};
use tafl_network::{Architecture, Compute, Network, Precision};

/// Whether a run is to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Begin {
    /// It must be new.
    New,
    /// It must have begun.
    Resume {
        /// Fields of its config that the program no longer knows, to be dropped.
        unset: Vec<String>,
    },
}

/// Stands in a run's folder from its beginning on; written last.
const CONFIG: &str = "config.toml";

impl Run {
    /// Begins or continues the run of a config in `data/runs/`.
    pub(crate) fn open(
        mut loaded: Loaded,
        data: &Path,
        name: Option<&str>,
        begin: Begin,
    ) -> anyhow::Result<Self> {
        if let Some(name) = name {
            config::check_name(name).map_err(|reason| anyhow::anyhow!("--run: {reason}"))?;
            name.clone_into(&mut loaded.config.name);
        }
        let folder = data.join("runs").join(&loaded.config.name);
        let has_begun = folder.join(CONFIG).exists();
        match begin {
            Begin::New if has_begun => Err(hinted(
                format!("the run {} exists", folder.display()),
                "--resume continues it, --run NAME begins another",
            )),
            Begin::Resume { .. } if !folder.exists() => Err(hinted(
                format!("there is no run {} to resume", folder.display()),
                "leave --resume out to begin it",
            )),
            Begin::Resume { unset } if has_begun => Self::resume(loaded, folder, &unset),
            _ => Self::create(loaded, folder),
        }
    }

    fn create(loaded: Loaded, folder: PathBuf) -> anyhow::Result<Self> {
        let Loaded {
            mut config,
            rules,
            files,
            changes: _,
        } = loaded;
        let seed = Purpose::Network.seed(config.seed, &[]);
        let network = Network::new(config.network, rules[0].shape(), seed);
        let compute = players::prepare(config.device, config.precision, &network)?;
        tafl_dataset::create_folder(&folder)?;
        let lock = lock(&folder)?;
        // The decision is part of the run: whoever resumes it computes in the same format.
        config.precision = match compute {
            Compute::F32 => Precision::F32,
            Compute::Bf16 => Precision::Bf16,
        };
        for ((entry, file), rules) in config.rulesets.iter_mut().zip(files).zip(&rules) {
            let Some(file) = file else { continue };
            let text = std::fs::read(&file).with_context(|| file.display().to_string())?;
            *entry = format!("rulesets/{}.toml", rules.ruleset().name);
            write_atomically(&folder.join(&*entry), &text)?;
        }
        let text = toml::to_string(&config)?;
        let manifest = RunManifest::new(RunInfo {
            run: config.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            git_commit: option_env!("TAFL_GIT_COMMIT").map(str::to_owned),
            seed: config.seed,
            config_sha256: sha256_hex(text.as_bytes()),
            rulesets: fingerprints(&rules),
            libtorch: tafl_network::LIBTORCH_VERSION.to_owned(),
            device: config.device.to_string(),
            precision: compute.to_string(),
        });
        manifest.write(&folder)?;
        write_atomically(&folder.join(CONFIG), text.as_bytes())?;
        let name = config.name.clone();
        let replay = Replay::new(config.replay, config.seed);
        Ok(Self {
            name,
            config,
            rules,
            compute,
            folder,
            manifest: Mutex::new(manifest),
            replay,
            metrics: Mutex::new(None),
            given_up: AtomicBool::new(false),
            _lock: lock,
        })
    }

    fn resume(loaded: Loaded, folder: PathBuf, unset: &[String]) -> anyhow::Result<Self> {
        let lock = lock(&folder)?;
        let path = folder.join(CONFIG);
        let (stored, is_mended) = stored::load(&path, &loaded.changes, unset)?;
        let mut manifest = RunManifest::read(&folder)?;
        check_same(&loaded, &stored, &folder)?;
        remove_leftovers(&folder)?;
        let mut config = stored.config;
        let has_grown = config.amounts.generations != loaded.config.amounts.generations;
        if has_grown || is_mended {
            config.amounts.generations = loaded.config.amounts.generations;
            let text = toml::to_string(&config)?;
            manifest.info.config_sha256 = sha256_hex(text.as_bytes());
            manifest.write(&folder)?;
            write_atomically(&path, text.as_bytes())?;
        }
        // Another machine may have other cores; what is stored is what the run began with.
        config.selfplay.workers = loaded.config.selfplay.workers;
        config.arena.workers = loaded.config.arena.workers;
        config.trainer.threads = loaded.config.trainer.threads;
        let network = Network::new(config.network, stored.rules[0].shape(), 0);
        let compute = players::prepare(config.device, config.precision, &network)?;
        let (name, rules) = (config.name.clone(), stored.rules);
        let replay = Replay::new(config.replay, config.seed);
        Ok(Self {
            name,
            config,
            rules,
            compute,
            folder,
            manifest: Mutex::new(manifest),
            replay,
            metrics: Mutex::new(None),
            given_up: AtomicBool::new(false),
            _lock: lock,
        })
    }

    /// Returns the untrained network of the run.
    pub(crate) fn untrained_network(&self) -> Network {
        let architecture = Architecture::new(self.config.network, self.shape())
            .with_auxiliary(self.config.trainer.auxiliary());
        Network::untrained(architecture, self.seed(Purpose::Network, &[]))
    }
}

fn fingerprints(rules: &[std::sync::Arc<tafl_rules::Rules>]) -> BTreeMap<String, String> {
    let of = |rules: &tafl_rules::Rules| {
        let ruleset = rules.ruleset();
        (
            ruleset.name.clone(),
            format!("{:016x}", ruleset.fingerprint()),
        )
    };
    rules.iter().map(|rules| of(rules)).collect()
}

/// Keeps a second process out of the run; a process that ends in any way lets it go.
fn lock(folder: &Path) -> anyhow::Result<File> {
    let path = folder.join(".lock");
    let file = File::create(&path).with_context(|| format!("writing {}", path.display()))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            bail!("{}: another tafl writes this run", folder.display())
        }
        // Some network file systems know no locks; there the user must take care.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(file),
    }
}

/// Checks that a config is the one that a run began with, but for the number of generations and what is decided per machine.
fn check_same(loaded: &Loaded, stored: &Loaded, folder: &Path) -> anyhow::Result<()> {
    if fingerprints(&loaded.rules) != fingerprints(&stored.rules) {
        return Err(changed("rulesets", folder));
    }
    let like_stored = |config: &RunConfig| {
        let mut config = config.clone();
        config.rulesets.clone_from(&stored.config.rulesets);
        config.amounts.generations = stored.config.amounts.generations;
        config.selfplay.workers = stored.config.selfplay.workers;
        config.arena.workers = stored.config.arena.workers;
        config.trainer.threads = stored.config.trainer.threads;
        if config.precision == Precision::Auto {
            config.precision = stored.config.precision;
        }
        toml::Table::try_from(&config)
    };
    let (given, kept) = (like_stored(&loaded.config)?, like_stored(&stored.config)?);
    match first_difference("", &given, &kept) {
        Some(field) => Err(changed(&field, folder)),
        None => Ok(()),
    }
}

fn changed(field: &str, folder: &Path) -> anyhow::Error {
    hinted(
        format!(
            "field `{field}` differs from the one that {} began with",
            folder.display()
        ),
        "--run NAME begins another run; only loop.generations and numbers of threads may change",
    )
}

fn first_difference(section: &str, one: &toml::Table, other: &toml::Table) -> Option<String> {
    one.iter().find_map(|(name, value)| {
        let field = if section.is_empty() {
            name.clone()
        } else {
            format!("{section}.{name}")
        };
        match (value, other.get(name)) {
            (toml::Value::Table(one), Some(toml::Value::Table(other))) => {
                first_difference(&field, one, other)
            }
            (value, Some(same)) if value == same => None,
            _ => Some(field),
        }
    })
}

/// Removes what a killed process left half-written.
fn remove_leftovers(folder: &Path) -> anyhow::Result<()> {
    tafl_dataset::remove_leftovers(folder)?;
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if !path.is_dir() {
            continue;
        }
        let is_shared = ["samples", "games", "in-progress"]
            .iter()
            .any(|name| path.ends_with(name));
        if is_shared {
            remove_own_leftovers(&path)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "partial")
        {
            std::fs::remove_dir_all(&path).with_context(|| path.display().to_string())?;
        } else {
            remove_leftovers(&path)?;
        }
    }
    Ok(())
}

/// Removes what a killed process of the run itself left half-written where workers may be writing at this moment.
fn remove_own_leftovers(folder: &Path) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if path.is_dir() {
            remove_own_leftovers(&path)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(name) = name.strip_suffix(".tmp.parquet") else {
            continue;
        };
        if ["samples", "games"].contains(&name) || worker::is_shard_of(WORKER, name) {
            std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_workers_may_be_writing_is_left_to_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| {
            let path = folder.path().join(name);
            tafl_dataset::create_folder(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, "half").expect("written");
            path
        };
        let own = [
            "manifest.tmp.json",
            "arena/a.tmp.parquet",
            "samples/000001/samples.tmp.parquet",
            "games/000001/train-0123456789abcdef-000003.tmp.parquet",
        ];
        let others = [
            "games/000001/train-2-0123456789abcdef-000003.tmp.parquet",
            "samples/000001/near-0123456789abcdef-000003.tmp.parquet",
            "samples/000001/train-0123456789abcdef-000003.parquet",
            "workers/far/samples/000001/far-0123456789abcdef-000003.tmp.parquet",
            "in-progress/near-0123456789abcdef-000003.tmp.jsonl",
        ];
        let (own, others) = (own.map(file), others.map(file));
        remove_leftovers(folder.path()).expect("removed");
        assert_eq!(own.map(|path| path.exists()), [false; 4]);
        assert_eq!(others.map(|path| path.exists()), [true; 5]);
    }
}
