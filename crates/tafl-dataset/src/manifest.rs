//! What a run is and which files it has written.

use crate::{DatasetError, write_atomically};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
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

/// One finished file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its contents, 64 hexadecimal digits.
    pub sha256: String,
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
        let entry = entry_of(file).map_err(|error| DatasetError::reading(file, &error))?;
        self.files.insert(name, entry);
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
        let damaged = |reason: String| DatasetError::Damaged {
            path: file.into(),
            reason,
        };
        let entered = self.files.get(&name_within(run_folder, file)?);
        let entered = entered.ok_or_else(|| damaged("the manifest has no such file".into()))?;
        let found = entry_of(file).map_err(|error| DatasetError::reading(file, &error))?;
        if found.bytes != entered.bytes {
            return Err(damaged(format!(
                "{} bytes instead of {}",
                found.bytes, entered.bytes
            )));
        }
        if found.sha256 != entered.sha256 {
            return Err(damaged("its checksum differs from the manifest's".into()));
        }
        Ok(())
    }
}

/// Returns the SHA-256 of some bytes as 64 hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn entry_of(file: &Path) -> io::Result<FileEntry> {
    let mut reader = File::open(file)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(FileEntry {
                bytes,
                sha256: hex(&hasher.finalize()),
            });
        }
        hasher.update(&buffer[..read]);
        bytes += read as u64;
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
