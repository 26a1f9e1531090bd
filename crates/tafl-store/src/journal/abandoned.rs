//! Journals of killed processes.

use super::{lines, read_all, read_entries, read_line};
use crate::StoreError;
use crate::atomic::remove_if_there;
use crate::lock::try_lock;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

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
    pub fn take_over(path: &Path) -> Result<Option<Self>, StoreError> {
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| StoreError::reading(path, &error))?,
        };
        if !try_lock(&file) {
            return Ok(None);
        }
        let text = read_all(path, &mut file)?;
        let head = lines(&text).next();
        let head = head.map(|line| read_line(path, line, 1)).transpose()?;
        Ok(Some(Self {
            path: path.to_owned(),
            text,
            head,
            _lock: file,
        }))
    }

    /// Returns the head; `None` if the process was killed before it was written, so that there are no entries.
    pub const fn head(&self) -> Option<&H> {
        self.head.as_ref()
    }

    /// Returns its entries.
    ///
    /// # Errors
    /// If a complete line is none.
    pub fn entries<T: DeserializeOwned>(&self) -> Result<Vec<T>, StoreError> {
        read_entries(&self.path, lines(&self.text).zip(1..).skip(1))
    }

    /// Removes the file, once its entries are stored elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn remove(self) -> Result<(), StoreError> {
        remove_if_there(&self.path)
    }
}
