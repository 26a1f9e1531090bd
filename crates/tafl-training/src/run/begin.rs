//! Starting and continuing a run.

use super::changes::{as_kept, changes, check_rules, kept_pool};
use super::pool::{admit, must_differ};
use super::verify::{check_config, last_known};
use super::{Purpose, Run};
use crate::config::{self, Loaded, RULESETS, RUN_CONFIG, RunConfig};
use crate::error::{RunError, RunPart, StoredConfigFor};
use crate::memory::Memory;
use crate::observer::{Notice, Observer};
use crate::player;
use crate::rulesets::fingerprint;
use crate::worker;
use crate::worker::WORKER;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tafl_config::{FolderName, MOST_CONFIG_BYTES, load_ruleset};
use tafl_dataset::{Replay, measured_stages, worked_seconds};
use tafl_network::{Architecture, Compute, Network, Precision, load_card, load_network};
use tafl_play::Repertoire;
use tafl_store::{
    CARD, Manifest, RunSettings, RunStage, Store, StoreError, StoreKind, checkpoint_folder,
    checkpoints, entries, is_temporary, leftover_of, numbered, read_file, sha256_hex,
    write_atomically,
};

/// Whether the run must exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// It must not exist yet.
    New,
    /// It must exist.
    Resume,
}

impl Run {
    /// Starts or continues the run of a config, in `runs/NAME` in the data folder.
    ///
    /// # Errors
    /// If it exists but must be new or the other way round, another process writes it, or its config changes what a run
    /// must keep.
    pub fn open(
        mut loaded: Loaded,
        data: &Path,
        name: Option<&str>,
        begin: Begin,
        observer: Arc<dyn Observer>,
    ) -> anyhow::Result<Self> {
        if let Some(name) = name {
            if !FolderName::is(name) {
                return Err(RunError::Name(name.to_owned()).into());
            }
            name.clone_into(&mut loaded.config.name);
        }
        let folder = data.join("runs").join(&loaded.config.name);
        check_parts(&folder)?;
        let has_begun = folder.join(RUN_CONFIG).exists();
        match begin {
            Begin::New if has_begun => Err(RunError::Exists(folder).into()),
            Begin::Resume if !folder.exists() => Err(RunError::Missing(folder).into()),
            Begin::Resume if has_begun => Self::resume(&loaded, folder, observer),
            _ => Self::create(loaded, folder, observer),
        }
    }

    /// Continues the run in a folder.
    ///
    /// # Errors
    /// If another process writes it, or the config changes what a run must keep.
    pub fn open_folder(
        mut loaded: Loaded,
        folder: &Path,
        observer: Arc<dyn Observer>,
    ) -> anyhow::Result<Self> {
        // The folder may be given as `.`.
        if let Some(name) = std::path::absolute(folder)?.file_name() {
            loaded.config.name = name.to_string_lossy().into_owned();
        }
        check_parts(folder)?;
        Self::resume(&loaded, folder.to_owned(), observer)
    }

    fn create(
        loaded: Loaded,
        folder: PathBuf,
        observer: Arc<dyn Observer>,
    ) -> anyhow::Result<Self> {
        let Loaded {
            mut config,
            rules,
            files,
            folder: origin,
        } = loaded;
        Memory::of(&config, rules[0].shape(), true).check(&*observer)?;
        let seed = Purpose::Network.seed(config.seed, &[]);
        let network = Network::new(config.network, rules[0].shape(), seed);
        let compute = player::prepare(config.device, config.precision, &network)?;
        let training_compute = config
            .precision
            .resolve_for_training(&network, config.device);
        config.precision = decided(compute);
        let listed = files.iter().zip(rules.listed());
        for (entry, (file, rules)) in config.rulesets.iter_mut().zip(listed) {
            if file.is_some() {
                *entry = format!("{RULESETS}{}.toml", rules.ruleset().name);
            }
        }
        let pool_names = config.ladder.pool.clone();
        // What cannot play is told before the first game, not before the first match.
        let pool = super::pool::open(&pool_names, &origin, &config, &rules[0])?;
        must_differ(&pool_names, &pool)?;
        config.ladder.pool = kept_pool(&config)?;
        let text = tafl_config::show(&config)?;
        let settings = RunSettings {
            run: config.name.clone(),
            git_commit: option_env!("TAFL_GIT_COMMIT").map(str::to_owned),
            seed: config.seed,
            config_sha256: sha256_hex(text.as_bytes()),
            libtorch: tafl_network::LIBTORCH_VERSION.to_owned(),
            device: config.device.to_string(),
            precision: compute.to_string(),
            stages: Vec::new(),
        };
        if let Some(games) = worker::any_games(&folder)? {
            return Err(RunError::HoldsGames(games).into());
        }
        check_own_rules(&folder, &rules)?;
        let store = Store::create(&folder, settings)?;
        for rules in rules.iter() {
            store.admit_ruleset(&rules.ruleset().name, rules.ruleset().fingerprint())?;
        }
        let mut kept = admit(&pool_names, &origin, &folder)?;
        for (entry, file) in config.rulesets.iter().zip(files) {
            let Some(file) = file else { continue };
            let text = read_file(&file, MOST_CONFIG_BYTES)?;
            kept.push(folder.join(entry));
            write_atomically(&folder.join(entry), &text)?;
        }
        write_atomically(&folder.join(RUN_CONFIG), text.as_bytes())?;
        store.enter(&kept.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        let computes = [compute, training_compute];
        Ok(Self::of(config, rules, computes, store, observer))
    }

    fn resume(
        loaded: &Loaded,
        folder: PathBuf,
        observer: Arc<dyn Observer>,
    ) -> anyhow::Result<Self> {
        let store: Store<RunSettings> = Store::open(&folder).map_err(|error| match error {
            StoreError::Unreadable { .. } => damaged(RunPart::Manifest, &error.into()),
            error => error.into(),
        })?;
        for (files, part) in [
            ("games/", RunPart::Games),
            ("arena/", RunPart::Games),
            ("workers/", RunPart::Games),
            ("pool/", RunPart::Pool),
        ] {
            let verified = store.verify_there(files);
            verified.map_err(|error| damaged(part, &error.into()))?;
        }
        accept_missing(&store, &*observer)?;
        take_back_stage(&store)?;
        let mut stored = config::load_stored(&folder, StoredConfigFor::Resume)?;
        // A run may have been renamed with its folder.
        stored.config.name.clone_from(&loaded.config.name);
        let mut config = as_kept(&loaded.config, &stored.config)?;
        let network = Network::new(config.network, stored.rules[0].shape(), 0);
        let compute = player::prepare(config.device, config.precision, &network)?;
        config.precision = decided(compute);
        let changes = changes(&config, &stored.config, &folder)?;
        check_rules(loaded, &stored, &folder)?;
        remove_leftovers(&folder, false)?;
        let text = tafl_config::show(&config)?;
        // Another machine may have other cores; what is stored is what the run began with.
        config.runner = loaded.config.runner;
        Memory::of(&config, stored.rules[0].shape(), true).check(&*observer)?;
        let training_compute = config
            .precision
            .resolve_for_training(&network, config.device);
        let computes = [compute, training_compute];
        let wanted = config.training_loop.generations;
        let reached = stored.config.training_loop.generations;
        let mut run = Self::of(config, stored.rules, computes, store, observer);
        if let Some(reached) = (wanted + 1..=reached).rfind(|&it| run.has_checkpoint(it)) {
            let shorter = RunError::Shorter {
                folder: run.folder().to_owned(),
                wanted,
                reached,
            };
            return Err(shorter.into());
        }
        run.seconds_before = worked_seconds(&run.metrics_path())
            .map_err(|error| damaged(RunPart::Metrics, &error.into()))?;
        run.check_last_checkpoint()?;
        let metrics = run.metrics_path();
        if run.last_checkpoint() > 0 && !metrics.exists() {
            let path = metrics.display();
            let text = format!("missing: {path}; the run goes on without what was measured before");
            run.observer().noticed(&Notice::Uncounted(&text));
        }
        let stages = measured_stages(&metrics)?;
        run.tell_lost_checkpoints(last_known(&run.store.manifest(), &stages))?;
        if !changes.is_empty() {
            run.begin_stage(changes, &text)?;
        }
        Ok(run)
    }

    /// Checks that the last checkpoint can play, and learn on if the run is to go on: before anything is taken back of those
    /// that are gone, as nothing comes in their place. One that has lost its card counts as the last.
    fn check_last_checkpoint(&self) -> anyhow::Result<()> {
        let last = self.last_checkpoint();
        let there = numbered(self.folder())?.into_iter();
        for (number, folder) in there.filter(|(number, _)| *number >= last) {
            let loaded = match number == last {
                true => load_network(&folder).err(),
                false => load_card(&folder).err(),
            };
            if let Some(error) = loaded {
                return Err(damaged(RunPart::Checkpoint(folder), &error.into()));
            }
            if number == last && last < self.config.training_loop.generations {
                self.trainer(last)?;
            }
        }
        Ok(())
    }

    /// Stores a changed config, and from which checkpoint on it counts.
    fn begin_stage(&self, changes: Vec<[String; 3]>, config: &str) -> anyhow::Result<()> {
        let stage = RunStage {
            checkpoint: self.last_checkpoint(),
            changes,
            config_sha256_before: self.store.settings().config_sha256.clone(),
        };
        let files = self.store.manifest().files;
        let pruned = files.values().filter(|it| it.pruned.is_some()).count();
        self.observer().noticed(&Notice::NewStage {
            stage: &stage,
            pruned,
        });
        self.store.change_settings(|settings| {
            settings.config_sha256 = sha256_hex(config.as_bytes());
            settings.stages.push(stage);
        })?;
        write_atomically(&self.folder().join(RUN_CONFIG), config.as_bytes())?;
        Ok(())
    }

    fn of(
        config: RunConfig,
        rules: Repertoire,
        [compute, training_compute]: [Compute; 2],
        store: Store<RunSettings>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self {
            name: config.name.clone(),
            replay: Replay::new(config.replay, config.seed),
            config,
            rules,
            compute,
            training_compute,
            plays: true,
            observer,
            measured: Mutex::default(),
            began: began(store.folder()),
            store,
            seconds_before: 0.0,
            pool: OnceLock::new(),
            parts: Mutex::new(BTreeMap::new()),
            begun: Instant::now(),
            given_up: AtomicBool::new(false),
        }
    }

    /// Returns the untrained network of the run.
    pub(crate) fn untrained_network(&self) -> Network {
        let architecture = Architecture::new(self.config.network, self.shape())
            .with_auxiliary(self.config.trainer.auxiliary());
        Network::untrained(architecture, self.seed(Purpose::Network, &[]))
    }
}

/// Returns when a run began, in seconds since 1970: when its first checkpoint was made. For `TensorBoard` only.
fn began(folder: &Path) -> f64 {
    let first = checkpoint_folder(folder, 0);
    let written = std::fs::metadata(first.join(CARD)).and_then(|about| about.modified());
    let time = written.unwrap_or_else(|_| SystemTime::now());
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

/// Accepts that files of games and matches were removed, and says which games are not learned from again.
fn accept_missing(store: &Store<RunSettings>, observer: &dyn Observer) -> Result<(), StoreError> {
    let mut missing = store.accept_missing(&["games/", "arena/", "workers/"])?;
    missing.retain(|path| store.count(path).is_some() && !store.is_pruned(path));
    if let [first, more @ ..] = &missing[..] {
        let more = match more.len() {
            0 => String::new(),
            more => format!(" and {more} more files"),
        };
        let text = format!(
            "missing: {}{more}; they count as learned from, and are not learned from again",
            first.display()
        );
        observer.noticed(&Notice::Uncounted(&text));
    }
    Ok(())
}

/// Forgets the last stage of a run if the process was killed before it wrote its config.
fn take_back_stage(store: &Store<RunSettings>) -> anyhow::Result<()> {
    let found = check_config(store.folder(), &store.settings())?;
    if found != store.settings().config_sha256 {
        store.change_settings(|settings| {
            settings.stages.pop();
            settings.config_sha256 = found;
        })?;
    }
    Ok(())
}

/// Returns the precision that a run keeps: what `auto` decided is part of it, so that whoever resumes it computes alike.
const fn decided(compute: Compute) -> Precision {
    match compute {
        Compute::F32 => Precision::F32,
        Compute::Bf16 => Precision::Bf16,
        Compute::Int8 => Precision::Int8,
    }
}

fn damaged(part: RunPart, error: &anyhow::Error) -> anyhow::Error {
    RunError::Damaged(part, format!("{error:#}")).into()
}

/// Removes what a killed process left half-written; where workers may be writing at this moment, what the run itself left.
fn remove_leftovers(folder: &Path, is_shared: bool) -> anyhow::Result<()> {
    let is_own = |name: String| name == "games" || worker::is_shard_of(WORKER, &name);
    for path in entries(folder)? {
        let context = || path.display().to_string();
        let is_left = is_temporary(&path) && path.is_file();
        let is_shared = is_shared || path.ends_with("games") || path.ends_with("in-progress");
        if path.is_dir() {
            match !is_shared && path.extension().is_some_and(|end| end == "partial") {
                true => std::fs::remove_dir_all(&path).with_context(context)?,
                false => remove_leftovers(&path, is_shared)?,
            }
        } else if is_left && (!is_shared || leftover_of(&path).is_some_and(is_own)) {
            std::fs::remove_file(&path).with_context(context)?;
        }
    }
    Ok(())
}

/// Refuses a run that lost its config or its manifest, and a folder that is none but holds what has the name of its parts.
fn check_parts(folder: &Path) -> anyhow::Result<()> {
    if let Err(error @ StoreError::Foreign { .. }) = StoreKind::of_folder(folder) {
        return Err(error.into());
    }
    let [config, parts] = [RUN_CONFIG, "checkpoints"].map(|name| folder.join(name));
    let has_config = config.exists();
    let has_parts = entries(&parts).is_ok_and(|found| !found.is_empty());
    let has_manifest = Manifest::<RunSettings>::path(folder).symlink_metadata();
    let has_manifest = has_manifest.is_ok();
    let has_checkpoints = checkpoints(&parts).is_ok_and(|found| !found.is_empty());
    let is_run = has_checkpoints || worker::any_games(folder)?.is_some();
    let refused = match (has_manifest, has_config) {
        // Its seed and its config are unknown: whatever came next would be another run in its place.
        (_, false) if has_checkpoints || has_manifest && has_parts => RunError::NoConfig(config),
        (false, true) if is_run => RunError::NoManifest(folder.to_owned()),
        (false, true) => RunError::NoRun(folder.to_owned(), config),
        (false, false) if has_parts => RunError::NoRun(folder.to_owned(), parts),
        _ => return Ok(()),
    };
    Err(refused.into())
}

/// Refuses a folder that is no run, but has other rules of a name that the run would keep there.
fn check_own_rules(folder: &Path, rules: &Repertoire) -> anyhow::Result<()> {
    if StoreKind::of_folder(folder)?.is_some() {
        return Ok(());
    }
    for rules in rules.listed() {
        let file = folder.join(format!("{RULESETS}{}.toml", rules.ruleset().name));
        let is_same = || load_ruleset(&file).is_ok_and(|it| fingerprint(&it) == fingerprint(rules));
        if file.exists() && !is_same() {
            return Err(StoreError::foreign(folder, &file).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_not_taken_for_a_run_that_lost_a_part() {
        let place = tempfile::tempdir().expect("a folder");
        let write = |name: &str| {
            let path = place.path().join(name);
            tafl_store::create_folder(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, "").expect("written");
        };
        let said =
            || check_parts(place.path()).map_or_else(|it| it.to_string(), |()| String::new());
        assert_eq!(said(), "");
        write("checkpoints/epoch-1.pt");
        assert!(said().contains("not a run; it holds "), "{}", said());
        write("config.toml");
        assert!(said().contains("config.toml, and a run"), "{}", said());
        // What follows is of a run.
        write("games/000001/games.parquet");
        assert!(said().ends_with("without its manifest.json"), "{}", said());
        std::fs::remove_file(place.path().join("config.toml")).expect("removed");
        write("checkpoints/000001/model.json");
        assert!(said().ends_with("the folder holds a run"), "{}", said());
        std::fs::write(place.path().join("manifest.json"), "{}").expect("written");
        assert!(said().contains("of another program"), "{}", said());
    }

    #[test]
    fn what_workers_may_be_writing_is_left_to_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str| {
            let path = folder.path().join(name);
            tafl_store::create_folder(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, "half").expect("written");
            path
        };
        let own = [
            "manifest.json.a1B2c3.tmp",
            "arena/a.parquet.a1B2c3.tmp",
            "games/000001/games.parquet.a1B2c3.tmp",
            "games/000001/train-0123456789abcdef-000003.parquet.a1B2c3.tmp",
        ];
        let others = [
            "games/000001/train-2-0123456789abcdef-000003.parquet.a1B2c3.tmp",
            "games/000001/near-0123456789abcdef-000003.parquet.a1B2c3.tmp",
            "games/000001/train-0123456789abcdef-000003.parquet",
            "workers/far/games/000001/far-0123456789abcdef-000003.parquet.a1B2c3.tmp",
            "in-progress/near-0123456789abcdef-000003.jsonl.tmp",
        ];
        let (own, others) = (own.map(file), others.map(file));
        remove_leftovers(folder.path(), false).expect("removed");
        assert_eq!(own.map(|path| path.exists()), [false; 4]);
        assert_eq!(others.map(|path| path.exists()), [true; 5]);
    }
}
