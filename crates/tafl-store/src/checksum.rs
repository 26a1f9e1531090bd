//! Checksums of files, which detect damage.

use crate::{StoreError, open_file};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::ops::Add;
use std::path::Path;

/// One finished file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its contents, 64 hexadecimal digits.
    pub sha256: String,
    /// What it holds, if it is a file of games to learn from: so that is known without the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardCount>,
    /// SHA-256 of the smaller file that takes its place, or has, to free the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruned: Option<String>,
    /// Whether it may be missing: it was, when the store was opened last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

/// What a file of games holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardCount {
    /// Games.
    pub games: u64,
    /// Samples.
    pub samples: u64,
    /// Samples that are not held out.
    pub to_learn: u64,
}

impl Add for ShardCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            games: self.games + other.games,
            samples: self.samples + other.samples,
            to_learn: self.to_learn + other.to_learn,
        }
    }
}

impl FileEntry {
    /// Returns size and checksum of a regular file, however large.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(file: &Path) -> Result<Self, StoreError> {
        let mut reader = open_file(file, u64::MAX)?;
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            let read = reader.read(&mut buffer);
            let read = read.map_err(|error| StoreError::reading(file, &error))?;
            if read == 0 {
                break;
            }
            hasher.update(&buffer[..read]);
            bytes += read as u64;
        }
        Ok(Self {
            bytes,
            sha256: hex(&hasher.finalize()),
            ..Self::default()
        })
    }

    /// Checks that a file is still the one of this entry, or the one that takes its place.
    ///
    /// # Errors
    /// If it cannot be read, or differs in a byte.
    pub fn verify(&self, file: &Path) -> Result<(), StoreError> {
        let found = Self::of(file)?;
        if self.pruned.as_ref() == Some(&found.sha256) {
            return Ok(());
        }
        let reason = if found.bytes != self.bytes {
            format!("{} bytes instead of {}", found.bytes, self.bytes)
        } else if found.sha256 != self.sha256 {
            "its checksum differs from the manifest's".to_owned()
        } else {
            return Ok(());
        };
        let path = file.into();
        Err(StoreError::Damaged { path, reason })
    }
}

/// Returns the SHA-256 of some bytes as 64 hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
