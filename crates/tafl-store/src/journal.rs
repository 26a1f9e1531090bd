//! The finished games of what is still being played, so that a killed process leaves them behind.

use crate::atomic::{create_file, remove_if_there, sync_folder_of, temporary_name};
use crate::file::check_file;
use crate::lock::try_lock;
use crate::{StoreError, create_folder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A file that takes entries, such as games as they end, one line of JSON each; locked as long as it is open.
///
/// The file is private to this program and is removed once its entries are stored elsewhere. Any number of threads may
/// append.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Appended>,
}

/// The largest journal that is read.
const MOST_BYTES: u64 = 4 << 30;

/// Time after which entries are on the disk, and not only with the operating system, at the latest with the next one.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// How often a journal is begun, while others that start now remove what has no content yet.
const ATTEMPTS: usize = 5;

impl Journal {
    /// Opens or makes a journal without a head, and returns its entries; an incomplete last line is cut off.
    ///
    /// # Errors
    /// If another process has it open, a complete line is not an entry, or the operating system refuses.
    pub fn open<T: DeserializeOwned>(path: &Path) -> Result<(Self, Vec<T>), StoreError> {
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let writing = |error: io::Error| StoreError::writing(path, &error);
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(path);
        let mut file = file.map_err(writing)?;
        if !try_lock(&file) {
            let (path, what) = (path.into(), "journal");
            return Err(StoreError::InUse { path, what });
        }
        let text = read_all(path, &mut file)?;
        let entries = read_entries(path, &text, 0)?;
        file.set_len(whole_lines(&text) as u64).map_err(writing)?;
        sync_folder_of(path).map_err(writing)?;
        Ok((Self::of(path, file), entries))
    }

    /// Makes a journal that begins with a head, a line with content of its own; the file appears together with it.
    ///
    /// [`AbandonedJournal`] reads it back.
    ///
    /// # Errors
    /// If the operating system refuses; nothing is left then.
    pub fn create(path: &Path, head: &impl Serialize) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let partial = temporary_name(path);
        let begin = || {
            let mut file = create_file(&partial)?;
            if !try_lock(&file) {
                return Err(io::ErrorKind::NotFound.into());
            }
            file.write_all(&line_of(head)?)?;
            file.sync_all()?;
            fs::rename(&partial, path)?;
            sync_folder_of(path)?;
            Ok::<_, io::Error>(file)
        };
        // Until it is locked, a worker of the same name that starts now may take it for abandoned and remove it.
        let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let mut begun = begin();
        for _ in 1..ATTEMPTS {
            if begun.as_ref().is_err_and(is_taken) {
                begun = begin();
            }
        }
        begun.map(|file| Self::of(path, file)).map_err(|error| {
            // What was begun only takes space; the first error is the one to tell.
            let _ = fs::remove_file(&partial);
            StoreError::writing(path, &error)
        })
    }

    fn of(path: &Path, file: File) -> Self {
        let appended = Appended {
            file,
            synced: Instant::now(),
            is_torn: false,
        };
        Self {
            path: path.to_owned(),
            file: Mutex::new(appended),
        }
    }

    /// Appends an entry, which a kill of the process does not lose then, nor a power cut a second later.
    ///
    /// # Errors
    /// If the operating system refuses; after that, no entry is taken.
    pub fn append(&self, entry: &impl Serialize) -> Result<(), StoreError> {
        let append = |line: Vec<u8>| {
            // A thread that panicked within an append left it marked as torn.
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.append(&line)
        };
        line_of(entry)
            .and_then(append)
            .map_err(|error| StoreError::writing(&self.path, &error))
    }

    /// Removes the file, once its entries are stored elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn remove(self) -> Result<(), StoreError> {
        remove_if_there(&self.path)
    }
}

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
        read_entries(&self.path, &self.text, 1)
    }

    /// Removes the file, once its entries are stored elsewhere.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn remove(self) -> Result<(), StoreError> {
        remove_if_there(&self.path)
    }
}

/// A file that grows.
#[derive(Debug)]
struct Appended {
    file: File,
    synced: Instant,
    /// Whether the last line may have been written in part.
    is_torn: bool,
}

impl Appended {
    /// Appends a line; after one that could not be written as a whole, no other is joined to it.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            return Err(io::Error::other("an earlier game could not be written"));
        }
        self.is_torn = true;
        self.file.write_all(line)?;
        self.is_torn = false;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.file.sync_data()?;
            self.synced = Instant::now();
        }
        Ok(())
    }
}

fn line_of(content: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(content)?;
    line.push(b'\n');
    Ok(line)
}

fn read_all(path: &Path, file: &mut File) -> Result<Vec<u8>, StoreError> {
    check_file(path, file, MOST_BYTES)?;
    let mut text = Vec::new();
    let read = file.read_to_end(&mut text);
    read.map_err(|error| StoreError::reading(path, &error))?;
    Ok(text)
}

/// Returns the length of all complete lines.
fn whole_lines(text: &[u8]) -> usize {
    let last = text.iter().rposition(|&byte| byte == b'\n');
    last.map_or(0, |last| last + 1)
}

/// Returns the complete lines.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = &text[..whole_lines(text)];
    whole
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| &line[..line.len() - 1])
}

/// Reads the entries behind some first lines; a damaged one is an error, since nothing after it may be lost in silence.
fn read_entries<T: DeserializeOwned>(
    path: &Path,
    text: &[u8],
    first: usize,
) -> Result<Vec<T>, StoreError> {
    let numbered = lines(text).zip(1..).skip(first);
    let entries = numbered.map(|(line, number)| read_line(path, line, number));
    entries.collect()
}

fn read_line<T: DeserializeOwned>(path: &Path, line: &[u8], number: u64) -> Result<T, StoreError> {
    serde_json::from_slice(line).map_err(|error| StoreError::Journal {
        path: path.into(),
        line: number,
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Entry {
        number: u64,
        share: f32,
    }

    const fn entry(number: u64) -> Entry {
        Entry {
            number,
            share: 0.1 + 0.2,
        }
    }

    fn open(path: &Path) -> Result<(Journal, Vec<Entry>), StoreError> {
        Journal::open(path)
    }

    fn append_to(path: &Path, bytes: &[u8]) {
        let file = OpenOptions::new().append(true).open(path);
        file.unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn entries_come_back_as_they_were_and_a_torn_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in-progress/a.jsonl");
        let (journal, entries) = open(&path).unwrap();
        assert_eq!(entries, []);
        journal.append(&entry(0)).unwrap();
        journal.append(&entry(7)).unwrap();
        assert!(
            open(&path)
                .unwrap_err()
                .to_string()
                .contains("another process")
        );
        drop(journal);
        append_to(&path, b"{\"number\":9");
        let (journal, entries) = open(&path).unwrap();
        assert_eq!(entries, [entry(0), entry(7)]);
        journal.append(&entry(8)).unwrap();
        drop(journal);
        let (journal, entries) = open(&path).unwrap();
        assert_eq!(entries, [entry(0), entry(7), entry(8)]);
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_damaged_line_is_named_and_nothing_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        open(&path).unwrap().0.append(&entry(0)).unwrap();
        append_to(&path, b"{\"number\":9}\n");
        let before = fs::read(&path).unwrap();
        let error = open(&path).unwrap_err();
        assert!(error.to_string().contains("line 2: missing field"));
        assert!(error.hint().unwrap().contains("move the file away"));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Head {
        checkpoint: String,
    }

    #[test]
    fn a_journal_with_a_head_is_taken_over_once_its_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("worker/a.jsonl");
        let head = Head {
            checkpoint: "000003".to_owned(),
        };
        let take_over = || AbandonedJournal::<Head>::take_over(&path).unwrap();
        assert!(take_over().is_none());
        let journal = Journal::create(&path, &head).unwrap();
        journal.append(&entry(4)).unwrap();
        assert!(take_over().is_none());
        drop(journal);
        append_to(&path, b"{\"numb");
        let abandoned = take_over().unwrap();
        assert_eq!(abandoned.head(), Some(&head));
        assert_eq!(abandoned.entries::<Entry>().unwrap(), [entry(4)]);
        let error = abandoned.entries::<Head>().unwrap_err().to_string();
        assert!(error.contains("line 2: unknown field"), "{error}");
        abandoned.remove().unwrap();
        assert!(take_over().is_none());
        fs::write(&path, "{\"check").unwrap();
        assert_eq!(take_over().unwrap().head(), None);
        fs::write(&path, "{}\n").unwrap();
        let error = AbandonedJournal::<Head>::take_over(&path).unwrap_err();
        assert!(error.to_string().contains("line 1: missing field"));
    }
}
