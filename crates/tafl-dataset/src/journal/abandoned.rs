//! Journals of killed processes.

use super::{damaged, lines, read_games, remove_if_there};
use crate::DatasetError;
use crate::lock::try_lock;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tafl_rules::Rules;
use tafl_samples::GameRecord;

/// A journal with a head that a killed process left behind; locked as long as it is held here.
#[derive(Debug)]
pub struct AbandonedJournal<H> {
    path: PathBuf,
    text: Vec<u8>,
    head: Option<H>,
    _lock: File,
}

impl<H: DeserializeOwned> AbandonedJournal<H> {
    /// Takes a journal over; `None` if its process still has it open or has just removed it.
    ///
    /// # Errors
    /// If its first line is not a head, or the operating system refuses.
    pub fn take_over(path: &Path) -> Result<Option<Self>, DatasetError> {
        let refused = |error: io::Error| DatasetError::reading(path, &error);
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(refused)?,
        };
        if !try_lock(&file) {
            return Ok(None);
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(refused)?;
        let head = match lines(&text).next() {
            Some(line) => {
                let head = serde_json::from_slice(line);
                Some(head.map_err(|error| damaged(path, 1, error.to_string()))?)
            }
            None => None,
        };
        Ok(Some(Self {
            path: path.to_owned(),
            text,
            head,
            _lock: file,
        }))
    }

    /// Returns the head; `None` if the process was killed before it was written, so that there are no games.
    #[must_use]
    pub const fn head(&self) -> Option<&H> {
        self.head.as_ref()
    }

    /// Returns its games, which are of `rules` by name and get the number `generation`.
    ///
    /// # Errors
    /// If a complete line is not a game of `rules`.
    pub fn games(
        &self,
        rules: &[Arc<Rules>],
        generation: u32,
    ) -> Result<Vec<GameRecord>, DatasetError> {
        let numbered = lines(&self.text).zip(1..).skip(1);
        read_games(&self.path, numbered, rules, generation)
    }

    /// Removes the file, once its games are stored elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn remove(self) -> Result<(), DatasetError> {
        remove_if_there(&self.path)
    }
}
