//! What a run is and which files it has written.

use crate::{DatasetError, FileEntry, write_atomically};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The version of `manifest.json`.
pub const MANIFEST_VERSION: u32 = 1;

const FILE_NAME: &str = "manifest.json";

/// `manifest.json` of a run: what made it, and a checksum for every finished file.
///
/// A file counts as written once it is entered here; the manifest itself is replaced atomically.
/// Only files that do not change any more are entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunManifest {
    /// [`MANIFEST_VERSION`] of the writer.
    pub manifest_version: u32,
    /// What made the run.
    pub info: RunInfo,
    /// Finished files by their path within the run's folder, folders parted by `/`.
    pub files: BTreeMap<String, FileEntry>,
}

/// What made a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// The name of the run.
    pub run: String,
    /// The version of Taflforge.
    pub version: String,
    /// The commit it was built from, where known.
    pub git_commit: Option<String>,
    /// The seed of the run.
    pub seed: u64,
    /// SHA-256 of the resolved config.
    pub config_sha256: String,
    /// Fingerprints of the rulesets by name, 16 hexadecimal digits.
    pub rulesets: BTreeMap<String, String>,
    /// The version of libtorch.
    pub libtorch: String,
    /// The device, such as `cpu`.
    pub device: String,
    /// The precision of inference that was used.
    pub precision: String,
}

impl RunManifest {
    /// Returns the manifest of a run that has written nothing yet.
    #[must_use]
    pub const fn new(info: RunInfo) -> Self {
        Self {
            manifest_version: MANIFEST_VERSION,
            info,
            files: BTreeMap::new(),
        }
    }

    /// Returns where a run's manifest is.
    #[must_use]
    pub fn path(run_folder: &Path) -> PathBuf {
        run_folder.join(FILE_NAME)
    }

    /// Reads the manifest of a run.
    ///
    /// # Errors
    /// If it is missing, no manifest, or of another version.
    pub fn read(run_folder: &Path) -> Result<Self, DatasetError> {
        let path = Self::path(run_folder);
        let text =
            fs::read_to_string(&path).map_err(|error| DatasetError::reading(&path, &error))?;
        let refused = |reason: String| DatasetError::Manifest {
            path: path.clone(),
            reason,
        };
        let manifest: Self =
            serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
        if manifest.manifest_version == MANIFEST_VERSION {
            return Ok(manifest);
        }
        let version = manifest.manifest_version;
        Err(refused(format!(
            "field `manifest_version`: {version}, where {MANIFEST_VERSION} is read"
        )))
    }

    /// Writes the manifest, atomically.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn write(&self, run_folder: &Path) -> Result<(), DatasetError> {
        let path = Self::path(run_folder);
        let text = serde_json::to_string_pretty(self).map_err(|error| DatasetError::Manifest {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        write_atomically(&path, (text + "\n").as_bytes())
    }

    /// Enters a finished file with its checksum, in place of an earlier entry. [`Self::write`] makes it last.
    ///
    /// # Errors
    /// If the file cannot be read or lies outside the run's folder.
    pub fn enter(&mut self, run_folder: &Path, file: &Path) -> Result<(), DatasetError> {
        let name = name_within(run_folder, file)?;
        self.files.insert(name, FileEntry::of(file)?);
        Ok(())
    }

    /// Returns whether a file is entered.
    #[must_use]
    pub fn has(&self, run_folder: &Path, file: &Path) -> bool {
        name_within(run_folder, file).is_ok_and(|name| self.files.contains_key(&name))
    }

    /// Checks that a file is what was entered.
    ///
    /// # Errors
    /// If it is not entered, missing, or differs in a byte.
    pub fn verify(&self, run_folder: &Path, file: &Path) -> Result<(), DatasetError> {
        let entered = self.files.get(&name_within(run_folder, file)?);
        let entered = entered.ok_or_else(|| DatasetError::Damaged {
            path: file.into(),
            reason: "the manifest has no such file".into(),
        })?;
        entered.verify(file)
    }
}

fn name_within(run_folder: &Path, file: &Path) -> Result<String, DatasetError> {
    let within = file
        .strip_prefix(run_folder)
        .map_err(|_| DatasetError::Manifest {
            path: RunManifest::path(run_folder),
            reason: format!("{} lies outside the run's folder", file.display()),
        })?;
    let parts: Vec<_> = within.iter().map(|part| part.to_string_lossy()).collect();
    Ok(parts.join("/"))
}
