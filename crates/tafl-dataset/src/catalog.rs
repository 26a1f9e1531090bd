//! What is known of files of games, so that an unchanged one is hashed and counted once.

use crate::games::GamesFile;
use crate::{DatasetError, WindowConfig};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use tafl_store::StoreError;

/// What is known of the files of games that were looked at.
#[derive(Debug)]
pub(crate) struct Catalog {
    seed: u64,
    held_out_fraction: f64,
    files: Mutex<BTreeMap<PathBuf, Arc<KnownFile>>>,
}

/// A file of games as it was when it was looked at.
#[derive(Debug)]
pub(crate) struct KnownFile {
    pub(crate) path: PathBuf,
    stamp: Stamp,
    /// The number of rows before each row group that is learned from, and that of all.
    group_starts: Vec<u32>,
    generation: String,
    /// Known of a file that was checked.
    held_out: OnceLock<Vec<Range<u32>>>,
}

/// By what a changed file is known, without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Result<Self, DatasetError> {
        let metadata = fs::metadata(path).map_err(|error| StoreError::reading(path, &error))?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Ok(Self {
            bytes: metadata.len(),
            modified: metadata.modified().ok(),
            inode,
        })
    }
}

impl Catalog {
    pub(crate) fn new(config: &WindowConfig, seed: u64) -> Self {
        Self {
            seed,
            held_out_fraction: config.held_out_fraction,
            files: Mutex::default(),
        }
    }

    /// Returns a file as it is now; only a new or changed one is opened, and only its footer is read.
    pub(crate) fn file(&self, path: &Path) -> Result<Arc<KnownFile>, DatasetError> {
        let stamp = Stamp::of(path)?;
        let files = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = files().get(path).filter(|file| file.stamp == stamp) {
            return Ok(Arc::clone(known));
        }
        let file = Arc::new(KnownFile::look_at(path, stamp)?);
        files().insert(path.into(), Arc::clone(&file));
        Ok(file)
    }

    /// Lets `check` find out once whether a file is what was written; then finds which of its rows are never learned from.
    pub(crate) fn admit(
        &self,
        file: &KnownFile,
        check: impl FnOnce(&Path) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        if file.held_out.get().is_none() {
            check(&file.path)?;
            let found = self.find_held_out(file)?;
            file.held_out.get_or_init(|| found);
        }
        Ok(())
    }

    fn find_held_out(&self, file: &KnownFile) -> Result<Vec<Range<u32>>, DatasetError> {
        let mut held_out: Vec<Range<u32>> = Vec::new();
        if self.held_out_fraction == 0.0 {
            return Ok(held_out);
        }
        let ids = file.open()?.learned_games()?;
        let mut row = 0;
        for game in ids.chunk_by(|id, next| id == next) {
            let end = row + game.len() as u32;
            if self.is_held_out(&file.generation, game[0]) {
                match held_out.last_mut() {
                    Some(range) if range.end == row => range.end = end,
                    _ => held_out.push(row..end),
                }
            }
            row = end;
        }
        Ok(held_out)
    }

    /// Returns whether a game is never learned from: a hash of its numbers and the seed decides.
    fn is_held_out(&self, generation: &str, game_id: u64) -> bool {
        let digest = Sha256::new()
            .chain_update(b"held out")
            .chain_update(self.seed.to_le_bytes())
            .chain_update(game_id.to_le_bytes())
            .chain_update(generation.as_bytes())
            .finalize();
        let (number, _) = digest
            .split_first_chunk()
            .expect("32 bytes are more than 8");
        let share = (u64::from_le_bytes(*number) >> 11) as f64 / (1_u64 << 53) as f64;
        share < self.held_out_fraction
    }
}

impl KnownFile {
    fn look_at(path: &Path, stamp: Stamp) -> Result<Self, DatasetError> {
        let opened = GamesFile::new(path)?;
        let mut group_starts = vec![0];
        let mut rows = 0;
        for group in opened.learned_groups() {
            rows += group;
            group_starts.push(rows);
        }
        Ok(Self {
            path: path.into(),
            stamp,
            group_starts,
            generation: opened.about("generation").unwrap_or_default().into(),
            held_out: OnceLock::new(),
        })
    }

    /// Returns the number of rows to learn from.
    pub(crate) fn rows(&self) -> u32 {
        *self.group_starts.last().unwrap_or(&0)
    }

    /// Returns the row group of a row.
    pub(crate) fn group_of(&self, row: u32) -> usize {
        self.group_starts.partition_point(|&start| start <= row) - 1
    }

    /// Returns the rows that are never learned from, as rising ranges; none before [`Catalog::admit`].
    pub(crate) fn held_out(&self) -> &[Range<u32>] {
        self.held_out.get().map_or(&[], Vec::as_slice)
    }

    /// Opens the file, which is verified, for its rows.
    pub(crate) fn open(&self) -> Result<GamesFile<'_>, DatasetError> {
        if Stamp::of(&self.path)? != self.stamp {
            return Err(StoreError::Damaged {
                path: self.path.clone(),
                reason: "it has changed since it was verified".into(),
            }
            .into());
        }
        GamesFile::new(&self.path)
    }
}
