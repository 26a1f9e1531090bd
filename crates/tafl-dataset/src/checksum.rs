//! Checksums of files, which detect damage.

use crate::DatasetError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// One finished file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its contents, 64 hexadecimal digits.
    pub sha256: String,
}

impl FileEntry {
    /// Returns size and checksum of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(file: &Path) -> Result<Self, DatasetError> {
        read(file).map_err(|error| DatasetError::reading(file, &error))
    }

    /// Checks that a file is still the one of this entry.
    ///
    /// # Errors
    /// If it cannot be read, or differs in a byte.
    pub fn verify(&self, file: &Path) -> Result<(), DatasetError> {
        let found = Self::of(file)?;
        let reason = if found.bytes != self.bytes {
            format!("{} bytes instead of {}", found.bytes, self.bytes)
        } else if found.sha256 != self.sha256 {
            "its checksum differs from the manifest's".to_owned()
        } else {
            return Ok(());
        };
        let path = file.into();
        Err(DatasetError::Damaged { path, reason })
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

fn read(file: &Path) -> io::Result<FileEntry> {
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
