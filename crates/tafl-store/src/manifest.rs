//! `manifest.json`: what a store is, and a checksum for every finished file.

use crate::{FileEntry, ShardCount, StoreError, read_text, write_json};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The format of `manifest.json`.
pub const MANIFEST_FORMAT: u32 = 4;

pub(crate) const FILE_NAME: &str = "manifest.json";

/// The largest manifest that is read: a file takes some 200 bytes of it.
const MOST_BYTES: u64 = 1 << 30;

/// What the manifest of tournaments and studies was called in format 1.
const FORMER: [&str; 2] = ["tournament.json", "study.json"];

/// What a store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum StoreKind {
    /// The games, samples and checkpoints of a training run.
    Run,
    /// Matches of players.
    Tournament,
    /// Games of players against themselves, to compare rulesets.
    Study,
}

impl StoreKind {
    /// Returns what a folder is, by its manifest; `None` if it has none.
    ///
    /// # Errors
    /// If the manifest cannot be read, or is of another format.
    pub fn of_folder(folder: &Path) -> Result<Option<Self>, StoreError> {
        Ok(read_header(folder)?.map(|(_, kind)| kind))
    }
}

/// What is the same for all games of a store.
pub trait Settings: Serialize + DeserializeOwned + Clone + Send {
    /// What the folder is.
    const KIND: StoreKind;
    /// What a user may do whose settings differ from those of the folder, such as `use another folder`.
    const ADVICE: &'static str;
    /// Fields that only tell how the store began and need not be the same later, parts of a field parted by `.`.
    const INFORMATION: &'static [&'static str] = &[];
    /// Folders within the store that no other process writes: what a killed process left half-written there is removed
    /// when the store is opened.
    const FOLDERS: &'static [&'static str];
    /// Files and folders within the store beside its games: a folder where others lie under these names is refused.
    const RESULTS: &'static [&'static str];
}

/// `manifest.json`, which [`crate::Store`] writes; everyone may read it meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest<S> {
    /// [`MANIFEST_FORMAT`] of the writer.
    pub format: u32,
    /// What the store is.
    pub kind: StoreKind,
    /// The version of Taflforge that began the store.
    pub program: String,
    /// What is the same for all games.
    pub settings: S,
    /// Fingerprints of the rulesets by name, 16 hexadecimal digits.
    pub rulesets: BTreeMap<String, String>,
    /// What the players are, by name.
    pub players: BTreeMap<String, Value>,
    /// Finished files by their path within the folder, parts separated by `/`.
    pub files: BTreeMap<String, FileEntry>,
}

impl<S: Settings> Manifest<S> {
    /// Returns the manifest of a store that has no games yet.
    pub(crate) fn new(settings: S) -> Self {
        Self {
            format: MANIFEST_FORMAT,
            kind: S::KIND,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            settings,
            rulesets: BTreeMap::new(),
            players: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    /// Returns where the manifest of a folder is.
    pub fn path(folder: &Path) -> PathBuf {
        path_in(folder)
    }

    /// Reads the manifest of a folder, which need not be open.
    ///
    /// # Errors
    /// If it is missing, damaged, or of another format or kind.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        Self::read_if_there(folder)?.ok_or_else(|| missing(folder))
    }

    pub(crate) fn read_if_there(folder: &Path) -> Result<Option<Self>, StoreError> {
        let Some((text, kind)) = read_header(folder)? else {
            return Ok(None);
        };
        let path = Self::path(folder);
        if kind != S::KIND {
            return Err(StoreError::OtherKind {
                path,
                found: kind.into(),
                expected: S::KIND.into(),
            });
        }
        let manifest = serde_json::from_str(&text);
        manifest.map(Some).map_err(|error| refused(&path, &error))
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), StoreError> {
        write_json(&Self::path(folder), self)
    }

    /// Returns whether a file is entered.
    pub fn has(&self, folder: &Path, file: &Path) -> bool {
        Self::name_of(folder, file).is_ok_and(|name| self.files.contains_key(&name))
    }

    /// Returns the entered files whose path within the folder begins in some way, such as `arena/`, in order.
    pub fn paths(&self, folder: &Path, prefix: &str) -> Vec<PathBuf> {
        let from = self.files.range(prefix.to_owned()..);
        from.take_while(|(name, _)| name.starts_with(prefix))
            .map(|(name, _)| folder.join(name))
            .collect()
    }

    /// Returns what a file of games holds, if it was entered with that.
    pub fn count(&self, folder: &Path, games: &Path) -> Option<ShardCount> {
        self.entry(folder, games).ok()?.shard
    }

    /// Returns whether an entered file was pruned.
    pub fn is_pruned(&self, folder: &Path, file: &Path) -> bool {
        let entry = self.entry(folder, file);
        entry.is_ok_and(|entry| entry.pruned.is_some())
    }

    pub(crate) fn entry(&self, folder: &Path, file: &Path) -> Result<&FileEntry, StoreError> {
        let entry = self.files.get(&Self::name_of(folder, file)?);
        entry.ok_or_else(|| StoreError::Damaged {
            path: file.into(),
            reason: "the manifest has no such file".into(),
        })
    }

    /// Returns the path of a file within the folder as the manifest has it.
    pub(crate) fn name_of(folder: &Path, file: &Path) -> Result<String, StoreError> {
        let within = file.strip_prefix(folder);
        let within = within.map_err(|_| {
            let reason = format!("{} is outside its folder", file.display());
            StoreError::unreadable(&Self::path(folder), reason)
        })?;
        let parts: Vec<_> = within.iter().map(|part| part.to_string_lossy()).collect();
        Ok(parts.join("/"))
    }
}

/// What a check of all files of a store found.
#[derive(Debug, Default)]
pub struct Verified {
    /// Files that were checked.
    pub files: usize,
    /// Those of them that were pruned.
    pub pruned: usize,
    /// Those that may be missing, and are.
    pub gone: usize,
    /// What is missing or differs, by path.
    pub faults: Vec<StoreError>,
    /// The rulesets of the folder, and of the matches in it, that are still to be checked: their fingerprints by name.
    pub rulesets: Vec<(PathBuf, BTreeMap<String, String>)>,
}

impl Verified {
    /// Checks all entered files of a folder, and of the matches in it that a study has.
    ///
    /// # Errors
    /// If the folder has no manifest, or one that is damaged or of another format.
    pub fn of(folder: &Path) -> Result<Self, StoreError> {
        let Some((text, _)) = read_header(folder)? else {
            return Err(missing(folder));
        };
        let manifest = serde_json::from_str::<Manifest<Value>>(&text);
        let manifest = manifest.map_err(|error| refused(&path_in(folder), &error))?;
        let is_gone = |(name, entry): &(&String, &FileEntry)| {
            entry.gone && folder.join(name).symlink_metadata().is_err()
        };
        let files = manifest.files.iter();
        let (gone, files): (Vec<_>, Vec<_>) = files.partition(is_gone);
        let pruned = files.iter().filter(|(_, entry)| entry.pruned.is_some());
        let check = |(name, entry): &(&String, &FileEntry)| entry.verify(&folder.join(name)).err();
        let matches = folder.join("strength");
        let within = match matches.is_dir() {
            true => Self::of(&matches)?,
            false => Self::default(),
        };
        let faults = files.par_iter().filter_map(check);
        Ok(Self {
            files: files.len() + within.files,
            pruned: pruned.count() + within.pruned,
            gone: gone.len() + within.gone,
            faults: faults.chain(within.faults).collect(),
            rulesets: [(folder.to_owned(), manifest.rulesets)]
                .into_iter()
                .chain(within.rulesets)
                .collect(),
        })
    }
}

/// What is read before the rest, to say what a manifest is; before format 3 the format was called otherwise.
#[derive(Deserialize)]
struct Header {
    #[serde(alias = "manifest_version")]
    format: u32,
    #[serde(default)]
    kind: Option<Value>,
}

/// Reads a manifest and its kind, if it is there and of this format.
fn read_header(folder: &Path) -> Result<Option<(String, StoreKind)>, StoreError> {
    let path = path_in(folder);
    let other = |path: PathBuf, found, is_run| StoreError::OtherFormat {
        path,
        found,
        expected: MANIFEST_FORMAT,
        is_run,
    };
    if !path.try_exists().is_ok_and(|it| it) {
        let mut former = FORMER.iter().map(|name| folder.join(name));
        return match former.find(|path| path.exists()) {
            Some(former) => Err(other(former, 1, false)),
            None => Ok(None),
        };
    }
    let text = read_text(&path, MOST_BYTES)?;
    let header = serde_json::from_str::<Header>(&text);
    let Header { format, kind } = header.map_err(|error| match error.is_data() {
        true => StoreError::Foreign {
            path: path.clone(),
            reason: "of another program: it has no `format` of ours".to_owned(),
        },
        false => refused(&path, &error),
    })?;
    if format != MANIFEST_FORMAT {
        // Those of tournaments and studies had another name before manifests told their kind.
        let is_run = kind.is_none_or(|kind| kind == "run");
        return Err(other(path, format, is_run));
    }
    let kind = serde_json::from_value(kind.unwrap_or_default());
    let kind = kind.map_err(|error| refused(&path, &error))?;
    Ok(Some((text, kind)))
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

/// Returns the error of a folder without a manifest.
pub(crate) fn missing(folder: &Path) -> StoreError {
    if !folder.is_dir() {
        return StoreError::unreadable(folder, "no such folder");
    }
    StoreError::reading(&path_in(folder), &io::ErrorKind::NotFound.into())
}

fn refused(path: &Path, error: &serde_json::Error) -> StoreError {
    StoreError::unreadable(path, error)
}
