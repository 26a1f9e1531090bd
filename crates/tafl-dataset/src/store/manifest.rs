//! `manifest.json`: what a store is, and a checksum for every finished file.

use super::{RunSettings, Settings};
use crate::{DatasetError, FileEntry, write_atomically};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The format of `manifest.json`.
pub const MANIFEST_FORMAT: u32 = 3;

const FILE_NAME: &str = "manifest.json";

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
    pub fn of_folder(folder: &Path) -> Result<Option<Self>, DatasetError> {
        match read_header(folder)? {
            Some((_, header)) => Ok(Some(header.kind)),
            None => Ok(None),
        }
    }
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
    pub(super) fn new(settings: S) -> Self {
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
    #[must_use]
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(FILE_NAME)
    }

    /// Reads the manifest of a folder, which need not be open.
    ///
    /// # Errors
    /// If it is missing, damaged, or of another format or kind.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        Self::read_if_there(folder)?.ok_or_else(|| Self::missing(folder))
    }

    pub(super) fn missing(folder: &Path) -> DatasetError {
        if !folder.is_dir() {
            return DatasetError::Unreadable {
                path: folder.to_owned(),
                reason: "no such folder".to_owned(),
            };
        }
        let error = io::Error::from(io::ErrorKind::NotFound);
        DatasetError::reading(&Self::path(folder), &error)
    }

    pub(super) fn read_if_there(folder: &Path) -> Result<Option<Self>, DatasetError> {
        let Some((text, header)) = read_header(folder)? else {
            return Ok(None);
        };
        let path = Self::path(folder);
        if header.kind != S::KIND {
            return Err(DatasetError::OtherKind {
                path,
                found: header.kind.into(),
                expected: S::KIND.into(),
            });
        }
        let manifest = serde_json::from_str(&text);
        manifest.map(Some).map_err(|error| refused(path, &error))
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = Self::path(folder);
        match serde_json::to_string_pretty(self) {
            Ok(text) => write_atomically(&path, (text + "\n").as_bytes()),
            Err(error) => Err(refused(path, &error)),
        }
    }

    /// Returns whether a file is entered.
    #[must_use]
    pub fn has(&self, folder: &Path, file: &Path) -> bool {
        Self::name_of(folder, file).is_ok_and(|name| self.files.contains_key(&name))
    }

    /// Returns the entered files whose path within the folder begins in some way, such as `arena/`, in order.
    #[must_use]
    pub fn paths(&self, folder: &Path, prefix: &str) -> Vec<PathBuf> {
        let from = self.files.range(prefix.to_owned()..);
        from.take_while(|(name, _)| name.starts_with(prefix))
            .map(|(name, _)| folder.join(name))
            .collect()
    }

    pub(super) fn entry(&self, folder: &Path, file: &Path) -> Result<&FileEntry, DatasetError> {
        let entry = self.files.get(&Self::name_of(folder, file)?);
        entry.ok_or_else(|| DatasetError::Damaged {
            path: file.into(),
            reason: "the manifest has no such file".into(),
        })
    }

    /// Returns the path of a file within the folder as the manifest has it.
    pub(super) fn name_of(folder: &Path, file: &Path) -> Result<String, DatasetError> {
        let within = file.strip_prefix(folder);
        let within = within.map_err(|_| DatasetError::Unreadable {
            path: Self::path(folder),
            reason: format!("{} is outside its folder", file.display()),
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
    /// Files that were removed on purpose.
    pub removed: usize,
    /// What is missing or differs, by path.
    pub faults: Vec<DatasetError>,
}

impl Verified {
    /// Checks all entered files of a folder, and of the matches in it that a study has, but those that were removed on
    /// purpose.
    ///
    /// # Errors
    /// If the folder has no manifest, or one that is damaged or of another format.
    pub fn of(folder: &Path) -> Result<Self, DatasetError> {
        let Some((text, _)) = read_header(folder)? else {
            return Err(Manifest::<RunSettings>::missing(folder));
        };
        let manifest = serde_json::from_str::<Manifest<Value>>(&text);
        let manifest = manifest.map_err(|error| refused(folder.join(FILE_NAME), &error))?;
        let all = manifest.files.len();
        let files = manifest.files.iter().filter(|(_, entry)| !entry.removed);
        let files: Vec<_> = files.collect();
        let check = |(name, entry): &(&String, &FileEntry)| entry.verify(&folder.join(name)).err();
        let matches = folder.join("strength");
        let within = match matches.is_dir() {
            true => Self::of(&matches)?,
            false => Self::default(),
        };
        let faults = files.par_iter().filter_map(check);
        Ok(Self {
            files: files.len() + within.files,
            removed: all - files.len() + within.removed,
            faults: faults.chain(within.faults).collect(),
        })
    }
}

/// What is read before the rest, to say what a manifest is.
#[derive(Deserialize)]
struct Header {
    kind: StoreKind,
}

/// The format of a manifest; before format 3 it was called otherwise.
#[derive(Deserialize)]
struct Format {
    #[serde(alias = "manifest_version")]
    format: u32,
}

/// Reads a manifest, if it is there and of this format.
fn read_header(folder: &Path) -> Result<Option<(String, Header)>, DatasetError> {
    let path = folder.join(FILE_NAME);
    let other = |path: PathBuf, found| DatasetError::OtherFormat {
        path,
        found,
        expected: MANIFEST_FORMAT,
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut former = FORMER.iter().map(|name| folder.join(name));
            return match former.find(|path| path.exists()) {
                Some(former) => Err(other(former, 1)),
                None => Ok(None),
            };
        }
        Err(error) => return Err(DatasetError::reading(&path, &error)),
    };
    let format = serde_json::from_str::<Format>(&text);
    let Format { format } = format.map_err(|error| refused(path.clone(), &error))?;
    if format != MANIFEST_FORMAT {
        return Err(other(path, format));
    }
    let header = serde_json::from_str(&text).map_err(|error| refused(path, &error))?;
    Ok(Some((text, header)))
}

fn refused(path: PathBuf, error: &serde_json::Error) -> DatasetError {
    let reason = error.to_string();
    DatasetError::Unreadable { path, reason }
}
